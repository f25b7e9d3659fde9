"""NUBench: accuracy, what was chosen, and which local negations are taken for the standard one."""

from typing import Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from negation_evals.analysis.nubench.results import choice_labels
from negation_evals.report.figures.axes import (
    dodge,
    in_order,
    legend,
    note_above,
    rows_figure,
    scatter,
)
from negation_evals.report.figures.figure import ReportFigure, Tables, report_figure
from negation_evals.report.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    OTHER_COLOURS,
    SHADE,
    SOFT,
    VERMILION,
    Mark,
    handles,
    marks,
)
from negation_evals.report.figures.text import wrapped
from negation_evals.report.nubench.published import human_accuracy
from negation_evals.schema.nubench import OptionType

COLOURS = {
    OptionType.STANDARD.value: BLUE,
    OptionType.LOCAL.value: VERMILION,
    OptionType.CONTRADICTION.value: OTHER_COLOURS[2],
    OptionType.PARAPHRASE.value: OTHER_COLOURS[1],
    "format violation": FAINT,
}
LOCAL_TYPES = {
    "relative clause": Mark(BLUE, "o"),
    "participle clause": Mark(VERMILION, "s"),
    "adverbial clause": Mark(GREEN, "^"),
    "compound sentence": Mark(OTHER_COLOURS[2], "D"),
}


@report_figure(
    "nubench_accuracy",
    "Accuracy of each result on NUBench with its 95 % interval, clustered on the page. The dotted "
    "line is chance; the band spans the eleven adults of arXiv:2506.14397, the dashed line their "
    "mean (on other items, the public set's).",
)
def accuracy(tables: Tables) -> Figure | None:
    """Accuracy of each result with its interval, the chance level and the paper's readers."""
    table = tables["nubench_accuracy"].dropna(subset="accuracy")
    if table.empty:
        return None
    figure, axes = rows_figure(wrapped(choice_labels(table)), above=1.0)
    rows = np.arange(len(table))
    humans = human_accuracy()
    axes.axvspan(humans["low"], humans["high"], color=SHADE, zorder=0)
    axes.axvline(humans["mean"], color=SOFT, lw=0.8, ls="--", zorder=1)
    axes.axvline(table["chance"].mean(), color=INK, lw=0.8, ls=":", zorder=1)
    axes.hlines(rows, table["ci_low"], table["ci_high"], color=BLUE, lw=1.5, alpha=0.5, zorder=2)
    scatter(axes, table["accuracy"], rows, Mark(BLUE, "o"), 26)
    for place, words in ((humans["mean"], "11 adults"), (table["chance"].mean(), "chance")):
        note_above(axes, place, words)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("accuracy: share of items whose standard negation was chosen")
    return figure


@report_figure(
    "nubench_choices",
    "What was chosen: the standard negation is right; a local negation, a contradiction and a "
    "paraphrase are wrong; a format violation chooses no option of its item.",
)
def choices(tables: Tables) -> Figure | None:
    """What was chosen, as shares of all scored answers."""
    errors = tables["nubench_errors"]
    if errors.empty:
        return None
    scored = (errors["n_valid"] + errors["n_violations"]).to_numpy(dtype=float)
    wrong = errors["n_wrong"].to_numpy(dtype=float)
    counts = {OptionType.STANDARD.value: errors["n_valid"].to_numpy(dtype=float) - wrong}
    counts |= {
        name: errors[name].fillna(0).to_numpy() * wrong
        for name in COLOURS
        if name in errors.columns
    }
    counts["format violation"] = errors["n_violations"].to_numpy(dtype=float)
    figure, axes = rows_figure(wrapped(choice_labels(errors)))
    left = np.zeros(len(errors))
    for name, colour in COLOURS.items():
        width = np.divide(counts[name], scored, out=np.zeros(len(errors)), where=scored > 0)
        axes.barh(range(len(errors)), width, left=left, height=0.62, color=colour, lw=0)
        left += width
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the answers")
    legend(figure, [Patch(color=colour, label=name) for name, colour in COLOURS.items()], 3)
    return figure


@report_figure(
    "nubench_confusion",
    "Of the choices on items with a local negation in this construction, the share that took it "
    "for the standard negation.",
)
def confusion(tables: Tables) -> Figure | None:
    """How often the local negation was chosen, by its construction."""
    table = tables["nubench_confusion"].dropna(subset="confusion")
    if table.empty:
        return None
    table = table.assign(label=choice_labels(table))
    labels = in_order(table["label"])
    figure, axes = rows_figure(wrapped(labels), above=1.1)
    groups = marks(table["local_type"], LOCAL_TYPES)
    for (name, mark), offset in zip(groups.items(), dodge(len(groups)), strict=True):
        part = table[table["local_type"] == name]
        rows = np.array([labels.index(label) for label in part["label"]]) + offset
        scatter(axes, part["confusion"], rows, mark, 24)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of the choices that took the local negation")
    legend(figure, handles(groups))
    return figure


FIGURES: Final[tuple[ReportFigure, ...]] = (accuracy, choices, confusion)
