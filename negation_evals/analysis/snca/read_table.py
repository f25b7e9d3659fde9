"""Tables of one's own (CSV, JSONL, Parquet) for the SNCA statistics, without any Inspect log."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from negation_evals.analysis.reading.user_table import read_file, whole_epochs
from negation_evals.errors import DataError
from negation_evals.files.validation import truth
from negation_evals.schema.common import Status
from negation_evals.schema.snca import BASE, Kind, Label, RuleType


def read_policy_table(location: str) -> pd.DataFrame:
    """Policies with at least model, category and rule_type; an empty rule type is unscored.

    Raises:
        DataError: the file cannot be read, lacks a column, or holds an unknown rule type.
    """
    table = _read(location, ("model", "category", "rule_type"))
    table["rule_type"] = _words(table["rule_type"], RuleType, location)
    if "confidence" in table.columns:
        table["confidence"] = _numbers(table["confidence"], location)
    for column in {"truncated", "filtered", "q3_none"} & set(table.columns):
        table[column] = _booleans(table[column], location)
    table = _as_run(table, table["rule_type"].notna(), location, {"elicitation": "plain"})
    _check_agree(table, ["model", "category", "elicitation"], ["rule_type"], location)
    return table


def read_observation_table(location: str) -> pd.DataFrame:
    """Observations with at least model, category, item_id, kind and label.

    An empty label is unscored, an empty category maps to none. Rows without `epoch` are numbered
    in the order of the file.

    Raises:
        DataError: the file cannot be read, lacks a column, or holds an unknown label or kind.
    """
    table = _read(location, ("model", "category", "item_id", "kind", "label"), {"category"})
    table["label"] = _words(table["label"], Label, location)
    table["kind"] = _words(table["kind"], Kind, location)
    if table["kind"].isna().any():
        raise DataError(f"{location}: row {_first(table['kind'].isna())} has no kind")
    table["category"] = table["category"].fillna("")
    defaults = {"source": "table", "variant": BASE, "filtered": False, "truncated": False}
    if "item_variant" in table.columns:
        raise DataError(f"{location}: rename the column item_variant to variant")
    table = _as_run(table, table["label"].notna(), location, defaults)
    if "tier" in table.columns:
        table["tier"] = _numbers(table["tier"], location)
    for column in ("filtered", "truncated"):
        table[column] = _booleans(table[column], location)
    item = ["model", "source", "variant", "item_id"]
    _check_agree(table, item, ["category", "kind"], location)
    if "epoch" not in table.columns:
        table["epoch"] = table.groupby(item, dropna=False).cumcount() + 1
    table["epoch"] = whole_epochs(table["epoch"], location)
    table["epochs_planned"] = table.groupby("run")["epoch"].transform("max")
    _check_agree(table, [*item, "epoch"], ["label"], location)
    return table.rename(columns={"variant": "item_variant"})


def read_match_table(location: str) -> pd.DataFrame:
    """Matches with at least model, item_id and matched; an empty cell is unscored.

    Raises:
        DataError: the file cannot be read, lacks a column, or says neither true nor false.
    """
    table = _read(location, ("model", "item_id", "matched"))
    known = table["matched"].notna()
    table["matched"] = _booleans(table["matched"], location).astype(object).where(known, None)
    table = _as_run(table, known, location, {"elicitation": "plain", "source": "", "variant": BASE})
    item = ["model", "elicitation", "source", "variant", "item_id"]
    item += ["category"] if "category" in table.columns else []
    _check_agree(table, item, ["matched"], location)
    return table.rename(columns={"variant": "item_variant"})


def _read(
    location: str, required: tuple[str, ...], may_be_empty: Iterable[str] = ()
) -> pd.DataFrame:
    """A table of text with the columns required; the last of them may be empty."""
    table = read_file(location, required)
    for column in required[:-1]:
        missing = table[column].isna()
        if missing.any() and column not in set(may_be_empty):
            raise DataError(f"{location}: row {_first(missing)} has no {column}")
        table[column] = table[column].where(missing, table[column].astype(str))
    return table


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
                f"{location}: contradicting rows, first row {_first(several)}: {column} is "
                f"{values} for {names}"
            )


def _numbers(values: pd.Series, location: str) -> pd.Series:
    """Numbers; empty cells are missing."""
    read = pd.to_numeric(values, errors="coerce")
    wrong = read.isna() & values.notna() & (values.astype(str).str.strip() != "")
    if wrong.any():
        raise DataError(
            f"{location}: row {_first(wrong)}: {values.name}={values[wrong].iloc[0]!r} is no number"
        )
    return read


def _words(values: pd.Series, vocabulary: Iterable[str], location: str) -> pd.Series:
    """Words of a vocabulary in any case; empty cells stay empty."""
    words = {str(word).lower(): str(word) for word in vocabulary}
    text = values.astype("string").str.strip().str.lower()
    known = text.map(words)
    wrong = known.isna() & text.notna() & (text != "")
    if wrong.any():
        raise DataError(
            f"{location}: row {_first(wrong)}: {values.name}={values[wrong].iloc[0]!r} is not one "
            f"of {', '.join(words.values())}"
        )
    return known.astype(object).where(known.notna(), None)


def _booleans(values: pd.Series, location: str) -> pd.Series:
    """True or false in any spelling; empty cells are false."""
    read = values.fillna(False).replace("", False).map(truth)
    if read.isna().any():
        wrong = values[read.isna()].iloc[0]
        raise DataError(f"{location}: {values.name}={wrong!r} is neither true nor false")
    return read.astype(bool)


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


def _first(rows: pd.Series) -> int:
    return int(rows.to_numpy().argmax()) + 1
