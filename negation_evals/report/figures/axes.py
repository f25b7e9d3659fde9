"""How panels and rows are laid out on a page."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from negation_evals.analysis.common.labels import settings_labels
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.report.figures.figure import Tables
from negation_evals.report.figures.style import WIDTH
from negation_evals.report.figures.text import LABEL_WIDTH, LINE, row_height, wrap, wrapped
from negation_evals.schema.framing import STANDARD

LEGEND_COLUMNS = 4
TITLE_WIDTH = 68
"""Characters of a title that fit above a panel as wide as the page."""


def by_settings(
    table: pd.DataFrame, settings: Sequence[str] | None = None
) -> list[tuple[str, pd.DataFrame]]:
    """The parts of a table that share these settings, with a title for each.

    One part without a title where none varies. Default: all settings that the table carries.
    """
    settings = RESULTS.carried_settings(table) if settings is None else list(settings)
    if not settings:
        return [("", table)]
    groups = list(table.groupby(settings, sort=False, dropna=False))
    groups.sort(key=lambda group: [_rank(value) for value in group[0]])
    return [(settings_labels(part.iloc[:1], settings)[0], part) for _, part in groups]


def panel_settings(tables: Tables) -> list[str]:
    """The settings that panels over several results keep apart, as the tables over models do."""
    ranking = tables["ranking"]
    return RESULTS.across_models(ranking, RESULTS.carried_settings(ranking))


def _rank(value: Any) -> tuple[int, float, str]:
    """Settings in order: numbers, then the standard, then other words; the unset last."""
    if pd.isna(value):
        return 3, 0.0, ""
    if isinstance(value, str):
        return (1, 0.0, "") if value == STANDARD else (2, 0.0, value)
    return 0, float(value), ""


def panels(titles: Sequence[str], height: float, most: int = 3) -> tuple[Figure, list[Axes]]:
    """A grid of panels that share both axes, at most so many in a row, each with its title."""
    count = len(titles)
    across = min(count, most, 2 if count == 4 else 3)
    down = math.ceil(count / across)
    size = (WIDTH, 0.7 + down * (height + (LINE + 0.1 if any(titles) else 0)))
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for spare in grid[count:]:
        spare.remove()
    for axes, title in zip(grid, titles, strict=False):
        title_panel(axes, title, across)
    # Where the last row is not full, the panel above the gap shows the scale.
    for axes in grid[max(count - across, 0) : count]:
        axes.tick_params(labelbottom=True)
    return figure, list(grid[:count])


def title_panel(axes: Axes, title: str, across: int = 1) -> None:
    """Name a panel, in lines that fit it."""
    if title:
        axes.set_title(wrap(title, TITLE_WIDTH // across), loc="left")


def result_ticks(table: pd.DataFrame) -> list[str]:
    """Labels of results; if one is long, the settings of all stand on lines of their own."""
    labels, settings = RESULTS.labels(table), RESULTS.settings_labels(table)
    if not any(settings) or all(len(label) <= LABEL_WIDTH for label in labels):
        return wrapped(labels)
    names = wrapped(table["model"].astype(str))
    below = wrapped(f"({words})" for words in settings)
    return [f"{name}\n{words}" for name, words in zip(names, below, strict=True)]


def rows_figure(ticks: Sequence[str], above: float = 0.9) -> tuple[Figure, Axes]:
    """One panel with a row for each label, the first on top."""
    height = above + row_height(ticks) * max(len(ticks), 2)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    set_rows([axes], ticks)
    return figure, axes


def set_rows(panels: Sequence[Axes], ticks: Sequence[str]) -> None:
    """Label the rows that panels share, the first on top."""
    # Setting them for one sets them for all that share its axis.
    panels[0].set_yticks(range(len(ticks)), ticks)
    panels[0].set_ylim(len(ticks) - 0.4, -0.6)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")


def arrange(figure: Figure) -> None:
    """Find room for everything, once: each file would otherwise arrange the figure anew."""
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.execute(figure)
        figure.set_layout_engine("none")


def label_axis(figure: Figure, axes: Sequence[Axes], x: str = "", y: str = "") -> None:
    """Say what the axes mean: beside the one panel, or once for all of them."""
    if len(axes) == 1:
        axes[0].set(xlabel=x, ylabel=y)
        return
    if x:
        figure.supxlabel(x)
    if y:
        figure.supylabel(y)


def legend(figure: Figure, handles: Sequence[Line2D | Any], columns: int = LEGEND_COLUMNS) -> None:
    """One legend above all panels."""
    for entry in handles:
        entry.set_label(wrap(str(entry.get_label()), 44, 2))
    figure.legend(handles=list(handles), loc="outside upper center", ncols=columns)


def dodge(count: int, room: float = 0.6) -> list[float]:
    """Offsets that set the members of a group side by side."""
    if count < 2:
        return [0.0] * count
    step = min(room / (count - 1), 0.18)
    return list((np.arange(count) - (count - 1) / 2) * step)


def in_order(values: Iterable[Any]) -> list[str]:
    """The distinct values as text in the order in which they first occur."""
    return list(dict.fromkeys(str(value) for value in values))


def positions(names: Iterable[Any], places: dict[str, int]) -> NDArray[np.float64]:
    """The place of each name; `Series.map` would give an empty column of text for no names."""
    return np.array([places[name] for name in names], dtype=float)
