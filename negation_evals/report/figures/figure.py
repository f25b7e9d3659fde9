"""One figure of a report: the name of its files, how it is drawn, and what the reader is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

Tables = Mapping[str, pd.DataFrame]
"""The tables of a report by name."""


@dataclass(frozen=True)
class ReportFigure:
    """A figure that a report shows if its tables hold something to draw."""

    name: str
    """The name of its files, without a suffix."""
    draw: Callable[[Tables], Figure | None]
    """Draws the tables and computes no statistic; None where there is nothing to draw."""
    caption: str
    """What the figure shows and how to read it."""


def report_figure(
    name: str, caption: str
) -> Callable[[Callable[[Tables], Figure | None]], ReportFigure]:
    """Make a drawing function a figure of a report, so that its caption stands next to it."""
    return lambda draw: ReportFigure(name, draw, caption)
