"""Heatmaps of values from 0 to 1."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from negation_evals.report.figures.style import SMALL

DARK_CELL = 0.55
"""Cells up to this value are dark and take white text."""
COLOURS = "cividis"

Cells = NDArray[np.float64]


def draw_cells(axes: Axes, top: float, values: Cells) -> None:
    """Coloured cells from the row `top` on; missing values have no colour."""
    rows, columns = values.shape
    axes.pcolormesh(
        np.arange(columns + 1),
        top + np.arange(rows + 1),
        np.ma.masked_invalid(values),
        vmin=0,
        vmax=1,
        cmap=COLOURS,
        edgecolors="white",
        linewidth=0.6,
    )


def number_cell(axes: Axes, x: float, y: float, value: float) -> None:
    """Write a cell's value into it, in the colour that its own leaves legible."""
    axes.text(
        x,
        y,
        f"{value:.2f}",
        ha="center",
        va="center_baseline",
        color="white" if value <= DARK_CELL else "black",
        fontsize=SMALL,
        in_layout=False,
    )


def finish_heatmap(figure: Figure, axes: Axes, label: str, fraction: float) -> None:
    """Columns named on top, no frame, and below the bar of colours from 0 to 1.

    Args:
        figure: The figure.
        axes: Its one panel.
        label: What the colours mean.
        fraction: Thickness of the bar, and of the gap above it, as a share of the cells' height.
    """
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(
        ScalarMappable(Normalize(0, 1), COLOURS),
        ax=axes,
        location="bottom",
        label=label,
        fraction=fraction,
        pad=fraction,
        aspect=40,
        shrink=0.8,
    )
    bar.outline.set_visible(False)
