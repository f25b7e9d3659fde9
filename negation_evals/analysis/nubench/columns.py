"""Columns and settings of the NUBench tables."""

from collections.abc import Hashable, Sequence
from typing import Any, Final

import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.results import descriptions, varying
from negation_evals.analysis.nubench import tables

CHOICE_SETTINGS: Final = tuple(column.name for column in tables.SETTINGS)
"""Settings of a NUBench run; the seed draws the order of the options and the demonstrations."""

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
