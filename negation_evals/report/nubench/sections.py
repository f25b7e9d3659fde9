"""What the report says on NUBench."""

from collections.abc import Iterable
from typing import Final

import pandas as pd

from negation_evals.analysis.common.labels import setting_label
from negation_evals.analysis.nubench.results import MOST_COMPARED, choice_labels, crowded_conditions
from negation_evals.report.documents.formats import counted, percent
from negation_evals.report.documents.grids import (
    Column,
    Grid,
    count,
    grid,
    limits,
    number,
    p_value,
    share,
    signed,
    text,
    with_limits,
)
from negation_evals.report.documents.sections import Section
from negation_evals.report.family import ReportOptions, Tables
from negation_evals.report.nubench.published import human_accuracy
from negation_evals.schema.nubench import OptionType


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
            _grids(tables),
        )
    ]


def terminal_accuracy(tables: Tables) -> Grid:
    """The accuracy as a terminal of 100 columns shows it."""
    return _grid(
        _labelled(tables["nubench_accuracy"]),
        (
            number("Accuracy", "accuracy", 3),
            number("SE", "se", 3),
            number("Chance", "chance", 3),
            share("Violations", "violations"),
            count("Items", "n_items"),
        ),
        "NUBench accuracy, highest first",
        "",
    )


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


def _grids(tables: Tables) -> tuple[Grid, ...]:
    accuracy = _labelled(tables["nubench_accuracy"])
    per_token = (
        [number("Per token", "accuracy_per_token", 3)]
        if accuracy["accuracy_per_token"].notna().any()
        else []
    )
    grids = [
        _grid(
            accuracy,
            (
                number("Accuracy", "accuracy", 3),
                number("SE", "se", 3),
                *per_token,
                number("Chance", "chance", 3),
                share("Violations", "violations"),
                count("Items", "n_items"),
                count("Missing", "n_missing"),
            ),
            "Accuracy",
            "nubench_accuracy",
        )
    ]
    over_seeds = tables["nubench_over_seeds"]
    if (over_seeds["n_seeds"] > 1).any():
        grids.append(
            _grid(
                _labelled(over_seeds),
                (
                    count("Seeds", "n_seeds"),
                    number("Mean accuracy", "accuracy", 3),
                    number("SD", "sd", 3),
                    number("Lowest", "accuracy_min", 3),
                    number("Highest", "accuracy_max", 3),
                    count("Fewest items", "n_items_min"),
                    count("Most items", "n_items_max"),
                    share("Violations", "violations"),
                ),
                "Over seeds",
                "nubench_over_seeds",
            )
        )
    wrong = [kind for kind in OptionType if kind != OptionType.STANDARD]
    grids += [
        _grid(
            _labelled(tables["nubench_errors"]),
            (
                count("Wrong choices", "n_wrong"),
                *(share(kind.value.capitalize(), kind.value) for kind in wrong),
                count("Violations", "n_violations"),
            ),
            "What the wrong choices are",
            "nubench_errors",
        ),
        _grid(
            _labelled(tables["nubench_confusion"]),
            (
                text("Construction", "local_type"),
                count("Choices", "n_valid"),
                share("Took the local negation", "confusion"),
            ),
            "Local confusion",
            "nubench_confusion",
        ),
        _grid(
            _labelled(tables["nubench_letters"]),
            (text("Letter", "letter"), share("Chosen", "chosen"), share("Right there", "right")),
            "Letters",
            "nubench_letters",
        ),
    ]
    compared = tables["nubench_comparisons"]
    if len(compared):
        grids.append(
            _grid(
                compared.rename(columns={"a": "label"}),
                (
                    text("B", "b"),
                    signed("B - A", "difference", 3),
                    limits(),
                    p_value("Holm's p", "p_holm"),
                    count("Items", "n_items"),
                    count("Unpaired", "unpaired"),
                    count("Only A right", "only_a"),
                    count("Only B right", "only_b"),
                    p_value("McNemar p", "p_value"),
                ),
                "Compared on the same items",
                "nubench_comparisons",
                first="A",
            )
        )
    return tuple(grids)


def _labelled(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(label=choice_labels(table))


def _grid(
    table: pd.DataFrame,
    columns: Iterable[Column],
    title: str,
    source: str,
    first: str = "Model",
) -> Grid:
    """A table whose first column is `label`; the interval is last unless it has a place."""
    columns = list(columns)
    if not any("ci_low" in column.names for column in columns):
        columns = with_limits(table, columns)
    return grid(table, (text(first, "label"), *columns), title=title, source=source)
