"""`negation-evals report` and `compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from negation_evals.cli.group import Share, main
from negation_evals.cli.reading import (
    read,
    reading,
    reading_options,
    terminal_table,
    wide_console,
    write_and_show,
)


@main.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder of the report; made if need be.",
)
@reading_options
@click.option(
    "--min-compliance",
    type=Share(0, 1),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="Leave out framing and NUBench results with a smaller share of valid answers; list them.",
)
@click.option("--published", is_flag=True, help="Show the papers' values beside one's own.")
def report(
    logs: Sequence[str],
    out: Path,
    models: Path | None,
    runs: str,
    pool_data: bool,
    min_compliance: float,
    published: bool,
) -> None:
    """Write a report on audits.

    It holds HTML, Markdown, CSV, JSON and figures, with a section for each kind of audit found:
    framing, NUBench, SNCA.

    LOGS are log files, log folders, fsspec URLs, or tables (CSV, JSONL, Parquet) with at least
    the columns model, scenario, frame and decision; or for SNCA model, category and rule_type;
    model, category, item_id, kind and label; model, item_id and matched.

    Example: negation-evals report logs/campaign --out report
    """
    from negation_evals.cli.families import read_audits

    console = Console()
    with console.status("Reading logs ..."):
        decisions, choices, snca = read_audits(logs, **reading(models, runs), pool_data=pool_data)
    options = {"min_compliance": min_compliance, "published": published}
    write_and_show(decisions, out, console, choices=choices, snca=snca, **options)


@main.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for comparison.csv and comparison.json; made if need be.",
)
@reading_options
def compare(
    a: str, b: str, out: Path | None, models: Path | None, runs: str, pool_data: bool
) -> None:
    """Compare two audits, B minus A.

    Is the new checkpoint, prompt or setting better than the old one?

    A and B are each a log file, a log folder, an fsspec URL, or a table. If one side has a single
    result, it is compared with every result of the other; otherwise results pair by model and by
    the settings that vary. Paired on scenario and frame, with a scenario bootstrap interval, a
    sign-flip test, and Holm's correction over several pairs.

    Example: negation-evals compare logs/old logs/new
    """
    from negation_evals.analysis import compare_audits
    from negation_evals.report.comparison import comparison_tables, write_comparison

    console = Console()
    sides = [read([side], models, runs, pool_data, console) for side in (a, b)]
    with console.status("Comparing ..."):
        comparison = compare_audits(*sides)
    wide = wide_console(console)
    for title, shown in comparison_tables(comparison):
        wide.print(terminal_table(title, shown))
    notes = [f"Without a partner: {name}" for name in comparison.unpaired]
    for side, name in zip(sides, "AB", strict=True):
        notes += [f"{name}: {warning}" for warning in side.attrs["report"]["warnings"]]
    for note in (*comparison.warnings, *notes):
        console.print(f"Note: {escape(note)}", style="yellow", highlight=False)
    if out is not None:
        write_comparison(comparison, out)
        path = escape(str(out / "comparison.json"))
        console.print(f"Comparison: {path}", highlight=False, soft_wrap=True)
