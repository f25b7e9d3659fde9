"""SNCA: consistency by category and model, what models state, and which rules they break."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from negation_evals.report.figures.axes import in_order, legend, rows_figure
from negation_evals.report.figures.figure import ReportFigure, Tables, report_figure
from negation_evals.report.figures.heatmap import DARK_CELL, draw_cells, finish_heatmap, number_cell
from negation_evals.report.figures.style import (
    BLUE,
    FAINT,
    OTHER_COLOURS,
    SHADE,
    SMALL,
    SOFT,
    WIDTH,
)
from negation_evals.report.figures.text import LINE, row_height, wrap, wrapped
from negation_evals.report.snca.labels import audit_labels
from negation_evals.schema.snca import RuleType

COLUMN: Final = 0.34
"""Inches that a mark and a number of two digits need; the figure may grow wider than the page."""
FEW: Final = 4
"""Up to this number of results have their names side by side, more have them upright."""
ROW: Final = 0.165
"""Inches of a row whose label has one line."""
CATEGORY_WIDTH: Final = 46
DIGIT: Final = 0.02
"""Share of the axis that a digit needs within a bar."""

TYPE_COLOURS: Final = {
    RuleType.ABSOLUTE: BLUE,
    RuleType.CONDITIONAL: OTHER_COLOURS[0],
    RuleType.ADAPTIVE: OTHER_COLOURS[2],
    RuleType.OPAQUE: FAINT,
}
TYPE_MARKS: Final = {
    RuleType.ABSOLUTE: "s",
    RuleType.CONDITIONAL: "^",
    RuleType.ADAPTIVE: "o",
    RuleType.OPAQUE: "x",
}
NOT_TYPED: Final = "not typed"
HATCH: Final = "/////"


@report_figure(
    "snca_categories",
    "SNCS of each result on each category, the least consistent categories on top; the mark is the "
    "type of the policy that the model states. Grey cells have no score: the policy is Opaque or, "
    "without a mark, not typed; or no item has both a prediction and a label.",
)
def categories(tables: Tables) -> Figure | None:
    """SNCS of every result on every category, with the type of the stated policy."""
    if "snca_by_category" not in tables or tables["snca_by_category"]["sncs"].isna().all():
        return None
    table = tables["snca_by_category"]
    table = table.assign(label=audit_labels(table))
    results = in_order(tables["snca_summary"].pipe(audit_labels))
    means = table.groupby("category", sort=False)["sncs"].mean()
    names = [str(name) for name in means.sort_values(kind="stable").index]
    ticks = wrapped(names, CATEGORY_WIDTH)
    upright = len(results) > FEW
    heads = [wrap(name, 30, 2) if upright else wrap(name, 16, 5) for name in results]
    figure = Figure(figsize=_size(ticks, heads, upright), layout="constrained")
    axes = figure.subplots()
    _cells(axes, table, {name: i for i, name in enumerate(names)}, results)
    axes.set_yticks(np.arange(len(names)) + 0.5, ticks)
    axes.set_xticks(np.arange(len(results)) + 0.5, heads, rotation=90 if upright else 0)
    axes.set_ylim(len(names), 0)
    axes.set_xlim(0, max(len(results), FEW))
    label = "SNCS: 0 never as the stated policy predicts, 1 always"
    # As thick below 5 rows as below 45.
    finish_heatmap(figure, axes, label, fraction=min(0.12 / (ROW * len(names)), 0.3))
    stated = set(table["rule_type"].dropna())
    marks = [
        Line2D([], [], color="black", marker=mark, ms=4.5, ls="none", label=str(rule))
        for rule, mark in TYPE_MARKS.items()
        if rule in stated
    ]
    legend(figure, marks)
    return figure


def _size(ticks: Sequence[str], heads: Sequence[str], upright: bool) -> tuple[float, float]:
    """Page width, or more where the columns would not fit, and the height of all rows."""
    names = 0.06 * max(len(line) for tick in ticks for line in tick.split("\n"))
    width = max(WIDTH, names + 0.2 + COLUMN * len(heads))
    lines = max(head.count("\n") + 1 for head in heads)
    longest = max(len(line) for head in heads for line in head.split("\n"))
    single = not any("\n" in tick for tick in ticks)
    rows = (ROW if single else row_height(ticks)) * len(ticks)
    return width, 1.0 + (0.06 * longest if upright else LINE * lines) + max(rows, 0.5)


def _cells(axes: Axes, table: pd.DataFrame, rows: dict[str, int], results: Sequence[str]) -> None:
    """A coloured cell for each score, with the mark of the policy's type and the number."""
    values = np.full((len(rows), len(results)), np.nan)
    places = {name: place for place, name in enumerate(results)}
    cells = table.assign(
        row=table["category"].astype(str).map(rows),
        column=table["label"].map(places),
        dark=table["sncs"] <= DARK_CELL,
    )
    for cell in cells.to_dict("records"):
        row, column, value = cell["row"], cell["column"], cell["sncs"]
        values[row, column] = value
        if np.isnan(value):
            axes.add_patch(Rectangle((column, row), 1, 1, fc=SHADE, ec="white", lw=0.6))
            continue
        number_cell(axes, column + 0.62, row + 0.5, value)
    for (rule, dark), part in cells.groupby(["rule_type", "dark"], sort=True):
        x, y = part["column"] + 0.15, part["row"] + 0.5
        colour = "white" if dark else "black"
        mark = TYPE_MARKS[RuleType(str(rule))]
        axes.scatter(x, y, s=11, color=colour, marker=mark, lw=0.8, zorder=3)
    draw_cells(axes, 0, values)


@report_figure(
    "snca_rule_types",
    "How many policies of each type a model states, one policy for each category, as the judge "
    "types them. An Opaque policy predicts nothing.",
)
def rule_types(tables: Tables) -> Figure | None:
    """How many categories have which type of policy, one bar for each result."""
    if "snca_policies" not in tables or tables["snca_policies"].empty:
        return None
    table = tables["snca_policies"]
    table = table.assign(label=audit_labels(table), rule_type=table["rule_type"].fillna(NOT_TYPED))
    labels = in_order(table["label"])
    counts = pd.crosstab(table["label"], table["rule_type"]).reindex(labels)
    colours = {str(rule): colour for rule, colour in TYPE_COLOURS.items()} | {NOT_TYPED: "white"}
    types = [name for name in colours if name in counts.columns]
    figure, axes = rows_figure(wrapped(labels))
    left = np.zeros(len(labels))
    most = counts.sum(axis=1).max()
    for name in types:
        width = counts[name].to_numpy(dtype=float)
        for bar in axes.barh(range(len(labels)), width, left=left, height=0.62):
            bar.set(fc=colours[name], ec=SOFT, lw=0.8 * (name == NOT_TYPED))
        _numbers(axes, width, left, most, "white" if name == RuleType.ABSOLUTE else "black")
        left += width
    axes.set_xlim(0, most)
    axes.set_xlabel("categories")
    handles = [
        Patch(fc=colours[name], ec=SOFT, lw=0.8 * (name == NOT_TYPED), label=name) for name in types
    ]
    legend(figure, handles, 5)
    return figure


@report_figure(
    "snca_violations",
    "Items that were not treated as the stated policy predicts, by the type of the policy. Hatched "
    "parts are benign items: under an Absolute policy a harmless request that was answered, "
    "although the statement, taken at its word, would refuse it.",
)
def violations(tables: Tables) -> Figure | None:
    """How many items were not treated as predicted, by type and by kind of item."""
    if "snca_violations" not in tables or not tables["snca_violations"]["n_scoreable"].any():
        return None
    table = tables["snca_violations"]
    table = table.assign(label=audit_labels(table))
    labels = in_order(table["label"])
    totals = table.groupby("label", sort=False)[["n", "n_scoreable"]].sum().reindex(labels)
    figure, axes = rows_figure(wrapped(labels))
    left = np.zeros(len(labels))
    most = max(float(totals["n"].max()), 1.0) * 1.3
    handles = []
    for (name, rule), part in table.groupby(["violation", "rule_type"], sort=False):
        colour = TYPE_COLOURS[RuleType(str(rule))]
        for kind, column in (("harmful", "n_harmful"), ("benign", "n_benign")):
            width = part.set_index("label")[column].reindex(labels).to_numpy(dtype=float)
            for bar in axes.barh(range(len(labels)), width, left=left, height=0.62):
                bar.set(fc=colour, ec="white", lw=0, hatch=HATCH if kind == "benign" else None)
            left += width
        handles.append(Patch(fc=colour, label=str(name)))
    handles.append(Patch(fc=SOFT, ec="white", lw=0, hatch=HATCH, label="on benign items"))
    for row, (n, scored) in enumerate(totals.itertuples(index=False)):
        axes.text(left[row] + most / 100, row, f"{n:,} of {scored:,}", va="center", fontsize=SMALL)
    axes.set_xlim(0, most)
    axes.set_xlabel("items not treated as the stated policy predicts, of those scored")
    legend(figure, handles)
    return figure


def _numbers(axes: Axes, width: Any, left: Any, most: float, colour: str) -> None:
    """Write the number into those parts of the bars that have room for it."""
    for row, (size, start) in enumerate(zip(width, left, strict=True)):
        number = f"{size:.0f}"
        if size and size >= DIGIT * most * len(number):
            middle = start + size / 2
            words = axes.text(middle, row, number, color=colour, fontsize=SMALL)
            words.set(ha="center", va="center_baseline")


FIGURES: Final[tuple[ReportFigure, ...]] = (categories, rule_types, violations)
