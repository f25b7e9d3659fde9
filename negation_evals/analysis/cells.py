"""The table `cells` as matrices of counts, scenario x frame: what the statistics compute on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.columns import expected_frames, require_columns, result_keys


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
    keys = [*result_keys(cells), "scenario", "domain"]
    if cells.duplicated([*keys, "frame"]).any():
        raise ValueError("nsi: a cell occurs twice: pass the cells of one table of decisions")
    groups = []
    for _, group in cells.groupby(keys[:-2], sort=False, dropna=False):
        expected = expected_frames(group, frames)
        rows, _ = pd.MultiIndex.from_frame(group[["scenario", "domain"]]).factorize()
        columns = pd.Index(expected).get_indexer(group["frame"])
        asked = columns >= 0
        place = rows[asked], columns[asked]
        counts = np.zeros((3, rows.max() + 1, len(expected)), dtype=np.int64)
        counts[0][place] = group["endorsed"].to_numpy()[asked]
        counts[1][place] = group["n_valid"].to_numpy()[asked]
        if "n_abstain" in group.columns:
            counts[2][place] = (group["n_abstain"] + group["n_unparsed"]).to_numpy()[asked]
        scenarios = group[keys].drop_duplicates(["scenario", "domain"])
        copies = "deterministic" in group.columns and bool(group["deterministic"].all())
        names = np.array(expected, dtype=object)
        endorsed, n_valid, n_undecided = counts
        groups.append(WideCells(scenarios, names, endorsed, n_valid, n_undecided, copies))
    return groups
