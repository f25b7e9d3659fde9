"""Rows of a user's file: YAML, JSON, JSONL, CSV or Parquet."""

import csv
import io
from pathlib import Path
from typing import Any

import yaml

from negation_evals.errors import DataError
from negation_evals.files.strict import load_json, load_yaml


def local_path(name: str) -> Path | None:
    """The file or folder of this name; None without one."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError):  # a name that is too long; the home of nobody
        return None


def read_rows(path: Path, key: str, *, keep_empty: bool = False) -> list[dict[str, Any]]:
    """Rows of a data file: a list, or an object that holds the list under `key`.

    Args:
        path: YAML, JSON, JSONL, CSV or Parquet.
        key: Of the list.
        keep_empty: An empty CSV cell and a null in Parquet are None, and no absent fields.

    Raises:
        DataError: the file cannot be read, or holds something else.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            return _filled(_parquet_rows(path), keep_empty)
        text = path.read_text(encoding="utf-8-sig")
        if suffix == ".csv":
            return _filled(_csv_rows(text, path), keep_empty)
        if suffix == ".jsonl":
            content: Any = _json_lines(text)
        elif suffix == ".json":
            content = load_json(text)
        elif suffix in {".yaml", ".yml"}:
            content = load_yaml(text)
        else:
            raise DataError(f"{path}: unknown type; use .yaml, .json, .jsonl, .csv or .parquet")
    except DataError:
        raise
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    except (OSError, ValueError, RecursionError, yaml.YAMLError, csv.Error) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as {suffix.lstrip('.')}: {reason}") from error
    rows = content.get(key) if isinstance(content, dict) else content
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{path}: expected a list of objects, or an object with the list {key!r}")
    return rows


def _json_lines(text: str) -> list[Any]:
    """One JSON value a line; blank lines are none."""
    values = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(load_json(line))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    return values


def _parquet_rows(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    if not rows:
        raise DataError(f"{path}: the table has no rows")
    return rows


def _filled(rows: list[dict[str, Any]], keep_empty: bool) -> list[dict[str, Any]]:
    """The rows, unless asked for without their empty cells."""
    if keep_empty:
        return rows
    return [{name: cell for name, cell in row.items() if cell is not None} for row in rows]


def _csv_rows(text: str, path: Path) -> list[dict[str, Any]]:
    """Rows of a CSV text; an empty cell is None."""
    reader = csv.DictReader(io.StringIO(text, newline=""))
    header = list(reader.fieldnames or ())
    for separator, name in ((";", ";"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise DataError(
                f"{path}: columns are separated by commas; this file seems to use {name}"
            )
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise DataError(f"{path}: the column {twice!r} occurs twice")
    rows: list[dict[str, Any]] = []
    for row in reader:
        if None in row:
            raise DataError(f"{path}: line {reader.line_num} has more cells than the header")
        rows.append({name: cell or None for name, cell in row.items()})
    if not rows:
        raise DataError(f"{path}: expected a header line and at least one row")
    return rows
