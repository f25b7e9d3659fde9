"""An SNCA audit, settled so that each thing stands once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import pandas as pd

from negation_evals.analysis.reading.kinds import LogKind, ReadOptions, Runs
from negation_evals.analysis.reading.logs import read
from negation_evals.analysis.reading.model_patterns import ModelPattern
from negation_evals.analysis.reading.reading import Notes, Reading
from negation_evals.analysis.reading.sources import Source
from negation_evals.analysis.snca.read import (
    FIRST_OBSERVATION_LOGS,
    FIRST_POLICY_LOGS,
    MATCH_LOGS,
    OBSERVATION_LOGS,
    POLICY_LOGS,
)

SNCA_LOGS: Final[tuple[LogKind, ...]] = (
    POLICY_LOGS,
    OBSERVATION_LOGS,
    MATCH_LOGS,
    FIRST_POLICY_LOGS,
    FIRST_OBSERVATION_LOGS,
)
"""The kinds of log of an audit."""

_SETTINGS: Final = ("task", "temperature", "solver", "generation", "version", "tiers")


def read_snca(
    paths: Source | Iterable[Source],
    *,
    models: Sequence[ModelPattern] | None = None,
    runs: Runs = "largest",
) -> Reading:
    """Read an SNCA audit: the tables `policies`, `observations` and `matches`, settled.

    `first_policies` and `first_observations` hold the verdicts of the first judge, where a second
    one scored the same logs again. A table of which there is no log is missing.

    Args:
        paths: See `read_policies`.
        models: Patterns for origin and size class; default `datasets/models.yaml`.
        runs: `all` pools different runs with the same settings as further epochs.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    return settle(read(paths, SNCA_LOGS, ReadOptions(models, runs), wanted="SNCA log"))


def settle(reading: Reading) -> Reading:
    """The reading with one policy per model, elicitation and category, each item in one setting.

    Where a model was audited under several settings (temperature, solver, other options of
    generation, version, first stage), those count that have the most categories or items, of equals
    the later ones: results are never pooled over settings. Match records that contradict each other
    do not count. What is left out is added to the notes; the reading given is not changed.
    """
    settled = replace(
        reading,
        sources=[source.copy() for source in reading.sources],
        left_out=list(reading.left_out),
        warnings=list(reading.warnings),
        tables=dict(reading.tables),
    )
    for name, unit, what in (
        ("policies", ("model", "elicitation", "category"), "policies"),
        ("observations", ("model", "source", "variant", "item_id"), "responses"),
    ):
        if name in reading.tables:
            settled.tables[name] = _one_setting(reading.tables[name], unit, what, settled)
    if "matches" in reading.tables:
        settled.tables["matches"] = _consistent(reading.tables["matches"], settled)
    return settled


def _one_setting(table: pd.DataFrame, unit: Sequence[str], what: str, notes: Notes) -> pd.DataFrame:
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
    return _keep(table, kept, reason, f"{what} under several settings", notes)


def _consistent(matches: pd.DataFrame, notes: Notes) -> pd.DataFrame:
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
    return _keep(table, verdicts < 2, reason, "match records that contradict each other", notes)


def _keep(
    table: pd.DataFrame, kept: "pd.Series[bool]", reason: str, what: str, notes: Notes
) -> pd.DataFrame:
    """The rows that count; the notes say which do not."""
    if kept.all():
        return table
    gone = table[~kept]
    logs = gone["log"] if "log" in gone.columns else pd.Series("a table", index=gone.index)
    counts = {str(log): len(rows) for log, rows in gone.groupby(logs, sort=True)}
    for log, n in counts.items():
        notes.leave_out(log, reason, n)
    for source in notes.sources:
        if source["source"] in counts:
            source["used"] -= counts[source["source"]]
    models = ", ".join(dict.fromkeys(map(str, gone["model"])))
    notes.warnings.append(f"{what} ({models}): {len(gone)} rows are left out, see the appendix")
    return table[kept].reset_index(drop=True)
