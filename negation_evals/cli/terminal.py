"""Tables and results on a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from negation_evals.report import SncaAudit
    from negation_evals.report.documents.sections import Grid


TERMINAL_WIDTH = 100


def write_and_show(
    decisions: pd.DataFrame | None,
    out: Path,
    console: Console,
    choices: pd.DataFrame | None = None,
    snca: SncaAudit | None = None,
    **options: Any,
) -> None:
    """Write the report and print the main tables, what to know about the reading, and the path."""
    from negation_evals.report import write_report
    from negation_evals.report.documents.sections import grid
    from negation_evals.report.framing.sections import TERMINAL_RANKING
    from negation_evals.report.nubench.sections import terminal_accuracy
    from negation_evals.report.snca.sections import terminal_scores
    from negation_evals.report.write import joint_reading

    with console.status("Writing the report ..."):
        tables = write_report(decisions, out, choices=choices, snca=snca, **options)
    reading = joint_reading(decisions, choices, *(snca.main_tables if snca else ()))
    used = sum(source["used"] for source in reading["sources"])
    if decisions is not None:
        shown = grid(tables["ranking"], TERMINAL_RANKING)
        wide_console(console).print(
            terminal_table("Negation Sensitivity Index, highest first", shown)
        )
    if choices is not None:
        shown = terminal_accuracy(tables)
        wide_console(console).print(terminal_table("NUBench accuracy, highest first", shown))
    if snca:
        wide_console(console).print(terminal_table(*terminal_scores(tables)))
    console.print(
        f"Answers used: {used}. Logs and tables read: {len(reading['sources'])}. Left out: "
        f"{len(reading['left_out'])} (the report names them).",
        highlight=False,
    )
    if excluded := sum(len(tables.get(name, ())) for name in ("excluded", "nubench_excluded")):
        console.print(f"Excluded for too few valid answers: {excluded}.", highlight=False)
    for warning in reading["warnings"]:
        console.print(f"Note: {escape(warning)}", style="yellow", highlight=False)
    console.print(f"Report: {escape(str(out / 'report.html'))}", highlight=False, soft_wrap=True)


def wide_console(console: Console) -> Console:
    """A console as wide as tables need, even where the output is a file."""
    return Console(width=min(console.width, TERMINAL_WIDTH) if console.is_terminal else 100)


def terminal_table(title: str, shown: Grid) -> Table:
    """A table as the terminal shows it: the first column folds, numbers do not."""
    table = Table(title=title, title_justify="left")
    table.add_column(shown.header[0], overflow="fold")
    for heading, numeric in zip(shown.header[1:], shown.numeric[1:], strict=True):
        table.add_column(heading, justify="right" if numeric else "left", no_wrap=numeric)
    for row in shown.rows:
        table.add_row(*map(escape, row))
    return table
