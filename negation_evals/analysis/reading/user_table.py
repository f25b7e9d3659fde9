"""A user's table as a DataFrame."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.errors import DataError
from negation_evals.files.rows import read_table

MOST_EPOCHS = 1_000_000
"""A larger epoch in a table is no epoch, and larger numbers would overflow."""


def read_file(location: str, required: Iterable[str]) -> pd.DataFrame:
    """A user's table with the columns required: text from CSV, else values; NaN is missing.

    Raises:
        DataError: the file cannot be read, lacks a column, or has no rows.
    """
    # As plain objects, so that the type of a column forbids nothing that follows.
    table = pd.DataFrame(read_table(location), dtype=object)
    try:
        require_columns(table, required, location)
    except ValueError as error:
        raise DataError(str(error)) from error
    return table.where(table.notna(), np.nan)


def whole_epochs(values: pd.Series, location: str) -> pd.Series:
    """The epochs of a user's table.

    Raises:
        DataError: one is no whole number from 1, or beyond any audit.
    """
    epochs = pd.to_numeric(values, errors="coerce")
    if not (epochs.between(1, MOST_EPOCHS) & (epochs % 1 == 0)).all():
        raise DataError(f"{location}: epoch must be a whole number from 1 in every row")
    return epochs.astype(int)
