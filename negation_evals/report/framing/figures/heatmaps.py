"""NSI of every result on every domain and scenario."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from negation_evals.report.figures.axes import arrange, in_order, result_ticks
from negation_evals.report.figures.figure import Tables
from negation_evals.report.figures.style import (
    SMALL,
    WIDTH,
    Mark,
    origin_marks,
    result_rows,
)
from negation_evals.report.figures.text import LINE, row_height, wrap, wrapped
from negation_evals.report.framing.figures.ranking import scenario_order

CELL = 0.24
"""Inches that a number of two digits needs,"""
NARROW = 0.13
"""and those that the name of a column needs; beyond that the figure grows wider than the page."""
DARK_CELL = 0.55
"""Cells up to this value are dark and take white text."""
GAP = 0.4
"""Rows between two origins."""
ORIGIN_WIDTH = 12
COLUMN_WIDTH = 22

Cells = NDArray[np.float64]


def model_by_domain(tables: Tables) -> Figure | None:
    """Results by domain, the domain with the highest mean first."""
    order = in_order(tables["nsi_by_domain"]["domain"])
    return _heatmap(tables, tables["nsi_by_model_and_domain"], "domain", order)


def model_by_scenario(tables: Tables) -> Figure | None:
    """Results by scenario, the scenario with the highest mean first."""
    table = tables["nsi"]
    return _heatmap(tables, table, "scenario", scenario_order(tables, table))


def _heatmap(tables: Tables, table: pd.DataFrame, column: str, order: list[str]) -> Figure | None:
    """Rows by origin and within it as ranked, with the name of the origin at the side."""
    ranked = tables["ranking"].dropna(subset="nsi")
    if ranked.empty or not order:
        return None
    origins = origin_marks(tables)
    groups = [(o, ranked[ranked["origin"] == o]) for o in origins if o in set(ranked["origin"])]
    values = {
        (key, str(name)): value
        for key, name, value in zip(result_rows(table), table[column], table["nsi"], strict=True)
    }
    ranked = pd.concat([group for _, group in groups])
    ticks = result_ticks(ranked)
    heads = wrapped(order, COLUMN_WIDTH)
    figure = Figure(figsize=_size(ticks, heads, len(groups)), layout="constrained")
    axes = figure.subplots()
    places: list[float] = []
    blocks: list[tuple[float, Cells]] = []
    for number, (origin, group) in enumerate(groups):
        top = len(places) + number * GAP
        block = [[values.get((key, name), np.nan) for name in order] for key in result_rows(group)]
        blocks.append((top, np.array(block, dtype=float)))
        draw_cells(axes, *blocks[-1])
        _origin(axes, origin, origins[origin], len(order), top + len(group) / 2)
        places += [top + row + 0.5 for row in range(len(group))]
    axes.set_ylim(places[-1] + 0.5, 0)
    axes.set_xlim(0, len(order))
    axes.set_yticks(places, ticks)
    axes.set_xticks(np.arange(len(order)) + 0.5, heads, rotation=90)
    finish_heatmap(
        figure, axes, "NSI: 0 same stance in all frames, 1 stance reversed; empty: not known", 0.05
    )
    _annotate(figure, axes, blocks)
    return figure


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
        ScalarMappable(Normalize(0, 1), "cividis"),
        ax=axes,
        location="bottom",
        label=label,
        fraction=fraction,
        pad=fraction,
        aspect=40,
        shrink=0.8,
    )
    bar.outline.set_visible(False)


def _size(ticks: list[str], heads: list[str], groups: int) -> tuple[float, float]:
    """Page width, or more where the columns would not fit, and the height of all rows."""
    names = 0.075 * max(len(line) for label in ticks for line in label.split("\n"))
    width = max(WIDTH, names + 0.8 + max(NARROW, LINE * _lines(heads)) * len(heads))
    longest = max(len(line) for head in heads for line in head.split("\n"))
    rows = row_height(ticks) * (len(ticks) + GAP * (groups - 1))
    return width, 0.8 + 0.075 * longest + max(rows, 0.5)


def _lines(heads: list[str]) -> int:
    return max(head.count("\n") + 1 for head in heads)


def draw_cells(axes: Axes, top: float, values: Cells) -> None:
    """Coloured cells from a row on, such as those of one origin; missing values have no colour."""
    rows, columns = values.shape
    axes.pcolormesh(
        np.arange(columns + 1),
        top + np.arange(rows + 1),
        np.ma.masked_invalid(values),
        vmin=0,
        vmax=1,
        cmap="cividis",
        edgecolors="white",
        linewidth=0.6,
    )


def _origin(axes: Axes, origin: str, mark: Mark, right: float, middle: float) -> None:
    axes.annotate(
        wrap(origin, ORIGIN_WIDTH, 1),
        (right, middle),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=mark.colour,
        fontweight="bold",
        annotation_clip=False,
    )


def _annotate(figure: Figure, axes: Axes, blocks: list[tuple[float, Cells]]) -> None:
    """Write the numbers into the cells where the cells turned out wide enough."""
    arrange(figure)
    left, right = axes.get_xlim()
    if axes.get_window_extent().width / figure.dpi / (right - left) < CELL:
        return
    for top, values in blocks:
        for (row, column), value in np.ndenumerate(values):
            if not np.isnan(value):
                colour = "white" if value <= DARK_CELL else "black"
                axes.text(
                    column + 0.5,
                    top + row + 0.5,
                    f"{value:.2f}",
                    ha="center",
                    va="center_baseline",
                    color=colour,
                    fontsize=SMALL,
                    in_layout=False,
                )
