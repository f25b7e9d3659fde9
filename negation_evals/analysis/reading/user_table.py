"""A user's table: CSV, JSONL or Parquet."""

from collections.abc import Iterable
from typing import Any

import fsspec
import numpy as np
import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.errors import DataError, first_line
from negation_evals.files.strict import load_json

MOST_EPOCHS = 1_000_000
"""A larger epoch in a table is no epoch, and larger numbers would overflow."""


def read_file(location: str, required: Iterable[str]) -> pd.DataFrame:
    """A user's table of text (CSV), or of values (JSONL, Parquet), with the columns required.

    Space around a name, of a column or in a cell, is no part of it.

    Raises:
        DataError: the file cannot be read, lacks a column, or has no rows.
    """
    try:
        if location.endswith(".csv"):
            # As text: 01 and 1 are two names, and NA is one.
            lines = pd.read_csv(
                location, header=None, dtype=str, keep_default_na=False, na_values=[""]
            )
            table = lines.iloc[1:].set_axis(lines.iloc[0].fillna(""), axis=1)
        elif location.endswith(".jsonl"):
            with fsspec.open(location, "rt", encoding="utf-8-sig") as file:
                table = pd.DataFrame([load_json(line) for line in file if line.strip()])
        else:
            table = pd.read_parquet(location)
    except UnicodeDecodeError as error:
        raise DataError(f"{location}: is not UTF-8 text: save it as UTF-8") from error
    except Exception as error:
        raise DataError(f"{location}: cannot be read as a table: {first_line(error)}") from error
    # As plain objects, so that a type such as Parquet's categories forbids nothing that follows.
    table = table.astype(object).rename(columns=_trimmed).map(_trimmed).reset_index(drop=True)
    if location.endswith(".csv"):
        table = table.replace("", np.nan)
    if twice := sorted(set(table.columns[table.columns.duplicated()])):
        raise DataError(f"{location}: has the column {twice[0]!r} twice")
    for column in table.columns if not location.endswith(".csv") else ():
        if table[column].map(lambda value: isinstance(value, dict | list)).any():
            raise DataError(f"{location}: {column} holds lists or objects, expected single values")
    if len(table.columns) == 1 and (found := [mark for mark in ";\t|" if mark in table.columns[0]]):
        raise DataError(f"{location}: is separated by {found[0]!r}: separate it by commas")
    try:
        require_columns(table, required, location)
    except ValueError as error:
        raise DataError(str(error)) from error
    if table.empty:
        raise DataError(f"{location}: the table has no rows")
    return table.astype(dict.fromkeys(table.columns, object))


def whole_epochs(values: pd.Series, location: str) -> pd.Series:
    """The epochs of a user's table.

    Raises:
        DataError: one is no whole number from 1, or beyond any audit.
    """
    epochs = pd.to_numeric(values, errors="coerce")
    if not (epochs.between(1, MOST_EPOCHS) & (epochs % 1 == 0)).all():
        raise DataError(f"{location}: epoch must be a whole number from 1 in every row")
    return epochs.astype(int)


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
