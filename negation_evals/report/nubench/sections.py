"""What the report says on NUBench."""

from typing import Final

import pandas as pd

from negation_evals.analysis.common.labels import setting_label
from negation_evals.analysis.nubench.results import MOST_COMPARED, choice_labels, crowded_conditions
from negation_evals.report.documents.formats import counted, percent
from negation_evals.report.documents.sections import Section
from negation_evals.report.family import ReportOptions, Tables
from negation_evals.report.nubench.grids import nubench_grids
from negation_evals.report.nubench.published import human_accuracy


def nubench_sections(tables: Tables, options: ReportOptions) -> list[Section]:
    """The section of NUBench."""
    accuracy = tables["nubench_accuracy"]
    humans = human_accuracy()
    words = [
        "The standard negation of a sentence is to be picked among a local negation, a "
        "contradiction and a paraphrase (Thunder-NUBench, arXiv:2506.14397). A reply that picks no "
        "option of its item is a format violation: wrong for accuracy, and out of the statistics "
        "of errors. Standard errors and intervals are clustered on the Wikipedia page that "
        "sentences are from.",
        _result_words(accuracy),
        "For scale: eleven adults in the paper, on 50 items of the public set under detailed "
        f"instructions, reached {percent(humans['mean'])} (from {percent(humans['low'])} to "
        f"{percent(humans['high'])}). Results on other data, such as the built-in set, do not "
        "compare with that.",
        "Local confusion is the share of the choices that took the local negation for the standard "
        "one. Letters: a habit of choosing one letter shows as a share of choices far from the "
        "share of right options there.",
    ]
    if missing := int(accuracy["n_missing"].sum()):
        words.append(f"Without a score, and so missing, not wrong: {counted(missing, 'sample')}.")
    if len(tables["nubench_excluded"]):
        words.append(_excluded_words(tables["nubench_excluded"], accuracy))
    words += [
        f"{n} results stand under the same conditions: more than {MOST_COMPARED} are not compared "
        "with each other here; `compare_choices` in Python compares any two."
        for n in crowded_conditions(accuracy).values()
    ]
    return [
        Section(
            "nubench",
            "Standard negation: NUBench",
            tuple(words),
            FIGURES,
            nubench_grids(tables),
        )
    ]


def _result_words(accuracy: pd.DataFrame) -> str:
    """How many results there are, the highest accuracy, and the data."""
    if accuracy.empty:
        return "No result is kept."
    words = f"{counted(len(accuracy), 'result')}. "
    best = accuracy.iloc[0]
    if pd.isna(best["accuracy"]):
        words += "No answer has a score."
    else:
        words += (
            f"Highest: {choice_labels(accuracy)[0]}, {percent(best['accuracy'])} right on "
            f"{counted(int(best['n_items']), 'item')}, where chance gives "
            f"{percent(best['chance'])}."
        )
    return f"{words} Data: {_data_words(accuracy)}."


def _excluded_words(excluded: pd.DataFrame, accuracy: pd.DataFrame) -> str:
    """The results with too few valid answers."""
    labels = choice_labels(pd.concat([excluded, accuracy], ignore_index=True))
    named = "; ".join(
        f"{label} ({percent(row['violations'])} violations of {counted(int(row['n']), 'answer')})"
        for label, row in zip(labels, excluded.to_dict("records"), strict=False)
    )
    return f"Left out, for a smaller share of valid answers than --min-compliance asks: {named}."


def _data_words(accuracy: pd.DataFrame) -> str:
    """The data sets with their commits, and where results differ in data the hash, as words."""
    if "dataset" not in accuracy:
        return "not named"
    names = [name for name in ("dataset", "revision", "data_hash") if name in accuracy]
    words = []
    for row in accuracy[names].drop_duplicates().to_dict("records"):
        details = [f"commit {row['revision'] or 'not stated'}"]
        if "data_hash" in row:
            details.insert(0, setting_label("data_hash", row["data_hash"]))
        words.append(f"{row['dataset']} ({', '.join(details)})")
    return "; ".join(words)


FIGURES: Final = ("nubench_accuracy", "nubench_choices", "nubench_confusion")
