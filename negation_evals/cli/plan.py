"""`negation-evals plan`."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape

from negation_evals.cli.group import Share
from negation_evals.cli.terminal import terminal_table, wide_console


@click.command()
@click.argument("task", metavar="TASK")
@click.option("--model", required=True, help="As for `inspect eval`: provider/name.")
@click.option(
    "-T",
    "task_args",
    multiple=True,
    metavar="NAME=VALUE",
    help="Task argument, as for `inspect eval -T`.",
)
@click.option("--epochs", type=click.IntRange(1), help="Default: those of the task.")
@click.option(
    "--limit", type=click.IntRange(1), help="Limit on the number of samples, as for `inspect eval`."
)
@click.option(
    "--confidence",
    type=Share(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals.",
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
    """Estimate an audit's cost and the precision of its results.

    Calls, about how many tokens, cost and time, and the intervals to expect. No model is called.

    Example: negation-evals plan negation_framing --model openai/gpt-5 -T adaptive=true
    """
    from negation_evals.analysis.framing.planning import (
        MOST_SIMULATED,
        expected_intervals,
        planned_confidences,
    )
    from negation_evals.cli.plan_inputs import framing_design, make_plan, make_task
    from negation_evals.report.documents.grids import grid, number, share, text

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
            table = expected_intervals(design.domains, design.negated, n, confidence_level=level)
        title = f"What to expect of n = {n}, intervals of {100 * level:.5g} %"
        shown = grid(table, columns, title=title)
        wide_console(console).print(terminal_table(shown))
