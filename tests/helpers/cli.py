"""The command line as a test runs it."""

from click.testing import CliRunner

from negation_evals.cli import main


def run(*arguments: object):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])
