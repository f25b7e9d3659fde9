"""Files, folders and URLs: which of their files are logs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import fsspec
from inspect_ai.log import (
    EvalLog,
    EvalLogInfo,
)

from negation_evals.analysis.reading.reading import Notes
from negation_evals.errors import DataError, first_line
from negation_evals.files.locations import suffix_of

Source = str | Path | EvalLogInfo | EvalLog

LOG_SUFFIXES = (".eval", ".json")
_TABLE_SUFFIXES = (".csv", ".jsonl", ".parquet")
"""Of tables that are likely meant as such; a YAML file among logs is some configuration."""


@dataclass(frozen=True)
class Found:
    """A file that a reader opens, or a log that is in memory already."""

    location: str
    by_name: bool = True
    """Named by itself, not found in a folder."""
    log: EvalLog | None = None
    """A log object; with its samples it needs no file."""


def find_sources(sources: Sequence[Source], notes: Notes) -> Iterator[Found]:
    """The logs and tables of these sources, each once; `notes` takes what else their folders hold.

    Raises:
        DataError: there is no such file or folder.
    """
    places: set[str] = set()
    for source in sources:
        if isinstance(source, EvalLog) and source.samples is not None:
            yield Found(source.location or "a log in memory", log=source)
            continue
        for found in _files_of(source_name(source), notes):
            local = "://" not in found.location
            place = str(Path(found.location).resolve()) if local else found.location
            if place not in places:
                places.add(place)
                yield found


def find_files(sources: Source | Iterable[Source]) -> list[str]:
    """The files that a reader would open: those named, and the logs within folders.

    Raises:
        DataError: there is no such file or folder.
    """
    notes = Notes()
    found = [f.location for s in as_list(sources) for f in _files_of(source_name(s), notes)]
    return list(dict.fromkeys(found))


def as_list(sources: Source | Iterable[Source]) -> list[Source]:
    """The sources as a list, of which there is at least one.

    Raises:
        DataError: there is no source.
    """
    if isinstance(sources, str | Path | EvalLogInfo | EvalLog):
        return [sources]
    several = list(sources)
    if not several:
        raise DataError("no log was named: give log files, a log folder, or a table")
    return several


def source_name(source: Source) -> str:
    """Where a source lies, as the user gave it."""
    if isinstance(source, EvalLogInfo):
        return source.name
    if isinstance(source, EvalLog):
        return source.location
    return str(source)


def _files_of(location: str, notes: Notes) -> list[Found]:
    """The file itself, or the logs within a folder; `notes` takes the other files."""
    try:
        filesystem, path = fsspec.core.url_to_fs(location)
        if not filesystem.exists(path):
            raise DataError(f"{location}: there is no such file or folder")
        if not filesystem.isdir(path):
            return [Found(location)]
        files = sorted(filesystem.find(path))
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{location}: cannot be opened: {first_line(error)}") from error
    local = "://" not in location
    names = [file if local else filesystem.unstrip_protocol(file) for file in files]
    own_output = _own_output(names)
    for folder in own_output:
        notes.leave_out(folder, "a report or certificate of this package, not a log")
    logs = []
    for name in names:
        if any(_is_output(name, folder) for folder in own_output):
            continue
        if suffix_of(name) in LOG_SUFFIXES:
            logs.append(Found(name, by_name=False))
        elif suffix_of(name) in _TABLE_SUFFIXES:
            notes.leave_out(name, "a table: name it by itself to read it")
        elif not Path(name).name.startswith("."):
            notes.leave_out(name, "not an Inspect log")
    return logs


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
