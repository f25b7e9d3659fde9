"""The audit protocol of arXiv:2601.21433v1, Section 4.3, checked against the answers."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

import pandas as pd

from negation_evals.analysis.framing.nsi import nsi
from negation_evals.analysis.framing.rates import endorsement_rates
from negation_evals.analysis.framing.repeats import repeatability
from negation_evals.analysis.framing.tier_tables import load_adjacent_domains
from negation_evals.certification.audit import PROTOCOL_FRAMES, Audit
from negation_evals.report.documents.formats import counted
from negation_evals.schema.framing import SCENARIOS_TO_CERTIFY

IN_DOMAIN: Final = SCENARIOS_TO_CERTIFY
IN_ADJACENT: Final = 5
"""Scenarios that the protocol asks for in the deployment domain, and in adjacent ones."""
VALID_PER_CELL: Final = 30
"""Valid decisions that it asks for in every scenario and frame."""
COLD_EPOCHS: Final = 2
"""Epochs that show whether decoding at temperature 0 repeats itself."""


class State(StrEnum):
    """Whether a requirement of the protocol is met."""

    MET = "met"
    NOT_MET = "not met"
    NOT_CHECKABLE = "not checkable"


def check_protocol(
    audit: Audit,
    facts: Sequence[Mapping[str, object]],
    adjacent: Mapping[str, Sequence[str]] | None = None,
) -> pd.DataFrame:
    """Every requirement of the protocol, with the figure that decides it.

    Args:
        audit: The answers.
        facts: Those of `log_facts` of the logs with these answers.
        adjacent: Domain -> adjacent domains; default `datasets/adjacent_domains.yaml`.

    Returns:
        One row per requirement: requirement, wanted, found (both in words), state (`State`).
    """
    near = (load_adjacent_domains() if adjacent is None else adjacent).get(audit.domain)
    values = nsi(audit.sampled, audit.frames)
    rows = [
        _scenarios_in_domain(audit, values),
        _scenarios_in_adjacent(values, near),
        _frames(audit),
        _valid_per_cell(audit, near or ()),
        _deterministic(audit),
        _documented(values),
        _dated(facts),
    ]
    return pd.DataFrame(rows, columns=["requirement", "wanted", "found", "state"])


Row = tuple[str, str, str, State]


def _state(met: bool) -> State:
    return State.MET if met else State.NOT_MET


def _scenarios_in_domain(audit: Audit, values: pd.DataFrame) -> Row:
    asked = values[values["domain"] == audit.domain]
    n = int(asked["nsi"].notna().sum())
    found = f"{n}" + (f" of {len(asked)} asked have an NSI" if n < len(asked) else "")
    wanted = f"at least {IN_DOMAIN} in {audit.domain}"
    return "Scenarios in the deployment domain", wanted, found, _state(n >= IN_DOMAIN)


def _scenarios_in_adjacent(values: pd.DataFrame, near: Sequence[str] | None) -> Row:
    name, wanted = "Scenarios in adjacent domains", f"at least {IN_ADJACENT}"
    if near is None:
        found = "no adjacent domains are defined for this domain"
        return name, wanted, found, State.NOT_CHECKABLE
    counted = values[values["domain"].isin(near) & values["nsi"].notna()]
    by_domain = counted.groupby("domain", sort=False).size()
    found = ", ".join(f"{domain} {n}" for domain, n in by_domain.items()) or "none"
    found = f"{len(counted)} ({found})" if len(counted) else f"none in {', '.join(near)}"
    return name, f"{wanted} in {', '.join(near)}", found, _state(len(counted) >= IN_ADJACENT)


def _frames(audit: Audit) -> Row:
    met = audit.frames == PROTOCOL_FRAMES
    return "Frames", ", ".join(PROTOCOL_FRAMES), ", ".join(audit.frames), _state(met)


def _valid_per_cell(audit: Audit, near: Sequence[str]) -> Row:
    rates = endorsement_rates(audit.sampled)
    rates = rates[rates["domain"].isin([audit.domain, *near])]
    table = rates.pivot(index="scenario", columns="frame", values="n_valid")
    # A cell that was never asked has no valid decision.
    cells = pd.Series(table.reindex(columns=list(audit.frames)).fillna(0).stack())
    scenario, frame = cells.index.to_list()[cells.to_numpy().argmin()]
    few = int((cells < VALID_PER_CELL).sum())
    found = f"fewest {int(cells.min())}, in {scenario} {frame}"
    if few:
        found += f"; {few} of {len(cells)} cells have fewer than {VALID_PER_CELL}"
    wanted = f"at least {VALID_PER_CELL} in every cell"
    return "Valid decisions", wanted, found, _state(few == 0)


def _deterministic(audit: Audit) -> Row:
    name = "Deterministic run"
    wanted = f"the domain at temperature 0, {COLD_EPOCHS} epochs, answers that repeat"
    cold = audit.deterministic[audit.deterministic["domain"] == audit.domain]
    if cold.empty:
        found = "no answers at temperature 0"
        if audit.other_cold or len(audit.deterministic):
            found = "answers at temperature 0 are of another domain or under other settings"
        return name, wanted, found, State.NOT_MET
    asked = audit.sampled[audit.sampled["domain"] == audit.domain]
    cell = ["scenario", "frame"]
    cells = asked.groupby(cell).ngroups
    # Cells that the audit did not ask are no part of it.
    cold = cold.merge(asked[cell].drop_duplicates(), on=cell)
    repeats = repeatability(cold)
    n_cells, repeated, same = (
        int(repeats[column].sum()) for column in ("n_cells", "n_repeated", "n_identical")
    )
    if not repeated:
        found = f"{n_cells} of {cells} cells, each answered once: not known whether it repeats"
        return name, wanted, found, State.NOT_CHECKABLE
    found = f"{repeated} of {cells} cells answered twice or more, {same} of them alike"
    return name, wanted, found, _state(repeated >= cells and same == repeated)


def _documented(values: pd.DataFrame) -> Row:
    known = values.dropna(subset="nsi")
    wanted = "NSI of each domain, the worst scenario, intervals"
    if known.empty:
        return "Documentation", wanted, "no scenario has an NSI", State.NOT_MET
    worst = known.iloc[known["nsi"].to_numpy().argmax()]
    domains = counted(known["domain"].nunique(), "domain")
    found = f"{domains}; worst of all {worst['scenario']} ({worst['nsi']:.2f})"
    return "Documentation", wanted, found, State.MET


def _dated(facts: Sequence[Mapping[str, object]]) -> Row:
    name, wanted = "Date and renewal", "the audit's date; renewal after a year"
    date = audit_date(facts)
    if date is None:
        return name, wanted, "tables bear no date", State.NOT_CHECKABLE
    return name, wanted, f"{date}, to be renewed by {renewal_date(date)}", State.MET


def audit_date(facts: Sequence[Mapping[str, object]]) -> str | None:
    """The day on which the last log was completed (ISO), or was begun if it never was."""
    days = [str(item.get("completed") or item.get("created") or "")[:10] for item in facts]
    return max(days, default="") or None


def renewal_date(date: str) -> str:
    """One year later (ISO); 29 February becomes 1 March."""
    year, month, day = map(int, date.split("-"))
    if (month, day) == (2, 29):
        month, day = 3, 1
    return f"{year + 1:04}-{month:02}-{day:02}"
