"""The command `negation-evals`: thin commands over the library.

Exit codes: 0 done; 1 an audit ran and failed; 2 bad input or usage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from negation_evals.nubench.prompts import Instructions
    from negation_evals.report.layout import Grid


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
    commands bring a first audit, a local model, the report, and the comparison of two audits.

    Exit codes: 0 done; 1 an audit ran and failed; 2 wrong input or usage.
    """


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
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="Leave out results with a smaller share of valid answers, and list them.",
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
    """Write a report on framing audits.

    It holds HTML, Markdown, CSV, JSON and figures.

    LOGS are log files, log folders, fsspec URLs, or tables (CSV, JSONL, Parquet) with at least
    the columns model, scenario, frame and decision.

    Example: negation-evals report logs/campaign --out report
    """
    from negation_evals.analysis import read_choices
    from negation_evals.analysis.sources import NothingFoundError

    console = Console()
    nothing: DataError | None = None
    decisions = choices = None
    try:
        decisions = _read(logs, models, runs, pool_data, console)
    except NothingFoundError as error:
        nothing = error
    try:
        with console.status("Reading logs ..."):
            choices = read_choices(logs, **_reading(models, runs))
    except NothingFoundError:
        if nothing is not None:
            raise nothing from None
    options = {"min_compliance": min_compliance, "published": published}
    _write_and_show(decisions, out, console, choices=choices, **options)


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
    sides = [_read([side], models, runs, pool_data, console) for side in (a, b)]
    with console.status("Comparing ..."):
        comparison = compare_audits(*sides)
    wide = _wide(console)
    for title, shown in comparison_tables(comparison):
        wide.print(_terminal_table(title, shown))
    notes = [f"Without a partner: {name}" for name in comparison.unpaired]
    for side, name in zip(sides, "AB", strict=True):
        notes += [f"{name}: {warning}" for warning in side.attrs["report"]["warnings"]]
    for note in (*comparison.warnings, *notes):
        console.print(f"Note: {escape(note)}", style="yellow", highlight=False)
    if out is not None:
        write_comparison(comparison, out)
        path = escape(str(out / "comparison.json"))
        console.print(f"Comparison: {path}", highlight=False, soft_wrap=True)


@main.command("export-pairs")
@click.option(
    "--dataset",
    default="builtin",
    show_default=True,
    help="builtin, a name on the Hugging Face hub, a folder of its layout, or a file.",
)
@click.option("--split", default="train", show_default=True, help="Split of the data set.")
@click.option("--revision", help="Commit, tag or branch on the hub.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for train.jsonl and validation.jsonl; made if need be.",
)
@click.option(
    "--instructions",
    type=click.Choice(["definition", "detailed"]),
    default="definition",
    show_default=True,
    help="What stands before each sentence.",
)
@click.option(
    "--validation-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="Share of the sentences held out for validation.",
)
@click.option("--seed", default=1234, show_default=True, help="Draws which are held out.")
def export_pairs_command(
    dataset: str,
    split: str,
    revision: str | None,
    out: Path,
    instructions: Instructions,
    validation_share: float,
    seed: int,
) -> None:
    """Export NUBench's sentence-negation pairs.

    As chat-format JSONL for supervised fine-tuning.

    Example: negation-evals export-pairs --out pairs
    """
    from negation_evals.nubench.dataset import load_pairs
    from negation_evals.nubench.pairs import export_pairs

    written = export_pairs(
        load_pairs(dataset, split, revision),
        out,
        instructions=instructions,
        validation_share=validation_share,
        seed=seed,
    )
    for name, count in written.items():
        click.echo(f"{out / name}.jsonl: {count} pairs")


@main.command("fetch-model")
@click.argument("name", default=QUICKSTART_MODEL)
def fetch_model_command(name: str) -> None:
    """Fetch a small local model.

    It comes into the user's cache, its checksum verified.

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
    """Audit a small local model, start to end.

    No key, no cost, a few minutes.

    The model is SmolLM2-135M-Instruct on the CPU, far too small to be good at this.
    """
    from inspect_ai import eval as run_eval

    from negation_evals import negation_framing
    from negation_evals.analysis import read_decisions
    from negation_evals.models.fetch import fetch_model
    from negation_evals.models.gguf import require_llama

    require_llama()
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


def _read(
    logs: Sequence[str], models: Path | None, runs: str, pool_data: bool, console: Console
) -> pd.DataFrame:
    """The decisions of the logs, while a line says that they are being read."""
    from negation_evals.analysis import read_decisions

    with console.status("Reading logs ..."):
        return read_decisions(logs, **_reading(models, runs), pool_data=pool_data)


def _reading(models: Path | None, runs: str) -> dict[str, Any]:
    """The options that every reader takes."""
    from negation_evals.data import load_model_patterns

    if models is not None and not models.is_file():
        raise DataError(f"--models {models}: there is no such file")
    return {"models": load_model_patterns(models) if models else None, "runs": runs}


def _write_and_show(
    decisions: pd.DataFrame | None,
    out: Path,
    console: Console,
    choices: pd.DataFrame | None = None,
    **options: Any,
) -> None:
    """Write the report and print the main tables, what to know about the reading, and the path."""
    from negation_evals.report import write_report
    from negation_evals.report.layout import grid
    from negation_evals.report.nubench import terminal_accuracy
    from negation_evals.report.sections import TERMINAL_RANKING
    from negation_evals.report.write import joint_reading

    with console.status("Writing the report ..."):
        tables = write_report(decisions, out, choices=choices, **options)
    reading = joint_reading(decisions, choices)
    used = sum(source["used"] for source in reading["sources"])
    if decisions is not None:
        shown = grid(tables["ranking"], TERMINAL_RANKING)
        _wide(console).print(_terminal_table("Negation Sensitivity Index, highest first", shown))
    if choices is not None:
        shown = terminal_accuracy(tables)
        _wide(console).print(_terminal_table("NUBench accuracy, highest first", shown))
    console.print(
        f"Answers used: {used}. Logs and tables read: {len(reading['sources'])}. Left out: "
        f"{len(reading['left_out'])} (the report names them).",
        highlight=False,
    )
    if excluded := len(tables.get("excluded", ())):
        console.print(f"Excluded for too few valid answers: {excluded}.", highlight=False)
    for warning in reading["warnings"]:
        console.print(f"Note: {escape(warning)}", style="yellow", highlight=False)
    console.print(f"Report: {escape(str(out / 'report.html'))}", highlight=False, soft_wrap=True)


def _wide(console: Console) -> Console:
    """A console as wide as tables need, even where the output is a file."""
    return Console(width=min(console.width, TERMINAL_WIDTH) if console.is_terminal else 100)


def _terminal_table(title: str, shown: Grid) -> Table:
    """A table as the terminal shows it: the first column folds, numbers do not."""
    table = Table(title=title, title_justify="left")
    table.add_column(shown.header[0], overflow="fold")
    for heading, numeric in zip(shown.header[1:], shown.numeric[1:], strict=True):
        table.add_column(heading, justify="right" if numeric else "left", no_wrap=numeric)
    for row in shown.rows:
        table.add_row(*map(escape, row))
    return table


if __name__ == "__main__":
    main()
