"""The command `negation-evals`: the group of all commands."""

from typing import Final

import click

from negation_evals._version import __version__
from negation_evals.cli.certify import certify
from negation_evals.cli.check_scenarios import check_scenarios_command
from negation_evals.cli.compare import compare
from negation_evals.cli.export_pairs import export_pairs_command
from negation_evals.cli.fetch_model import fetch_model_command
from negation_evals.cli.group import Commands
from negation_evals.cli.plan import plan
from negation_evals.cli.quickstart import quickstart
from negation_evals.cli.report import report
from negation_evals.cli.verify import verify


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="negation-evals")
def main() -> None:
    """Does a model do what it is told when it is told not to?

    Audits run with Inspect (`inspect eval negation_evals/negation_framing --model ...`). These
    commands try a first audit (quickstart), write a report, compare two audits, certify a model and
    verify a certificate, plan an audit's cost, check scenarios, export pairs for fine-tuning, and
    fetch a local model.

    Exit codes: 0 done; 1 an audit ran and failed; 2 wrong input or usage. certify has more.
    """


COMMANDS: Final = (
    quickstart,
    report,
    compare,
    certify,
    verify,
    plan,
    check_scenarios_command,
    export_pairs_command,
    fetch_model_command,
)
for command in COMMANDS:
    main.add_command(command)
