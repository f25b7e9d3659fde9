"""Checks of task arguments: `-T` brings any YAML value, whatever the annotation says."""

from typing import Annotated, Any, Final, Self

import click
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from negation_evals.errors import DataError

FromZero = Annotated[int, Field(ge=0)]
FromOne = Annotated[int, Field(ge=1)]

_WANTED: Final = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "string_type": "text",
    "greater_than_equal": "a whole number from {ge}",
    "literal_error": "one of {expected}",
}


class TaskOptions(BaseModel):
    """Options of a task that belong together; a value of another type is refused, not converted."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    @classmethod
    def checked(cls, **arguments: object) -> Self:
        """The options with these values.

        Raises:
            click.UsageError: names the argument, its value, and what is allowed.
        """
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            raise click.UsageError(_in_words(error)) from error


def check_argument(name: str, value: object, wanted: Any) -> None:
    """Check that a value is of a type such as `bool`, `FromOne` or a `Literal`.

    Raises:
        DataError: names the argument, its value, and what is allowed.
    """
    try:
        TypeAdapter(wanted, config=ConfigDict(strict=True)).validate_python(value)
    except ValidationError as error:
        raise DataError(_in_words(error, name)) from error


def _in_words(error: ValidationError, name: str = "") -> str:
    """The first fault in one line."""
    fault = error.errors()[0]
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    context = dict(fault.get("ctx", {}))
    # pydantic writes 'a', 'b' or 'c'.
    context["expected"] = str(context.get("expected")).replace(" or ", ", ").replace("'", "")
    wanted = _WANTED[fault["type"]].format(**context)
    return f"{name or fault['loc'][0]}={fault['input']!r} is not {wanted}"
