"""How panels and rows are laid out on a page."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from negation_evals.report.figures.style import SMALL, WIDTH, Mark
from negation_evals.report.figures.text import LINE, row_height, wrap

TITLE_WIDTH = 68
"""Characters of a title that fit above a panel as wide as the page."""


def panels(titles: Sequence[str], height: float, most: int = 3) -> tuple[Figure, list[Axes]]:
    """A grid of panels that share both axes, at most `most` in a row, each with its title."""
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


def scatter(axes: Axes, x: Any, y: Any, mark: Mark, size: float, **options: Any) -> None:
    """Points of one group, in front of lines."""
    style = {"lw": 0, "zorder": 3, **options}
    axes.scatter(x, y, s=size, color=mark.colour, marker=mark.marker, **style)


def note_above(axes: Axes, x: float, words: str, **text: Any) -> None:
    """A short note above the panel at a place of the x axis."""
    where = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    options = {"xytext": (0, 3), "ha": "center", "fontsize": SMALL, **where, **text}
    axes.annotate(words, (x, 1), **options)


def legend(figure: Figure, handles: Sequence[Line2D | Any], columns: int = 4) -> None:
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
