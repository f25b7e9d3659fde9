"""`negation-evals fetch-model`."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape

QUICKSTART_MODEL = "smollm2-135m"


@click.command("fetch-model")
@click.argument("name", default=QUICKSTART_MODEL)
def fetch_model_command(name: str) -> None:
    """Fetch a small local model.

    It comes into the user's cache, its checksum verified.

    NAME is smollm2-135m (98 MB), used as `--model gguf/smollm2-135m`.
    """
    from negation_evals.models.gguf.fetch import fetch_model

    with Console().status(f"Fetching {escape(name)} ..."):
        path = fetch_model(name)
    click.echo(path)
