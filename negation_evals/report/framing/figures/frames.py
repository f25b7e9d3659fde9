"""What changes from frame to frame: endorsement, and agreement between models."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from negation_evals.report.figures.axes import dodge, label_axis, legend, panels, positions
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.style import INK, SHADE, SOFT, Mark, handle, handles
from negation_evals.report.figures.text import printable
from negation_evals.report.framing.figures.common import (
    by_settings,
    frame_label,
    is_negated,
    origin_marks,
)

MOST_ACROSS = 4
"""Frames whose wordings fit side by side."""
LONE, PANEL = 2.8, 1.9
"""Height in inches of the only panel, and of each of several."""


@report_figure(
    "endorsement_by_origin",
    "How often the action is endorsed in each frame, by origin (A is the action, G the goal); "
    "negated frames are shaded, and the dashed line is 0.5. A model that heeds the negation stays "
    "level: a rise in the shaded frames means that negation turns into endorsement.",
)
def endorsement_by_origin(tables: Tables) -> Figure | None:
    """Endorsement rate by frame, a series for each origin and a panel for each setting."""
    table = tables["endorsement_by_origin"].dropna(subset="rate")
    if table.empty:
        return None
    origins = origin_marks(tables, table)
    parts = by_settings(table)
    frames = sorted(table["frame"].unique())
    figure, grid = _panels(frames, [title for title, _ in parts])
    for axes, (_, part) in zip(grid, parts, strict=True):
        axes.axhline(0.5, color=SOFT, lw=0.9, ls=(0, (4, 3)), zorder=1)
        frame_series(axes, part, frames, "origin", origins, "rate")
    label_axis(figure, grid, y="endorsement of the action:\n0 never, 1 always")
    legend(figure, [*handles(origins), *_interval(table), shade()], columns=5)
    return figure


@report_figure(
    "agreement_by_frame",
    "How often two models have the same majority decision on a scenario, by frame, over all pairs "
    "of models (A is the action, G the goal). Intervals resample scenarios.",
)
def agreement_by_frame(tables: Tables) -> Figure | None:
    """Agreement between models by frame; a panel for each setting."""
    table = tables["agreement_by_frame"].dropna(subset="agreement").assign(all="")
    if table.empty:
        return None
    parts = by_settings(table)
    frames = sorted(table["frame"].unique())
    figure, grid = _panels(frames, [title for title, _ in parts])
    for axes, (_, part) in zip(grid, parts, strict=True):
        frame_series(axes, part, frames, "all", {"": Mark(INK, "o")}, "agreement")
    label_axis(
        figure, grid, y="agreement of two models: share\nof scenarios with the same majority"
    )
    legend(figure, [handle("mean over pairs", Mark(INK, "o"), 5), *_interval(table), shade()])
    return figure


def _panels(frames: Sequence[str], titles: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Panels from 0 to 1 over the frames."""
    lone = len(titles) == 1
    figure, grid = panels(titles, LONE if lone else PANEL)
    frame_axis(grid, frames, spelled_out=lone)
    grid[0].set_ylim(-0.02, 1.02)
    return figure, grid


def frame_axis(panels: Sequence[Axes], frames: Sequence[str], spelled_out: bool) -> None:
    """Frames side by side, the negated ones shaded; the panels share this axis.

    More than `MOST_ACROSS` have room for their names alone, in narrow panels turned.
    """
    crowded = len(frames) > MOST_ACROSS
    labels = [printable(name) if crowded else frame_label(name, spelled_out) for name in frames]
    turned = 90 if crowded and not spelled_out else 0
    panels[0].set_xticks(range(len(frames)), labels)
    panels[0].set_xlim(-0.5, len(frames) - 0.5)
    for axes in panels:
        axes.tick_params(axis="x", length=0, labelrotation=turned)
        axes.grid(axis="y")
        for place, name in enumerate(frames):
            if is_negated(name):
                axes.axvspan(place - 0.5, place + 0.5, color=SHADE, lw=0, zorder=0)


def frame_series(
    axes: Axes,
    part: pd.DataFrame,
    frames: Sequence[str],
    by: str,
    marks: dict[str, Mark],
    value: str,
) -> None:
    """For each group its values over the panel's frames, joined, and their intervals."""
    places = {name: place for place, name in enumerate(frames)}
    for (name, mark), offset in zip(marks.items(), dodge(len(marks)), strict=True):
        group = part[part[by] == name].sort_values("frame")
        x = positions(group["frame"], places) + offset
        axes.plot(x, group[value], color=mark.colour, lw=0.8, alpha=0.5)
        axes.scatter(x, group[value], s=26, color=mark.colour, marker=mark.marker, zorder=3)
        if "ci_low" in group.columns:
            axes.vlines(x, group["ci_low"], group["ci_high"], color=mark.colour, lw=1.3)


def shade() -> Patch:
    """The legend's entry for shaded frames."""
    return Patch(facecolor="#E2E2E2", label="negated frame")


def _interval(table: pd.DataFrame) -> list[Line2D]:
    if not table["ci_low"].notna().any():
        return []
    return [handle("95 % interval", Mark(INK, "|"), 9, markeredgewidth=1.3)]
