"""The tables of the NUBench section."""

from collections import Counter
from dataclasses import asdict
from itertools import combinations
from typing import Final

import pandas as pd

import negation_evals.analysis as analysis
from negation_evals.analysis.common.labels import result_labels
from negation_evals.analysis.common.results import row_keys
from negation_evals.analysis.nubench.columns import CHOICE_SETTINGS, choice_keys
from negation_evals.analysis.nubench.read import CHOICE_LOGS
from negation_evals.analysis.reading.reading import Reading
from negation_evals.report.family import ReportOptions, Tables

MOST_COMPARED: Final = 12
"""More results than this under the same conditions are not compared: too many pairs to read."""


CHOICE_TABLES: Final = (
    "nubench_accuracy",
    "nubench_over_seeds",
    "nubench_errors",
    "nubench_confusion",
    "nubench_letters",
    "nubench_comparisons",
    "nubench_excluded",
)


def nubench_tables(reading: Reading, options: ReportOptions) -> Tables:
    """The tables of the NUBench section by name; the names are those of `docs/tables.md`.

    Args:
        reading: With the table `choices`.
        options: Results with a smaller share of valid answers than `min_compliance` stand in
            `nubench_excluded`, and nowhere else.
    """
    choices, excluded = _set_apart(reading.tables[CHOICE_LOGS.table], options.min_compliance)
    accuracy = _best_first(analysis.choice_accuracy(choices))
    keys = choice_keys(choices)
    places = accuracy[keys].assign(place=range(len(accuracy)))
    choices = choices.merge(places, on=keys, how="left").sort_values("place", kind="stable")
    choices = choices.drop(columns="place")
    over_seeds = analysis.choice_accuracy_over_seeds(accuracy)
    return {
        "nubench_accuracy": _with_data(accuracy, choices, keys),
        "nubench_over_seeds": _best_first(over_seeds),
        "nubench_errors": analysis.choice_errors(choices),
        "nubench_confusion": analysis.choice_confusion(choices),
        "nubench_letters": analysis.choice_letters(choices),
        "nubench_comparisons": comparisons(choices),
        "nubench_excluded": excluded,
    }


def _set_apart(choices: pd.DataFrame, min_compliance: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the results that stay, and the accuracy of the others."""
    accuracy, keys = analysis.choice_accuracy(choices), choice_keys(choices)
    # A share such as 1 - 0.9 comes out just below 0.1.
    too_few = 1 - accuracy["violations"].fillna(1.0) < min_compliance - 1e-9
    excluded = _with_data(_best_first(accuracy[too_few]), choices, keys)
    if too_few.any():
        choices = choices.merge(accuracy.loc[~too_few, keys], on=keys)
    return choices, excluded


def _with_data(accuracy: pd.DataFrame, choices: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The accuracy with the data that each result answered."""
    data = [name for name in ("dataset", "revision") if name in choices.columns]
    known = choices[[*keys, *data]].drop_duplicates(keys)
    return accuracy.merge(known, on=keys, how="left")


def _best_first(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(["accuracy", "model"], ascending=[False, True], kind="stable")


def comparisons(choices: pd.DataFrame) -> pd.DataFrame:
    """Results compared on the same items under the same conditions, B minus A, with Holm's p.

    Columns: a, b (labels) and the fields of `ChoiceComparison`, p_holm. Two results are compared if
    all settings but `generation` are equal, unless they share no answered item, or more than
    `MOST_COMPARED` results have these settings.
    """
    groups = [group for _, group in choices.groupby(choice_keys(choices), sort=False, dropna=False)]
    firsts = pd.concat([choices.iloc[:0], *(group.iloc[:1] for group in groups)])
    conditions = _conditions(firsts)
    crowded = _crowded(firsts)
    results = zip(choice_labels(firsts), groups, conditions, strict=True)
    rows = []
    for (a, group_a, condition), (b, group_b, other) in combinations(results, 2):
        if condition == other and condition not in crowded:
            answered = [set(g.loc[g["correct"].notna(), "item"]) for g in (group_a, group_b)]
            if answered[0] & answered[1]:
                rows.append({"a": a, "b": b} | asdict(analysis.compare_choices(group_a, group_b)))
    fields = list(analysis.ChoiceComparison.__dataclass_fields__)
    table = pd.DataFrame(rows, columns=["a", "b", *fields])
    table["p_holm"] = analysis.adjust_holm(table["p_value"].astype(float))
    return table


def _conditions(table: pd.DataFrame) -> list[tuple[object, ...]]:
    """The settings in which results must be equal to be compared, for each row."""
    names = [name for name in CHOICE_SETTINGS if name in table.columns and name != "generation"]
    return row_keys(table, names)


def _crowded(results: pd.DataFrame) -> dict[tuple[object, ...], int]:
    """The conditions with too many results to compare, and how many they are; one row a result."""
    sizes = Counter(_conditions(results))
    return {condition: n for condition, n in sizes.items() if n > MOST_COMPARED}


def choice_labels(table: pd.DataFrame) -> list[str]:
    """One short label per row: the model, and the conditions that vary in brackets."""
    settings = [name for name in CHOICE_SETTINGS if name in table.columns]
    settings = [name for name in settings if table[name].nunique(dropna=False) > 1]
    # Without demonstrations there is no hash of them; the shots say that already.
    if table.get("demonstrations", pd.Series(dtype=str)).replace("", None).nunique() < 2:
        settings = [name for name in settings if name != "demonstrations"]
    return result_labels(table, settings)
