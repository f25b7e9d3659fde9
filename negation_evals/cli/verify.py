"""`negation-evals verify`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console


@click.command()
@click.argument(
    "certificate", type=click.Path(dir_okay=False, path_type=Path), metavar="CERTIFICATE"
)
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
def verify(certificate: Path, logs: Sequence[str]) -> None:
    """Verify a certificate against its logs.

    CERTIFICATE is certificate.json, LOGS the files or folders with the logs that it names. Checks
    its hash and that of every log, and computes every figure again. It shows whether something was
    changed, not who wrote it: a certificate is no signature.

    Exit codes: 0 all holds; 1 something does not; 2 wrong input or usage.

    Example: negation-evals verify certificate/certificate.json logs/audit
    """
    from negation_evals.certification.verify import load_certificate, verify_certificate
    from negation_evals.report.documents.formats import counted

    console = Console()
    content = load_certificate(certificate)
    with console.status("Computing the certificate again ..."):
        faults = verify_certificate(content, list(logs))
    if faults:
        for fault in faults:
            click.echo(f"Does not hold: {fault}")
        raise click.exceptions.Exit(1)
    logs_checked = counted(len(content["logs"]), "log")
    click.echo(f"{certificate}: holds; {logs_checked}, every figure computed again.")
