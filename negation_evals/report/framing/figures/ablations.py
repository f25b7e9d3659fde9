"""One setting changed and all else equal."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from negation_evals.report.documents.formats import signed_percent
from negation_evals.report.figures.axes import legend, scatter, set_rows, title_panel
from negation_evals.report.figures.figure import Tables, report_figure
from negation_evals.report.figures.style import (
    BLUE,
    INK,
    SMALL,
    SOFT,
    VERMILION,
    WIDTH,
    Mark,
    handle,
)
from negation_evals.report.figures.text import LINE, row_height, wrapped

NAMES = {
    "condition": "asked to reason",
    "variant": "the model's own reasoning mode",
    "temperature": "temperature",
}
STEADIER, MORE, SAME = Mark(BLUE, "o"), Mark(VERMILION, "D"), Mark(SOFT, "s")
SAME_WITHIN = 0.005
"""Changes up to this are drawn in grey: rounded to two digits they vanish."""


@report_figure(
    "reasoning",
    "Mean NSI without and with reasoning, for each model or model family, and the change on each "
    "scenario. Means are over all pairs that differ in nothing else, so any other setting that "
    "varies is averaged on both sides alike. At the right the change relative to the mean before.",
)
def reasoning(tables: Tables) -> Figure | None:
    """What reasoning does, on request (`condition`) or as the model's mode (`variant`)."""
    return _ablation(tables, ("condition", "variant"))


@report_figure(
    "temperature",
    "Mean NSI at the highest temperature and at another, for each model, and the change on each "
    "scenario. Means are over all pairs that differ in nothing else, so any other setting that "
    "varies is averaged on both sides alike. At the right the change relative to the mean before.",
)
def temperature(tables: Tables) -> Figure | None:
    """What the temperature does."""
    return _ablation(tables, ("temperature",))


def _ablation(tables: Tables, settings: Sequence[str]) -> Figure | None:
    """For each comparison a panel of units and a panel of scenarios."""
    keys = ["setting", "baseline", "treatment"]
    units, scenarios = (
        table[table["setting"].isin(settings)].dropna(subset="change")
        for table in (tables["ablations_by_unit"], tables["ablations_by_scenario"])
    )
    comparisons = list(units[keys].drop_duplicates().itertuples(index=False, name=None))
    if not comparisons:
        return None
    blocks: list[tuple[str, pd.DataFrame, list[str]]] = []
    for setting, baseline, treatment in comparisons:
        title = f"{NAMES[setting]}: {baseline} → {treatment}"
        for table, name in ((units, "unit"), (scenarios, "scenario")):
            compared = (table[keys] == [setting, baseline, treatment]).all(axis=1)
            part = table[compared].sort_values(["change", name], kind="stable", ignore_index=True)
            blocks.append((title, part, wrapped(part[name])))
    heights = [row_height(ticks) * max(len(ticks), 1) + 0.12 for _, _, ticks in blocks]
    spare = 0.45 + (0.55 + 2 * LINE) * len(blocks)
    figure = Figure(figsize=(WIDTH, sum(heights) + spare), layout="constrained")
    ratios = {"height_ratios": heights}
    grid = figure.subplots(len(blocks), 1, squeeze=False, gridspec_kw=ratios).ravel()
    for number, (axes, (title, part, ticks)) in enumerate(zip(grid, blocks, strict=True)):
        set_rows([axes], ticks)
        title_panel(axes, f"{title}{', by scenario' if number % 2 else ''}")
        (_changes if number % 2 else _dumbbells)(axes, part)
        _relative(axes, part)
    handles = [
        handle("before", Mark("white", "o"), 5, markeredgewidth=1, markeredgecolor=INK),
        handle("after: steadier", STEADIER),
        handle("after: more sensitive", MORE),
    ]
    legend(figure, handles)
    return figure


def _dumbbells(axes: Axes, part: pd.DataFrame) -> None:
    """Mean NSI before and after, joined."""
    for row, (_, unit) in enumerate(part.iterrows()):
        mark = _direction(unit["change"])
        before, after = unit["mean_baseline"], unit["mean_treatment"]
        axes.plot([before, after], [row, row], color=mark.colour, lw=1.8, zorder=2)
        axes.scatter(before, row, s=24, facecolor="white", edgecolor=INK, lw=1, zorder=3)
        scatter(axes, after, row, mark, 26, zorder=4)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("mean NSI: 0 same stance in all frames, 1 stance reversed")


def _changes(axes: Axes, part: pd.DataFrame) -> None:
    """How far mean NSI moved, from 0."""
    axes.axvline(0, color=INK, lw=0.8)
    for row, (_, scenario) in enumerate(part.iterrows()):
        mark = _direction(scenario["change"])
        axes.hlines(row, 0, scenario["change"], color=mark.colour, lw=1.8)
        scatter(axes, scenario["change"], row, mark, 26)
    reach = max(1.15 * part["change"].abs().max(), 0.1) if len(part) else 1
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("change in mean NSI: below 0 steadier, above 0 more sensitive")


def _relative(axes: Axes, part: pd.DataFrame) -> None:
    """At the right of each row the change relative to the mean before, as SFF's Figure 8."""
    for row, value in part["relative_to_baseline"].items():
        axes.annotate(
            signed_percent(value),
            (1, row),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
        )


def _direction(change: float) -> Mark:
    if abs(change) <= SAME_WITHIN:
        return SAME
    return STEADIER if change < 0 else MORE
