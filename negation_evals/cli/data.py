"""`negation-evals export-pairs` and `check-scenarios`: data by themselves, outside of audits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from negation_evals.cli.group import Share, main
from negation_evals.cli.reading import wide_console

if TYPE_CHECKING:
    from negation_evals.data import Frame, Scenario
    from negation_evals.nubench.prompts import Instructions


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
    type=Share(0, 1, max_open=True),
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


@main.command("check-scenarios")
@click.argument("file")
@click.pass_context
def check_scenarios_command(context: click.Context, file: str) -> None:
    """Check a file of scenarios, and print its proposals.

    FILE is what `-T scenarios=` takes: a YAML, JSON, JSONL, CSV or Parquet file, or sff or
    extended. Every scenario is printed with its proposals in all frames, for reading; then
    follows what is wrong (error) or remarkable (warning), one line each.

    Exit codes: 0 no error; 2 an error, or a file that cannot be read.

    Example: negation-evals check-scenarios mine.yaml
    """
    from negation_evals.data import load_frames, read_scenarios
    from negation_evals.report.layout import counted
    from negation_evals.scenario_check import Severity, check_scenarios

    _, rows = read_scenarios(file)
    check = check_scenarios(rows)
    console = wide_console(Console())
    frames = list(load_frames().values())
    for scenario in check.scenarios:
        console.print(f"[bold]{scenario.id}[/] ({scenario.domain})", highlight=False)
        console.print(shown(scenario.text), highlight=False)
        console.print(proposals_table(scenario, frames))
        console.print()
    for finding in check.findings:
        place = f"{finding.scenario}: " if finding.scenario else ""
        line = shown(f"{finding.severity}: {place}{finding.message}")
        colour = "red" if finding.severity == Severity.ERROR else "yellow"
        console.print(line, style=colour, highlight=False, soft_wrap=True)
    errors = sum(finding.severity == Severity.ERROR for finding in check.findings)
    console.print(
        f"{counted(len(rows), 'scenario')}: {counted(errors, 'error')}, "
        f"{counted(len(check.findings) - errors, 'warning')}.",
        highlight=False,
    )
    context.exit(2 if errors else 0)


def proposals_table(scenario: Scenario, frames: Sequence[Frame]) -> Table:
    """What each frame makes of a scenario, or why it makes nothing."""
    table = Table.grid(padding=(0, 1), pad_edge=True)
    for frame in frames:
        obstacle = frame.obstacle(scenario)
        said = f"[dim]skipped: {obstacle}[/]" if obstacle else shown(frame.proposal(scenario))
        table.add_row(frame.id, said)
    return table


def shown(text: str) -> str:
    """A text of the user's as the terminal may show it: no markup, no control characters."""
    return escape("".join(character if character.isprintable() else " " for character in text))
