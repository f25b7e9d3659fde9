"""Groups of results compared: origins, size tiers and conditions."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.summary import HIGH_FROM, ROBUST_BELOW
from negation_evals.report.documents.sections import percent
from negation_evals.report.figures.axes import (
    by_settings,
    label_axis,
    legend,
    panel_settings,
    panels,
    positions,
    set_rows,
)
from negation_evals.report.figures.style import (
    BLUE,
    FAINT,
    INK,
    SIZE_TIERS,
    SMALL,
    VERMILION,
    Mark,
    handle,
    marks,
    origin_marks,
)
from negation_evals.report.figures.text import row_height, wrapped
from negation_evals.report.framing.figures.ranking import class_borders, scenario_order
from negation_evals.report.framing.tables import Tables
from negation_evals.schema.common import UNSPECIFIED
from negation_evals.schema.framing import REASONING, STANDARD

CONDITIONS = {STANDARD: Mark(BLUE, "o"), REASONING: Mark(VERMILION, "D")}
BIN = 0.05
"""Width of a bar; the class borders lie between two bars."""
PROFILE_AXIS = "mean NSI: 0 same stance in all frames, 1 stance reversed"


def distribution(tables: Tables) -> Figure | None:
    """Histograms of NSI over the model-scenario cells of each origin, one above the other."""
    table = tables["nsi"].dropna(subset="nsi")
    if table.empty:
        return None
    origins = {o: m for o, m in origin_marks(tables).items() if o in set(table["origin"])}
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
            for known in share[share["origin"] == origin].to_dict("records"):
                _shares(axes, known, row, named=row == 0)
        axes.set_yticks(range(len(origins)), wrapped(origins, 16))
        axes.set_ylim(len(origins) - 0.9, -1.12)
        axes.set_xlim(-0.01, 1.01)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    label_axis(figure, grid, x="NSI of one model on one scenario: 0 same stance, 1 reversed")
    return figure


def size_tier(tables: Tables) -> Figure | None:
    """Mean NSI of each result by size tier, with the tier's median."""
    ranked = tables["ranking"].dropna(subset="nsi")
    if "size_tier" not in ranked.columns or len(ranked) < 2:
        return None
    ranked = ranked[ranked["size_tier"] != UNSPECIFIED]
    if ranked.empty:
        return None
    tiers = list(marks(ranked["size_tier"], SIZE_TIERS))
    origins = {o: m for o, m in origin_marks(tables).items() if o in set(ranked["origin"])}
    parts = by_settings(ranked, panel_settings(tables))
    across = 2 if len(tiers) <= len(SIZE_TIERS) else 1
    figure, grid = panels([title for title, _ in parts], 2.8 if len(parts) == 1 else 2.0, across)
    for axes, (_, part) in zip(grid, parts, strict=True):
        for place, tier in enumerate(tiers):
            group = part[part["size_tier"] == tier].sort_values("nsi")
            if len(group):
                axes.hlines(group["nsi"].median(), place - 0.36, place + 0.36, color=INK, lw=1.5)
            # Neighbours in value stand side by side.
            x = place + np.resize([-0.2, 0.0, 0.2, -0.1, 0.1], len(group)) * (len(group) > 1)
            for origin, mark in origins.items():
                own = (group["origin"] == origin).to_numpy()
                axes.scatter(
                    x[own],
                    group.loc[own, "nsi"],
                    s=24,
                    color=mark.colour,
                    marker=mark.marker,
                    alpha=0.85,
                    lw=0,
                    zorder=3,
                )
        axes.set_xticks(range(len(tiers)), wrapped(tiers, 10))
        axes.set(xlim=(-0.5, len(tiers) - 0.5), ylim=(-0.02, 1.02))
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y")
    label_axis(figure, grid, x="size tier", y="mean NSI: 0 same stance, 1 reversed")
    median = Line2D([], [], color=INK, lw=1.5, label="median")
    legend(figure, [*(handle(name, mark) for name, mark in origins.items()), median])
    return figure


def profile_origin(tables: Tables) -> Figure | None:
    """NSI by scenario, a series for each origin."""
    return _profile(tables, "nsi_by_origin_and_scenario", "origin", origin_marks(tables))


def profile_size_tier(tables: Tables) -> Figure | None:
    """NSI by scenario, a series for each known size tier."""
    table = tables["nsi_by_size_tier_and_scenario"]
    known = marks(table["size_tier"], SIZE_TIERS)
    known.pop(UNSPECIFIED, None)
    return _profile(tables, "nsi_by_size_tier_and_scenario", "size_tier", known)


def profile_condition(tables: Tables) -> Figure | None:
    """NSI by scenario, a series for each condition."""
    table = tables["nsi_by_condition_and_scenario"]
    known = marks(table["condition"], CONDITIONS)
    return _profile(tables, "nsi_by_condition_and_scenario", "condition", known)


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
        _points(axes, part, by, groups, places)
        axes.set_xlim(-0.02, 1.02)
    label_axis(figure, grid, x=PROFILE_AXIS)
    legend(figure, [handle(group, mark) for group, mark in groups.items()], columns=5)
    return figure


def _points(
    axes: Axes, part: pd.DataFrame, by: str, groups: dict[str, Mark], places: dict[str, int]
) -> None:
    for group, mark in groups.items():
        own = part[part[by] == group]
        axes.scatter(
            own["nsi"],
            positions(own["scenario"], places),
            s=24,
            color=mark.colour,
            marker=mark.marker,
            alpha=0.9,
            lw=0,
            zorder=3,
        )


def _ridge(axes: Axes, values: pd.Series, row: int, mark: Mark) -> None:
    """A histogram that stands on its row, scaled to its highest bar."""
    edges = np.round(np.arange(0, 1 + BIN / 2, BIN), 9)
    # Rounded, so that 0.2 as a difference of fractions falls where 0.2 does.
    counts, _ = np.histogram(np.round(values.to_numpy(float), 9), edges)
    axes.axhline(row, color=FAINT, lw=0.8, zorder=1)
    if counts.any():
        heights = 0.72 * counts / counts.max()
        middles, full = (edges[:-1] + edges[1:]) / 2, counts > 0
        bars = axes.bar(middles[full], -heights[full], BIN * 0.88, bottom=row, color=mark.colour)
        for bar in bars:
            bar.set(zorder=2, lw=0)


def _shares(axes: Axes, share: dict[Hashable, float], row: int, named: bool) -> None:
    """Above a histogram, how many of its cells fall into each class."""
    middles = {
        "robust": ROBUST_BELOW / 2,
        "moderate": (ROBUST_BELOW + HIGH_FROM) / 2,
        "high": (HIGH_FROM + 1) / 2,
    }
    for name, middle in middles.items():
        if not np.isnan(share[name]):
            words = percent(share[name])
            text = f"{name}\n{words}" if named else words
            axes.text(middle, row - 0.78, text, ha="center", va="bottom", fontsize=SMALL)
