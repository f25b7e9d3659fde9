"""The pairs of frames that differ in their negation alone."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from negation_evals.framing.frames import frame_pairs
from negation_evals.report.figures.axes import legend, note_above, rows_figure, scatter
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.style import BLUE, INK, VERMILION, Mark, handle, handles, marks
from negation_evals.report.framing.figures.common import (
    NSI_AXIS,
    NSI_SPAN,
    result_rows,
    result_ticks,
)

PAIRS = {"simple": Mark(BLUE, "o"), "compound": Mark(VERMILION, "^")}
WHOLE = Mark(INK, "D")


@report_figure(
    "pairs",
    "NSI over all frames next to that within each pair of frames that differ in their negation "
    "alone. Where all pairs lie far below, the stance moves with what distinguishes the pairs, "
    "such as the mention of the goal, rather than with the negation.",
)
def pairs(tables: Tables) -> Figure | None:
    """Mean NSI within each pair beside that over all frames, results as ranked."""
    table = tables["acquiescence_by_pair"].dropna(subset="nsi")
    ranked = tables["ranking"].dropna(subset="nsi")
    if table.empty or ranked.empty:
        return None
    figure, axes = rows_figure(result_ticks(ranked))
    rows = {key: row for row, key in enumerate(result_rows(ranked))}
    scatter(axes, ranked["nsi"], range(len(ranked)), WHOLE, 22, zorder=2)
    groups = _points(axes, table, "nsi", rows)
    axes.set_xlim(*NSI_SPAN)
    axes.set_xlabel(f"mean {NSI_AXIS}")
    legend(figure, [handle("all frames", WHOLE, 5), *_entries(groups)])
    return figure


@report_figure(
    "acquiescence",
    "Mean acquiescence of each result in each pair: -1 disagrees with a proposal and with its "
    "negation, 0 mirrors the negation, +1 agrees with both. The highest mean is on top.",
)
def acquiescence(tables: Tables) -> Figure | None:
    """Mean acquiescence of each pair, the habit of agreeing on top."""
    table = tables["acquiescence_by_pair"].dropna(subset="acquiescence")
    if table.empty:
        return None
    ranked = tables["ranking"].sort_values("acquiescence", ascending=False, kind="stable")
    answered = set(result_rows(table))
    ranked = ranked[[key in answered for key in result_rows(ranked)]]
    figure, axes = rows_figure(result_ticks(ranked), above=1.1)
    rows = {key: row for row, key in enumerate(result_rows(ranked))}
    axes.axvline(0, color=INK, lw=0.8, zorder=1)
    groups = _points(axes, table, "acquiescence", rows)
    axes.set_xlim(-1.04, 1.04)
    axes.set_xlabel("mean acquiescence: P(agree | affirmative) + P(agree | negated) - 1")
    ends = ((-1, "always disagrees", "left"), (0, "mirror-consistent", "center"))
    for place, words, side in (*ends, (1, "always agrees", "right")):
        note_above(axes, place, words, ha=side)
    legend(figure, _entries(groups))
    return figure


def _entries(groups: dict[str, Mark]) -> list[Line2D]:
    """An entry of the legend for each pair, with its frames."""
    frames = {name: f"{name} pair ({', '.join(pair)})" for name, pair in frame_pairs().items()}
    return handles({frames.get(name, name): mark for name, mark in groups.items()})


def _points(
    axes: Axes, table: pd.DataFrame, value: str, rows: dict[tuple[object, ...], int]
) -> dict[str, Mark]:
    """The values of each pair in the rows of their results, over a line from end to end."""
    groups = marks(table["pair"], PAIRS)
    places = pd.Series([rows.get(key) for key in result_rows(table)], table.index, dtype=float)
    ends = table[value].groupby(places).agg(["min", "max"])
    axes.hlines(ends.index, ends["min"], ends["max"], color="#D2D2D2", lw=1.5, zorder=1)
    for name, mark in groups.items():
        group = table["pair"] == name
        scatter(axes, table.loc[group, value], places[group], mark, 26, alpha=0.9)
    return groups
