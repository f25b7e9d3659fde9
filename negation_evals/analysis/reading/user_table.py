"""A user's table: CSV, JSONL or Parquet."""

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import fsspec
import numpy as np
import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.tables import Column, Table
from negation_evals.errors import DataError, first_line
from negation_evals.files.strict import load_json


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


def parse_columns(
    table: pd.DataFrame, declared: Table, names: Iterable[str], location: str
) -> pd.DataFrame:
    """The named columns of a user's table, as far as it has them, read as they are declared.

    Names become text. Words of a vocabulary count in any case, and true, yes and 1 are one word. A
    number out of range is missing, and an error where it must not be missing: never clamped.

    Raises:
        DataError: a value cannot be read, or is missing where it must not be; names the row.
    """
    columns = [declared[name] for name in names if name in table.columns]
    return table.assign(**{c.name: _parsed(table[c.name], c, location) for c in columns})


def refuse_rows(table: pd.DataFrame, location: str, wrong: pd.Series, message: str) -> None:
    """Refuse a table for the first of the rows that are wrong, if there is one.

    Args:
        table: The rows.
        location: Where they are from.
        wrong: Which rows are at fault.
        message: What is at fault; names of columns in braces stand for the values of the row.

    Raises:
        DataError: there is such a row.
    """
    if wrong.any():
        row = first_row(wrong)
        said = message.format_map(table.iloc[row - 1].to_dict())
        raise DataError(f"{location}: row {row}{said}")


def first_row(rows: pd.Series) -> int:
    """The first of the rows that are true, counted from 1."""
    return int(rows.to_numpy(dtype=bool).argmax()) + 1


def _parsed(values: pd.Series, column: Column, location: str) -> pd.Series:
    refuse = partial(refuse_rows, values.to_frame("value"), location)
    given = values.notna()
    if column.kind != "text" or column.values:
        given &= values.astype(str).str.strip() != ""
    if not column.nullable:
        refuse(~given, f" has no {column.name}")
    read = _read_as(column, values.where(given))
    faults = column.faults(read)
    wrong = given & (read.isna() if column.nullable else faults)
    refuse(wrong, f": {column.name}={{value!r}} is not {column.expected}")
    if column.nullable:
        return read.where(~faults)
    return read.astype({"whole": int, "flag": bool}.get(column.kind, read.dtype))


def _read_as(column: Column, values: pd.Series) -> pd.Series:
    """The values as the column's kind; missing what cannot be read so."""
    if column.kind in {"whole", "number"}:
        return pd.to_numeric(values, errors="coerce")
    read = values.astype(str)
    words = _TRUE_FALSE if column.kind == "flag" else {w.casefold(): w for w in column.values}
    if words:
        read = read.str.strip().str.casefold().map(words)
    return read.astype(object).where(values.notna() & read.notna(), None)


_TRUE_FALSE: Final[dict[str, object]] = {
    **dict.fromkeys(("true", "yes", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "0", "0.0"), False),
}


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
