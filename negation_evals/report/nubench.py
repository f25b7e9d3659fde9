"""NUBench in the report: its tables and its section."""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import combinations
from typing import Any, Final

import pandas as pd

import negation_evals.analysis as analysis
from negation_evals.analysis.choices import CONDITIONS, choice_keys
from negation_evals.analysis.columns import CHOICE_SETTINGS, DESCRIPTIONS
from negation_evals.report.layout import (
    Column,
    Grid,
    Section,
    count,
    grid,
    number,
    p_value,
    percent,
    share,
    signed,
    text,
)
from negation_evals.report.published import human_accuracy
from negation_evals.report.tables import Tables, result_labels
from negation_evals.schema import OptionType

MOST_COMPARED: Final = 12
"""More models than this under one condition are not compared: the pairs would drown the reader."""


CHOICE_TABLES: Final = (
    "nubench_accuracy",
    "nubench_over_seeds",
    "nubench_errors",
    "nubench_confusion",
    "nubench_letters",
    "nubench_comparisons",
)


def choice_tables(choices: pd.DataFrame) -> Tables:
    """The tables of the NUBench section by name; the names are those of `docs/tables.md`."""
    choices = choices.copy(deep=False)
    choices.attrs = {}
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
    }


def _with_data(accuracy: pd.DataFrame, choices: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The accuracy with the data that each result answered."""
    data = [name for name in ("dataset", "revision") if name in choices.columns]
    known = choices[[*keys, *data]].drop_duplicates(keys)
    return accuracy.merge(known, on=keys, how="left")


def _best_first(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(["accuracy", "model"], ascending=[False, True], kind="stable")


def comparisons(choices: pd.DataFrame) -> pd.DataFrame:
    """Models compared on the same items under the same conditions, B minus A, with Holm's p.

    Columns: a, b (labels) and the fields of `ChoiceComparison`, p_holm. Results that share no
    answered item are not compared, nor more than `MOST_COMPARED` models under one condition.
    """
    keys = choice_keys(choices)
    groups = [group for _, group in choices.groupby(keys, sort=False, dropna=False)]
    firsts = pd.concat([group[keys].iloc[:1] for group in groups])
    labels = choice_labels(firsts)
    alike = [*CONDITIONS, "data_hash"]
    parts: dict[tuple[Any, ...], list[tuple[str, pd.DataFrame]]] = {}
    for label, group in zip(labels, groups, strict=True):
        condition = tuple(group[name].iloc[0] for name in alike)
        parts.setdefault(condition, []).append((label, group))
    rows = []
    for part in parts.values():
        pairs = combinations(part, 2) if len(part) <= MOST_COMPARED else ()
        for (a, group_a), (b, group_b) in pairs:
            answered = [set(g.loc[g["correct"].notna(), "item"]) for g in (group_a, group_b)]
            if answered[0] & answered[1]:
                rows.append({"a": a, "b": b} | asdict(analysis.compare_choices(group_a, group_b)))
    fields = list(analysis.ChoiceComparison.__dataclass_fields__)
    table = pd.DataFrame(rows, columns=["a", "b", *fields])
    table["p_holm"] = analysis.adjust_holm(table["p_value"].astype(float))
    return table


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
    best = accuracy.iloc[0]
    humans = human_accuracy()
    words = [
        "The standard negation of a sentence is to be picked among a local negation, a "
        "contradiction and a paraphrase (Thunder-NUBench, arXiv:2506.14397). A reply that picks no "
        "option of its item is a format violation: wrong for accuracy, and out of the statistics "
        "of errors. Standard errors and intervals are clustered on the Wikipedia page that "
        "sentences are from.",
        f"{len(accuracy)} result{'s' if len(accuracy) != 1 else ''}. Highest: {best['model']}, "
        f"{percent(best['accuracy'])} right on {int(best['n_items'])} items, where chance gives "
        f"{percent(best['chance'])}. Data: {_data_words(accuracy)}.",
        "For scale: eleven adults in the paper, on 50 items of the public set under detailed "
        f"instructions, reached {percent(humans['mean'])} (from {percent(humans['low'])} to "
        f"{percent(humans['high'])}). Results on other data, such as the built-in set, do not "
        "compare with that.",
        "Local confusion is the share of the choices that took the local negation for the standard "
        "one. Letters: a habit of choosing one letter shows as a share of choices far from the "
        "share of right options there.",
    ]
    if accuracy["n_missing"].any():
        words.append(
            f"{int(accuracy['n_missing'].sum())} samples have no score and are missing, not wrong."
        )
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


def _data_words(accuracy: pd.DataFrame) -> str:
    """The data sets with their commits, as words."""
    if "dataset" not in accuracy:
        return "not named"
    rows = accuracy[["dataset", "revision"]].drop_duplicates().itertuples(index=False)
    return "; ".join(f"{name} (commit {commit or 'not stated'})" for name, commit in rows)


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
    if len(tables["nubench_comparisons"]):
        grids.append(
            _grid(
                tables["nubench_comparisons"].rename(columns={"a": "label"}),
                (
                    text("B", "b"),
                    count("Items", "n_items"),
                    signed("B - A", "difference", 3),
                    signed("from", "ci_low", 2),
                    signed("to", "ci_high", 2),
                    count("Only A right", "only_a"),
                    count("Only B right", "only_b"),
                    p_value("McNemar p", "p_value"),
                    p_value("Holm", "p_holm"),
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
