"""Find and read logs, whatever family of tasks they belong to; nothing is left out silently.

Only headers and sample summaries are read, never whole samples. A family (`LogFamily`) says which
logs are its own and makes rows of them.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

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

from negation_evals.analysis.columns import require_columns
from negation_evals.schema import DataError
from negation_evals.strict import load_json

Source = str | Path | EvalLogInfo | EvalLog

LOG_SUFFIXES = (".eval", ".json")
TABLE_SUFFIXES = (".csv", ".jsonl", ".parquet")

MOST_EPOCHS = 1_000_000
"""A larger epoch in a table is no epoch, and larger numbers would overflow."""

FOREIGN = "log of another task"
"""How the reason begins for what another family may own."""


class NothingFoundError(DataError):
    """Nothing of the family that was asked for; the message names what was found instead."""


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
        self.left_out.append({"source": printable(source), "rows": rows, "reason": reason})


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


def read_file(location: str, required: Iterable[str]) -> pd.DataFrame:
    """A user's table of text (CSV), or of values (JSONL, Parquet), with the columns required.

    Space around a name, of a column or in a cell, is no part of it.

    Raises:
        DataError: the file cannot be read, lacks a column, or has no rows.
    """
    try:
        if location.endswith(".csv"):
            # As text: 01 and 1 are two names, and NA is one.
            lines = pd.read_csv(
                location, header=None, dtype=str, keep_default_na=False, na_values=[""]
            )
            table = lines.iloc[1:].set_axis(lines.iloc[0].fillna(""), axis=1)
        elif location.endswith(".jsonl"):
            with fsspec.open(location, "rt", encoding="utf-8-sig") as file:
                table = pd.DataFrame([load_json(line) for line in file if line.strip()])
        else:
            table = pd.read_parquet(location)
    except UnicodeDecodeError as error:
        raise DataError(f"{location}: is not UTF-8 text: save it as UTF-8") from error
    except Exception as error:
        raise DataError(f"{location}: cannot be read as a table: {first_line(error)}") from error
    # As plain objects, so that a type such as Parquet's categories forbids nothing that follows.
    table = table.astype(object).rename(columns=_trimmed).map(_trimmed).reset_index(drop=True)
    if location.endswith(".csv"):
        table = table.replace("", np.nan)
    if twice := sorted(set(table.columns[table.columns.duplicated()])):
        raise DataError(f"{location}: has the column {twice[0]!r} twice")
    for column in table.columns if not location.endswith(".csv") else ():
        if table[column].map(lambda value: isinstance(value, dict | list)).any():
            raise DataError(f"{location}: {column} holds lists or objects, expected single values")
    if len(table.columns) == 1 and (found := [mark for mark in ";\t|" if mark in table.columns[0]]):
        raise DataError(f"{location}: is separated by {found[0]!r}: separate it by commas")
    try:
        require_columns(table, required, location)
    except ValueError as error:
        raise DataError(str(error)) from error
    if table.empty:
        raise DataError(f"{location}: the table has no rows")
    return table.astype(dict.fromkeys(table.columns, object))


def whole_epochs(values: pd.Series, location: str) -> pd.Series:
    """The epochs of a user's table.

    Raises:
        DataError: one is no whole number from 1, or beyond any audit.
    """
    epochs = pd.to_numeric(values, errors="coerce")
    if not (epochs.between(1, MOST_EPOCHS) & (epochs % 1 == 0)).all():
        raise DataError(f"{location}: epoch must be a whole number from 1 in every row")
    return epochs.astype(int)


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


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


def find_files(sources: Source | Iterable[Source]) -> list[str]:
    """The files that a reader would open: those named, and the logs within folders.

    Raises:
        DataError: there is no such file or folder.
    """
    report = ReadReport()
    found = [place for s in _as_list(sources) for place, _ in _locations(s, report)]
    return list(dict.fromkeys(found))


def _as_list(paths: Source | Iterable[Source]) -> list[Source]:
    if isinstance(paths, str | Path | EvalLogInfo | EvalLog):
        return [paths]
    sources = list(paths)
    if not sources:
        raise DataError("no log was named: give log files, a log folder, or a table")
    return sources


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
        raise DataError(f"{location}: cannot be opened: {first_line(error)}") from error
    local = "://" not in location
    names = [file if local else filesystem.unstrip_protocol(file) for file in files]
    own_output = _own_output(names)
    for folder in own_output:
        report.leave_out(folder, "a report or certificate of this package, not a log")
    found = []
    for name in names:
        if any(_is_output(name, folder) for folder in own_output):
            continue
        if name.endswith(LOG_SUFFIXES):
            found.append((name, False))
        elif name.endswith(TABLE_SUFFIXES):
            report.leave_out(name, "a table: name it by itself to read it")
        elif not Path(name).name.startswith("."):
            report.leave_out(name, "not an Inspect log")
    return found


_REPORT: Final = frozenset(("report.html", "report.md", "results.json"))
_CERTIFICATE: Final = frozenset(("certificate.html", "certificate.md", "certificate.json"))


def _own_output(names: list[str]) -> list[str]:
    """The folders that a report or a certificate was written to, which may lie among logs."""
    held: dict[str, set[str]] = {}
    for name in names:
        folder, _, file = name.rpartition("/")
        held.setdefault(folder, set()).add(file)
    return [folder for folder, files in held.items() if files >= _REPORT or files >= _CERTIFICATE]


def _is_output(name: str, folder: str) -> bool:
    """Was this file written with the report or certificate of the folder? Logs were not."""
    inside = name.removeprefix(f"{folder}/")
    if inside == name:
        return False
    return inside in _REPORT | _CERTIFICATE or inside.startswith(("tables/", "figures/"))


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


def printable(name: str) -> str:
    """A file name that every report can hold: bytes that are no text are written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _name(source: Source) -> str:
    if isinstance(source, EvalLogInfo):
        return source.name
    if isinstance(source, EvalLog):
        return source.location
    return str(source)


def shortened(names: list[str], most: int = 8) -> str:
    """The first names, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def first_line(error: BaseException) -> str:
    """An error in one short line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
