"""Tables of framing results as text, named by their model and the settings that vary."""

from collections.abc import Iterable

import pandas as pd

from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.report.documents.grids import Column, Grid, grid, with_limits


def result_grid(
    table: pd.DataFrame, columns: Iterable[Column], *, title: str = "", source: str = ""
) -> Grid:
    """A table of results: in front the model and its settings, last the interval if there is one.

    See `grid` for the arguments.
    """
    labels = ("Model", RESULTS.labels(table))
    return grid(table, with_limits(table, columns), title=title, source=source, labels=labels)


def settings_grid(
    table: pd.DataFrame, columns: Iterable[Column], *, title: str = "", source: str = ""
) -> Grid:
    """A table over several models: in front the settings that vary, last the interval.

    See `grid` for the arguments.
    """
    settings = RESULTS.settings_labels(table)
    labels = ("Settings", settings) if any(settings) else None
    return grid(table, with_limits(table, columns), title=title, source=source, labels=labels)
