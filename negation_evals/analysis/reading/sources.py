"""Files, folders and URLs: which of their files are logs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import fsspec
from inspect_ai.log import (
    EvalLog,
    EvalLogInfo,
)

from negation_evals.analysis.reading.reading import ReadReport
from negation_evals.errors import DataError, first_line

Source = str | Path | EvalLogInfo | EvalLog

LOG_SUFFIXES = (".eval", ".json")
TABLE_SUFFIXES = (".csv", ".jsonl", ".parquet")


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


def _name(source: Source) -> str:
    if isinstance(source, EvalLogInfo):
        return source.name
    if isinstance(source, EvalLog):
        return source.location
    return str(source)
