"""From the logs of the framing tasks to the table `decisions`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, EvalSampleSummary

from negation_evals.analysis.framing.columns import RESULTS, SETTINGS
from negation_evals.analysis.framing.read_table import read_table
from negation_evals.analysis.framing.repeats import mark_deterministic
from negation_evals.analysis.framing.tables import DECISIONS
from negation_evals.analysis.reading.kinds import LogKind, ReadOptions, Runs
from negation_evals.analysis.reading.logs import read
from negation_evals.analysis.reading.model_patterns import ModelPattern
from negation_evals.analysis.reading.reading import Notes
from negation_evals.analysis.reading.scores import newest_score
from negation_evals.analysis.reading.sources import Source
from negation_evals.errors import DataError, shortened
from negation_evals.schema.common import Status
from negation_evals.schema.framing import (
    ALIGNMENT_FIELDS,
    DECISION_SCORER,
    SOLVERS,
    Decision,
    SampleKey,
    ScoreKey,
    TaskKey,
)


def read_decisions(
    paths: Source | Iterable[Source],
    *,
    models: Sequence[ModelPattern] | None = None,
    runs: Runs = "largest",
    pool_data: bool = False,
) -> pd.DataFrame:
    """Read framing logs into the table `decisions`, one row per sample and epoch.

    Logs that share Inspect's task id are one run and its retries: of overlapping rows the later
    valid one wins. Different runs with the same settings are independent: by default the one with
    the most planned samples counts, of equals the latest.

    Args:
        paths: Log files, folders (searched recursively), fsspec URLs, log objects, or tables
            (CSV, JSONL, JSON, YAML, Parquet) with at least model, scenario, frame and decision.
        models: Patterns for origin and size tier; default `datasets/models.yaml`.
        runs: `all` pools different runs with the same settings as further epochs.
        pool_data: Let scenario data of different content count as the same; otherwise their hash
            is a setting, so that they are never pooled.

    Returns:
        The table `DECISIONS` and any others of the tables read. endorsed is 1.0, 0.0,
        or NaN unless the status is valid; confidence in [0, 100] or NaN; epoch from 1;
        deterministic as in `repeatability`. For what was left out and why, use `read`.

    Raises:
        DataError: nothing usable was found, a file named by itself cannot be read, or runs that
            are pooled contradict each other.
    """
    return read(paths, (DECISION_LOGS,), ReadOptions(models, runs, pool_data)).table


def _is_framing(header: EvalLog) -> bool:
    metadata = header.eval.metadata or {}
    return TaskKey.DATA_HASH in metadata and TaskKey.FRAMES in metadata


def _framing_rows(
    header: EvalLog, summaries: list[EvalSampleSummary], notes: Notes
) -> pd.DataFrame:
    """The rows of one log, with the settings of its header."""
    metadata = header.eval.metadata or {}
    fields = str(metadata.get(TaskKey.FIELDS, "")).split(",")
    if header.plan.config.seed is not None and (header.eval.config.epochs or 1) > 1:
        notes.warnings.append(
            f"{header.location}: one seed ({header.plan.config.seed}) in every epoch: a provider "
            "that honours it repeats its answer, and n counts one answer many times; use -T seed="
        )
    if metadata.get(TaskKey.ADAPTIVE):
        notes.warnings.append(
            f"{header.location}: -T adaptive=true looked at the answers before it stopped: tests "
            "and intervals take their number as fixed; those of certify allow for the looks"
        )
    scores: list[str] = [name for name in ALIGNMENT_FIELDS if name in fields]
    rows = [_decision_row(summary, scores) for summary in summaries]
    table = _settled_scores(pd.DataFrame(rows, columns=[*_ROW, *scores]), scores)
    for count, what in _score_faults(table):
        notes.warnings.append(f"{header.location}: {count} {what}")
    table = table.drop(columns=["given_answer", "given_status"])
    return table.assign(
        condition=str(metadata.get(TaskKey.CONDITION, "standard")),
        response=str(metadata.get(TaskKey.RESPONSE, "binary")),
        answer_order=str(metadata.get(TaskKey.ANSWER_ORDER, "agree_first")),
        structured=bool(metadata.get(TaskKey.STRUCTURED, False)),
        frames=str(metadata[TaskKey.FRAMES]),
        skipped_samples=str(metadata.get(TaskKey.SKIPPED, "")),
        data_hash=str(metadata[TaskKey.DATA_HASH]),
    )


def _settled_scores(table: pd.DataFrame, scores: list[str]) -> pd.DataFrame:
    """The rows with their decision: the value of a score counts, whatever its answer says."""
    table["negated"] = table["negated"].astype(bool)
    for column in ("confidence", "calls", *scores):
        table[column] = pd.to_numeric(table[column], errors="coerce")
    table[[name for name in ALIGNMENT_FIELDS if name not in scores]] = np.nan
    # The value counts, as in the log's own metrics: who edits a score edits that.
    value = pd.to_numeric(table.pop("value"), errors="coerce").to_numpy(dtype=float)
    claimed = table["status"] == Status.VALID
    readable = claimed.to_numpy() & np.isin(value, (0.0, 1.0))
    known = table["status"].isin(list(Status)) & ~(claimed & ~readable)
    table["given_status"] = table["status"]
    table["status"] = table["status"].where(known, str(Status.UNSCORED))
    agrees = (value == 1.0) != table["negated"].to_numpy()
    decision = pd.Series(
        np.where(agrees, str(Decision.AGREE), str(Decision.DISAGREE)), dtype=object
    )
    table["decision"] = decision.where(readable, None)
    table["endorsed"] = np.where(readable, value, np.nan)
    return table


def _score_faults(table: pd.DataFrame) -> Iterator[tuple[int, str]]:
    """How many scores are not as the scorer leaves them, by what became of them."""
    valid = table["status"] == Status.VALID
    edited = valid & (table["given_answer"] != table["decision"])
    lost = table["given_status"] != table["status"]
    if n := int(edited.sum()):
        yield n, "scores whose value contradicts their answer (edited?): the value counts"
    if n := int(lost.sum()):
        yield n, "scores with an unknown status or a value that is neither 0 nor 1: unscored"


_ROW = (
    "scenario",
    "domain",
    "frame",
    "negated",
    "order_shown",
    "epoch",
    "status",
    "given_answer",
    "value",
    "confidence",
    "completion",
    "calls",
    "sample_uuid",
)


_ORDERS: dict[Any, str] = {True: "agree_first", False: "disagree_first"}


def _decision_row(summary: EvalSampleSummary, scores: list[str]) -> tuple[Any, ...]:
    """The row of one summary: what the sample is, and what became of its answer."""
    metadata = summary.metadata
    scores_here = summary.scores or {}
    # Two scorers are the task's own: nothing was appended, and searching takes time.
    if len(scores_here) <= 2:
        score = scores_here.get(DECISION_SCORER)
    else:
        score = newest_score(scores_here, DECISION_SCORER)
    marks = (score.metadata if score is not None else None) or {}
    if score is None:
        status = Status.ERROR if summary.error else Status.UNSCORED
    else:
        status = marks.get(ScoreKey.STATUS, Status.UNSCORED)
    return (
        metadata.get(SampleKey.SCENARIO, summary.id),
        metadata.get(SampleKey.DOMAIN),
        metadata.get(SampleKey.FRAME),
        metadata.get(SampleKey.NEGATED, False),
        _ORDERS.get(metadata.get(SampleKey.AGREE_FIRST)),
        summary.epoch,
        str(status),
        None if score is None else score.answer,
        None if score is None else score.value,
        marks.get(ScoreKey.CONFIDENCE),
        marks.get(ScoreKey.COMPLETION),
        metadata.get(SampleKey.CALLS),
        summary.uuid,
        *[marks.get(name) for name in scores],
    )


def _with_data_hash(rows: pd.DataFrame, options: ReadOptions, notes: Notes) -> pd.DataFrame:
    """Scenario data of different content count as the same only where the user says so."""
    if options.pool_data:
        return rows.assign(data_hash="+".join(sorted(set(rows["data_hash"]))))
    hashes = rows.groupby("model")["data_hash"].nunique()
    if hashes.max() > 1:
        several = ", ".join(hashes.index[hashes > 1])
        notes.warnings.append(
            f"scenario data of different content for {several}: kept apart (column data_hash); "
            "--pool-data counts them as the same"
        )
    return rows


def _finished(decisions: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """The decisions, checked, with what only a whole run shows.

    Raises:
        DataError: see `_check_domains`.
    """
    _check_domains(decisions)
    _warn_about(decisions, notes)
    return mark_deterministic(decisions).drop(columns=TaskKey.SKIPPED, errors="ignore")


def _check_domains(decisions: pd.DataFrame) -> None:
    """Runs that are pooled agree on a scenario's domain: else it would count as two.

    Raises:
        DataError: they do not.
    """
    cells = decisions[["model", "scenario", "domain"]].drop_duplicates()
    if not cells.duplicated(["model", "scenario"]).any():
        return
    keys = [*RESULTS.keys(decisions), "scenario"]
    several = decisions.groupby(keys, dropna=False)["domain"].transform("nunique") > 1
    if several.any():
        scenario = decisions.loc[several, "scenario"].iloc[0]
        rows = decisions[several & (decisions["scenario"] == scenario)]
        places = rows.drop_duplicates("domain")[["domain", "log"]].itertuples(index=False)
        found = " and ".join(f"{domain} in {log}" for domain, log in places)
        raise DataError(
            f"scenario {scenario!r} is of the domain {found}: give it one, or read these apart"
        )


def _warn_about(decisions: pd.DataFrame, notes: Notes) -> None:
    """Faults of a whole run that no single row shows."""
    for (model, run), rows in decisions.groupby(["model", "run"], sort=False):
        skipped = _skipped_samples(rows)
        if skipped:
            notes.warnings.append(
                f"{model}: {shortened(skipped)} skipped: the scenario cannot form that frame, so "
                "it has no NSI over all frames (over others: nsi(decisions, frames=[...]))"
            )
        gaps = [name for name in _missing_frames(rows) if name not in skipped]
        if gaps:
            notes.warnings.append(
                f"{model}: no row for {shortened(gaps)}: NSI of these scenarios is missing"
            )
        if _answers_repeat(rows):
            notes.warnings.append(
                f"{model}: every answer of run {run} is the same in all epochs although the "
                "temperature is above 0: a cache or a fixed seed may have repeated one answer"
            )


def _skipped_samples(rows: pd.DataFrame) -> list[str]:
    """What the task of a run did not ask, as `scenario-frame`; a table does not say."""
    if TaskKey.SKIPPED not in rows.columns:
        return []
    names = ",".join(rows[TaskKey.SKIPPED].dropna().astype(str).unique()).split(",")
    return [name for name in dict.fromkeys(names) if name]


def _missing_frames(rows: pd.DataFrame) -> list[str]:
    """Planned frames of a scenario that have no row at all, as `scenario-frame`."""
    planned = str(rows["frames"].iloc[0]).split(",")
    present = set(zip(rows["scenario"], rows["frame"], strict=True))
    return [
        f"{scenario}-{frame}"
        for scenario in rows["scenario"].unique()
        for frame in planned
        if (scenario, frame) not in present
    ]


def _answers_repeat(rows: pd.DataFrame) -> bool:
    """Three epochs or more at T > 0, and every cell repeats one completion to the letter."""
    if not (rows["temperature"].fillna(1.0) > 0).all() or rows["completion"].isna().all():
        return False
    cells = rows.dropna(subset="completion").groupby(["scenario", "frame"])["completion"]
    return bool((cells.nunique() == 1).all() and (cells.size() >= 3).all())


DECISION_LOGS: Final = LogKind(
    table=DECISIONS,
    title="framing",
    owns=_is_framing,
    rows=_framing_rows,
    unit=("scenario",),
    sample=("scenario", "frame"),
    settings=SETTINGS,
    solvers=SOLVERS,
    read_table=read_table,
    prepare=_with_data_hash,
    finish=_finished,
)
