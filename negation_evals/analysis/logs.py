"""From Inspect logs to the table `decisions`. The only module of the analysis that knows logs.

It reads headers and sample summaries, never whole samples. Nothing is dropped silently: the
table's `attrs["report"]` says how many rows came from where, and what was left out and why.
"""

import gc
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import fsspec
import numpy as np
import pandas as pd
from inspect_ai.log import (
    EvalLog,
    EvalLogInfo,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample_summaries,
)
from inspect_ai.scorer import Score

from negation_evals.analysis.columns import DECISIONS, DESCRIPTIONS, SETTINGS
from negation_evals.analysis.tables import TABLE_SUFFIXES, read_table
from negation_evals.data import ModelPattern, describe_model, load_model_patterns
from negation_evals.schema import (
    ALIGNMENT_FIELDS,
    DECISION_SCORER,
    DataError,
    Decision,
    SampleKey,
    ScoreKey,
    Status,
    TaskKey,
)

Source = str | Path | EvalLogInfo | EvalLog
Runs = Literal["largest", "all"]

LOG_SUFFIXES = (".eval", ".json")


@dataclass
class ReadReport:
    """What was read, what was left out and why, and what the reader should know."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    """One per log or table that contributed: source, model, status, planned, read, used."""
    left_out: list[dict[str, Any]] = field(default_factory=list)
    """One per thing left out: source, rows (None where unknown), reason."""
    warnings: list[str] = field(default_factory=list)

    def leave_out(self, source: str, reason: str, rows: int | None = None) -> None:
        """Record something that does not count."""
        self.left_out.append({"source": _printable(source), "rows": rows, "reason": reason})


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
            (CSV, JSONL, Parquet) with at least model, scenario, frame and decision.
        models: Patterns for origin and size tier; default `datasets/models.yaml`.
        runs: `all` pools different runs with the same settings as further epochs.
        pool_data: Let scenario data of different content count as the same; otherwise their hash
            is a setting, so that they are never pooled.

    Returns:
        The columns of `columns.DECISIONS` and any others of the tables read. endorsed is 1.0,
        0.0, or NaN unless the status is valid; confidence in [0, 100] or NaN; epoch from 1.
        `attrs["report"]` is a dict with the fields of `ReadReport`.

    Raises:
        DataError: nothing usable was found, or a file named by itself cannot be read.
    """
    if runs not in ("largest", "all"):
        raise DataError(f"runs={runs!r} is not one of largest, all")
    report = ReadReport()
    tables = _read_sources(_as_list(paths), report)
    decisions = pd.concat(tables, ignore_index=True)
    decisions = _latest_of_retries(decisions, report)
    _warn_about_unfinished(decisions, report)
    decisions = _choose_runs(decisions, runs, pool_data, report)
    decisions = _describe_models(decisions, models)
    _warn_about(decisions, report)
    for source in report.sources:
        source["used"] = int((decisions["log"] == source["source"]).sum())
    extra = [name for name in decisions.columns if name not in (*DECISIONS, *_INTERNAL)]
    decisions = decisions[[*DECISIONS, *extra]].reset_index(drop=True)
    decisions.attrs["report"] = vars(report)
    return decisions


_INTERNAL = ("created", "planned", "epochs_planned", "log_status")
"""Columns that choose between logs and runs, and then go."""


def _as_list(paths: Source | Iterable[Source]) -> list[Source]:
    if isinstance(paths, str | Path | EvalLogInfo | EvalLog):
        return [paths]
    sources = list(paths)
    if not sources:
        raise DataError("no log was named: give log files, a log folder, or a table")
    return sources


# --- finding and reading ---------------------------------------------------------------------


def _read_sources(sources: list[Source], report: ReadReport) -> list[pd.DataFrame]:
    """Every usable log and table, in the order of their creation."""
    tables: list[pd.DataFrame] = []
    searched: list[str] = []
    seen: set[str] = set()
    for source in sources:
        if isinstance(source, EvalLog) and source.samples is not None:
            searched.append(source.location or "a log in memory")
            tables += _framing_log(source, [s.summary() for s in source.samples], report)
            continue
        for location, named in _locations(source, report):
            place = location if "://" in location else str(Path(location).resolve())
            if place in seen:
                continue
            seen.add(place)
            searched.append(location)
            tables += _read_location(location, named, report)
    if not tables or not sum(map(len, tables)):
        found = [f"{item['source']} ({item['reason']})" for item in report.left_out]
        raise DataError(
            f"no usable framing log in {', '.join(map(_name, sources))}; found "
            f"{_shortened(found or searched or ['nothing'])}"
        )
    return sorted(tables, key=lambda table: (table["created"].iloc[0], table["log"].iloc[0]))


def _locations(source: Source, report: ReadReport) -> list[tuple[str, bool]]:
    """The files of a source, each with whether it was named by itself; foreign files are named."""
    location = _name(source)
    try:
        filesystem, path = fsspec.core.url_to_fs(location)
        if not filesystem.exists(path):
            raise DataError(f"{location}: there is no such file or folder")
        if not filesystem.isdir(path):
            return [(location, True)]
        files = sorted(filesystem.find(path))
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{location}: cannot be opened: {_first_line(error)}") from error
    local = "://" not in location
    names = [file if local else filesystem.unstrip_protocol(file) for file in files]
    found = []
    for name in names:
        if name.endswith(LOG_SUFFIXES):
            found.append((name, False))
        elif name.endswith(TABLE_SUFFIXES):
            report.leave_out(name, "a table: name it by itself to read it")
        elif not Path(name).name.startswith("."):
            report.leave_out(name, "not an Inspect log")
    return found


def _read_location(location: str, named: bool, report: ReadReport) -> list[pd.DataFrame]:
    """One file: a table, or a log of a framing task; others are left out by name."""
    if location.endswith(TABLE_SUFFIXES):
        table = read_table(location)
        report.sources.append(_source(location, table, "table"))
        return [table]
    try:
        header = read_eval_log(location, header_only=True)
        with _collector_paused():
            summaries = read_eval_log_sample_summaries(location) if _is_framing(header) else []
    except Exception as error:
        reason = f"not a readable Inspect log: {_first_line(error)}"
        if named:
            raise DataError(f"{location}: {reason}") from error
        report.leave_out(location, reason)
        return []
    return _framing_log(header.model_copy(update={"location": location}), summaries, report)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector: it would search a log's live objects in vain, a third of all."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _is_framing(header: EvalLog) -> bool:
    metadata = header.eval.metadata or {}
    return TaskKey.DATA_HASH in metadata and TaskKey.FRAMES in metadata


def _framing_log(
    header: EvalLog, summaries: list[EvalSampleSummary], report: ReadReport
) -> list[pd.DataFrame]:
    """The rows of one log, with the settings of its header."""
    location = header.location or header.eval.eval_id
    if not _is_framing(header):
        report.leave_out(location, f"log of another task: {header.eval.task}", len(summaries))
        return []
    if not summaries:
        report.leave_out(location, f"log with status {header.status} and no finished sample", 0)
        return []
    # Logs hold samples as they finished; tables read as the task asked.
    asked = {str(id): place for place, id in enumerate(header.eval.dataset.sample_ids or [])}
    summaries = sorted(summaries, key=lambda s: (asked.get(str(s.id), len(asked)), s.epoch))
    fields = str((header.eval.metadata or {}).get(TaskKey.FIELDS, "")).split(",")
    table = _decision_rows(summaries, [name for name in ALIGNMENT_FIELDS if name in fields])
    for name, value in _settings(header).items():
        table[name] = value
    table["log"] = location = _printable(location)
    report.sources.append(_source(location, table, header.status))
    if header.invalidated:
        report.warnings.append(f"{location}: holds samples that were marked as invalid")
    if header.plan.config.seed is not None and table["epochs_planned"].iloc[0] > 1:
        report.warnings.append(
            f"{location}: one seed ({header.plan.config.seed}) in every epoch: a provider that "
            "honours it repeats its answer, and n counts one answer many times; use -T seed="
        )
    return [table]


def _settings(header: EvalLog) -> dict[str, Any]:
    """What the header says about every row of a log."""
    spec = header.eval
    metadata = spec.metadata or {}
    samples = spec.dataset.sample_ids
    epochs = spec.config.epochs or 1
    n_samples = len(samples) if samples is not None else spec.dataset.samples or 0
    temperature = header.plan.config.temperature
    return {
        "model": spec.model,
        "run": spec.task_id,
        "task": spec.task.rpartition("/")[2],
        "condition": str(metadata.get(TaskKey.CONDITION, "standard")),
        "temperature": float("nan") if temperature is None else float(temperature),
        "response": str(metadata.get(TaskKey.RESPONSE, "binary")),
        "answer_order": str(metadata.get(TaskKey.ANSWER_ORDER, "agree_first")),
        "structured": bool(metadata.get(TaskKey.STRUCTURED, False)),
        "frames": str(metadata[TaskKey.FRAMES]),
        "solver": spec.solver or "",
        "generation": _generation(header),
        "version": str(spec.task_version).partition("-")[0],
        "data_hash": str(metadata[TaskKey.DATA_HASH]),
        "created": spec.created,
        "planned": n_samples * epochs,
        "epochs_planned": epochs,
        "log_status": header.status,
    }


_NO_SETTINGS = frozenset(
    (
        *("temperature", "seed", "response_schema", "cache", "batch", "max_tool_output"),
        *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout"),
        *("max_connections", "adaptive_connections"),
    )
)
"""Generation options that have a column of their own or do not change what a model answers."""


def _generation(header: EvalLog) -> str:
    """All else that can change an answer, such as the reasoning effort, as short text."""
    config = header.eval.model_generate_config.model_dump(exclude_none=True)
    config |= header.plan.config.model_dump(exclude_none=True)
    options = [f"{k}={v}" for k, v in sorted(config.items()) if k not in _NO_SETTINGS]
    options += [f"-M {k}={v}" for k, v in sorted((header.eval.model_args or {}).items())]
    options += [f"-S {k}={v}" for k, v in sorted((header.eval.solver_args_passed or {}).items())]
    return " ".join(options)


def _decision_rows(summaries: list[EvalSampleSummary], scores: list[str]) -> pd.DataFrame:
    """One row per sample and epoch from its summary, with the alignment scores asked for."""
    rows = [_decision_row(summary, scores) for summary in summaries]
    table = pd.DataFrame(rows, columns=[*_ROW, *scores])
    table["negated"] = table["negated"].astype(bool)
    for column in ("confidence", *scores):
        table[column] = pd.to_numeric(table[column], errors="coerce")
    table[[name for name in ALIGNMENT_FIELDS if name not in scores]] = np.nan
    agrees = (table["decision"] == Decision.AGREE).to_numpy()
    valid = (table["status"] == Status.VALID).to_numpy()
    table["endorsed"] = np.where(valid, (agrees != table["negated"]).astype(float), np.nan)
    return table


_ROW = (
    "scenario",
    "domain",
    "frame",
    "negated",
    "order_shown",
    "epoch",
    "status",
    "decision",
    "confidence",
    "completion",
    "sample_uuid",
)


_ORDERS: dict[Any, str] = {True: "agree_first", False: "disagree_first"}


def _newest_score(scores: dict[str, Score]) -> Score | None:
    """The score of `decision`; `inspect score --action append` numbers the later ones."""
    if len(scores) <= 2:
        return scores.get(DECISION_SCORER)
    named = (re.fullmatch(rf"{DECISION_SCORER}(\d*)", name) for name in scores)
    newest = max((m for m in named if m), key=lambda m: int(m[1] or 0), default=None)
    return None if newest is None else scores[newest[0]]


def _decision_row(summary: EvalSampleSummary, scores: list[str]) -> tuple[Any, ...]:
    """The row of one summary: what the sample is, and what became of its answer."""
    metadata = summary.metadata
    score = _newest_score(summary.scores or {})
    marks = (score.metadata if score is not None else None) or {}
    if score is None:
        status = Status.ERROR if summary.error else Status.UNSCORED
    else:
        status = marks.get(ScoreKey.STATUS, Status.UNSCORED)
    decision = score.answer if score is not None and status == Status.VALID else None
    return (
        metadata.get(SampleKey.SCENARIO, summary.id),
        metadata.get(SampleKey.DOMAIN),
        metadata.get(SampleKey.FRAME),
        metadata.get(SampleKey.NEGATED, False),
        _ORDERS.get(metadata.get(SampleKey.AGREE_FIRST)),
        summary.epoch,
        str(status),
        decision,
        marks.get(ScoreKey.CONFIDENCE),
        marks.get(ScoreKey.COMPLETION),
        summary.uuid,
        *[marks.get(name) for name in scores],
    )


# --- which rows count ------------------------------------------------------------------------


def _latest_of_retries(decisions: pd.DataFrame, report: ReadReport) -> pd.DataFrame:
    """Within a run, one row per scenario, frame and epoch: the later valid one, else the later."""
    keys = ["run", "scenario", "frame", "epoch"]
    ranked = decisions.assign(valid=decisions["status"] == Status.VALID)
    ranked = ranked.sort_values("valid", kind="stable").drop_duplicates(keys, keep="last")
    dropped = decisions.drop(index=ranked.index)
    for log, rows in dropped.groupby("log", sort=True):
        report.leave_out(str(log), "superseded by a later row of the same run", len(rows))
    return decisions.loc[ranked.index.sort_values()]


def _choose_runs(
    decisions: pd.DataFrame, runs: Runs, pool_data: bool, report: ReadReport
) -> pd.DataFrame:
    """Of several runs with the same settings the largest, or all of them as further epochs."""
    if pool_data:
        decisions = decisions.assign(data_hash="+".join(sorted(set(decisions["data_hash"]))))
    elif (hashes := decisions.groupby("model")["data_hash"].nunique()).max() > 1:
        several = ", ".join(hashes.index[hashes > 1])
        report.warnings.append(
            f"scenario data of different content for {several}: kept apart (column data_hash); "
            "--pool-data counts them as the same"
        )
    kept = []
    for _, group in decisions.groupby(["model", *SETTINGS], sort=False, dropna=False):
        by_run = group.groupby("run", sort=False).agg(
            finished=("run", "size"),
            planned=("planned", "max"),
            complete=("log_status", lambda statuses: (statuses == "success").any()),
            created=("created", "max"),
            epochs=("epochs_planned", "max"),
        )
        if runs == "all":
            offsets = by_run.sort_values("created")["epochs"].cumsum() - by_run["epochs"]
            kept.append(group.assign(epoch=group["epoch"] + group["run"].map(offsets)))
            continue
        # Samples stopped early count as planned, those of a broken run only if they finished.
        by_run["size"] = by_run["planned"].where(by_run["complete"], by_run["finished"])
        order = by_run.sort_values(["size", "created"], kind="stable").index
        rank = group["run"].map({run: place for place, run in enumerate(order)})
        # By scenario, so that the parts of an audit that was split by domain add up.
        chosen = rank == rank.groupby(group["scenario"]).transform("max")
        kept.append(group[chosen])
        for (_, log), rows in group[~chosen].groupby(["run", "log"], sort=False):
            report.leave_out(
                log,
                f"of these scenarios another run of {rows['model'].iloc[0]} with the same "
                "settings is larger or later; --runs all pools them",
                len(rows),
            )
    return pd.concat(kept, ignore_index=True)


def _describe_models(
    decisions: pd.DataFrame, models: Sequence[ModelPattern] | None
) -> pd.DataFrame:
    """Origin, size tier, family and variant of each model, where a table has not said them."""
    patterns = load_model_patterns() if models is None else models
    names = decisions["model"].unique()
    known = {name: describe_model(name, patterns) for name in names}
    for column in DESCRIPTIONS:
        described = {name: getattr(known[name], column) or name for name in names}
        if column in decisions.columns:
            # A table may say so itself: one value for each model, its first.
            given = decisions.dropna(subset=column).groupby("model")[column].first().astype(str)
            described |= given.to_dict()
        decisions[column] = decisions["model"].map(described)
    return decisions


# --- what the reader should know -------------------------------------------------------------


def _warn_about_unfinished(decisions: pd.DataFrame, report: ReadReport) -> None:
    """Runs that no log of theirs completed; a retry that completed one settles it."""
    for (model, _), rows in decisions.groupby(["model", "run"], sort=False):
        planned = int(rows["planned"].max())
        if "success" not in set(rows["log_status"]):
            last = rows.sort_values("created", kind="stable").iloc[-1]
            finished = int((rows["status"] != Status.ERROR).sum())
            report.warnings.append(
                f"{last['log']}: {model}, status {last['log_status']}, {finished} of {planned} "
                "planned samples finished: not a complete run"
            )


def _warn_about(decisions: pd.DataFrame, report: ReadReport) -> None:
    """Faults of a whole run that no single row shows."""
    unscored = int(decisions["status"].isin([Status.UNSCORED, Status.ERROR]).sum())
    if unscored:
        report.warnings.append(
            f"{unscored} samples have no score (errors, or runs stopped before scoring): they are "
            "missing, not disagreement"
        )
    for (model, run), rows in decisions.groupby(["model", "run"], sort=False):
        gaps = _missing_frames(rows)
        if gaps:
            report.warnings.append(
                f"{model}: no row for {_shortened(gaps)}: NSI of these scenarios is missing"
            )
        if _answers_repeat(rows):
            report.warnings.append(
                f"{model}: every answer of run {run} is the same in all epochs although the "
                "temperature is above 0: a cache or a fixed seed may have repeated one answer"
            )


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


def _source(location: str, table: pd.DataFrame, status: str) -> dict[str, Any]:
    return {
        "source": _printable(location),
        "model": ", ".join(table["model"].unique()),
        "status": status,
        "planned": int(table["planned"].iloc[0]),
        "read": len(table),
    }


def _printable(name: str) -> str:
    """A file name that every report can hold: bytes that are no text are written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _name(source: Source) -> str:
    if isinstance(source, EvalLogInfo):
        return source.name
    if isinstance(source, EvalLog):
        return source.location
    return str(source)


def _shortened(names: list[str], most: int = 8) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
