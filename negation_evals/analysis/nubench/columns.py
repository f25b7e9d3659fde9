"""Columns and settings of the NUBench tables."""

from collections.abc import Hashable, Sequence
from typing import Any, Final

import pandas as pd

from negation_evals.analysis.common.columns import DESCRIPTIONS, require_columns
from negation_evals.analysis.common.results import descriptions, varying

CHOICE_SETTINGS: Final = (
    "task",
    "split",
    "instructions",
    "shots",
    "demonstrations",
    "format",
    "cot",
    "structured",
    "seed",
    "temperature",
    "solver",
    "generation",
    "version",
    "data_hash",
)
"""Settings of a NUBench run; the seed draws the order of the options and the demonstrations."""

CHOICES: Final = (
    "model",
    *DESCRIPTIONS,
    "item",
    "page",
    "local_type",
    "n_options",
    "right",
    "epoch",
    "status",
    "letter",
    "chosen",
    "correct",
    "chosen_per_token",
    "correct_per_token",
    "run",
    *CHOICE_SETTINGS,
    "dataset",
    "revision",
    "log",
    "sample_uuid",
)
"""Columns of the table `choices`: one row per item and epoch of the task `nubench`."""

CONDITIONS: Final = ("shots", "instructions", "format", "seed")
"""Always among the keys of a result, whether or not they vary."""


def choice_keys(choices: pd.DataFrame) -> list[str]:
    """What one result stands for: the model, the conditions, and other settings that vary."""
    keys = ["model", *descriptions(choices), *varying(choices, CHOICE_SETTINGS)]
    return [*keys, *(name for name in CONDITIONS if name not in keys)]


def _require_result(choices: pd.DataFrame, columns: Sequence[str], function: str) -> None:
    """Check for these columns and those that say which result a row belongs to."""
    require_columns(choices, ("model", *columns, *CONDITIONS), function)


def _results(choices: pd.DataFrame) -> list[tuple[dict[str, Any], pd.DataFrame]]:
    """Each result's keys and rows, in order of appearance."""
    keys = choice_keys(choices)
    return [
        (dict(zip(keys, _as_tuple(values), strict=True)), group)
        for values, group in choices.groupby(keys, sort=False, dropna=False)
    ]


def _as_tuple(values: Hashable) -> Sequence[Any]:
    return values if isinstance(values, tuple) else (values,)
