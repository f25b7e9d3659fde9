"""What models state as their reasons: the four alignment scores, by frame and by scenario."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from negation_evals.report.figures.axes import (
    dodge,
    label_axis,
    legend,
    positions,
    set_rows,
    title_panel,
)
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.style import WIDTH, handles
from negation_evals.report.figures.text import row_height, wrap, wrapped
from negation_evals.report.framing.figures.common import by_settings, origin_marks, scenario_order
from negation_evals.report.framing.figures.frames import frame_axis, frame_series, shade
from negation_evals.schema.framing import ALIGNMENT_FIELDS

SCORE_AXIS = "mean score the models gave: 0 not at all, 100 fully"
ROW_TITLE = 26
SPAN = (-4, 104)

Grid = list[list[Axes]]


@report_figure(
    "alignment_by_frame",
    "Mean of the four alignment scores that the models gave in each frame, by origin. Lines that "
    "are not level mean that the stated scores move with the wording: because the stance does, "
    "which they rate, or because the reasons do (the table keeps the stances apart).",
)
def alignment_by_frame(tables: Tables) -> Figure | None:
    """The four scores by frame and origin; where settings vary, a row of panels for each."""
    table = tables["alignment_by_frame"].dropna(subset="mean")
    if table.empty:
        return None
    origins = origin_marks(tables, table)
    parts = by_settings(table)
    figure, grid = _panels(parts, height=1.6, square=True)
    frames = sorted(table["frame"].unique())
    frame_axis([axes for row in grid for axes in row], frames, spelled_out=False)
    grid[0][0].set_ylim(*SPAN)
    for row, (_, part) in zip(grid, parts, strict=True):
        for axes, score in zip(row, ALIGNMENT_FIELDS, strict=True):
            frame_series(axes, part[part["score"] == score], frames, "origin", origins, "mean")
    label_axis(figure, [axes for row in grid for axes in row], y=SCORE_AXIS)
    legend(figure, [*handles(origins), shade()])
    return figure


@report_figure(
    "alignment_by_scenario",
    "Mean of the four alignment scores on each scenario, by origin. Points that lie apart mean "
    "that origins justify their decisions differently, or take different ones, whatever their NSI.",
)
def alignment_by_scenario(tables: Tables) -> Figure | None:
    """The four scores by scenario and origin; where settings vary, a row of panels for each."""
    table = tables["alignment_by_scenario"].dropna(subset="mean")
    if table.empty:
        return None
    origins = origin_marks(tables, table)
    order = scenario_order(tables, table)
    places = {name: place for place, name in enumerate(order)}
    ticks = wrapped(order, 20)
    parts = by_settings(table)
    figure, grid = _panels(parts, height=row_height(ticks) * len(ticks))
    set_rows([axes for row in grid for axes in row], ticks)
    grid[0][0].set_xlim(*SPAN)
    for row, (_, part) in zip(grid, parts, strict=True):
        for axes, score in zip(row, ALIGNMENT_FIELDS, strict=True):
            axes.grid(axis="y")
            scores = part[part["score"] == score]
            offsets = dodge(len(origins), 0.5)
            for (origin, mark), offset in zip(origins.items(), offsets, strict=True):
                group = scores[scores["origin"] == origin]
                y = positions(group["scenario"], places) + offset
                axes.scatter(group["mean"], y, s=13, color=mark.colour, marker=mark.marker)
    label_axis(figure, [axes for row in grid for axes in row], x=SCORE_AXIS)
    legend(figure, handles(origins))
    return figure


def _panels(
    parts: list[tuple[str, pd.DataFrame]], height: float, square: bool = False
) -> tuple[Figure, Grid]:
    """A row of the four scores for each part; if `square`, two by two where it is alone."""
    down, across = (2, 2) if square and len(parts) == 1 else (len(parts), 4)
    figure = Figure(figsize=(WIDTH, 1.0 + down * (height + 0.2)), layout="constrained")
    axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    grid = [list(axes[start : start + 4]) for start in range(0, len(axes), 4)]
    for panel, score in zip(grid[0], ALIGNMENT_FIELDS, strict=True):
        title_panel(panel, score.replace("_", " ").removeprefix("objective "), across)
    for row, (title, _) in zip(grid, parts, strict=True):
        row[0].set_ylabel(wrap(title, ROW_TITLE, 3))
    return figure, grid
