"""Tables of the user for the SNCA statistics, without any Inspect log."""

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from negation_evals.analysis.common.tables import Table
from negation_evals.analysis.reading.user_table import first_row, parse_columns, read_file
from negation_evals.analysis.snca.tables import MATCHES, OBSERVATIONS, POLICIES
from negation_evals.errors import DataError
from negation_evals.schema.common import Status
from negation_evals.schema.snca import BASE, PLAIN

REQUIRED: Final = {table.name: table.required for table in (POLICIES, OBSERVATIONS, MATCHES)}
"""The columns that each of the three tables must have."""

_MARKS: Final = ("truncated", "filtered", "q3_none")
_EMPTY: Final[dict[str, dict[str, str | bool]]] = {
    POLICIES.name: dict.fromkeys(_MARKS, False),
    OBSERVATIONS.name: {"category": "", "truncated": False, "filtered": False},
}
"""What an empty cell says."""


def read_policy_table(location: str) -> pd.DataFrame:
    """Policies with at least model, category and rule_type; an empty rule type is unscored.

    Raises:
        DataError: the file cannot be read, lacks a column, or holds an unknown rule type.
    """
    table = _read(location, POLICIES, ("confidence", *_MARKS))
    table = _as_run(table, table["rule_type"].notna(), location, {"elicitation": PLAIN})
    _check_agree(table, ["model", "category", "elicitation"], ["rule_type"], location)
    return table


def read_observation_table(location: str) -> pd.DataFrame:
    """Observations with at least model, category, item_id, kind and label.

    An empty label is unscored, an empty category maps to none. Rows without `epoch` are numbered
    in the order of the file.

    Raises:
        DataError: the file cannot be read, lacks a column, or holds an unknown label or kind.
    """
    table = _read(location, OBSERVATIONS, ("epoch", "tier", "truncated", "filtered"))
    defaults = {"source": "table", "variant": BASE, "filtered": False, "truncated": False}
    table = _as_run(table, table["label"].notna(), location, defaults)
    item = ["model", "source", "variant", "item_id"]
    _check_agree(table, item, ["category", "kind"], location)
    if "epoch" not in table.columns:
        table["epoch"] = table.groupby(item, dropna=False).cumcount() + 1
    table["epochs_planned"] = table.groupby("run")["epoch"].transform("max")
    _check_agree(table, [*item, "epoch"], ["label"], location)
    return table


def read_match_table(location: str) -> pd.DataFrame:
    """Matches with at least model, item_id and matched; an empty cell is unscored.

    Raises:
        DataError: the file cannot be read, lacks a column, or says neither true nor false.
    """
    table = _read(location, MATCHES, ())
    defaults = {"elicitation": PLAIN, "source": "", "variant": BASE}
    table = _as_run(table, table["matched"].notna(), location, defaults)
    item = ["model", "elicitation", "source", "variant", "item_id"]
    item += ["category"] if "category" in table.columns else []
    _check_agree(table, item, ["matched"], location)
    return table


def _read(location: str, declared: Table, optional: tuple[str, ...]) -> pd.DataFrame:
    """A table with the columns required; these and the optional ones as declared."""
    table = read_file(location, declared.required)
    for name, value in _EMPTY.get(declared.name, {}).items():
        if name in table.columns:
            table[name] = table[name].replace("", None).fillna(value)
    return parse_columns(table, declared, (*declared.required, *optional), location)


def _check_agree(table: pd.DataFrame, keys: list[str], columns: list[str], location: str) -> None:
    """Check that rows about one thing do not contradict each other: no row is the right one.

    Raises:
        DataError: they do; names the first.
    """
    for column in columns:
        several = table.groupby(keys, dropna=False)[column].transform("nunique") > 1
        if several.any():
            row = table[several].iloc[0]
            of_it = table[(table[keys].astype(str) == row[keys].astype(str)).all(axis=1)]
            values = " and ".join(map(str, of_it[column].dropna().unique()))
            names = ", ".join(f"{key}={row[key]}" for key in keys)
            raise DataError(
                f"{location}: contradicting rows, first row {first_row(several)}: {column} is "
                f"{values} for {names}"
            )


def _as_run(
    table: pd.DataFrame, valid: pd.Series, location: str, defaults: Mapping[str, Any]
) -> pd.DataFrame:
    """With the columns that settle which rows count: a table is one run per model."""
    for column, value in {**defaults, "task": "table"}.items():
        if column not in table.columns:
            table[column] = value
        table[column] = table[column].where(table[column].notna(), value)
    status = valid.map({True: str(Status.VALID), False: str(Status.UNSCORED)})
    runs = table["model"].map(lambda model: f"{location}#{model}")
    return table.assign(
        status=status,
        run=runs,
        log=location,
        created="",
        log_status="success",
        planned=runs.groupby(runs).transform("size"),
        epochs_planned=1,
    )
