"""Results and scenarios in the order of their NSI."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from negation_evals.analysis.framing.summary import HIGH_FROM, ROBUST_BELOW
from negation_evals.report.figures.axes import (
    label_axis,
    legend,
    note_above,
    panels,
    positions,
    rows_figure,
    set_rows,
)
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.style import INK, TEXT, Mark, handle
from negation_evals.report.figures.text import row_height, wrapped
from negation_evals.report.framing.figures.common import (
    NSI_AXIS,
    NSI_SPAN,
    by_settings,
    class_borders,
    origin_marks,
    result_rows,
    result_ticks,
    scenario_order,
)

TIERS = (("A", 0.0, ROBUST_BELOW), ("B", ROBUST_BELOW, HIGH_FROM), ("C", HIGH_FROM, 1.0))
TIER_SHADES = ("#FFFFFF", "#F6F4EC", "#EFE9DA")
TIER_NOTE = "A, B, C: tiers as proposed in arXiv:2601.21433v1"
RANGE = "#D2D2D2"
SCENARIO = "#5A5A5A"


@report_figure(
    "ranking",
    "Mean NSI of each result, the most sensitive on top; the bar is the range over its scenarios "
    "and each small dot one scenario. The black tick is the noise floor, the NSI expected of a "
    "model without any framing effect: a mean near it is no sign of sensitivity.",
)
def ranking(tables: Tables) -> Figure | None:
    """Lollipops of mean NSI over the scenarios' values and the noise floor."""
    ranked = tables["ranking"].dropna(subset="nsi").reset_index(drop=True)
    if ranked.empty:
        return None
    origins = origin_marks(tables, ranked)
    figure, axes = rows_figure(result_ticks(ranked), above=1.35)
    _tiers(axes)
    axes.hlines(ranked.index, ranked["nsi_min"], ranked["nsi_max"], color=RANGE, lw=4.5, zorder=2)
    rows = dict(zip(result_rows(ranked), ranked.index, strict=True))
    values = tables["nsi"].dropna(subset="nsi")
    places = [rows[key] for key in result_rows(values)]
    axes.scatter(values["nsi"], places, s=5, color=SCENARIO, lw=0, zorder=4.5)
    for origin, mark in origins.items():
        group = ranked[ranked["origin"] == origin]
        axes.hlines(group.index, 0, group["nsi"], color=mark.colour, lw=1.3, zorder=4)
        axes.scatter(group["nsi"], group.index, s=30, c=mark.colour, marker=mark.marker, zorder=5)
    _noise_floor(axes, ranked["nsi_null"], ranked.index)
    axes.set_xlim(-0.01, 1.02)
    axes.set_xlabel(NSI_AXIS)
    entries = [handle(f"mean, {origin}", mark) for origin, mark in origins.items()]
    bar = Line2D([], [], color=RANGE, lw=4.5, label="range over scenarios")
    entries += [handle("one scenario", Mark(SCENARIO, "o"), 3), bar, _noise_floor_handle()]
    legend(figure, entries, columns=3)
    return figure


@report_figure(
    "scenarios",
    "Mean NSI of each scenario over the models, the most sensitive on top, with intervals from "
    "resampling models. The tick is the noise floor, the NSI expected without any framing effect.",
)
def scenarios(tables: Tables) -> Figure | None:
    """Scenarios by mean NSI over the models, with intervals; a panel for each setting."""
    table = tables["nsi_by_scenario"].dropna(subset="nsi")
    if table.empty:
        return None
    order = scenario_order(tables, table)
    rows = {name: row for row, name in enumerate(order)}
    parts = by_settings(table)
    ticks = wrapped(order, 24)
    figure, grid = panels([title for title, _ in parts], row_height(ticks) * len(ticks))
    set_rows(grid, ticks)
    for axes, (_, part) in zip(grid, parts, strict=True):
        places = positions(part["scenario"], rows)
        axes.hlines(places, part["ci_low"], part["ci_high"], color=INK, lw=1.2)
        axes.scatter(part["nsi"], places, s=22, color=INK, zorder=3)
        _noise_floor(axes, part["nsi_null"], places)
        axes.set_xlim(*NSI_SPAN)
    label_axis(figure, grid, x="mean NSI over the models: 0 same stance in all frames, 1 reversed")
    interval = Line2D([], [], color=INK, marker="o", ms=4.5, lw=1.2, label="mean, 95 % interval")
    mean = handle("mean", Mark(INK, "o"), 4.5)
    legend(figure, [interval if table["ci_low"].notna().any() else mean, _noise_floor_handle()])
    return figure


def _tiers(axes: Axes) -> None:
    """Bands behind the rows, each with its letter above."""
    for (letter, low, high), shade in zip(TIERS, TIER_SHADES, strict=True):
        right = high if high < 1 else 1.02
        axes.axvspan(low, right, color=shade, lw=0, zorder=0)
        bold = {"fontweight": "bold", "fontsize": TEXT, "color": INK}
        note_above(axes, (low + high) / 2, letter, xytext=(0, 2), **bold)
    class_borders(axes)
    note_above(axes, 1, TIER_NOTE, xycoords="axes fraction", xytext=(0, 12), ha="right", color=INK)


def _noise_floor(axes: Axes, values: pd.Series, places: ArrayLike) -> None:
    axes.scatter(values, places, marker="|", s=60, color="black", lw=1.3, zorder=6)


def _noise_floor_handle() -> Line2D:
    mark = Mark("black", "|")
    return handle("noise floor: NSI without a framing effect", mark, 8, markeredgewidth=1.3)
