"""The table `cells` as matrices of counts, scenario x frame: what the statistics compute on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS, expected_frames


@dataclass(frozen=True)
class FrameMatrix:
    """The cells of one model and its settings as scenario x frame."""

    scenarios: pd.DataFrame
    """The grouping columns, scenario and domain, in order of appearance."""
    frames: NDArray[np.object_]
    """The names of the columns."""
    n_endorsed: NDArray[np.int64]
    """Endorsements."""
    n_valid: NDArray[np.int64]
    """Valid answers; 0 where the frame was not asked or gave none."""
    n_undecided: NDArray[np.int64]
    """Answers without a decision: abstentions and what could not be parsed."""
    deterministic: bool = False
    """The repeated answers are copies: they carry no sampling noise (`repeatability`)."""


def frame_matrices(cells: pd.DataFrame, frames: Sequence[str] | None) -> list[FrameMatrix]:
    """The table `cells` as matrices of counts, one `FrameMatrix` per model and its settings."""
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
    groups = []
    for result in range(by_result.max(initial=-1) + 1):
        rows = np.flatnonzero(by_result == result)
        expected = expected_frames(cells.iloc[rows], frames)
        places = {frame: place for place, frame in enumerate(expected)}
        column = np.array([places.get(frame, -1) for frame in cells["frame"].iloc[rows]])
        _, first, row = np.unique(by_scenario[rows], return_index=True, return_inverse=True)
        expected_here = column >= 0
        counts = np.zeros((3, len(first), len(expected)), dtype=np.int64)
        counts[:, row[expected_here], column[expected_here]] = values[:, rows[expected_here]]
        groups.append(
            FrameMatrix(
                scenarios=cells[keys].iloc[rows[first]],
                frames=np.array(expected, dtype=object),
                n_endorsed=counts[0],
                n_valid=counts[1],
                n_undecided=counts[2],
                deterministic=bool(copies[rows].all()),
            )
        )
    return groups
