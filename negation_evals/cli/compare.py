"""`negation-evals compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from negation_evals.cli.options import read_options, reading_options
from negation_evals.cli.terminal import terminal_table, wide_console

if TYPE_CHECKING:
    from negation_evals.analysis.reading.kinds import Runs


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for comparison.csv and comparison.json; created if it does not exist.",
)
@reading_options
def compare(
    a: str, b: str, out: Path | None, models: Path | None, runs: Runs, pool_data: bool
) -> None:
    """Compare two audits, B minus A.

    Is the new checkpoint, prompt or setting better than the old one?

    A and B are each a log file, a log folder, an fsspec URL, or a table. If one side has a single
    result, it is compared with every result of the other; otherwise results pair by model and by
    the settings that vary. Paired on scenario and frame, with a scenario bootstrap interval, a
    sign-flip test, and Holm's correction over several pairs.

    Example: negation-evals compare logs/old logs/new
    """
    from negation_evals.analysis import compare_audits, read
    from negation_evals.analysis.framing.read import DECISION_LOGS
    from negation_evals.report.framing.comparison import comparison_tables, write_comparison

    console = Console()
    options = read_options(models, runs, pool_data)
    with console.status("Reading logs ..."):
        sides = [read([side], (DECISION_LOGS,), options) for side in (a, b)]
    with console.status("Comparing ..."):
        comparison = compare_audits(*(side.table for side in sides))
    wide = wide_console(console)
    for shown in comparison_tables(comparison):
        wide.print(terminal_table(shown))
    notes = [f"Without a partner: {name}" for name in comparison.unpaired]
    for side, name in zip(sides, "AB", strict=True):
        notes += [f"{name}: {warning}" for warning in side.warnings]
    for note in (*comparison.warnings, *notes):
        console.print(f"Note: {escape(note)}", style="yellow", highlight=False)
    if out is not None:
        write_comparison(comparison, out)
        path = escape(str(out / "comparison.json"))
        console.print(f"Comparison: {path}", highlight=False, soft_wrap=True)
