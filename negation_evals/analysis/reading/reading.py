"""What was read: tables, where their rows come from, what was left out and why."""

from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

import pandas as pd

from negation_evals.errors import printable


class SourceRead(TypedDict):
    """One log or table that contributed rows."""

    source: str
    model: str
    """All models of its rows, joined by commas."""
    status: str
    """Of the log; `table` for a table."""
    planned: int
    read: int
    used: NotRequired[int]
    """Rows that count, without samples that failed; known once runs are settled."""


class LeftOut(TypedDict):
    """One thing that does not count, and why."""

    source: str
    rows: int | None
    """None where unknown."""
    reason: str


@dataclass
class Notes:
    """What a reader says beside its table."""

    sources: list[SourceRead] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def leave_out(self, source: str, reason: str, rows: int | None = None) -> None:
        """Record something that does not count."""
        self.left_out.append({"source": printable(source), "rows": rows, "reason": reason})

    def extend(self, other: "Notes") -> None:
        """Add what another reader says; what both left out, or both warn of, stands once."""
        self.sources += other.sources
        self.left_out += [item for item in other.left_out if item not in self.left_out]
        self.warnings += [text for text in other.warnings if text not in self.warnings]


@dataclass
class Reading(Notes):
    """The tables that were read, by name, with the notes of their readers."""

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def table(self) -> pd.DataFrame:
        """The table, where one kind of log was read.

        Raises:
            ValueError: there is none, or more than one.
        """
        if len(self.tables) != 1:
            raise ValueError(f"the reading has the tables {', '.join(self.tables) or 'none'}")
        return next(iter(self.tables.values()))
