"""Options of the commands that read logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from negation_evals.errors import DataError

if TYPE_CHECKING:
    from negation_evals.analysis.reading.kinds import ReadOptions, Runs


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


def read_options(models: Path | None, runs: Runs, pool_data: bool) -> ReadOptions:
    """The options that every reader takes.

    Raises:
        DataError: there is no such file of model patterns.
    """
    from negation_evals.analysis.reading.kinds import ReadOptions
    from negation_evals.analysis.reading.model_patterns import load_model_patterns

    if models is not None and not models.is_file():
        raise DataError(f"--models {models}: there is no such file")
    return ReadOptions(load_model_patterns(models) if models else None, runs, pool_data)
