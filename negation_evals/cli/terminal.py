"""Tables and results on a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from negation_evals.analysis.reading.reading import Reading
    from negation_evals.report.documents.grids import Grid
    from negation_evals.report.family import Tables

TERMINAL_WIDTH = 100


def show_report(tables: Tables, reading: Reading, out: Path, console: Console) -> None:
    """Print the main tables of a report, what to know about the reading, and where the report is.

    Args:
        tables: Those that `write_report` gives.
        reading: What it was made from.
        out: Folder of the report.
        console: For lines of text.
    """
    from negation_evals.report.families import FAMILIES

    families = [family for family in FAMILIES if family.is_in(reading)]
    for family in families:
        wide_console(console).print(terminal_table(family.terminal(tables)))
    used = sum(source["used"] for source in reading.sources)
    console.print(
        f"Answers used: {used}. Logs and tables read: {len(reading.sources)}. Left out: "
        f"{len(reading.left_out)} (the report names them).",
        highlight=False,
    )
    if excluded := sum(len(tables.get(family.excluded, ())) for family in families):
        console.print(f"Excluded for too few valid answers: {excluded}.", highlight=False)
    for warning in reading.warnings:
        console.print(f"Note: {escape(warning)}", style="yellow", highlight=False)
    console.print(f"Report: {escape(str(out / 'report.html'))}", highlight=False, soft_wrap=True)


def wide_console(console: Console) -> Console:
    """A console as wide as tables need, even where the output is a file."""
    return Console(width=min(console.width, TERMINAL_WIDTH) if console.is_terminal else 100)


def terminal_table(shown: Grid) -> Table:
    """A table as the terminal shows it: the first column folds, numbers do not."""
    table = Table(title=shown.title, title_justify="left")
    table.add_column(shown.header[0], overflow="fold")
    for heading, numeric in zip(shown.header[1:], shown.numeric[1:], strict=True):
        table.add_column(heading, justify="right" if numeric else "left", no_wrap=numeric)
    for row in shown.rows:
        table.add_row(*map(escape, row))
    return table
