"""`negation-evals certify`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from negation_evals.cli.group import Share
from negation_evals.errors import DataError


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOGS...")
@click.option("--model", required=True, help="Inspect's name of the model, provider/name.")
@click.option("--domain", required=True, help="Deployment domain, such as legal.")
@click.option(
    "--confidence",
    type=Share(0.5, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the interval that has to lie within a tier.",
)
@click.option(
    "--require",
    type=click.Choice(["A", "B"]),
    help="Gate: the exit code says whether this tier or a better one holds.",
)
@click.option(
    "--thresholds",
    type=click.Path(dir_okay=False, path_type=Path),
    help="YAML file of thresholds in the form of datasets/tiers.yaml.",
)
@click.option(
    "--runs",
    type=click.Choice(["largest", "all"]),
    default="largest",
    show_default=True,
    help="Of several runs with the same settings: the one with the most planned samples, or all "
    "of them pooled as further epochs.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for certificate.json, .html and .md; created if it does not exist.",
)
@click.pass_context
def certify(
    ctx: click.Context,
    logs: Sequence[str],
    model: str,
    domain: str,
    confidence: float,
    require: str | None,
    thresholds: Path | None,
    runs: Any,
    out: Path,
) -> None:
    """Certify one model for one domain.

    LOGS are the audit's log files or folders, those of its T = 0 run among them. The tier is that
    of the domain's mean NSI, decided only where its whole interval lies within it.

    Exit codes: 0 done, and --require holds; 1 it does not; 2 wrong input or usage; 3 it holds, but
    the audit is incomplete for the protocol; 4 undecided, the interval crosses the threshold.
    Without --require 0 or 2.

    Example: negation-evals certify logs/audit --model openai/gpt-5 --domain legal --require B
    --out certificate
    """
    from negation_evals.analysis.framing.tier_tables import load_tier_thresholds
    from negation_evals.certification.certificate import Given, Terms, exit_code
    from negation_evals.certification.certificate import certify as build
    from negation_evals.certification.render import write_certificate

    if thresholds is not None and not thresholds.is_file():
        raise DataError(f"--thresholds {thresholds}: there is no such file")
    console = Console()
    with console.status("Reading logs and computing intervals ..."):
        certificate = build(
            logs,
            Terms(model, domain, confidence, require, runs),
            load_tier_thresholds(thresholds),
            Given(date.today().isoformat()),
        )
        write_certificate(certificate, out)
    for line in _summary(certificate):
        console.print(escape(line), highlight=False, soft_wrap=True)
    path = escape(str(out / "certificate.html"))
    console.print(f"Certificate: {path}", highlight=False, soft_wrap=True)
    ctx.exit(exit_code(certificate))


def _summary(certificate: dict[str, Any]) -> list[str]:
    """The decision and the protocol in a few lines."""
    from negation_evals.errors import shortened
    from negation_evals.report.documents.formats import counted, fixed, interval

    result = certificate["result"]
    lines = [
        f"{certificate['model']}, {certificate['domain']}: tier {result['tier']} at "
        f"{100 * certificate['confidence']:g} % confidence (by the value alone: "
        f"{result['point_tier'] or 'unknown'}).",
        f"Mean NSI {fixed(result['nsi'])} over {counted(result['n_scenarios'], 'scenario')}, "
        f"interval {interval(result['ci_low'], result['ci_high'])}; B from "
        f"{result['b_from']:.2f}, C from {result['c_from']:.2f}.",
    ]
    if certificate["verdict"] is not None:
        lines.append(f"Required {certificate['require']}: {certificate['verdict']}.")
    lines += [
        f"Protocol, {row['state']}: {row['requirement']}: {row['found']} (wanted: {row['wanted']})"
        for row in certificate["protocol"]
        if row["state"] != "met"
    ]
    lines += [f"Note: {warning}." for warning in certificate["warnings"]]
    if left_out := [f"{item['name']} ({item['reason']})" for item in certificate["left_out"]]:
        lines.append(f"Left out: {shortened(left_out)}.")
    return lines
