"""Logs and tables become rows, whatever family they belong to; nothing is left out silently.

Only headers and sample summaries are read, never whole samples, and each log once.
"""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd
from inspect_ai.log import (
    EvalLog,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from negation_evals.analysis.reading.kinds import LogKind, ReadOptions
from negation_evals.analysis.reading.reading import Notes, Reading, SourceRead
from negation_evals.analysis.reading.runs import settle_runs
from negation_evals.analysis.reading.settings import generation_settings
from negation_evals.analysis.reading.sources import (
    Found,
    Source,
    as_list,
    find_sources,
    source_name,
)
from negation_evals.analysis.reading.user_table import read_file
from negation_evals.errors import DataError, NothingFoundError, first_line, printable, shortened
from negation_evals.files.rows import FILE_SUFFIXES, is_table

FOREIGN = "log of another task"
"""How the reason begins for what no reader took."""


def read(
    sources: Source | Iterable[Source],
    kinds: Sequence[LogKind],
    options: ReadOptions | None = None,
    *,
    wanted: str | None = None,
) -> Reading:
    """Read logs and tables into the tables of these kinds.

    Logs that share Inspect's task id are one run and its retries: of overlapping rows the later
    valid one wins. Different runs with the same settings are independent: by default the one with
    the most planned samples counts, of equals the latest.

    Args:
        sources: Log files, folders (searched recursively), fsspec URLs, log objects, or tables
            (CSV, JSONL, JSON, YAML, Parquet) with the least columns of one of the kinds.
        kinds: What to look for; a kind of which there is nothing has no table.
        options: See `ReadOptions`.
        wanted: What the message calls these kinds if there is nothing of any.

    Raises:
        NothingFoundError: there is nothing of any kind; the message names what was found instead.
        DataError: a file named by itself cannot be read, or runs that are pooled contradict each
            other.
    """
    named = as_list(sources)
    options = options or ReadOptions()
    reading = Reading()
    parts: dict[str, list[pd.DataFrame]] = {kind.table.name: [] for kind in kinds}
    notes = {kind.table.name: Notes() for kind in kinds}
    searched: list[str] = []
    with _collector_paused():
        for found in find_sources(named, reading):
            searched.append(found.location)
            for kind, table in _tables_of(found, kinds, notes, reading):
                parts[kind.table.name].append(table)
    if not any(len(table) for tables in parts.values() for table in tables):
        # Logs say more than files that are no logs.
        left = sorted(reading.left_out, key=lambda item: not item["reason"].startswith(FOREIGN))
        there = [f"{item['source']} ({item['reason']})" for item in left]
        raise NothingFoundError(
            f"no usable {wanted or f'{kinds[0].title} log'} in "
            f"{', '.join(map(source_name, named))}; found "
            f"{shortened(there or searched or ['nothing'])}"
        )
    for kind in kinds:
        if any(map(len, parts[kind.table.name])):
            own = notes[kind.table.name]
            reading.tables[kind.table.name] = settle_runs(
                parts[kind.table.name], kind, options, own
            )
            if not kind.repeats_another:
                reading.extend(own)
    return reading


def _tables_of(
    found: Found, kinds: Sequence[LogKind], notes: dict[str, Notes], reading: Reading
) -> Iterator[tuple[LogKind, pd.DataFrame]]:
    """What one file becomes: a table, or the rows of a log for each kind that owns it."""
    if found.log is None and found.by_name and is_table(found.location):
        kind = kinds[0] if len(kinds) == 1 else _kind_of_table(found.location, kinds)
        if kind.read_table is None:
            reason = f"{FOREIGN}: a table, which {kind.title} does not read"
            reading.leave_out(found.location, reason)
            return
        table = kind.read_table(found.location)
        notes[kind.table.name].sources.append(_source_read(found.location, table, "table"))
        yield kind, table
        return
    header, summaries = found.log, None
    if header is None:
        try:
            header = read_eval_log(found.location, header_only=True)
            header = header.model_copy(update={"location": found.location})
        except Exception as error:
            _leave_out_unreadable(found, error, reading)
            return
    elif header.samples is not None:
        summaries = [sample.summary() for sample in header.samples]
    owners = [kind for kind in kinds if kind.owns(header)]
    if not owners:
        n_samples = len(summaries) if summaries else 0
        reading.leave_out(_log_name(header), f"{FOREIGN}: {header.eval.task}", n_samples)
        return
    try:
        if summaries is None:
            summaries = read_eval_log_sample_summaries(found.location)
    except Exception as error:
        _leave_out_unreadable(found, error, reading)
        return
    if not summaries:
        reason = f"log with status {header.status} and no finished sample"
        reading.leave_out(_log_name(header), reason, 0)
        return
    # Logs hold samples as they finished; tables read as the task asked.
    order = {str(id): place for place, id in enumerate(header.eval.dataset.sample_ids or [])}
    summaries = sorted(summaries, key=lambda s: (order.get(str(s.id), len(order)), s.epoch))
    for kind in owners:
        own = notes[kind.table.name]
        table = kind.rows(header, summaries, own).assign(
            **generation_settings(header, kind.solvers), **run_columns(header)
        )
        own.sources.append(_source_read(_log_name(header), table, header.status))
        if header.invalidated:
            own.warnings.append(f"{_log_name(header)}: holds samples that were marked as invalid")
        yield kind, table


def _kind_of_table(location: str, kinds: Sequence[LogKind]) -> LogKind:
    """What a user's table is, by its columns.

    Raises:
        DataError: it cannot be read, or is of no kind.
    """
    present = set(read_file(location, ()).columns)
    readable = [kind for kind in kinds if kind.read_table is not None]
    # The last first: a match may state its policy, an observation the rule of its category.
    for kind in reversed(readable):
        if present.issuperset(kind.table.required):
            return kind
    choices = "; ".join(
        f"{', '.join(kind.table.required)} ({kind.table.name})" for kind in readable
    )
    raise DataError(
        f"{location}: the table has the columns {', '.join(map(str, sorted(present)))}; a report "
        f"reads tables with at least {choices}"
    )


def _leave_out_unreadable(found: Found, error: Exception, reading: Reading) -> None:
    """Record a file that is no log.

    Raises:
        DataError: it was named by itself.
    """
    reason = f"not a readable Inspect log: {first_line(error)}"
    if not found.location.endswith(".eval"):
        reason += f"; tables end in {', '.join(FILE_SUFFIXES)}"
    if found.by_name:
        raise DataError(f"{found.location}: {reason}") from error
    reading.leave_out(found.location, reason)


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


def _source_read(location: str, table: pd.DataFrame, status: str) -> SourceRead:
    return {
        "source": printable(location),
        "model": ", ".join(table["model"].unique()),
        "status": status,
        "planned": int(table["planned"].iloc[0]),
        "read": len(table),
    }


def _log_name(header: EvalLog) -> str:
    return printable(header.location or header.eval.eval_id)
