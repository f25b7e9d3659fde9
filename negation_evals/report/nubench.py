"""NUBench in the report: its tables and its section."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from itertools import combinations
from typing import Final

import pandas as pd

import negation_evals.analysis as analysis
from negation_evals.analysis.choices import choice_keys
from negation_evals.analysis.columns import CHOICE_SETTINGS, DESCRIPTIONS, row_keys
from negation_evals.analysis.labels import result_labels, setting_label
from negation_evals.report.layout import (
    Column,
    Grid,
    Section,
    count,
    counted,
    grid,
    interval,
    number,
    p_value,
    percent,
    share,
    signed,
    text,
)
from negation_evals.report.published import human_accuracy
from negation_evals.report.tables import Tables
from negation_evals.schema import OptionType

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


def choice_tables(choices: pd.DataFrame, min_compliance: float = 0.0) -> Tables:
    """The tables of the NUBench section by name; the names are those of `docs/tables.md`.

    Args:
        choices: The table of `read_choices`.
        min_compliance: Results with a smaller share of valid answers stand in `nubench_excluded`,
            and nowhere else.
    """
    choices = choices.copy(deep=False)
    choices.attrs = {}
    choices, excluded = _set_apart(choices, min_compliance)
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


def nubench_sections(tables: Tables, figures: Iterable[str]) -> list[Section]:
    """The section of NUBench."""
    drawn = set(figures)
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
        for n in _crowded(accuracy).values()
    ]
    return [
        Section(
            "nubench",
            "Standard negation: NUBench",
            tuple(words),
            tuple(name for name in FIGURES if name in drawn),
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
        "",
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
        limits = zip(compared["ci_low"], compared["ci_high"], strict=True)
        # `grid` would put the interval last.
        shown = compared.assign(interval=[interval(*pair) for pair in limits])
        grids.append(
            _grid(
                shown.drop(columns=["ci_low", "ci_high"]).rename(columns={"a": "label"}),
                (
                    text("B", "b"),
                    signed("B - A", "difference", 3),
                    text("95 % interval", "interval"),
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
    """A table whose first column is `label`, without the columns that no reader needs twice."""
    plain = table.drop(columns=[*(n for n in CHOICE_SETTINGS if n in table), *_described(table)])
    return grid(plain, (text(first, "label"), *columns), title=title, source=source, labelled=False)


def _described(table: pd.DataFrame) -> list[str]:
    return [name for name in DESCRIPTIONS if name in table.columns]
