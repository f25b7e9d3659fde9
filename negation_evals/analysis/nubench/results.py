"""All NUBench results of a table: which stay, which is best, and each two of them compared."""

from collections import Counter
from dataclasses import asdict
from itertools import combinations
from typing import Final

import pandas as pd

from negation_evals.analysis.common.labels import result_labels
from negation_evals.analysis.common.multiplicity import adjust_holm
from negation_evals.analysis.common.results import row_keys
from negation_evals.analysis.nubench.accuracy import choice_accuracy
from negation_evals.analysis.nubench.columns import CHOICE_SETTINGS, choice_keys
from negation_evals.analysis.nubench.comparison import ChoiceComparison, compare_choices

MOST_COMPARED: Final = 12
"""More results than this under the same conditions are not compared: too many pairs to read."""


def exclude_choices(
    choices: pd.DataFrame, min_compliance: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Leave out results with too few valid answers.

    Args:
        choices: The table of `read_choices`.
        min_compliance: Smallest share of valid answers that stays, in [0, 1].

    Returns:
        The choices that stay, and the `choice_ranking` of the others.
    """
    accuracy, keys = choice_accuracy(choices), choice_keys(choices)
    # A share such as 1 - 0.9 comes out just below 0.1.
    too_few = 1 - accuracy["violations"].fillna(1.0) < min_compliance - 1e-9
    excluded = _with_data(best_first(accuracy[too_few]), choices)
    if too_few.any():
        choices = choices.merge(accuracy.loc[~too_few, keys], on=keys)
    return choices, excluded


def choice_ranking(choices: pd.DataFrame) -> pd.DataFrame:
    """The table of `choice_accuracy`, best first, with the data that each result answered."""
    return _with_data(best_first(choice_accuracy(choices)), choices)


def _with_data(accuracy: pd.DataFrame, choices: pd.DataFrame) -> pd.DataFrame:
    """The accuracy with the data that each result answered."""
    keys = choice_keys(choices)
    data = [name for name in ("dataset", "revision") if name in choices.columns]
    known = choices[[*keys, *data]].drop_duplicates(keys)
    return accuracy.merge(known, on=keys, how="left")


def best_first(table: pd.DataFrame) -> pd.DataFrame:
    """Results by accuracy, the highest first."""
    return table.sort_values(["accuracy", "model"], ascending=[False, True], kind="stable")


def compare_results(choices: pd.DataFrame) -> pd.DataFrame:
    """Results compared on the same items under the same conditions, B minus A, with Holm's p.

    Columns: a, b (labels) and the fields of `ChoiceComparison`, p_holm. Two results are compared if
    all settings but `generation` are equal, unless they share no answered item, or more than
    `MOST_COMPARED` results have these settings.
    """
    groups = [group for _, group in choices.groupby(choice_keys(choices), sort=False, dropna=False)]
    firsts = pd.concat([choices.iloc[:0], *(group.iloc[:1] for group in groups)])
    conditions = _conditions(firsts)
    crowded = crowded_conditions(firsts)
    results = zip(choice_labels(firsts), groups, conditions, strict=True)
    rows = []
    for (a, group_a, condition), (b, group_b, other) in combinations(results, 2):
        if condition == other and condition not in crowded:
            answered = [set(g.loc[g["correct"].notna(), "item"]) for g in (group_a, group_b)]
            if answered[0] & answered[1]:
                rows.append({"a": a, "b": b} | asdict(compare_choices(group_a, group_b)))
    fields = list(ChoiceComparison.__dataclass_fields__)
    table = pd.DataFrame(rows, columns=["a", "b", *fields])
    table["p_holm"] = adjust_holm(table["p_value"].astype(float))
    return table


def _conditions(table: pd.DataFrame) -> list[tuple[object, ...]]:
    """The settings in which results must be equal to be compared, for each row."""
    names = [name for name in CHOICE_SETTINGS if name in table.columns and name != "generation"]
    return row_keys(table, names)


def crowded_conditions(results: pd.DataFrame) -> dict[tuple[object, ...], int]:
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
