"""Results and scenarios in the order of their NSI."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from negation_evals.analysis.framing.summary import HIGH_FROM, ROBUST_BELOW
from negation_evals.report.figures.axes import (
    by_settings,
    in_order,
    label_axis,
    legend,
    panels,
    positions,
    result_ticks,
    rows_figure,
    set_rows,
)
from negation_evals.report.figures.style import (
    INK,
    SMALL,
    SOFT,
    Mark,
    handle,
    origin_marks,
    result_rows,
)
from negation_evals.report.figures.text import row_height, wrapped
from negation_evals.report.framing.tables import Tables

TIERS = (("A", 0.0, ROBUST_BELOW), ("B", ROBUST_BELOW, HIGH_FROM), ("C", HIGH_FROM, 1.0))
TIER_SHADES = ("#FFFFFF", "#F6F4EC", "#EFE9DA")
TIER_NOTE = "A, B, C: tiers as proposed in arXiv:2601.21433v1"
RANGE = "#D2D2D2"
SCENARIO = "#5A5A5A"
NSI_AXIS = "NSI: 0 same stance in all frames, 1 stance reversed"


def ranking(tables: Tables) -> Figure | None:
    """Lollipops of mean NSI, most sensitive on top, over the scenarios' values and the floor."""
    shown = tables["ranking"].dropna(subset="nsi").reset_index(drop=True)
    if shown.empty:
        return None
    origins = origin_marks(tables)
    figure, axes = rows_figure(result_ticks(shown), above=1.35)
    _tiers(axes)
    axes.hlines(shown.index, shown["nsi_min"], shown["nsi_max"], color=RANGE, lw=4.5, zorder=2)
    rows = dict(zip(result_rows(shown), shown.index, strict=True))
    values = tables["nsi"].dropna(subset="nsi")
    places = [rows[key] for key in result_rows(values)]
    axes.scatter(values["nsi"], places, s=5, color=SCENARIO, lw=0, zorder=4.5)
    for origin, mark in origins.items():
        group = shown[shown["origin"] == origin]
        axes.hlines(group.index, 0, group["nsi"], color=mark.colour, lw=1.3, zorder=4)
        axes.scatter(group["nsi"], group.index, s=30, c=mark.colour, marker=mark.marker, zorder=5)
    _floor(axes, shown["nsi_null"], shown.index)
    axes.set_xlim(-0.01, 1.02)
    axes.set_xlabel(NSI_AXIS)
    handles = [handle(f"mean, {o}", origins[o]) for o in origins if o in set(shown["origin"])]
    bar = Line2D([], [], color=RANGE, lw=4.5, label="range over scenarios")
    handles += [handle("one scenario", Mark(SCENARIO, "o"), 3), bar, _floor_handle()]
    legend(figure, handles, columns=3)
    return figure


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
        _floor(axes, part["nsi_null"], places)
        axes.set_xlim(-0.02, 1.02)
    label_axis(figure, grid, x="mean NSI over the models: 0 same stance in all frames, 1 reversed")
    interval = Line2D([], [], color=INK, marker="o", ms=4.5, lw=1.2, label="mean, 95 % interval")
    mean = handle("mean", Mark(INK, "o"), 4.5)
    legend(figure, [interval if table["ci_low"].notna().any() else mean, _floor_handle()])
    return figure


def scenario_order(tables: Tables, table: pd.DataFrame) -> list[str]:
    """The scenarios of a table in the order of the scenario ranking."""
    return in_order(s for s in tables["nsi_by_scenario"]["scenario"] if s in set(table["scenario"]))


def class_borders(axes: Axes) -> None:
    """Lines where NSI changes its class."""
    for border in (ROBUST_BELOW, HIGH_FROM):
        axes.axvline(border, color=SOFT, lw=0.8, ls=(0, (4, 3)), zorder=1)


def _tiers(axes: Axes) -> None:
    """Bands behind the rows, each with its letter above."""
    for (letter, low, high), shade in zip(TIERS, TIER_SHADES, strict=True):
        right = high if high < 1 else 1.02
        axes.axvspan(low, right, color=shade, lw=0, zorder=0)
        axes.annotate(
            letter,
            ((low + high) / 2, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            fontweight="bold",
            color=INK,
        )
    class_borders(axes)
    axes.annotate(
        TIER_NOTE,
        (1, 1),
        xycoords="axes fraction",
        xytext=(0, 12),
        textcoords="offset points",
        ha="right",
        fontsize=SMALL,
        color=INK,
    )


def _floor(axes: Axes, values: pd.Series, places: ArrayLike) -> None:
    axes.scatter(values, places, marker="|", s=60, color="black", lw=1.3, zorder=6)


def _floor_handle() -> Line2D:
    mark = Mark("black", "|")
    return handle("floor: expected without a framing effect", mark, 8, markeredgewidth=1.3)
