"""Tables as text: what a page or a terminal shows of a DataFrame."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from negation_evals.report.documents.formats import (
    count_text,
    fixed,
    interval,
    name_text,
    p_text,
    percent,
    signed_percent,
)


@dataclass(frozen=True)
class Grid:
    """A table as text: a header, rows of cells, and which columns hold numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    title: str = ""
    source: str = ""
    """The table of the report that holds these rows unrounded."""


@dataclass(frozen=True)
class Column:
    """A column as a reader sees it."""

    title: str
    names: tuple[str, ...]
    """The columns of the table that it shows together."""
    show: Callable[..., str]
    """From their values in one row to text."""
    numeric: bool = True


def number(title: str, name: str, digits: int = 2) -> Column:
    """A column of numbers with this many digits."""
    return Column(title, (name,), lambda value: fixed(value, digits))


def signed(title: str, name: str, digits: int = 2) -> Column:
    """A column of differences: the sign is always shown."""
    return Column(title, (name,), lambda value: fixed(value, digits, sign="+"))


def share(title: str, name: str) -> Column:
    """A column of shares, as percentages without decimals."""
    return Column(title, (name,), percent)


def relative(title: str, name: str) -> Column:
    """A column of relative changes, as signed percentages."""
    return Column(title, (name,), signed_percent)


def count(title: str, name: str) -> Column:
    """A column of whole numbers."""
    return Column(title, (name,), count_text)


def p_value(title: str, name: str) -> Column:
    """A column of p-values to three digits, bounded below."""
    return Column(title, (name,), p_text)


def text(title: str, name: str) -> Column:
    """A column of names."""
    return Column(title, (name,), name_text, numeric=False)


def limits(title: str = "95 % interval") -> Column:
    """The columns `ci_low` and `ci_high` as one interval."""
    return Column(title, ("ci_low", "ci_high"), interval, numeric=False)


def with_limits(table: pd.DataFrame, columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns, and last the interval if the table has any."""
    has_limits = "ci_low" in table.columns and bool(table["ci_low"].notna().any())
    return (*columns, *((limits(),) if has_limits else ()))


def grid(
    table: pd.DataFrame,
    columns: Iterable[Column],
    *,
    title: str = "",
    source: str = "",
    labels: tuple[str, Sequence[str]] | None = None,
) -> Grid:
    """Columns of a table as text.

    A column that the table lacks is left out.

    Args:
        table: The rows.
        columns: In the order shown.
        title: Above the table.
        source: Name of the table of the report that holds these rows unrounded.
        labels: A heading and one text a row, to stand in front.
    """
    shown = [column for column in columns if set(column.names) <= set(table.columns)]
    cells = [list(map(column.show, *(table[name] for name in column.names))) for column in shown]
    header = [column.title for column in shown]
    numeric = [column.numeric for column in shown]
    if labels is not None:
        cells.insert(0, list(labels[1]))
        header.insert(0, labels[0])
        numeric.insert(0, False)
    return Grid(tuple(header), tuple(zip(*cells, strict=True)), tuple(numeric), title, source)
