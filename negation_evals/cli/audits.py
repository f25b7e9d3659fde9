"""`negation-evals quickstart`, the local model that it audits, and `plan`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from negation_evals.cli.group import Share, main
from negation_evals.cli.reading import terminal_table, wide_console, write_and_show

QUICKSTART_MODEL = "smollm2-135m"
QUICKSTART_EPOCHS = 2


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
    write_and_show(read_decisions(log.location), out, console)
    console.print(f"Every answer: inspect view --log-dir {escape(log_dir)}", highlight=False)


@main.command()
@click.argument("task", metavar="TASK")
@click.option("--model", required=True, help="As for `inspect eval`: provider/name.")
@click.option("-T", "task_args", multiple=True, metavar="NAME=VALUE", help="Of the task.")
@click.option("--epochs", type=click.IntRange(1), help="Default: those of the task.")
@click.option("--limit", type=click.IntRange(1), help="Only so many samples.")
@click.option(
    "--confidence",
    type=Share(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
@click.option(
    "--sample-log",
    metavar="LOG",
    help="A finished log of the task, such as of `--limit 8 --epochs 1`, that gives tokens and "
    "time of a call.",
)
@click.option(
    "--model-cost-config",
    metavar="FILE",
    envvar="INSPECT_EVAL_MODEL_COST_CONFIG",
    help="YAML or JSON file of prices, as for `inspect eval`.",
)
def plan(
    task: str,
    model: str,
    task_args: tuple[str, ...],
    epochs: int | None,
    limit: int | None,
    confidence: float,
    sample_log: str | None,
    model_cost_config: str | None,
) -> None:
    """Say what an audit costs and can show.

    Calls, about how many tokens, cost and time, and the intervals to expect. No model is called.

    Example: negation-evals plan negation_framing --model openai/gpt-5 -T adaptive=true
    """
    from negation_evals.cli.plans import framing_design, make_plan, make_task
    from negation_evals.planning import MOST_SIMULATED, expected_intervals, planned_confidences
    from negation_evals.report.layout import grid, number, share, text

    console = Console()
    made = make_task(task, task_args)
    planned = make_plan(task, made, model, epochs, limit, sample_log, model_cost_config)
    for line in planned.lines():
        console.print(escape(line), highlight=False, soft_wrap=True)
    design = framing_design(made, limit)
    if design is None:
        return
    columns = [text("If the model is", "assumed"), text("Interval of", "estimated")]
    columns += [number("Mean width", "width"), share("Tiers decided", "decided")]
    for n, level in planned_confidences(planned.asked, confidence, planned.schedule).items():
        if n > MOST_SIMULATED:
            console.print(f"Intervals are not simulated beyond {MOST_SIMULATED} answers a cell.")
            continue
        with console.status("Simulating ..."):
            table = expected_intervals(design.domains, design.negated, n, level)
        title = f"What to expect of n = {n}, intervals of {100 * level:.5g} %"
        shown = grid(table, columns, labelled=False)
        wide_console(console).print(terminal_table(title, shown))
