"""NSI against what else is known of a result: its stated confidence and its compliance."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from negation_evals.analysis.framing.stated_confidence import FRAGILE_ABOVE, SURE_ABOVE
from negation_evals.report.figures.axes import arrange, label_axis, legend, panels, scatter
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.style import INK, SMALL, SOFT, VERMILION, Mark, handles
from negation_evals.report.figures.text import wrap
from negation_evals.report.framing.figures.common import by_settings, origin_marks, panel_settings

DANGER = "#FBE3D6"
EXCLUDED_AT = -0.1
"""Where excluded results stand, below the scale of NSI."""
LOW_COMPLIANCE = 0.95
"""Results below this are named, as far as there is room."""
EXTREMES = 2
"""How many results with the highest NSI, and how many with the lowest, are named likewise."""
MOST_NAMES = 14
"""How many results are named at most."""
NAME_WIDTH = 30

Pixels = NDArray[np.float64]


@report_figure(
    "confidence",
    "Each point is one model on one scenario: the mean confidence it stated against its NSI. The "
    "danger zone holds answers that are sure of themselves and still depend on the wording (stated "
    "confidence above 80, NSI above 0.5).",
)
def stated_confidence(tables: Tables) -> Figure | None:
    """Stated confidence against NSI of every model-scenario pair, with the danger zone."""
    table = tables["confidence"].dropna(subset=["confidence", "nsi"])
    if table.empty:
        return None
    origins = origin_marks(tables, table)
    parts = by_settings(table, panel_settings(tables))
    figure, grid = panels([title for title, _ in parts], 3.0 if len(parts) == 1 else 2.1)
    left = min(10 * np.floor(table["confidence"].min() / 10), 60) - 1
    for axes, (_, part) in zip(grid, parts, strict=True):
        zone = (101 - SURE_ABOVE, 1.03 - FRAGILE_ABOVE)
        axes.add_patch(Rectangle((SURE_ABOVE, FRAGILE_ABOVE), *zone, color=DANGER, lw=0, zorder=0))
        axes.text(
            100.5, 1.015, "danger zone", ha="right", va="top", fontsize=SMALL, color=VERMILION
        )
        _points(axes, part, "confidence", origins)
        axes.set(xlim=(left, 101), ylim=(-0.03, 1.03))
        axes.grid()
    label_axis(
        figure,
        grid,
        x="mean stated confidence: 0 none, 100 certain",
        y="NSI: 0 same stance, 1 reversed",
    )
    legend(figure, handles(origins))
    return figure


@report_figure(
    "compliance",
    "Share of answers with a valid decision against mean NSI, one point for each result. Results "
    "excluded for low compliance are drawn below the axis, without NSI; outliers are named where "
    "there is room.",
)
def compliance(tables: Tables) -> Figure | None:
    """Share of valid answers against mean NSI; excluded results below, without NSI."""
    ranked = tables["ranking"].dropna(subset="compliance")
    excluded = tables["excluded"].dropna(subset="compliance")
    if len(ranked) + len(excluded) < 2 or ranked["nsi"].notna().sum() == 0:
        return None
    settings = panel_settings(tables)
    columns = ["model", "origin", "compliance", *settings]
    table = pd.concat([ranked[[*columns, "nsi"]], excluded[columns]], ignore_index=True)
    without_nsi = bool(table["nsi"].isna().any())
    table["nsi"] = table["nsi"].fillna(EXCLUDED_AT)
    origins = origin_marks(tables, table)
    parts = by_settings(table, settings)
    figure, grid = panels([title for title, _ in parts], 3.2 if len(parts) == 1 else 2.4, most=2)
    left = min(table["compliance"].min() - 0.04, 0.88)
    for axes, (_, part) in zip(grid, parts, strict=True):
        _points(axes, part, "compliance", origins)
        axes.set(xlim=(left, 1.015), ylim=(-0.17 if without_nsi else -0.03, 1.03))
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        ticks = {EXCLUDED_AT: "no NSI"} if without_nsi else {}
        ticks |= {tick / 5: f"{tick / 5:.1f}" for tick in range(6)}
        axes.set_yticks(list(ticks), list(ticks.values()))
        axes.grid()
    label_axis(
        figure,
        grid,
        x="compliance: share of answers with a valid decision",
        y="mean NSI: 0 same stance, 1 reversed",
    )
    legend(figure, handles(origins))
    arrange(figure)
    for axes, (_, part) in zip(grid, parts, strict=True):
        _name_outliers(axes, part)
    return figure


def _points(axes: Axes, part: pd.DataFrame, x: str, origins: dict[str, Mark]) -> None:
    for origin, mark in origins.items():
        group = part[part["origin"] == origin]
        scatter(axes, group[x], group["nsi"], mark, 22, alpha=0.75)


def _name_outliers(axes: Axes, part: pd.DataFrame) -> None:
    """Name what lies apart, where a name fits without covering a point or another name."""
    # Not adjustText: it places every name, also where that covers points and other names.
    ranked = part[part["nsi"] >= 0].sort_values("nsi")
    low = part[part["compliance"] < LOW_COMPLIANCE].sort_values("compliance")
    outliers = pd.concat([low, ranked.tail(EXTREMES), ranked.head(EXTREMES)])
    outliers = outliers[~outliers.index.duplicated()].head(MOST_NAMES)
    points = axes.transData.transform(part[["compliance", "nsi"]].to_numpy(float))
    occupied = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for x, y in points]
    for row in outliers.to_dict("records"):
        point = np.asarray(axes.transData.transform((row["compliance"], row["nsi"])))
        words = wrap(row["model"], NAME_WIDTH, 2)
        label = axes.text(0, 0, words, ha="center", va="center", in_layout=False)
        label.set(fontsize=SMALL, color=INK, zorder=4)
        size = np.array(label.get_window_extent().size)
        box = _free_place(point, size, occupied, axes.get_window_extent())
        if box is None:
            label.remove()
            continue
        occupied.append(box)
        to_data = axes.transData.inverted()
        x, y = to_data.transform(np.add(box.min, box.max) / 2)
        label.set_position((float(x), float(y)))
        ends = to_data.transform([point, np.clip(point, box.min, box.max)])
        axes.plot(ends[:, 0], ends[:, 1], color=SOFT, lw=0.5, zorder=2)


def _free_place(point: Pixels, size: Pixels, occupied: list[Bbox], inside: Bbox) -> Bbox | None:
    """The nearest place for a name beside its point that is free; all in pixels."""
    sides = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1))
    for distance in (7, 14, 22, 32, 44):
        for side in np.array(sides):
            middle = point + side * (size / 2 + distance / np.hypot(*side))
            box = Bbox([middle - size / 2, middle + size / 2])
            within = np.all(box.min >= inside.min) and np.all(box.max <= inside.max)
            if within and not any(box.overlaps(other) for other in occupied):
                return box
    return None
