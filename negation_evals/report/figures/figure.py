"""One figure of a report."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure as Drawing

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Figure:
    """A figure: it draws tables and computes no statistic."""

    name: str
    """Of its files."""
    draw: Callable[[Tables], Drawing | None]
    """None where there is nothing to draw."""
    caption: str
