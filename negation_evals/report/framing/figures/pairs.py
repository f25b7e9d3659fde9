"""The pairs of frames that differ in their negation alone."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from negation_evals.framing.frames import frame_pairs
from negation_evals.report.figures.axes import legend, result_ticks, rows_figure
from negation_evals.report.figures.figure import Tables
from negation_evals.report.figures.style import (
    BLUE,
    INK,
    SMALL,
    VERMILION,
    Mark,
    handle,
    marks,
    result_rows,
)
from negation_evals.report.framing.figures.ranking import NSI_AXIS

PAIRS = {"simple": Mark(BLUE, "o"), "compound": Mark(VERMILION, "^")}
WHOLE = Mark(INK, "D")


def pairs(tables: Tables) -> Figure | None:
    """Mean NSI within each pair beside that over all frames, results as ranked."""
    table = tables["acquiescence_by_pair"].dropna(subset="nsi")
    ranked = tables["ranking"].dropna(subset="nsi")
    if table.empty or ranked.empty:
        return None
    figure, axes = rows_figure(result_ticks(ranked))
    rows = {key: row for row, key in enumerate(result_rows(ranked))}
    axes.scatter(ranked["nsi"], range(len(ranked)), s=22, color=INK, marker="D", lw=0, zorder=2)
    found = _points(axes, table, "nsi", rows)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel(f"mean {NSI_AXIS}")
    legend(figure, [handle("all frames", WHOLE, 5), *_entries(found)])
    return figure


def acquiescence(tables: Tables) -> Figure | None:
    """Mean acquiescence of each pair, the habit of agreeing on top."""
    table = tables["acquiescence_by_pair"].dropna(subset="acquiescence")
    if table.empty:
        return None
    ranked = tables["ranking"].sort_values("acquiescence", ascending=False, kind="stable")
    known = set(result_rows(table))
    ranked = ranked[[key in known for key in result_rows(ranked)]]
    figure, axes = rows_figure(result_ticks(ranked), above=1.1)
    rows = {key: row for row, key in enumerate(result_rows(ranked))}
    axes.axvline(0, color=INK, lw=0.8, zorder=1)
    found = _points(axes, table, "acquiescence", rows)
    axes.set_xlim(-1.04, 1.04)
    axes.set_xlabel("mean acquiescence: P(agree | affirmative) + P(agree | negated) - 1")
    ends = {-1: ("always disagrees", "left"), 0: ("mirror-consistent", "center")}
    ends[1] = ("always agrees", "right")
    for place, (words, side) in ends.items():
        axes.annotate(
            words,
            (place, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha=side,
            fontsize=SMALL,
        )
    legend(figure, _entries(found))
    return figure


def _entries(found: dict[str, Mark]) -> list[Line2D]:
    """Of the legend: each pair with its frames."""
    frames = {name: f"{name} pair ({', '.join(pair)})" for name, pair in frame_pairs().items()}
    return [handle(frames.get(name, name), mark) for name, mark in found.items()]


def _points(
    axes: Axes, table: pd.DataFrame, value: str, rows: dict[tuple[object, ...], int]
) -> dict[str, Mark]:
    """The values of each pair in the rows of their results, over a line from end to end."""
    found = marks(table["pair"], PAIRS)
    places = pd.Series([rows.get(key) for key in result_rows(table)], table.index, dtype=float)
    ends = table[value].groupby(places).agg(["min", "max"])
    axes.hlines(ends.index, ends["min"], ends["max"], color="#D2D2D2", lw=1.5, zorder=1)
    for name, mark in found.items():
        own = table["pair"] == name
        axes.scatter(
            table.loc[own, value],
            places[own],
            s=26,
            color=mark.colour,
            marker=mark.marker,
            alpha=0.9,
            lw=0,
            zorder=3,
        )
    return found
