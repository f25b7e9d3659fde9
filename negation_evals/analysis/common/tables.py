"""One declaration for each table: what its rows and columns stand for, and where a formula is from.

Plain dataclasses and no library of schemas: what the table of a user needs is that words of a file
are read (`reading.user_table`), which such a library leaves to us.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, Literal, TypedDict, Unpack

import numpy as np
import pandas as pd
from pandas.api import types

from negation_evals.analysis.common.columns import require_columns

Kind = Literal["text", "flag", "whole", "number"]

_DTYPES: Final[dict[Kind, str]] = {
    "text": "str",
    "flag": "bool",
    "whole": "int64",
    "number": "float64",
}
_NULLABLE_DTYPES: Final[dict[Kind, str]] = _DTYPES | {"flag": "boolean", "whole": "Int64"}
_WORDS: Final[dict[Kind, str]] = {
    "text": "text",
    "flag": "true or false",
    "whole": "a whole number",
    "number": "a number",
}
ROUNDING: Final = 1e-9
"""How far a computed number may lie outside its range."""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    kind: Kind
    meaning: str = ""
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()
    """The words that a column of text may hold; empty for any text."""
    nullable: bool = False
    """Values may be missing."""
    required: bool = False
    """A table of the user's own must have it."""
    varies: bool = False
    """Results are told apart by it; tables have it only where it does that."""
    group: str = ""
    """The columns that belong together stand under this name in the docs."""

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        words = f"one of {', '.join(self.values)}" if self.values else _WORDS[self.kind]
        if self.low is not None and self.high is not None:
            limits = f"{self.low:,.15g}", f"{self.high:,.15g}"
            words += " from {} to {}" if self.kind == "whole" else " in [{}, {}]"
            words = words.format(*limits)
        elif self.low is not None:
            words += f" from {self.low:g}"
        elif self.high is not None:
            words += f" up to {self.high:g}"
        return f"{words}, or missing" if self.nullable else words

    @property
    def dtype(self) -> str:
        """The dtype that `Table.typed` gives a column that does not fit."""
        return (_NULLABLE_DTYPES if self.nullable else _DTYPES)[self.kind]

    def fits(self, values: pd.Series) -> bool:
        """Whether the dtype is one that the kind allows; objects hold what may be missing."""
        if self.kind == "text":
            return types.is_string_dtype(values) or values.dtype == object
        if self.kind == "flag":
            return types.is_bool_dtype(values) or (self.nullable and values.dtype == object)
        if self.kind == "whole" and not self.nullable:
            return types.is_integer_dtype(values)
        return types.is_numeric_dtype(values) and not types.is_bool_dtype(values)

    def faults(self, values: pd.Series) -> pd.Series:
        """Which values are not as declared."""
        missing = values.isna()
        if self.kind in {"whole", "number"}:
            good = self._in_range(pd.to_numeric(values, errors="coerce").astype("float64"))
        elif self.values:
            good = values.isin(self.values)
        else:
            kind = str if self.kind == "text" else bool | np.bool_
            good = values.map(lambda value: isinstance(value, kind)).astype(bool)
        return ~good & ~missing if self.nullable else ~good | missing

    def _in_range(self, numbers: pd.Series) -> pd.Series:
        low = float("-inf") if self.low is None else self.low - ROUNDING
        high = float("inf") if self.high is None else self.high + ROUNDING
        good = numbers.between(low, high)
        return good & (numbers % 1 == 0) if self.kind == "whole" else good


@dataclass(frozen=True)
class Table:
    """One table."""

    name: str
    row: str
    """What one row is."""
    columns: tuple[Column, ...]
    made_by: str = ""
    """The call that makes it."""
    source: str = ""
    """Where the formulas are from."""
    notes: str = ""
    """What is about the whole table and no single column."""

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, those that are there only where they vary among them."""
        return tuple(column.name for column in self.columns)

    @property
    def required(self) -> tuple[str, ...]:
        """The columns that a table of the user's own must have."""
        return tuple(column.name for column in self.columns if column.required)

    def empty(self) -> pd.DataFrame:
        """No rows, and every column that is always there with its dtype."""
        return pd.DataFrame(
            {c.name: pd.Series(dtype=c.dtype) for c in self.columns if not c.varies}
        )

    def typed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with the declared dtypes, where its own do not fit."""
        return frame.astype(
            {
                column.name: column.dtype
                for column in self.columns
                if column.name in frame.columns and not column.fits(frame[column.name])
            }
        )

    def check(self, frame: pd.DataFrame) -> None:
        """Check that a frame is such a table; it may have more columns.

        Raises:
            ValueError: a column is missing, or a value is not as declared.
        """
        always = [column.name for column in self.columns if not column.varies]
        require_columns(frame, always, self.name)
        for column in self.columns:
            if column.name not in frame.columns:
                continue
            wrong = column.faults(frame[column.name]).to_numpy()
            if wrong.any():
                row = int(wrong.argmax())
                raise ValueError(
                    f"{self.name}: row {row + 1}: {column.name}={frame[column.name].iloc[row]!r} "
                    f"is not {column.expected}"
                )

    def markdown(self) -> str:
        """A section of the docs: heading, what a row is, and the columns."""
        made = f"Made by `{self.made_by}`. " if self.made_by else ""
        lead = f"{made}{self.row}" + (f" Formula: {self.source}." if self.source else "")
        rows = ["| column | values | meaning |", "|---|---|---|"]
        for group, columns in groupby(self.columns, key=lambda column: column.group):
            if group:
                rows.append(f"| `<{group}>` | | |")
            else:
                rows += [
                    f"| {c.name} | {c.expected.removeprefix('a ')} | {c.meaning} |" for c in columns
                ]
        return "\n\n".join(filter(None, [f"### `{self.name}`", lead, self.notes, "\n".join(rows)]))


class Options(TypedDict, total=False):
    """What most columns are not."""

    nullable: bool
    required: bool
    varies: bool


def text(
    name: str, meaning: str = "", values: Iterable[str] = (), **more: Unpack[Options]
) -> Column:
    """A column of names, or of the words of a vocabulary."""
    return Column(name, "text", meaning, values=tuple(map(str, values)), **more)


def flag(name: str, meaning: str = "", **more: Unpack[Options]) -> Column:
    """A column of true and false."""
    return Column(name, "flag", meaning, **more)


def whole(
    name: str,
    meaning: str = "",
    low: float | None = 0,
    high: float | None = None,
    **more: Unpack[Options],
) -> Column:
    """A column of whole numbers, by default a count."""
    return Column(name, "whole", meaning, low, high, **more)


def number(
    name: str,
    meaning: str = "",
    low: float | None = None,
    high: float | None = None,
    **more: Unpack[Options],
) -> Column:
    """A column of numbers; NaN where there is nothing to compute."""
    options: Options = {"nullable": True, **more}
    return Column(name, "number", meaning, low, high, **options)


def share(name: str, meaning: str = "") -> Column:
    """A column of shares, rates, and other numbers in [0, 1]."""
    return number(name, meaning, 0, 1)


def grouped(group: str, columns: Sequence[Column], varies: bool = True) -> tuple[Column, ...]:
    """Columns that stand in the docs as one."""
    return tuple(replace(column, group=group, varies=varies) for column in columns)
