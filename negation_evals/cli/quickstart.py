"""`negation-evals quickstart`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from negation_evals.cli.fetch_model import QUICKSTART_MODEL
from negation_evals.cli.terminal import show_report

QUICKSTART_EPOCHS = 2


@click.command()
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

    from negation_evals.framing.task import negation_framing
    from negation_evals.models.gguf.fetch import fetch_model
    from negation_evals.models.gguf.server import require_llama
    from negation_evals.report import read, write_report

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
    reading = read(log.location)
    with console.status("Writing the report ..."):
        tables = write_report(reading, out)
    show_report(tables, reading, out, console)
    console.print(f"Every answer: inspect view --log-dir {escape(log_dir)}", highlight=False)
