"""What commands that read logs share: their options, the reading, and tables on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from negation_evals.schema import DataError

TERMINAL_WIDTH = 100

if TYPE_CHECKING:
    from negation_evals.report import SncaAudit
    from negation_evals.report.layout import Grid


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command that reads logs."""
    for option in (
        click.option(
            "--pool-data",
            is_flag=True,
            help="Count scenario data of different content as the same.",
        ),
        click.option(
            "--runs",
            type=click.Choice(["largest", "all"]),
            default="largest",
            show_default=True,
            help="Of several runs with the same settings: the one with the most planned samples, "
            "or all of them pooled as further epochs.",
        ),
        click.option(
            "--models",
            type=click.Path(dir_okay=False, path_type=Path),
            help="YAML file of model name patterns with origin and size tier.",
        ),
    ):
        command = option(command)
    return command


def read(
    logs: Sequence[str], models: Path | None, runs: str, pool_data: bool, console: Console
) -> pd.DataFrame:
    """The decisions of the logs, while a line says that they are being read."""
    from negation_evals.analysis import read_decisions

    with console.status("Reading logs ..."):
        return read_decisions(logs, **reading(models, runs), pool_data=pool_data)


def reading(models: Path | None, runs: str) -> dict[str, Any]:
    """The options that every reader takes."""
    from negation_evals.data import load_model_patterns

    if models is not None and not models.is_file():
        raise DataError(f"--models {models}: there is no such file")
    return {"models": load_model_patterns(models) if models else None, "runs": runs}


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
    from negation_evals.report.layout import grid
    from negation_evals.report.nubench import terminal_accuracy
    from negation_evals.report.sections import TERMINAL_RANKING
    from negation_evals.report.snca import terminal_scores
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
