"""`negation-evals export-pairs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from negation_evals.cli.group import Share

if TYPE_CHECKING:
    from negation_evals.nubench.options import Instructions


@click.command("export-pairs")
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
    help="Folder for train.jsonl and validation.jsonl; created if it does not exist.",
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
@click.option("--seed", default=1234, show_default=True, help="Seed for the validation split.")
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
    from negation_evals.nubench.finetuning import export_pairs

    written = export_pairs(
        load_pairs(dataset, split, revision),
        out,
        instructions=instructions,
        validation_share=validation_share,
        seed=seed,
    )
    for name, count in written.items():
        click.echo(f"{out / name}.jsonl: {count} pairs")
