"""Read logs and tables of any kind of audit: each reader takes its own, and the rest is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from negation_evals.analysis import (
    read_choices,
    read_decisions,
    read_matches,
    read_observations,
    read_policies,
)
from negation_evals.analysis.framing.read_table import REQUIRED
from negation_evals.analysis.reading.sources import TABLE_SUFFIXES
from negation_evals.analysis.reading.user_table import read_file
from negation_evals.analysis.snca.audit import SncaAudit, settled
from negation_evals.analysis.snca.judges import first_observations, first_policies
from negation_evals.errors import DataError, NothingFoundError

TABLE_COLUMNS: Final = {
    "SNCA matches": ("model", "item_id", "matched"),
    "SNCA observations": ("model", "category", "item_id", "kind", "label"),
    "SNCA policies": ("model", "category", "rule_type"),
    "framing": REQUIRED,
}
"""The least columns of a table by what it is, tried in this order: a table may have more."""

Read = Callable[[Sequence[str]], pd.DataFrame]


def read_audits(
    logs: Sequence[str], *, models: Any, runs: Any, pool_data: bool
) -> tuple[pd.DataFrame | None, pd.DataFrame | None, SncaAudit]:
    """Whatever audits the logs and tables hold: decisions, choices, and those of SNCA.

    Raises:
        NothingFoundError: there is none of any kind.
        DataError: a file named by itself cannot be read, or a table is none of these.
    """
    read: dict[str, Read] = {
        "framing": lambda s: read_decisions(s, models=models, runs=runs, pool_data=pool_data),
        "NUBench": lambda s: read_choices(s, models=models, runs=runs),
        "SNCA policies": lambda s: read_policies(s, models=models),
        "SNCA observations": lambda s: read_observations(s, models=models, runs=runs),
        "SNCA matches": lambda s: read_matches(s, models=models),
    }
    of_table = {log: table_family(log) for log in logs if is_table(log)}
    found: dict[str, pd.DataFrame] = {}
    nothing: list[NothingFoundError] = []
    for family, reader in read.items():
        sources = [log for log in logs if of_table.get(log, family) == family]
        try:
            if sources:
                found[family] = reader(sources)
        except NothingFoundError as error:
            nothing.append(error)
    if not found:
        there = str(nothing[0]).partition("; found ")[2]
        raise NothingFoundError(
            f"no usable log of framing, NUBench or SNCA in {', '.join(logs)}; found {there}"
        )
    policies, observations = found.get("SNCA policies"), found.get("SNCA observations")
    audit = SncaAudit(
        policies,
        observations,
        found.get("SNCA matches"),
        first_policies(policies, models=models),
        first_observations(observations, models=models, runs=runs),
    )
    return found.get("framing"), found.get("NUBench"), settled(audit)


def is_table(source: str) -> bool:
    """Is a source a table of the user's own, and no log or folder?"""
    return source.endswith(TABLE_SUFFIXES) and not Path(source).is_dir()


def table_family(location: str) -> str:
    """What a table of the user's own is, by its columns.

    Raises:
        DataError: it cannot be read, or is none that a report reads.
    """
    present = set(read_file(location, ()).columns)
    for family, columns in TABLE_COLUMNS.items():
        if present.issuperset(columns):
            return family
    known = "; ".join(f"{', '.join(columns)} ({name})" for name, columns in TABLE_COLUMNS.items())
    raise DataError(
        f"{location}: the table has the columns {', '.join(map(str, sorted(present)))}; a report "
        f"reads tables with at least {known}"
    )
