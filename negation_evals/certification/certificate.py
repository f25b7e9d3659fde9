"""The certificate as data: every figure is recomputed from the answers, nothing is taken on trust.

It is a record, no signature: its hash shows that it was changed, not who wrote it.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import Any, Final

import pandas as pd

from negation_evals._version import __version__
from negation_evals.analysis.columns import SETTINGS, descriptions
from negation_evals.analysis.intervals import nsi_intervals
from negation_evals.analysis.logs import read_decisions
from negation_evals.analysis.nsi import nsi_bounds, nsi_values
from negation_evals.analysis.provenance import log_facts
from negation_evals.analysis.rates import compliance, endorsement_rates
from negation_evals.analysis.runs import Runs
from negation_evals.analysis.sequential import with_overall
from negation_evals.analysis.sources import Source
from negation_evals.analysis.tiers import OVERALL, Tier, Verdict, keeps_tier, tiers
from negation_evals.certification.audit import Audit, select_audit
from negation_evals.certification.looks import Looks, find_looks
from negation_evals.certification.protocol import State, audit_date, check_protocol, renewal_date
from negation_evals.data import TierThresholds, unknown_name

SCHEMA_VERSION: Final = "1"
"""Version of the layout of `certificate.json`; a change that breaks a reader bumps it."""

DIGITS: Final = 6
"""Figures are rounded to so many decimals, so that the same answers give the same bytes."""

NOTICE: Final = (
    "The tiers are the proposal of the first version of arXiv:2601.21433 (January 2026); its "
    "second version no longer speaks of them. They are no standard. This certificate is no "
    "signature: it can be recomputed from the logs that it names (negation-evals verify)."
)

SOURCE: Final = "arXiv:2601.21433v1, Section 4"


@dataclass(frozen=True)
class Terms:
    """What was asked of a certificate."""

    model: str
    domain: str
    confidence: float = 0.95
    require: str | None = None
    """The tier that a gate asks for, or None."""
    runs: Runs = "largest"
    """Of several runs with the same settings, see `read_decisions`."""


def certify(
    paths: Source | Iterable[Source],
    terms: Terms,
    thresholds: Sequence[TierThresholds],
    generated: str,
) -> dict[str, Any]:
    """The certificate of one model in one domain, from its logs.

    Args:
        paths: As for `read_decisions`: they may hold logs of other models, too.
        terms: Model, domain, confidence and the tier asked for.
        thresholds: Those of `load_tier_thresholds`.
        generated: The day on which it is written (ISO); the only part that the answers do not
            determine.

    Returns:
        The content of `certificate.json` (docs/certification.md describes every field). Its
        `content_sha256` is `content_hash` of the rest.

    Raises:
        DataError: see `read_decisions`, `select_audit` and `tiers`.
    """
    audit = select_audit(read_decisions(paths, runs=terms.runs), terms.model, terms.domain)
    files = sorted({*audit.sampled["log"], *audit.deterministic["log"]})
    # Read again without what is not its own, as a verifier does who has these files alone.
    decisions = read_decisions(files, runs=terms.runs)
    facts = sorted(log_facts(files), key=lambda item: (item["name"], item["sha256"]))
    names = {place: PurePosixPath(place.replace("\\", "/")).name for place in files}
    audit = select_audit(decisions, terms.model, terms.domain)
    looks = find_looks(audit, facts, terms.confidence)
    audit = replace(audit, sampled=looks.sampled)
    cells = endorsement_rates(audit.sampled)
    domains = _domains(audit, cells, looks, thresholds)
    result = domains[domains["domain"] == terms.domain].iloc[0]
    protocol = check_protocol(audit, facts)
    verdict = None if terms.require is None else keeps_tier(result, Tier(terms.require))
    date = audit_date(facts)
    content = {
        "schema_version": SCHEMA_VERSION,
        "title": "Negation sensitivity certificate",
        "notice": NOTICE,
        "source": SOURCE,
        "generated": generated,
        "audit_date": date,
        "renewal_date": date and renewal_date(date),
        "negation_evals_version": __version__,
        "inspect_version": version("inspect_ai"),
        **asdict(terms),
        "settings": {name: _plain(audit.sampled[name].iloc[0]) for name in SETTINGS},
        "frames": list(audit.frames),
        "thresholds": [row.model_dump() for row in thresholds],
        "result": _record(result),
        "verdict": _plain(verdict),
        "protocol_complete": bool((protocol["state"] == State.MET).all()),
        "protocol": _records(protocol),
        "adaptive": looks.schedule,
        "overall": _record(_overall(audit, cells, terms, thresholds)),
        "domains": _records(domains),
        "scenarios": _records(_scenarios(audit, cells, terms.confidence)),
        "deterministic": _records(_deterministic(audit)),
        "answers": _records(compliance(audit.sampled))[0],
        "warnings": [_without_places(w, names) for w in decisions.attrs["report"]["warnings"]],
        "logs": facts,
    }
    return content | {"content_sha256": content_hash(content)}


def exit_code(certificate: Mapping[str, Any]) -> int:
    """What a gate should do with it.

    Returns:
        0 the required tier holds, or none was required; 1 it does not hold; 3 it holds, but the
        audit is incomplete for the protocol; 4 undecided.
    """
    verdict = certificate["verdict"]
    if verdict is None:
        return 0
    if verdict == Verdict.HOLDS:
        return 0 if certificate["protocol_complete"] else 3
    return 1 if verdict == Verdict.FAILS else 4


def content_hash(content: Mapping[str, Any]) -> str:
    """SHA-256 of a certificate's content, whatever its layout, but for the hash itself."""
    rest = {key: value for key, value in content.items() if key != "content_sha256"}
    canonical = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _without_places(warning: str, names: Mapping[str, str]) -> str:
    """A warning that names files, not the folders in which they lay."""
    for place, name in names.items():
        warning = warning.replace(place, name)
    return warning


def _domains(
    audit: Audit, cells: pd.DataFrame, looks: Looks, thresholds: Sequence[TierThresholds]
) -> pd.DataFrame:
    """Each domain's mean NSI, its interval and tier; one without thresholds takes the overall ones.

    Raises:
        DataError: the deployment domain has no thresholds.
    """
    known = {row.domain for row in thresholds}
    if audit.domain not in known:
        raise unknown_name("domain of the tier thresholds", audit.domain, known)
    parts = [
        nsi_intervals(rows, ["model", "domain"], looks.confidence[str(domain)], audit.frames)
        for domain, rows in cells.groupby("domain", sort=False)
    ]
    table = pd.concat(parts, ignore_index=True)
    table = table.drop(columns=["model", *descriptions(table)])
    table["confidence"] = table["domain"].map(looks.confidence)
    return tiers(table, with_overall(list(table["domain"]), thresholds))


def _overall(
    audit: Audit, cells: pd.DataFrame, terms: Terms, thresholds: Sequence[TierThresholds]
) -> pd.Series:
    """The mean NSI over all scenarios, its interval and its tier by the overall thresholds."""
    table = nsi_intervals(cells, "model", terms.confidence, audit.frames)
    table = table.drop(columns=["model", *descriptions(table)])
    return tiers(table, thresholds, OVERALL).iloc[0]


def _scenarios(audit: Audit, cells: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Each scenario's NSI, its interval, its rates by frame, and its bounds."""
    keys = ["scenario", "domain"]
    values = nsi_values(cells, audit.frames)[[*keys, "nsi", "n_min", "missing_frames"]]
    intervals = nsi_intervals(cells, ["model", *keys], confidence, audit.frames)
    bounds = nsi_bounds(cells, audit.frames)
    rates = cells.pivot(index=keys, columns="frame", values="rate").reset_index()
    rates = rates.rename(columns={frame: f"rate_{frame}" for frame in audit.frames})
    rates.columns.name = None
    return (
        values.merge(intervals[[*keys, "ci_low", "ci_high"]], on=keys)
        .merge(bounds[[*keys, "n_undecided", "nsi_lowest", "nsi_highest"]], on=keys)
        .merge(rates, on=keys)
    )


def _deterministic(audit: Audit) -> pd.DataFrame:
    """NSI at temperature 0 by domain: reported, not tiered."""
    if audit.deterministic.empty:
        return pd.DataFrame()
    values = nsi_values(endorsement_rates(audit.deterministic), audit.frames)
    groups = values.groupby("domain", sort=False)["nsi"]
    return groups.agg(n_scenarios="count", nsi="mean", nsi_max="max").reset_index()


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [_record(row) for _, row in table.iterrows()]


def _record(row: pd.Series) -> dict[str, Any]:
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """A value as JSON holds it: rounded, missing ones null."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float):
        return round(value, DIGITS) if math.isfinite(value) else None
    if value is None or value is pd.NA:
        return None
    # An enum's member becomes the text that JSON would give.
    return value if isinstance(value, bool | int) else str(value)
