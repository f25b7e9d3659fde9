"""The certificate as data: every figure is recomputed from the answers, nothing is taken on trust.

It is a record, no signature: its hash shows that it was changed, not who wrote it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from typing import Any, Final

import pandas as pd

from negation_evals._version import __version__
from negation_evals.analysis.common.results import descriptions
from negation_evals.analysis.framing.columns import SETTINGS
from negation_evals.analysis.framing.interim import with_overall
from negation_evals.analysis.framing.intervals.nsi_intervals import nsi_intervals
from negation_evals.analysis.framing.nsi import nsi_bounds, nsi_values
from negation_evals.analysis.framing.rates import compliance, endorsement_rates
from negation_evals.analysis.framing.read import DECISION_LOGS
from negation_evals.analysis.framing.tier_tables import TierThresholds
from negation_evals.analysis.framing.tiers import OVERALL, Tier, Verdict, keeps_tier, tiers
from negation_evals.analysis.reading.kinds import ReadOptions, Runs
from negation_evals.analysis.reading.logs import read
from negation_evals.analysis.reading.provenance import log_facts
from negation_evals.analysis.reading.sources import Source
from negation_evals.certification.audit import Audit, select_audit
from negation_evals.certification.interim import Looks, find_looks
from negation_evals.certification.notes import (
    are_proposed,
    by_file_name,
    file_name,
    notice,
    own_warnings,
    without_places,
)
from negation_evals.certification.protocol import State, audit_date, check_protocol, renewal_date
from negation_evals.errors import DataError, shortened
from negation_evals.files.hashing import json_sha256

SCHEMA_VERSION: Final = "1"
"""Version of the layout of `certificate.json`; a change that breaks a reader bumps it."""

DIGITS: Final = 6
"""Figures are rounded to so many decimals, so that the same answers give the same bytes."""

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


@dataclass(frozen=True)
class Given:
    """What a certificate holds beside what its answers determine: a verifier takes it as given."""

    generated: str
    """The day on which it is written (ISO)."""
    left_out: list[dict[str, Any]] | None = None
    """What lay among the logs and does not count; None takes it from reading them."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of files as the certificate has them, where they were renamed since."""


def certify(
    paths: Source | Iterable[Source],
    terms: Terms,
    thresholds: Sequence[TierThresholds],
    given: Given,
) -> dict[str, Any]:
    """The certificate of one model in one domain, from its logs.

    Args:
        paths: As for `read_decisions`: they may hold logs of other models, too.
        terms: Model, domain, confidence and the tier asked for.
        thresholds: Those of `load_tier_thresholds`.
        given: What the answers do not determine.

    Returns:
        The content of `certificate.json` (docs/certification.md describes every field). Its
        `content_sha256` is `content_hash` of the rest.

    Raises:
        DataError: see `read_decisions`, `select_audit` and `tiers`.
    """
    options = ReadOptions(runs=terms.runs)
    reading = read(paths, (DECISION_LOGS,), options)
    everything = reading.table
    left_out = given.left_out
    if left_out is None:
        left_out = by_file_name(reading.left_out)
    try:
        audit = select_audit(everything, terms.model, terms.domain)
    except DataError as error:
        if not left_out:
            raise
        others = shortened([f"{item['name']} ({item['reason']})" for item in left_out])
        raise DataError(f"{error}; left out: {others}") from error
    files = sorted({*audit.sampled["log"], *audit.deterministic["log"]})
    if given.left_out is None:
        left_out += by_file_name(_of_other_audits(everything, terms.model, files))
    # Read again without what is not its own, as a verifier does who has these files alone.
    own = read(files, (DECISION_LOGS,), options)
    names = {place: file_name(place) for place in files} | dict(given.names)
    of_file = {
        place: fact | {"name": names[place]}
        for place, fact in zip(files, log_facts(files), strict=True)
    }
    facts = sorted(of_file.values(), key=lambda item: (item["name"], item["sha256"]))
    audit = select_audit(own.table, terms.model, terms.domain)
    looks = find_looks(audit, of_file, terms.confidence)
    audit = replace(audit, sampled=looks.sampled)
    cells = endorsement_rates(audit.sampled)
    domains = _domains(audit, cells, looks, thresholds)
    result = domains[domains["domain"] == terms.domain].iloc[0]
    protocol = check_protocol(audit, facts)
    proposed = are_proposed(thresholds)
    verdict = None if terms.require is None else keeps_tier(result, Tier(terms.require))
    date = audit_date(facts)
    content = {
        "schema_version": SCHEMA_VERSION,
        "title": "Negation sensitivity certificate",
        "notice": notice(proposed),
        "source": SOURCE,
        "generated": given.generated,
        "audit_date": date,
        "renewal_date": date and renewal_date(date),
        "negation_evals_version": __version__,
        "inspect_version": version("inspect_ai"),
        **asdict(terms),
        "settings": {name: _plain(audit.sampled[name].iloc[0]) for name in SETTINGS},
        "frames": list(audit.frames),
        "thresholds": [row.model_dump() for row in thresholds],
        "thresholds_proposed": proposed,
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
        "warnings": [
            *own_warnings(terms.domain, terms.confidence, proposed, thresholds, facts),
            *(without_places(w, names) for w in own.warnings),
        ],
        "left_out": left_out,
        "logs": facts,
    }
    return content | {"content_sha256": content_hash(content)}


def _of_other_audits(
    decisions: pd.DataFrame, model: str, files: Sequence[str]
) -> list[dict[str, Any]]:
    """The model's logs that are not of this audit, as the readers list what they leave out."""
    rows = decisions[(decisions["model"] == model) & ~decisions["log"].isin(files)]
    reason = "not of this audit: a mitigation, or other settings at temperature 0"
    return [
        {"source": log, "rows": int(n), "reason": reason}
        for log, n in rows.groupby("log").size().items()
    ]


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
    return json_sha256(rest, compact=True)


def _domains(
    audit: Audit, cells: pd.DataFrame, looks: Looks, thresholds: Sequence[TierThresholds]
) -> pd.DataFrame:
    """Each domain's mean NSI, its interval and tier; one without thresholds takes the overall ones.

    Raises:
        DataError: a domain has no thresholds, and there are no overall ones.
    """
    parts = [
        nsi_intervals(
            rows,
            ["model", "domain"],
            confidence_level=looks.confidence[str(domain)],
            frames=audit.frames,
        )
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
    table = nsi_intervals(cells, "model", confidence_level=terms.confidence, frames=audit.frames)
    table = table.drop(columns=["model", *descriptions(table)])
    return tiers(table, with_overall([OVERALL], thresholds), OVERALL).iloc[0]


def _scenarios(audit: Audit, cells: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Each scenario's NSI, its interval, its rates by frame, and its bounds."""
    keys = ["scenario", "domain"]
    values = nsi_values(cells, audit.frames)[[*keys, "nsi", "n_min", "missing_frames"]]
    intervals = nsi_intervals(
        cells, ["model", *keys], confidence_level=confidence, frames=audit.frames
    )
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
