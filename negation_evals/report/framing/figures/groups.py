"""Groups of results compared: origins, size classes and conditions."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.summary import HIGH_FROM, ROBUST_BELOW
from negation_evals.report.documents.formats import percent
from negation_evals.report.figures.axes import (
    label_axis,
    legend,
    panels,
    positions,
    scatter,
    set_rows,
)
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.style import (
    BLUE,
    FAINT,
    INK,
    SMALL,
    VERMILION,
    Mark,
    handles,
    marks,
)
from negation_evals.report.figures.text import row_height, wrapped
from negation_evals.report.framing.figures.common import (
    NSI_AXIS,
    NSI_SPAN,
    by_settings,
    class_borders,
    origin_marks,
    panel_settings,
    scenario_order,
)
from negation_evals.schema.common import UNSPECIFIED
from negation_evals.schema.framing import REASONING, STANDARD

SIZE_CLASSES = {
    "TINY": Mark("#56B4E9", "o"),
    "SMALL": Mark("#E69F00", "s"),
    "MEDIUM": Mark("#009E73", "^"),
    "LARGE": Mark("#7B3294", "D"),
}
CONDITIONS = {STANDARD: Mark(BLUE, "o"), REASONING: Mark(VERMILION, "D")}
BIN = 0.05
"""Width of a bar; the class borders lie between two bars."""


@report_figure(
    "distribution",
    "How NSI is distributed over model-scenario cells, by origin; bars are scaled to the highest "
    "of each row. The dashed lines separate robust, moderate and high fragility, and the "
    "percentages say what share of the row's cells falls into each class.",
)
def distribution(tables: Tables) -> Figure | None:
    """Histograms of NSI over the model-scenario cells of each origin, one above the other."""
    table = tables["nsi"].dropna(subset="nsi")
    if table.empty:
        return None
    origins = origin_marks(tables, table)
    parts = by_settings(table, panel_settings(tables))
    shares = dict(by_settings(tables["fragility_by_origin"]))
    height = 0.3 + (0.9 if len(parts) == 1 else 0.7) * len(origins)
    figure, grid = panels([title for title, _ in parts], height, most=2)
    for axes, (title, part) in zip(grid, parts, strict=True):
        share = shares[title]
        class_borders(axes)
        for row, (origin, mark) in enumerate(origins.items()):
            values = part.loc[part["origin"] == origin, "nsi"]
            _ridge(axes, values, row, mark)
            for shares_of_origin in share[share["origin"] == origin].to_dict("records"):
                _shares(axes, shares_of_origin, row, with_names=row == 0)
        axes.set_yticks(range(len(origins)), wrapped(origins, 16))
        axes.set_ylim(len(origins) - 0.9, -1.12)
        axes.set_xlim(-0.01, 1.01)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    label_axis(figure, grid, x="NSI of one model on one scenario: 0 same stance, 1 reversed")
    return figure


@report_figure(
    "size_tier",
    "Mean NSI of each result by size class, with the median of the class. Models of unknown size "
    "are left out.",
)
def size_class(tables: Tables) -> Figure | None:
    """Mean NSI of each result by size class, with the median of the class."""
    ranked = tables["ranking"].dropna(subset="nsi")
    if "size_tier" not in ranked.columns or len(ranked) < 2:
        return None
    ranked = ranked[ranked["size_tier"] != UNSPECIFIED]
    if ranked.empty:
        return None
    classes = list(marks(ranked["size_tier"], SIZE_CLASSES))
    origins = origin_marks(tables, ranked)
    parts = by_settings(ranked, panel_settings(tables))
    across = 2 if len(classes) <= len(SIZE_CLASSES) else 1
    figure, grid = panels([title for title, _ in parts], 2.8 if len(parts) == 1 else 2.0, across)
    for axes, (_, part) in zip(grid, parts, strict=True):
        for place, name in enumerate(classes):
            group = part[part["size_tier"] == name].sort_values("nsi")
            if len(group):
                axes.hlines(group["nsi"].median(), place - 0.36, place + 0.36, color=INK, lw=1.5)
            # Neighbours in value stand side by side.
            x = place + np.resize([-0.2, 0.0, 0.2, -0.1, 0.1], len(group)) * (len(group) > 1)
            for origin, mark in origins.items():
                same = (group["origin"] == origin).to_numpy()
                scatter(axes, x[same], group.loc[same, "nsi"], mark, 24, alpha=0.85)
        axes.set_xticks(range(len(classes)), wrapped(classes, 10))
        axes.set(xlim=(-0.5, len(classes) - 0.5), ylim=NSI_SPAN)
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y")
    label_axis(figure, grid, x="size class", y="mean NSI: 0 same stance, 1 reversed")
    median = Line2D([], [], color=INK, lw=1.5, label="median")
    legend(figure, [*handles(origins), median])
    return figure


@report_figure(
    "profile_origin",
    "Mean NSI of each scenario by origin, scenarios ordered by their overall mean. The line joins "
    "the lowest and the highest origin.",
)
def profile_origin(tables: Tables) -> Figure | None:
    """NSI by scenario, a series for each origin."""
    return _profile(tables, "nsi_by_origin_and_scenario", "origin", origin_marks(tables))


@report_figure(
    "profile_size_tier",
    "Mean NSI of each scenario by size class, scenarios ordered by their overall mean. The line "
    "joins the lowest and the highest class; models of unknown size are left out.",
)
def profile_size_class(tables: Tables) -> Figure | None:
    """NSI by scenario, a series for each known size class."""
    table = tables["nsi_by_size_tier_and_scenario"]
    classes = marks(table["size_tier"], SIZE_CLASSES)
    classes.pop(UNSPECIFIED, None)
    return _profile(tables, "nsi_by_size_tier_and_scenario", "size_tier", classes)


@report_figure(
    "profile_condition",
    "Mean NSI of each scenario with and without a request to reason, over the models that answered "
    "it under every condition; scenarios ordered by their overall mean. The line joins the "
    "conditions.",
)
def profile_condition(tables: Tables) -> Figure | None:
    """NSI by scenario, a series for each condition."""
    table = tables["nsi_by_condition_and_scenario"]
    conditions = marks(table["condition"], CONDITIONS)
    return _profile(tables, "nsi_by_condition_and_scenario", "condition", conditions)


def _profile(tables: Tables, name: str, by: str, groups: dict[str, Mark]) -> Figure | None:
    """Scenarios as rows, groups side by side; nothing where there is only one group."""
    table = tables[name].dropna(subset="nsi")
    table = table[table[by].isin(list(groups))]
    groups = {group: mark for group, mark in groups.items() if group in set(table[by])}
    if len(groups) < 2:
        return None
    order = scenario_order(tables, table)
    places = {scenario: place for place, scenario in enumerate(order)}
    ticks = wrapped(order, 24)
    parts = by_settings(table, [name for name in RESULTS.carried_settings(table) if name != by])
    height = max(row_height(ticks), 0.2) * len(ticks)
    figure, grid = panels([title for title, _ in parts], height)
    set_rows(grid, ticks)
    for axes, (_, part) in zip(grid, parts, strict=True):
        ends = part.groupby("scenario")["nsi"].agg(["min", "max"])
        axes.hlines(positions(ends.index, places), ends["min"], ends["max"], color="#DDDDDD", lw=2)
        for group, mark in groups.items():
            values = part[part[by] == group]
            rows = positions(values["scenario"], places)
            scatter(axes, values["nsi"], rows, mark, 24, alpha=0.9)
        axes.set_xlim(*NSI_SPAN)
    label_axis(figure, grid, x=f"mean {NSI_AXIS}")
    legend(figure, handles(groups), columns=5)
    return figure


def _ridge(axes: Axes, values: pd.Series, row: int, mark: Mark) -> None:
    """A histogram that stands on its row, scaled to its highest bar."""
    edges = np.round(np.arange(0, 1 + BIN / 2, BIN), 9)
    # Rounded, so that 0.2 as a difference of fractions falls where 0.2 does.
    counts, _ = np.histogram(np.round(values.to_numpy(float), 9), edges)
    axes.axhline(row, color=FAINT, lw=0.8, zorder=1)
    if counts.any():
        heights = 0.72 * counts / counts.max()
        middles, some = (edges[:-1] + edges[1:]) / 2, counts > 0
        bars = axes.bar(middles[some], -heights[some], BIN * 0.88, bottom=row, color=mark.colour)
        for bar in bars:
            bar.set(zorder=2, lw=0)


def _shares(axes: Axes, share: dict[Hashable, float], row: int, with_names: bool) -> None:
    """Above a histogram, how many of its cells fall into each class."""
    middles = {
        "robust": ROBUST_BELOW / 2,
        "moderate": (ROBUST_BELOW + HIGH_FROM) / 2,
        "high": (HIGH_FROM + 1) / 2,
    }
    for name, middle in middles.items():
        if not np.isnan(share[name]):
            words = percent(share[name])
            text = f"{name}\n{words}" if with_names else words
            axes.text(middle, row - 0.78, text, ha="center", va="bottom", fontsize=SMALL)
