"""The table `cells` as matrices of counts, scenario x frame: what the statistics compute on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS, expected_frames


@dataclass(frozen=True)
class WideCells:
    """The cells of one model and its settings as scenario x frame."""

    scenarios: pd.DataFrame
    """The grouping columns, scenario and domain, in order of appearance."""
    frames: NDArray[np.object_]
    endorsed: NDArray[np.int64]
    n_valid: NDArray[np.int64]
    """Counts; 0 valid where the frame was not asked or gave no valid answer."""
    n_undecided: NDArray[np.int64]
    """Answers without a decision: abstentions and what could not be parsed."""
    deterministic: bool = False
    """The repeated answers are copies: they carry no sampling noise (`repeatability`)."""


def wide_cells(cells: pd.DataFrame, frames: Sequence[str] | None) -> list[WideCells]:
    """The table `cells` as one pair of count matrices per model and its settings."""
    require_columns(cells, ["model", "scenario", "domain", "frame", "endorsed", "n_valid"], "nsi")
    results = RESULTS.keys(cells)
    keys = [*results, "scenario", "domain"]
    if cells.duplicated([*keys, "frame"]).any():
        raise ValueError("nsi: a cell occurs twice: pass the cells of one table of decisions")
    by_result, by_scenario = (
        cells.groupby(names, sort=False, dropna=False).ngroup().to_numpy()
        for names in (results, keys)
    )
    # One pass over arrays: pandas takes longer for a few rows than for all of them.
    columns = [cells["endorsed"].to_numpy(), cells["n_valid"].to_numpy()]
    undecided = np.zeros(len(cells), dtype=np.int64)
    if "n_abstain" in cells.columns:
        undecided = (cells["n_abstain"] + cells["n_unparsed"]).to_numpy()
    values = np.stack([*columns, undecided]).astype(np.int64)
    copies = np.zeros(len(cells), dtype=bool)
    if "deterministic" in cells.columns:
        copies = cells["deterministic"].to_numpy(dtype=bool)
    named = cells[keys]
    groups = []
    for result in range(by_result.max(initial=-1) + 1):
        own = np.flatnonzero(by_result == result)
        expected = expected_frames(cells.iloc[own], frames)
        places = {frame: place for place, frame in enumerate(expected)}
        column = np.array([places.get(frame, -1) for frame in cells["frame"].iloc[own]])
        _, first, row = np.unique(by_scenario[own], return_index=True, return_inverse=True)
        asked = column >= 0
        counts = np.zeros((3, len(first), len(expected)), dtype=np.int64)
        counts[:, row[asked], column[asked]] = values[:, own[asked]]
        scenarios = named.iloc[own[first]]
        frame_names = np.array(expected, dtype=object)
        endorsed, n_valid, n_undecided = counts
        copied = bool(copies[own].all())
        groups.append(
            WideCells(scenarios, frame_names, endorsed, n_valid, n_undecided, deterministic=copied)
        )
    return groups
