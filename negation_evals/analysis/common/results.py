"""What one result stands for: a model, and the settings that vary within a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from negation_evals.analysis.common.columns import DESCRIPTIONS
from negation_evals.analysis.common.labels import result_labels, settings_labels


@dataclass(frozen=True)
class Results:
    """The columns by which a family tells its results apart: rows of two are never pooled."""

    settings: tuple[str, ...]
    """Settings of an audit. Rows that differ in one of them are never pooled into one result."""
    run_settings: tuple[str, ...] = ()
    """Of these, how a model was run; the others say what it was asked. Providers and reasoning
    models dictate some of these, so that they often differ from model to model and in no model."""

    def keys(self, table: pd.DataFrame) -> list[str]:
        """What one result stands for: the model, and those settings that vary within the table.

        What is known about the model comes along; it groups no further.
        """
        return ["model", *descriptions(table), *self.varying_settings(table)]

    def varying_settings(self, table: pd.DataFrame) -> list[str]:
        """The settings that take more than one value within the table."""
        return varying(table, self.settings)

    def carried_settings(self, table: pd.DataFrame) -> list[str]:
        """The settings that a table of results carries: those that varied where it comes from."""
        return [setting for setting in self.settings if setting in table.columns]

    def carried_keys(self, table: pd.DataFrame) -> list[str]:
        """Within a table of results, the columns that say which result a row belongs to."""
        return ["model", *descriptions(table), *self.carried_settings(table)]

    def labels(self, table: pd.DataFrame) -> list[str]:
        """One label per row of a table of results: the model, and in brackets its settings."""
        return result_labels(table, self.carried_settings(table))

    def settings_labels(self, table: pd.DataFrame) -> list[str]:
        """One label per row from the settings alone; empty where the table carries none."""
        return settings_labels(table, self.carried_settings(table))

    def across_models(self, table: pd.DataFrame, settings: Sequence[str]) -> list[str]:
        """Of the settings of a table, those by which a statistic over several models groups.

        What was asked, always; how a model was run (`run_settings`) where some model was run in
        several ways. One that differs between models alone, such as the arguments of a provider or
        a temperature that a reasoning model does not take, would leave each model by itself. Two
        results of one model differ in one of those that are left, so that they are never pooled.

        Args:
            table: Columns model and the settings.
            settings: Those that vary in the table (`varying_settings`) or that it carries
                (`carried_settings`).
        """
        several = within_models(table, [name for name in settings if name in self.run_settings])
        return [name for name in settings if name not in self.run_settings or name in several]

    def grouping_keys(self, table: pd.DataFrame, names: Sequence[str]) -> list[str]:
        """These columns of a table of results, and what else keeps apart what must not be pooled.

        A model comes with its descriptions and all settings that the table carries; several models
        with those of `across_models`.
        """
        settings = self.carried_settings(table)
        if "model" in names:
            return list(dict.fromkeys([*names, *descriptions(table), *settings]))
        return list(dict.fromkeys([*names, *self.across_models(table, settings)]))


def descriptions(table: pd.DataFrame) -> list[str]:
    """The columns that describe the model."""
    return [name for name in DESCRIPTIONS if name in table.columns]


def varying(table: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Of these columns, those that take more than one value within the table."""
    return [name for name in columns if name in table.columns and _varies(table[name])]


def within_models(table: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Of these columns, those that take more than one value within some model."""
    several_valued = varying(table, columns)
    if not several_valued:
        return []
    known = table[["model", *several_valued]].drop_duplicates()
    by_model = known.groupby("model", sort=False, dropna=False)
    several = {name for _, rows in by_model for name in varying(rows, several_valued)}
    return [name for name in columns if name in several]


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
