"""Columns that the tables of all families have."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

import pandas as pd

DESCRIPTIONS: Final = ("origin", "size_tier", "family", "variant")
"""What `datasets/models.yaml` says about a model: one value each, carried with the model's name."""


def require_columns(table: pd.DataFrame, columns: Iterable[str], function: str) -> None:
    """Check that a table has the columns that a function needs.

    Raises:
        ValueError: names the missing columns, near matches, and what is there.
    """
    present = [str(column) for column in table.columns]
    missing = [column for column in columns if column not in present]
    if not missing:
        return
    hints = [
        f"{column!r}" + (f" (did you mean {near[0]!r}?)" if near else "")
        for column in missing
        for near in [get_close_matches(column, present, n=1)]
    ]
    raise ValueError(
        f"{function}: the table lacks {', '.join(hints)}; it has {', '.join(present) or 'none'}"
    )
