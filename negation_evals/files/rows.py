"""The one reader of users' files: rows of CSV, JSONL, JSON, YAML or Parquet."""

import csv
import io
from pathlib import Path
from typing import Any, Final

from negation_evals.errors import DataError, first_line
from negation_evals.files.locations import open_binary, suffix_of
from negation_evals.files.strict import load_json, load_yaml

FILE_SUFFIXES: Final = (".csv", ".jsonl", ".json", ".yaml", ".yml", ".parquet")
"""Endings of the files that can be read; upper case counts the same."""

_SEPARATORS: Final = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_LONGEST_CELL: Final = 1 << 30
"""Characters; the csv module stops at 131,072 by itself, less than some answers have."""

Rows = list[dict[str, Any]]


def is_table(location: str | Path) -> bool:
    """Whether a file is a table by its ending; one of JSON is a table if it holds a list."""
    suffix = suffix_of(location)
    if suffix != ".json":
        return suffix in FILE_SUFFIXES
    try:
        with open_binary(location) as file:
            return file.read(1024).decode("utf-8-sig", "replace").lstrip().startswith("[")
    except Exception:  # whoever opens it next says what is wrong
        return False


def read_rows(location: str | Path, key: str = "rows", *, keep_empty: bool = False) -> Rows:
    """Rows of a file as they are: cells of CSV are text, of the other types values.

    Args:
        location: A path or an fsspec URL that ends in one of `FILE_SUFFIXES`.
        key: Where JSON and YAML may hold the list of rows, instead of being that list.
        keep_empty: An empty CSV cell and a null in Parquet are None, and no absent fields.

    Raises:
        DataError: the file cannot be read, or holds something else.
    """
    suffix = suffix_of(location)
    if suffix not in FILE_SUFFIXES:
        raise DataError(f"{location}: unknown type; use {', '.join(FILE_SUFFIXES)}")
    try:
        if suffix == ".parquet":
            rows = _parquet_rows(location)
        else:
            with open_binary(location) as file:
                text = file.read().decode("utf-8-sig")
            rows = _csv_rows(text) if suffix == ".csv" else _listed_rows(text, suffix, key)
    except DataError as error:
        raise DataError(f"{location}: {error}") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{location}: is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    except Exception as error:  # whatever pyarrow and the file systems of fsspec raise
        reason = first_line(ValueError(" ".join(str(error).split()) or type(error).__name__))
        raise DataError(f"{location}: cannot be read as {suffix[1:]}: {reason}") from error
    if not rows:
        raise DataError(f"{location}: the table has no rows")
    if keep_empty or suffix not in {".csv", ".parquet"}:
        return rows
    return [{name: cell for name, cell in row.items() if cell is not None} for row in rows]


def read_table(location: str | Path) -> Rows:
    """Rows of a table of single values; space around a name or a cell is no part of it.

    Args:
        location: As for `read_rows`.

    Returns:
        Rows of which each has all columns, in the file's order; what is missing is None.

    Raises:
        DataError: the file cannot be read, or has a column twice or lists in its cells.
    """
    rows = []
    for row in read_rows(location, keep_empty=True):
        cells = {_trimmed(str(name)): _trimmed(cell) for name, cell in row.items()}
        if len(cells) < len(row):
            raise DataError(f"{location}: {_repeated(list(map(_trimmed, map(str, row))))}")
        rows.append(cells)
    columns = dict.fromkeys(name for row in rows for name in row)
    for column in columns:
        if any(isinstance(row.get(column), dict | list) for row in rows):
            raise DataError(f"{location}: {column} holds lists or objects, expected single values")
    return [{column: row.get(column) for column in columns} for row in rows]


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _listed_rows(text: str, suffix: str, key: str) -> Rows:
    """Rows of JSON or YAML, or of JSON line by line."""
    rows: Any
    if suffix == ".jsonl":
        rows, expected = _json_lines(text), "expected one object in each line"
    else:
        content = load_json(text) if suffix == ".json" else load_yaml(text)
        rows = content.get(key) if isinstance(content, dict) else content
        expected = f"expected a list of objects, or an object with the list {key!r}"
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(expected)
    return rows


def _json_lines(text: str) -> list[Any]:
    """One JSON value a line; blank lines are ignored."""
    values = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(load_json(line))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    return values


def _parquet_rows(location: str | Path) -> Rows:
    import pyarrow.parquet

    with open_binary(location) as file:
        table = pyarrow.parquet.read_table(file)
    # pandas writes its row numbers under such a name.
    columns = [name for name in table.column_names if not name.startswith("__index_level_")]
    if len(set(columns)) < len(columns):
        raise DataError(_repeated(columns))
    rows: Rows = table.select(columns).to_pylist()
    return rows


def _csv_rows(text: str) -> Rows:
    """Rows of a CSV text; an empty cell is None."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    # Strict: else a quotation mark that is never closed would swallow all rows after it.
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    header = list(reader.fieldnames or ())
    if not header:
        raise DataError("the file is empty: expected a header line and at least one row")
    for separator, name in _SEPARATORS.items():
        if len(header) == 1 and separator in header[0]:
            raise DataError(f"columns are separated by commas; this file seems to use {name}")
    if len(set(header)) < len(header):
        raise DataError(_repeated(header))
    rows: Rows = []
    for row in reader:
        if None in row:
            raise DataError(f"line {reader.line_num} has more cells than the header")
        rows.append({name: cell if cell and cell.strip() else None for name, cell in row.items()})
    return rows


def _repeated(names: list[str]) -> str:
    twice = next(name for name in names if names.count(name) > 1)
    return f"the column {twice!r} occurs twice"
