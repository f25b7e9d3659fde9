"""NUBench: accuracy, what was chosen, and which local negations are taken for the standard one."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from negation_evals.analysis.nubench.results import choice_labels
from negation_evals.report.figures.axes import dodge, in_order, legend, rows_figure
from negation_evals.report.figures.figure import Tables
from negation_evals.report.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    OTHER_COLOURS,
    SHADE,
    SMALL,
    SOFT,
    VERMILION,
    Mark,
    handle,
    marks,
)
from negation_evals.report.figures.text import wrapped
from negation_evals.report.nubench.published import human_accuracy
from negation_evals.schema.nubench import OptionType

PARTS = {
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
    axes.scatter(table["accuracy"], rows, s=26, color=BLUE, lw=0, zorder=3)
    for place, words in ((humans["mean"], "11 adults"), (table["chance"].mean(), "chance")):
        axes.annotate(
            words,
            (place, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL,
        )
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("accuracy: share of items whose standard negation was chosen")
    return figure


def choices(tables: Tables) -> Figure | None:
    """What was chosen, as shares of all scored answers."""
    errors = tables["nubench_errors"]
    if errors.empty:
        return None
    scored = (errors["n_valid"] + errors["n_violations"]).to_numpy(dtype=float)
    wrong = errors["n_wrong"].to_numpy(dtype=float)
    counts = {OptionType.STANDARD.value: errors["n_valid"].to_numpy(dtype=float) - wrong}
    counts |= {
        name: errors[name].fillna(0).to_numpy() * wrong for name in PARTS if name in errors.columns
    }
    counts["format violation"] = errors["n_violations"].to_numpy(dtype=float)
    figure, axes = rows_figure(wrapped(choice_labels(errors)))
    left = np.zeros(len(errors))
    for name, colour in PARTS.items():
        width = np.divide(counts[name], scored, out=np.zeros(len(errors)), where=scored > 0)
        axes.barh(range(len(errors)), width, left=left, height=0.62, color=colour, lw=0)
        left += width
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the answers")
    legend(figure, [Patch(color=colour, label=name) for name, colour in PARTS.items()], 3)
    return figure


def confusion(tables: Tables) -> Figure | None:
    """How often the local negation was chosen, by its construction."""
    table = tables["nubench_confusion"].dropna(subset="confusion")
    if table.empty:
        return None
    table = table.assign(label=choice_labels(table))
    labels = in_order(table["label"])
    figure, axes = rows_figure(wrapped(labels), above=1.1)
    found = marks(table["local_type"], LOCAL_TYPES)
    for (name, mark), offset in zip(found.items(), dodge(len(found)), strict=True):
        own = table[table["local_type"] == name]
        rows = np.array([labels.index(label) for label in own["label"]]) + offset
        axes.scatter(
            own["confusion"], rows, s=24, color=mark.colour, marker=mark.marker, lw=0, zorder=3
        )
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of the choices that took the local negation")
    legend(figure, [handle(name, mark) for name, mark in found.items()])
    return figure
