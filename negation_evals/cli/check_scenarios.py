"""`negation-evals check-scenarios`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from negation_evals.cli.terminal import wide_console

if TYPE_CHECKING:
    from negation_evals.framing.frames import Frame
    from negation_evals.framing.scenarios import Scenario


@click.command("check-scenarios")
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
    from negation_evals.framing.frames import load_frames
    from negation_evals.framing.scenario_check import Severity, check_scenarios
    from negation_evals.framing.scenarios import read_scenarios
    from negation_evals.report.documents.formats import counted

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
        obstacle = scenario.obstacle(frame)
        said = f"[dim]skipped: {obstacle}[/]" if obstacle else shown(scenario.proposal(frame))
        table.add_row(frame.id, said)
    return table


def shown(text: str) -> str:
    """A text of the user's as the terminal may show it: no markup, no control characters."""
    return escape("".join(character if character.isprintable() else " " for character in text))
