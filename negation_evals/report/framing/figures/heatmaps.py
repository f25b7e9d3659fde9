"""NSI of every result on every domain and scenario."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from negation_evals.report.figures.axes import arrange, in_order
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.heatmap import Cells, draw_cells, finish_heatmap, number_cell
from negation_evals.report.figures.style import WIDTH, Mark
from negation_evals.report.figures.text import LINE, row_height, wrap, wrapped
from negation_evals.report.framing.figures.common import (
    NSI_AXIS,
    origin_marks,
    result_rows,
    result_ticks,
    scenario_order,
)

CELL = 0.24
"""Inches of width that a number of two digits needs."""
NARROW = 0.13
"""Inches of width that a column needs for its name; the figure may grow wider than the page."""
GAP = 0.4
"""Rows between two origins."""
ORIGIN_WIDTH = 12
COLUMN_WIDTH = 22


@report_figure(
    "model_by_domain",
    "Mean NSI of each result in each domain, grouped by origin and ranked within it. Domains are "
    "ordered by their mean, the most sensitive on the left.",
)
def model_by_domain(tables: Tables) -> Figure | None:
    """Results by domain, the domain with the highest mean first."""
    order = in_order(tables["nsi_by_domain"]["domain"])
    return _heatmap(tables, tables["nsi_by_model_and_domain"], "domain", order)


@report_figure(
    "model_by_scenario",
    "NSI of each result on each scenario, grouped by origin and ranked within it. Scenarios are "
    "ordered by their mean, the most sensitive on the left; an empty cell lacks answers in a "
    "frame.",
)
def model_by_scenario(tables: Tables) -> Figure | None:
    """Results by scenario, the scenario with the highest mean first."""
    table = tables["nsi"]
    return _heatmap(tables, table, "scenario", scenario_order(tables, table))


def _heatmap(tables: Tables, table: pd.DataFrame, column: str, order: list[str]) -> Figure | None:
    """Rows by origin and within it as ranked, with the name of the origin at the side."""
    ranked = tables["ranking"].dropna(subset="nsi")
    if ranked.empty or not order:
        return None
    origins = origin_marks(tables, ranked)
    groups = [(origin, ranked[ranked["origin"] == origin]) for origin in origins]
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
    finish_heatmap(figure, axes, f"{NSI_AXIS}; empty: not known", 0.05)
    _annotate(figure, axes, blocks)
    return figure


def _size(ticks: list[str], heads: list[str], groups: int) -> tuple[float, float]:
    """Page width, or more where the columns would not fit, and the height of all rows."""
    names = 0.075 * max(len(line) for label in ticks for line in label.split("\n"))
    lines = max(head.count("\n") + 1 for head in heads)
    width = max(WIDTH, names + 0.8 + max(NARROW, LINE * lines) * len(heads))
    longest = max(len(line) for head in heads for line in head.split("\n"))
    rows = row_height(ticks) * (len(ticks) + GAP * (groups - 1))
    return width, 0.8 + 0.075 * longest + max(rows, 0.5)


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
                number_cell(axes, column + 0.5, top + row + 0.5, value)
