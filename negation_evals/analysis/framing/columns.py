"""Columns and settings of the framing tables."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from negation_evals.analysis.common.results import Results
from negation_evals.analysis.framing import tables

SETTINGS: Final = tuple(column.name for column in tables.SETTINGS)
"""Settings of an audit. Rows that differ in one of them are never pooled into one result."""

RESULTS: Final = Results(SETTINGS, run_settings=("temperature", "structured", "generation"))
"""What one result of the framing tasks stands for."""

CELL: Final = ("scenario", "frame", "epoch")
"""What identifies one decision within a model and its settings."""


def require_unique_decisions(decisions: pd.DataFrame, function: str) -> None:
    """Check that no decision occurs twice: a mean over both would hide a contradiction.

    Raises:
        ValueError: names the first decision that occurs twice.
    """
    if "epoch" not in decisions.columns:
        return
    keys = [*RESULTS.keys(decisions), *CELL]
    repeated = decisions.duplicated(keys, keep=False)
    if repeated.any():
        first = decisions.loc[repeated, keys].iloc[0].to_dict()
        raise ValueError(
            f"{function}: {int(repeated.sum())} rows share a scenario, frame and epoch, first "
            f"{first}: drop the repetitions or number them as further epochs"
        )


def expected_frames(group: pd.DataFrame, frames: Sequence[str] | None = None) -> list[str]:
    """The frames that a statistic of one model and its settings ranges over.

    Those given, else those that the log planned (column `frames`, joined by commas), else those
    that occur: a frame without any answer is noticed only in the first two cases.
    """
    if frames is not None:
        return list(frames)
    if "frames" in group.columns and isinstance(planned := group["frames"].iloc[0], str):
        return planned.split(",")
    return list(group["frame"].unique())
