"""A user's table as a DataFrame."""

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.tables import Column, Table
from negation_evals.errors import DataError
from negation_evals.files.rows import read_table
from negation_evals.files.validation import truth


def read_file(location: str, required: Iterable[str]) -> pd.DataFrame:
    """A user's table with the columns required: text from CSV, else values; NaN is missing.

    Raises:
        DataError: the file cannot be read, lacks a column, or has no rows.
    """
    # As plain objects, so that the type of a column forbids nothing that follows.
    table = pd.DataFrame(read_table(location), dtype=object)
    try:
        require_columns(table, required, location)
    except ValueError as error:
        raise DataError(str(error)) from error
    return table.where(table.notna(), np.nan)


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
    if column.kind == "flag":
        read = values.map(truth)
    elif column.values:
        words = {word.casefold(): word for word in column.values}
        read = values.astype(str).str.strip().str.casefold().map(words)
    else:
        read = values.astype(str)
    return read.astype(object).where(values.notna() & read.notna(), None)
