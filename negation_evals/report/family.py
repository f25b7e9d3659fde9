"""A family of tasks, as the report knows it: one object says all that distinguishes it."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from negation_evals.analysis.common.tables import Table
from negation_evals.analysis.reading.kinds import LogKind
from negation_evals.analysis.reading.reading import Reading
from negation_evals.report.documents.grids import Grid
from negation_evals.report.documents.sections import Section
from negation_evals.report.figures.figure import ReportFigure

Tables = dict[str, pd.DataFrame]
"""Tables of a report by name, in the order in which they are written."""


@dataclass(frozen=True)
class ReportOptions:
    """What a reader of the report may choose."""

    min_compliance: float = 0.0
    """Results with a smaller share of valid answers are left out and listed."""
    published: bool = False
    """Show published values next to yours."""


def _unchanged(reading: Reading) -> Reading:
    return reading


def _no_tables(tables: Tables) -> Tables:
    return {}


def _no_lines(tables: Tables, options: ReportOptions) -> list[str]:
    return []


@dataclass(frozen=True)
class Family:
    """What one family of tasks puts into a report. Everything else loops over the families."""

    name: str
    title: str
    """As messages name it."""
    page_title: str
    """Title of a report whose first family it is."""
    tasks: tuple[str, ...]
    solvers: tuple[str, ...]
    kinds: tuple[LogKind, ...]
    """Its kinds of log, and how each becomes a table."""
    declared: tuple[Table, ...]
    """Every table that it may write: those that a report lacks are removed from its folder."""
    tables: Callable[[Reading, ReportOptions], Tables]
    sections: Callable[[Tables, ReportOptions], list[Section]]
    figures: tuple[ReportFigure, ...]
    terminal: Callable[[Tables], Grid]
    """The one table that a terminal shows, at most 100 columns wide, with its title."""
    settle: Callable[[Reading], Reading] = _unchanged
    """Leave out what contradicts itself, with a note; done once, after reading."""
    published: Callable[[Tables], Tables] = _no_tables
    """Your values next to those that papers print."""
    gaps: Callable[[Tables, ReportOptions], list[str]] = _no_lines
    """What is missing from its sections, and why, for the appendix."""
    excluded: str = ""
    """Name of the table of results that were left out for too few valid answers."""

    def is_in(self, reading: Reading) -> bool:
        """Whether anything of the family was read."""
        return any(kind.table.name in reading.tables for kind in self.kinds)
