"""From the logs of the SNCA tasks to the tables `policies`, `observations` and `matches`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd
from inspect_ai.log import EvalLog

from negation_evals.analysis.common.tables import Table
from negation_evals.analysis.reading.kinds import LogKind, ReadOptions, Runs
from negation_evals.analysis.reading.logs import read
from negation_evals.analysis.reading.model_patterns import ModelPattern
from negation_evals.analysis.reading.reading import Notes
from negation_evals.analysis.reading.sources import Source
from negation_evals.analysis.snca.read_table import (
    read_match_table,
    read_observation_table,
    read_policy_table,
)
from negation_evals.analysis.snca.rows import Verdict, match_rows, observation_rows, policy_rows
from negation_evals.analysis.snca.tables import MATCHES, OBSERVATIONS, POLICIES
from negation_evals.schema.snca import POLICY_SCORER, REFUSAL_SCORER, SOLVERS, SncaTask

_GENERATION: Final = ("task", "temperature", "solver", "generation", "version")
_MODEL: Final = ("origin", "size_tier")


def read_policies(
    paths: Source | Iterable[Source],
    *,
    models: Sequence[ModelPattern] | None = None,
    verdict: Verdict = "newest",
) -> pd.DataFrame:
    """Read extraction logs into the table `policies`, one row per model, category and elicitation.

    Retries and repeated runs are settled as in `read_decisions`, with the largest run.

    Args:
        paths: Log files, folders, fsspec URLs, log objects, or tables (CSV, JSONL, JSON,
            YAML, Parquet) with at least model, category and rule_type.
        models: Patterns for origin and size class; default `datasets/models.yaml`.
        verdict: Of a log that a second judge scored, the `newest` verdict or the `first`.

    Returns:
        The table `POLICIES`. elicitation is `plain` or `anchored`, with the wording where it
        is not the built-in one; confidence in [0, 100] or NaN.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    kind = replace(POLICY_LOGS, rows=partial(policy_rows, verdict=verdict))
    return read(paths, (kind,), ReadOptions(models)).table


def read_observations(
    paths: Source | Iterable[Source],
    *,
    models: Sequence[ModelPattern] | None = None,
    runs: Runs = "largest",
    verdict: Verdict = "newest",
) -> pd.DataFrame:
    """Read behaviour logs into the table `observations`, one row per item and epoch.

    Logs of different items add up. Retries and repeated runs are settled as in `read_decisions`.

    Args:
        paths: Log files, folders, fsspec URLs, log objects, or tables (CSV, JSONL, JSON,
            YAML, Parquet) with at least model, category, item_id, kind and label.
        models: Patterns for origin and size class; default `datasets/models.yaml`.
        runs: `all` pools different runs with the same settings as further epochs.
        verdict: See `read_policies`.

    Returns:
        The table `OBSERVATIONS`. label is missing unless the status is valid; tier is 0 the
        provider's filter, 1 the phrases, 2 the judge; tiers are the settings of the first stage.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    kind = replace(OBSERVATION_LOGS, rows=partial(observation_rows, verdict=verdict))
    return read(paths, (kind,), ReadOptions(models, runs)).table


def read_matches(
    paths: Source | Iterable[Source], *, models: Sequence[ModelPattern] | None = None
) -> pd.DataFrame:
    """Read matching logs into the table `matches`, one row per model, policy and benign item.

    Args:
        paths: Log files, folders, fsspec URLs, log objects, or tables (CSV, JSONL, JSON,
            YAML, Parquet) with at least model, item_id and matched.
        models: Patterns for origin and size class; default `datasets/models.yaml`.

    Returns:
        The table `MATCHES`; model is the audited one, matched is missing unless the judge gave
        a verdict.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    return read(paths, (MATCH_LOGS,), ReadOptions(models)).table


def _prepared(
    rows: pd.DataFrame,
    options: ReadOptions,
    notes: Notes,
    *,
    table: Table,
) -> pd.DataFrame:
    """The rows with every column, told apart by the model that they are about."""
    if "audited_model" in rows.columns:
        # A matching run asks the judge alone; its rows are about another model.
        audited = rows.pop("audited_model")
        rows["model"] = audited.where(audited.notna(), rows["model"])
    for column in table.names:
        if column not in rows.columns and column not in _MODEL:
            rows[column] = 1 if column == "epoch" else None
    # One run may be about several models, so a run is told apart by its model.
    return rows.assign(run=rows["run"].astype(str) + "#" + rows["model"].astype(str))


def _one_policy_each(table: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """A category has one policy: of several epochs the first that was typed."""
    keys = ["model", "category", *_POLICY_SETTINGS]
    ranked = table.assign(untyped=table["rule_type"].isna())
    ranked = ranked.sort_values(["untyped", "epoch"], kind="stable").drop_duplicates(keys)
    for log, rows in table.drop(index=ranked.index).groupby("log", sort=True):
        notes.leave_out(str(log), "a further epoch of the same category", len(rows))
    return table.loc[ranked.index.sort_values()]


def _owns(header: EvalLog, *, phase: str) -> bool:
    return (header.eval.metadata or {}).get(SncaTask.PHASE) == phase


def _rescored(header: EvalLog, *, phase: str, scorer: str) -> bool:
    """Does a log of the phase hold verdicts of a second judge beside the first?"""
    # Scores that are appended have the scorer's name and a number.
    names = [score.name for score in header.results.scores] if header.results else []
    times = sum(bool(re.fullmatch(rf"{scorer}\d*", name)) for name in names)
    return times > 1 and _owns(header, phase=phase)


_POLICY_SETTINGS: Final = (*_GENERATION, "elicitation")
_ITEM: Final = ("source", "variant", "item_id")

POLICY_LOGS: Final = LogKind(
    table=POLICIES,
    title="SNCA extraction",
    owns=partial(_owns, phase="extraction"),
    rows=policy_rows,
    unit=("category",),
    sample=("category", "elicitation"),
    settings=_POLICY_SETTINGS,
    descriptions=_MODEL,
    poolable=False,
    solvers=SOLVERS,
    read_table=read_policy_table,
    prepare=partial(_prepared, table=POLICIES),
    finish=_one_policy_each,
)
OBSERVATION_LOGS: Final = LogKind(
    table=OBSERVATIONS,
    title="SNCA behavior",
    owns=partial(_owns, phase="behavior"),
    rows=observation_rows,
    unit=_ITEM,
    sample=_ITEM,
    settings=(*_GENERATION, "tiers"),
    descriptions=_MODEL,
    solvers=SOLVERS,
    read_table=read_observation_table,
    prepare=partial(_prepared, table=OBSERVATIONS),
)
MATCH_LOGS: Final = LogKind(
    table=MATCHES,
    title="SNCA matching",
    owns=partial(_owns, phase="matching"),
    rows=match_rows,
    unit=(*_ITEM, "elicitation"),
    sample=(*_ITEM, "elicitation"),
    settings=("task",),
    descriptions=_MODEL,
    poolable=False,
    solvers=SOLVERS,
    read_table=read_match_table,
    prepare=partial(_prepared, table=MATCHES),
)
FIRST_POLICY_LOGS: Final = replace(
    POLICY_LOGS,
    table=replace(POLICIES, name="first_policies"),
    owns=partial(_rescored, phase="extraction", scorer=POLICY_SCORER),
    rows=partial(policy_rows, verdict="first"),
    read_table=None,
    repeats_another=True,
)
"""The first judge's verdicts, from those logs that a second judge scored again."""
FIRST_OBSERVATION_LOGS: Final = replace(
    OBSERVATION_LOGS,
    table=replace(OBSERVATIONS, name="first_observations"),
    owns=partial(_rescored, phase="behavior", scorer=REFUSAL_SCORER),
    rows=partial(observation_rows, verdict="first"),
    read_table=None,
    repeats_another=True,
)
"""The first judge's labels, likewise."""
