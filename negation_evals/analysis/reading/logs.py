"""Logs and tables of one family become rows."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from negation_evals.analysis.reading.reading import ReadReport
from negation_evals.analysis.reading.sources import (
    TABLE_SUFFIXES,
    Source,
    _as_list,
    _locations,
    _name,
)
from negation_evals.errors import DataError, NothingFoundError, first_line, printable, shortened

FOREIGN = "log of another task"
"""How the reason begins for what another family may own."""


Rows = Callable[[EvalLog, list[EvalSampleSummary], ReadReport], pd.DataFrame]


@dataclass(frozen=True)
class LogFamily:
    """The tasks whose logs make one table."""

    name: str
    """As in "no usable framing log"."""
    owns: Callable[[EvalLog], bool]
    """Does a log, by its header, belong to the family?"""
    rows: Rows
    """One row per sample and epoch; the columns of `run_columns` are added here."""
    read_table: Callable[[str], pd.DataFrame] | None = None
    """Reads a user's table of the same form; without it, tables are left out."""


def read_family(
    sources: Source | Iterable[Source], family: LogFamily, report: ReadReport
) -> pd.DataFrame:
    """Every row of the family's logs and tables, in the order of their creation.

    Raises:
        NothingFoundError: there is none; names what was found.
        DataError: a file named by itself cannot be read.
    """
    named = _as_list(sources)
    tables: list[pd.DataFrame] = []
    searched: list[str] = []
    seen: set[str] = set()
    for source in named:
        if isinstance(source, EvalLog) and source.samples is not None:
            searched.append(source.location or "a log in memory")
            tables += _log_rows(source, [s.summary() for s in source.samples], family, report)
            continue
        for location, by_name in _locations(source, report):
            place = location if "://" in location else str(Path(location).resolve())
            if place in seen:
                continue
            seen.add(place)
            searched.append(location)
            tables += _location_rows(location, by_name, family, report)
    if not tables or not sum(map(len, tables)):
        # Logs say more than files that are none.
        left = sorted(report.left_out, key=lambda item: not item["reason"].startswith(FOREIGN))
        found = [f"{item['source']} ({item['reason']})" for item in left]
        raise NothingFoundError(
            f"no usable {family.name} log in {', '.join(map(_name, named))}; found "
            f"{shortened(found or searched or ['nothing'])}"
        )
    ordered = sorted(tables, key=lambda table: (table["created"].iloc[0], table["log"].iloc[0]))
    return pd.concat(ordered, ignore_index=True)


def run_columns(header: EvalLog) -> dict[str, Any]:
    """What a header says of a log as a part of a run: its id, size, date and status."""
    spec = header.eval
    samples = spec.dataset.sample_ids
    epochs = spec.config.epochs or 1
    n_samples = len(samples) if samples is not None else spec.dataset.samples or 0
    return {
        "model": spec.model,
        "run": spec.task_id,
        "created": spec.created,
        "planned": n_samples * epochs,
        "epochs_planned": epochs,
        "log_status": header.status,
        "log": _log_name(header),
    }


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


@_collector_paused()
def _location_rows(
    location: str, by_name: bool, family: LogFamily, report: ReadReport
) -> list[pd.DataFrame]:
    """One file: a table, or a log of the family; others are left out by name."""
    if location.endswith(TABLE_SUFFIXES):
        if family.read_table is None:
            report.leave_out(location, f"{FOREIGN}: a table, which {family.name} does not read")
            return []
        table = family.read_table(location)
        report.sources.append(_source(location, table, "table"))
        return [table]
    try:
        header = read_eval_log(location, header_only=True)
        summaries = read_eval_log_sample_summaries(location) if family.owns(header) else []
    except Exception as error:
        reason = f"not a readable Inspect log: {first_line(error)}"
        if not location.endswith(".eval"):
            reason += f"; tables end in {', '.join(TABLE_SUFFIXES)}"
        if by_name:
            raise DataError(f"{location}: {reason}") from error
        report.leave_out(location, reason)
        return []
    header = header.model_copy(update={"location": location})
    return _log_rows(header, summaries, family, report)


def _log_rows(
    header: EvalLog, summaries: list[EvalSampleSummary], family: LogFamily, report: ReadReport
) -> list[pd.DataFrame]:
    """The rows of one log, if it has any that belong to the family."""
    location = header.location or header.eval.eval_id
    if not family.owns(header):
        report.leave_out(location, f"{FOREIGN}: {header.eval.task}", len(summaries))
        return []
    if not summaries:
        report.leave_out(location, f"log with status {header.status} and no finished sample", 0)
        return []
    # Logs hold samples as they finished; tables read as the task asked.
    asked = {str(id): place for place, id in enumerate(header.eval.dataset.sample_ids or [])}
    summaries = sorted(summaries, key=lambda s: (asked.get(str(s.id), len(asked)), s.epoch))
    table = family.rows(header, summaries, report).assign(**run_columns(header))
    report.sources.append(_source(_log_name(header), table, header.status))
    if header.invalidated:
        report.warnings.append(f"{_log_name(header)}: holds samples that were marked as invalid")
    return [table]


def _source(location: str, table: pd.DataFrame, status: str) -> dict[str, Any]:
    return {
        "source": printable(location),
        "model": ", ".join(table["model"].unique()),
        "status": status,
        "planned": int(table["planned"].iloc[0]),
        "read": len(table),
    }


def _log_name(header: EvalLog) -> str:
    return printable(header.location or header.eval.eval_id)
