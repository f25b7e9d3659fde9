"""Errors of the user's input, and how names and errors are shown in one line."""

from collections.abc import Iterable
from difflib import get_close_matches


class DataError(ValueError):
    """The user's input is wrong: the message names it, what was expected, and the remedy.

    Tasks turn it into `click.UsageError`, the command line into one line and exit code 2.
    """


def unknown_name(kind: str, name: str, known: Iterable[str]) -> DataError:
    """The error for a name that is not among the known ones, with the nearest of them."""
    known = list(known)
    near = get_close_matches(name, known, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return DataError(f"unknown {kind} {name!r}{hint}: known are {', '.join(known)}")


class NothingFoundError(DataError):
    """Nothing of the family that was asked for; the message names what was found instead."""


def printable(name: str) -> str:
    """A file name that every report can hold: bytes that are no text are written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def shortened(names: list[str], most: int = 8) -> str:
    """The first names, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def first_line(error: BaseException) -> str:
    """An error in one short line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
