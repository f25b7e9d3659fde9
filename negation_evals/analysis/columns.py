"""Names of the tables' columns, and which settings of an audit vary within a table."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, Final

import pandas as pd

from negation_evals.schema import ALIGNMENT_FIELDS

SETTINGS: Final = (
    "task",
    "condition",
    "temperature",
    "response",
    "answer_order",
    "structured",
    "frames",
    "solver",
    "generation",
    "version",
    "data_hash",
)
"""Settings of an audit. Rows that differ in one of them are never pooled into one result."""

RUN_SETTINGS: Final = ("temperature", "structured", "generation")
"""How a model was run; the other settings say what it was asked. Providers and reasoning models
dictate some of these, so that they often differ from model to model and in no model."""

DESCRIPTIONS: Final = ("origin", "size_tier", "family", "variant")
"""What `datasets/models.yaml` says about a model: one value each, carried with the model's name."""

DECISIONS: Final = (
    "model",
    *DESCRIPTIONS,
    "scenario",
    "domain",
    "frame",
    "negated",
    "epoch",
    "status",
    "decision",
    "endorsed",
    "confidence",
    *ALIGNMENT_FIELDS,
    "run",
    *SETTINGS,
    "order_shown",
    "completion",
    "deterministic",
    "calls",
    "log",
    "sample_uuid",
)
"""Columns of the table `decisions`: one row per sample and epoch of a framing task."""

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

CELL: Final = ("scenario", "frame", "epoch")
"""What identifies one decision within a model and its settings."""


def require_columns(table: pd.DataFrame, columns: Iterable[str], function: str) -> None:
    """Check that a table has the columns that a function needs.

    Raises:
        ValueError: names the missing columns, near matches, and what is there.
    """
    present = [str(column) for column in table.columns]
    missing = [column for column in columns if column not in present]
    if not missing:
        return
    hints = [
        f"{column!r}" + (f" (did you mean {near[0]!r}?)" if near else "")
        for column in missing
        for near in [get_close_matches(column, present, n=1)]
    ]
    raise ValueError(
        f"{function}: the table lacks {', '.join(hints)}; it has {', '.join(present) or 'none'}"
    )


def result_keys(table: pd.DataFrame, settings: Sequence[str] = SETTINGS) -> list[str]:
    """What one result stands for: the model, and those settings that vary within the table.

    What is known about the model comes along; it groups no further.
    """
    return ["model", *descriptions(table), *varying_settings(table, settings)]


def descriptions(table: pd.DataFrame) -> list[str]:
    """The columns that describe the model."""
    return [name for name in DESCRIPTIONS if name in table.columns]


def carried_settings(table: pd.DataFrame, settings: Sequence[str] = SETTINGS) -> list[str]:
    """The settings that a table of results carries: those that varied in what it was made from."""
    return [setting for setting in settings if setting in table.columns]


def carried_keys(table: pd.DataFrame, settings: Sequence[str] = SETTINGS) -> list[str]:
    """Within a table of results, the columns that say which result a row belongs to."""
    return ["model", *descriptions(table), *carried_settings(table, settings)]


def varying_settings(table: pd.DataFrame, settings: Sequence[str] = SETTINGS) -> list[str]:
    """The settings of an audit that take more than one value within the table."""
    return [setting for setting in settings if setting in table.columns and _varies(table[setting])]


def across_models(table: pd.DataFrame, settings: Sequence[str]) -> list[str]:
    """Of the settings of a table, those by which a statistic over several models groups.

    What was asked, always; how a model was run (`RUN_SETTINGS`) where some model was run in several
    ways. One that differs between models alone, such as the arguments of a provider or a
    temperature that a reasoning model does not take, would leave each model by itself. Two results
    of one model differ in one of those that are left, so that they are never pooled.

    Args:
        table: Columns model and the settings.
        settings: Those that vary in the table (`varying_settings`) or that it carries
            (`carried_settings`).
    """
    several = within_models(table, [name for name in settings if name in RUN_SETTINGS])
    return [name for name in settings if name not in RUN_SETTINGS or name in several]


def within_models(table: pd.DataFrame, settings: Sequence[str]) -> list[str]:
    """Of these settings, those that take more than one value within some model."""
    varying = varying_settings(table, settings)
    if not varying:
        return []
    known = table[["model", *varying]].drop_duplicates()
    by_model = known.groupby("model", sort=False, dropna=False)
    several = {name for _, rows in by_model for name in varying_settings(rows, varying)}
    return [name for name in settings if name in several]


def grouping_keys(table: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """These columns of a table of results, and what else keeps apart what must not be pooled.

    A model comes with its descriptions and all settings that the table carries; several models
    with those of `across_models`.
    """
    settings = carried_settings(table)
    if "model" in names:
        return list(dict.fromkeys([*names, *descriptions(table), *settings]))
    return list(dict.fromkeys([*names, *across_models(table, settings)]))


def row_keys(table: pd.DataFrame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Each row's values in these columns as a key to look up by."""
    return [as_key(row) for row in table[list(columns)].itertuples(index=False, name=None)]


def as_key(values: Iterable[Any]) -> tuple[Any, ...]:
    """Values as a key to look up by: what is missing equals itself."""
    return tuple(None if pd.isna(value) else value for value in values)


def _varies(values: pd.Series) -> bool:
    """Whether a column holds more than one value, missing ones taken as equal."""
    if not len(values):
        return False
    first = values.iloc[0]
    same = values.isna() if pd.isna(first) else values == first
    return not bool(same.all())


def require_unique_decisions(decisions: pd.DataFrame, function: str) -> None:
    """Check that no decision occurs twice: a mean over both would hide a contradiction.

    Raises:
        ValueError: names the first decision that occurs twice.
    """
    if "epoch" not in decisions.columns:
        return
    keys = [*result_keys(decisions), *CELL]
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
