"""The tables of an SNCA audit as the report takes them, settled so that each thing stands once."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import pandas as pd

_SETTINGS: Final = ("task", "temperature", "solver", "generation", "version", "tiers")


@dataclass(frozen=True)
class SncaAudit:
    """What was read of an SNCA audit (arXiv:2604.09189); any table may be missing.

    The tables are those of `read_policies`, `read_observations` and `read_matches`. The `first_`
    ones hold the verdicts of an earlier judge, where a second one scored the same logs again
    (`verdict="first"`).
    """

    policies: pd.DataFrame | None = None
    observations: pd.DataFrame | None = None
    matches: pd.DataFrame | None = None
    first_policies: pd.DataFrame | None = None
    first_observations: pd.DataFrame | None = None

    def __bool__(self) -> bool:
        """Is there any table?"""
        return any(getattr(self, field.name) is not None for field in fields(self))

    @property
    def main_tables(self) -> tuple[pd.DataFrame | None, ...]:
        """Policies, observations and matches."""
        return self.policies, self.observations, self.matches


def settled(audit: SncaAudit) -> SncaAudit:
    """The audit with one policy per model, elicitation and category, and each item in one setting.

    Where a model was audited under several settings (temperature, solver, other options of
    generation, version, first tier), those count that have the most categories or items, of equals
    the later ones: results are never pooled over settings. Match records that contradict each other
    do not count. What is left out is added to `left_out` of the tables' `attrs["report"]`, with a
    warning; the tables given are not changed.
    """
    policies, observations, matches = audit.main_tables
    if policies is not None:
        policies = _one_setting(policies, ("model", "elicitation", "category"), "policies")
    if observations is not None:
        item = ("model", "source", "variant", "item_id")
        observations = _one_setting(observations, item, "responses")
    if matches is not None:
        matches = _consistent(matches)
    return replace(audit, policies=policies, observations=observations, matches=matches)


def _one_setting(table: pd.DataFrame, unit: Sequence[str], what: str) -> pd.DataFrame:
    """Each unit under the setting with the most units of its model, of equals the later one."""
    settings = [name for name in _SETTINGS if name in table.columns]
    unit = [name for name in unit if name in table.columns]
    if table.empty or not settings:
        return table
    table = table.reset_index(drop=True)
    units = table.groupby(unit, sort=False, dropna=False).ngroup()
    setting = table.groupby(["model", *settings], sort=False, dropna=False).ngroup()
    places = pd.Series(range(len(table)), index=table.index)
    sizes = pd.DataFrame({"units": units.groupby(setting).nunique()})
    sizes["last"] = places.groupby(setting).max()
    order = sizes.sort_values(["units", "last"]).index
    rank = setting.map({code: place for place, code in enumerate(order)})
    kept = rank == rank.groupby(units).transform("max")
    reason = f"{what} of the same things under other settings; the report shows one setting"
    return _keep(table, kept, reason, f"{what} under several settings")


def _consistent(matches: pd.DataFrame) -> pd.DataFrame:
    """Matches without records that contradict each other.

    A column in which a table of one's own says nothing tells no items apart, and goes.
    """
    silent = [
        name
        for name in ("category", "source", "variant", "elicitation")
        if name in matches.columns and (matches[name].isna() | (matches[name] == "")).all()
    ]
    table = matches.drop(columns=silent)
    keys = ("model", "elicitation", "category", "source", "variant", "item_id")
    present = [name for name in keys if name in table.columns]
    verdicts = table.groupby(present, sort=False, dropna=False)["matched"].transform("nunique")
    reason = "match records that contradict each other: the item counts as not judged"
    return _keep(table, verdicts < 2, reason, "match records that contradict each other")


def _keep(table: pd.DataFrame, kept: pd.Series, reason: str, what: str) -> pd.DataFrame:
    """The rows that count, with a report of those that do not."""
    if kept.all():
        return table
    gone = table[~kept]
    logs = gone["log"] if "log" in gone.columns else pd.Series("a table", index=gone.index)
    counts = {str(log): len(rows) for log, rows in gone.groupby(logs, sort=True)}
    left = [{"source": log, "rows": n, "reason": reason} for log, n in counts.items()]
    models = ", ".join(dict.fromkeys(map(str, gone["model"])))
    warning = f"{what} ({models}): {len(gone)} rows are left out, see the appendix"
    report: dict[str, Any] = dict(table.attrs.get("report", {}))
    report["sources"] = [
        source | {"used": source["used"] - counts.get(source["source"], 0)}
        for source in report.get("sources", [])
    ]
    report["left_out"] = [*report.get("left_out", []), *left]
    report["warnings"] = [*report.get("warnings", []), warning]
    result = table[kept].reset_index(drop=True)
    result.attrs = table.attrs | {"report": report}
    return result
