"""Rows checked against a model of their fields."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from negation_evals.errors import DataError

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+$")]
"""A name that is safe in a sample id, a file name and a `-T` list."""


_TRUTH: Final = {
    **dict.fromkeys(("true", "yes", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "0", "0.0"), False),
}


def truth(value: object) -> bool | None:
    """True or false as any file may spell it: true, yes, 1, 1.0 or their opposites, in any case.

    Returns:
        None for anything else; so a text "false" is never taken for true.
    """
    return _TRUTH.get(str(value).strip().casefold())


class Row(BaseModel):
    """A row of a data file: unknown fields are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


RowT = TypeVar("RowT", bound=Row)


def validate_rows(row_type: type[RowT], rows: list[dict[str, Any]], path: Path | str) -> list[RowT]:
    """Check every row; the first fault is named with its place, the field and what is wanted.

    Raises:
        DataError: a row breaks the schema.
    """
    fields = ", ".join(row_type.model_fields)
    checked: list[RowT] = []
    for number, row in enumerate(rows, start=1):
        valid, faults = validate_row(row_type, row)
        if valid is None:
            name = f" ({row['id']!r})" if "id" in row else f" (has {', '.join(map(repr, row))})"
            raise DataError(
                f"{path}: row {number}{name}: {faults[0]}; a row has the fields {fields}"
            )
        checked.append(valid)
    return checked


def validate_row(row_type: type[RowT], row: dict[str, Any]) -> tuple[RowT | None, list[str]]:
    """The row as the given type; or None, and each wrong field with what is wanted."""
    try:
        return row_type.model_validate(row), []
    except ValidationError as error:
        return None, [
            _place(fault["loc"]) + fault["msg"].removeprefix("Value error, ")
            for fault in error.errors()
        ]


def _place(location: tuple[int | str, ...]) -> str:
    """The field of a fault; one of the whole row has none."""
    return f"field {'.'.join(map(str, location))!r}: " if location else ""


def require_unique(ids: Iterable[str], path: Path | str) -> None:
    """Check that no id occurs twice: results are keyed by id.

    Raises:
        DataError: names the first that does.
    """
    seen: set[str] = set()
    for identifier in ids:
        if identifier in seen:
            raise DataError(f"{path}: the id {identifier!r} occurs twice; ids must be unique")
        seen.add(identifier)
