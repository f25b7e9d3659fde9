"""The parts of a report: sections of text, tables as text, and names of figures.

All rounding happens here, once, on the way to a reader.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from negation_evals.analysis.common.labels import result_labels, settings_labels

MISSING = "–"


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
class Section:
    """One section: a heading, what its numbers mean, and figures and tables."""

    id: str
    title: str
    paragraphs: tuple[str, ...]
    figures: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()


def section(
    id: str, paragraphs: Sequence[str], figures: Sequence[str] = (), grids: Sequence[Grid] = ()
) -> Section:
    """A section whose heading its place in the report gives."""
    return Section(id, "", tuple(paragraphs), tuple(figures), tuple(grids))


@dataclass(frozen=True)
class Column:
    """A column of a table as a reader sees it."""

    title: str
    name: str
    show: Callable[[Any], str]
    numeric: bool = True


def number(title: str, name: str, digits: int = 2) -> Column:
    """A column of numbers with so many digits."""
    return Column(title, name, lambda value: fixed(value, digits))


def signed(title: str, name: str, digits: int = 2) -> Column:
    """A column of differences: the sign is always shown."""
    return Column(title, name, lambda value: fixed(value, digits, sign="+"))


def share(title: str, name: str) -> Column:
    """A column of shares, as percentages without decimals."""
    return Column(title, name, percent)


def relative(title: str, name: str) -> Column:
    """A column of relative changes, as signed percentages."""
    return Column(title, name, signed_percent)


def count(title: str, name: str) -> Column:
    """A column of whole numbers."""
    return Column(title, name, lambda value: MISSING if pd.isna(value) else f"{value:.0f}")


def p_value(title: str, name: str) -> Column:
    """A column of p-values to three digits, bounded below."""
    return Column(title, name, p_text)


def text(title: str, name: str) -> Column:
    """A column of names."""
    return Column(title, name, _text, numeric=False)


def fixed(value: Any, digits: int = 2, sign: str = "") -> str:
    """A number with so many digits; a missing one becomes a dash, and what rounds to 0 is 0."""
    if pd.isna(value):
        return MISSING
    # Adding 0 turns the minus zero of a rounded difference into zero.
    return f"{round(float(value), digits) + 0.0:{sign}.{digits}f}"


def percent(value: Any) -> str:
    """A share as a percentage without decimals."""
    return MISSING if pd.isna(value) else f"{fixed(100 * value, 0)} %"


def signed_percent(value: Any) -> str:
    """A relative change as a signed percentage."""
    return MISSING if pd.isna(value) else f"{fixed(100 * value, 0, sign='+')} %"


def counted(number: int, noun: str) -> str:
    """A number and what it counts: 1 scenario, 2 scenarios."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def p_text(value: Any) -> str:
    """A p-value to three digits, bounded below."""
    if pd.isna(value):
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def interval(low: Any, high: Any) -> str:
    """Two limits; a dash where they are missing."""
    return MISSING if pd.isna(low) else f"{fixed(low)} to {fixed(high)}"


def grid(
    table: pd.DataFrame,
    columns: Iterable[Column],
    *,
    title: str = "",
    source: str = "",
    labelled: bool = True,
) -> Grid:
    """Columns of a table as text; those that the table lacks are left out.

    In front stands the model with the settings that vary or, unless `labelled`, the settings alone
    where any varies. Columns `ci_low` and `ci_high` follow as one interval.
    """
    chosen = [column for column in columns if column.name in table.columns]
    cells = [[column.show(value) for value in table[column.name]] for column in chosen]
    header = [column.title for column in chosen]
    numeric = [column.numeric for column in chosen]
    labels = result_labels(table) if labelled else settings_labels(table)
    if labelled or any(labels):
        cells.insert(0, labels)
        header.insert(0, "Model" if labelled else "Settings")
        numeric.insert(0, False)
    if "ci_low" in table.columns and table["ci_low"].notna().any():
        pairs = zip(table["ci_low"], table["ci_high"], strict=True)
        cells.append([interval(low, high) for low, high in pairs])
        header.append("95 % interval")
        numeric.append(False)
    rows = tuple(zip(*cells, strict=True))
    return Grid(tuple(header), rows, tuple(numeric), title, source)


def _text(value: Any) -> str:
    return MISSING if value is None or value is pd.NA or value != value else str(value)
