"""Checks of task arguments: `-T` brings any YAML value, whatever the annotation says."""

from typing import Any, get_args

from negation_evals.errors import DataError


def check_choice(argument: str, value: object, literal: Any) -> None:
    """Check that a value is among those of a `Literal`.

    Raises:
        DataError: names the argument and what is allowed.
    """
    allowed = get_args(literal)
    if value not in allowed:
        raise DataError(f"{argument}={value!r} is not one of {', '.join(allowed)}")


def check_type(argument: str, value: object, wanted: type, words: str) -> None:
    """Check that a value has exactly a type: a bool is an int to Python, not to a reader of logs.

    Raises:
        DataError: names the argument and, in `words`, what is wanted.
    """
    if type(value) is not wanted:
        raise DataError(f"{argument}={value!r} is not {words}")
