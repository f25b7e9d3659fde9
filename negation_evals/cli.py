"""The command `negation-evals`: thin commands over the library.

Exit codes: 0 done; 1 an audit ran and failed; 2 bad input or usage.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from negation_evals._version import __version__
from negation_evals.schema import DataError

QUICKSTART_MODEL = "smollm2-135m"
QUICKSTART_EPOCHS = 2
TERMINAL_WIDTH = 100


class Commands(click.Group):
    """Commands whose wrong input ends in one line and exit code 2, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a fault of the user's data is a usage error."""
        try:
            return super().invoke(ctx)
        except DataError as error:
            raise click.UsageError(" ".join(str(error).split())) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="negation-evals")
def main() -> None:
    """Does a model do what it is told when it is told not to?

    Audits run with Inspect (`inspect eval negation_evals/negation_framing --model ...`); these
    commands bring a first audit, a local model, and the report.
    """


@main.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder of the report; made if need be.",
)
@click.option(
    "--models",
    type=click.Path(dir_okay=False, path_type=Path),
    help="YAML file of model name patterns with origin and size tier.",
)
@click.option(
    "--runs",
    type=click.Choice(["largest", "all"]),
    default="largest",
    show_default=True,
    help="Of several runs with the same settings: the one with the "
    "most planned samples, or all of them pooled as further epochs.",
)
@click.option(
    "--pool-data", is_flag=True, help="Count scenario data of different content as the same."
)
def report(logs: Sequence[str], out: Path, models: Path | None, runs: str, pool_data: bool) -> None:
    """Write a report on framing audits: HTML, Markdown, CSV, JSON and figures.

    LOGS are log files, log folders, fsspec URLs, or tables (CSV, JSONL, Parquet) with at least
    the columns model, scenario, frame and decision.

    Example: negation-evals report logs/campaign --out report
    """
    from negation_evals.analysis import read_decisions
    from negation_evals.data import load_model_patterns

    if models is not None and not models.is_file():
        raise DataError(f"--models {models}: there is no such file")
    console = Console()
    with console.status("Reading logs ..."):
        decisions = read_decisions(
            logs,
            models=load_model_patterns(models) if models else None,
            runs="all" if runs == "all" else "largest",
            pool_data=pool_data,
        )
    _write_and_show(decisions, out, console)


@main.command("fetch-model")
@click.argument("name", default=QUICKSTART_MODEL)
def fetch_model_command(name: str) -> None:
    """Bring a small local model into the user's cache, its checksum verified.

    NAME is smollm2-135m (98 MB), used as `--model gguf/smollm2-135m`.
    """
    from negation_evals.models.fetch import fetch_model

    with Console().status(f"Fetching {escape(name)} ..."):
        path = fetch_model(name)
    click.echo(path)


@main.command()
@click.option(
    "--epochs",
    type=click.IntRange(1),
    default=QUICKSTART_EPOCHS,
    show_default=True,
    help="Answers to each scenario and frame.",
)
@click.option(
    "--log-dir",
    type=click.Path(file_okay=False),
    default="logs/quickstart",
    show_default=True,
    help="Folder of the Inspect log.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("negation-report"),
    show_default=True,
    help="Folder of the report.",
)
def quickstart(epochs: int, log_dir: str, out: Path) -> None:
    """Audit a small local model from start to report: no key, no cost, a few minutes.

    The model is SmolLM2-135M-Instruct on the CPU, far too small to be good at this.
    """
    from inspect_ai import eval as run_eval

    from negation_evals import negation_framing
    from negation_evals.analysis import read_decisions
    from negation_evals.models.fetch import fetch_model

    console = Console()
    with console.status(f"Fetching {QUICKSTART_MODEL} (98 MB, once) ..."):
        fetch_model(QUICKSTART_MODEL)
    (log,) = run_eval(
        negation_framing(structured=True),
        model=f"gguf/{QUICKSTART_MODEL}",
        epochs=epochs,
        log_dir=log_dir,
    )
    if log.status != "success":
        reason = log.error.message if log.error else log.status
        raise click.ClickException(f"the audit did not finish ({reason}); its log: {log.location}")
    _write_and_show(read_decisions(log.location), out, console)
    console.print(f"Every answer: inspect view --log-dir {escape(log_dir)}", highlight=False)


def _write_and_show(decisions: pd.DataFrame, out: Path, console: Console) -> None:
    """Write the report and print the ranking, what to know about the reading, and the path."""
    from negation_evals.report import write_report

    with console.status("Writing the report ..."):
        tables = write_report(decisions, out)
    reading = decisions.attrs["report"]
    used = sum(source["used"] for source in reading["sources"])
    wide = Console(width=min(console.width, TERMINAL_WIDTH) if console.is_terminal else 100)
    wide.print(ranking_table(tables["ranking"]))
    console.print(
        f"Answers used: {used}. Logs and tables read: {len(reading['sources'])}. Left out: "
        f"{len(reading['left_out'])} (the report names them).",
        highlight=False,
    )
    for warning in reading["warnings"]:
        console.print(f"Note: {escape(warning)}", style="yellow", highlight=False)
    console.print(f"Report: {escape(str(out / 'report.html'))}", highlight=False, soft_wrap=True)


def ranking_table(ranking: pd.DataFrame) -> Table:
    """The ranking as a terminal table."""
    from negation_evals.report.sections import TERMINAL_RANKING, grid

    shown = grid(ranking, TERMINAL_RANKING)
    table = Table(title="Negation Sensitivity Index, highest first", title_justify="left")
    table.add_column(shown.header[0], overflow="fold")
    for title in shown.header[1:]:
        table.add_column(title, justify="right", no_wrap=True)
    for row in shown.rows:
        table.add_row(*map(escape, row))
    return table


if __name__ == "__main__":
    main()
