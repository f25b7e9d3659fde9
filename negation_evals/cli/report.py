"""`negation-evals report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from negation_evals.cli.group import Share
from negation_evals.cli.options import read_options, reading_options
from negation_evals.cli.terminal import show_report

if TYPE_CHECKING:
    from negation_evals.analysis.reading.kinds import Runs


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder of the report; created if it does not exist.",
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
@click.option("--published", is_flag=True, help="Show published values next to yours.")
def report(
    logs: Sequence[str],
    out: Path,
    models: Path | None,
    runs: Runs,
    pool_data: bool,
    min_compliance: float,
    published: bool,
) -> None:
    """Write a report on audits.

    It holds HTML, Markdown, CSV, JSON and figures, with a section for each kind of audit found:
    framing, NUBench, SNCA.

    LOGS are log files, log folders, fsspec URLs, or tables (CSV, JSONL, JSON, YAML, Parquet) with
    at least the columns model, scenario, frame and decision; or for SNCA model, category and
    rule_type; model, category, item_id, kind and label; model, item_id and matched.

    Example: negation-evals report logs/campaign --out report
    """
    from negation_evals.report import read, write_report

    console = Console()
    with console.status("Reading logs ..."):
        reading = read(logs, read_options(models, runs, pool_data))
    with console.status("Writing the report ..."):
        tables = write_report(reading, out, min_compliance=min_compliance, published=published)
    show_report(tables, reading, out, console)
