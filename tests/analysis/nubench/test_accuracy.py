"""Accuracy, errors and comparisons, by hand."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.nubench import ITEMS, Run, metrics, table
from scipy.stats import binomtest

from negation_evals.analysis import (
    choice_accuracy,
    choice_accuracy_over_seeds,
    choice_confusion,
    choice_errors,
    choice_letters,
    compare_choices,
    read_choices,
)
from negation_evals.analysis.common.proportions import clustered_mean, clustered_wilson
from negation_evals.models.simulated.test_takers import VIOLATIONS
from negation_evals.nubench.dataset import (
    Item,
)
from negation_evals.nubench.prompts import shown_order
from negation_evals.schema.nubench import OptionType


def test_other_demonstrations_are_another_condition(run_nubench: Run) -> None:
    log = run_nubench("right", {"shots": 1})
    other = log.model_copy(deep=True)
    other.eval.metadata["demonstrations_sha256"] = "f" * 64
    other.eval.task_id = "another"
    table = choice_accuracy(read_choices([log, other]))
    assert len(table) == 2
    assert table["demonstrations"].nunique() == 2


def by_hand(choose: Callable[[Item, list[OptionType]], OptionType | None]) -> dict[str, float]:
    """The measures, counted item by item from what is chosen; None is a violation."""
    chosen = [(item, choose(item, shown_order(item, 1234))) for item in ITEMS]
    wrong = [kind for _, kind in chosen if kind not in (None, OptionType.STANDARD)]
    found = {
        "accuracy": sum(kind == OptionType.STANDARD for _, kind in chosen) / len(chosen),
        "violations": sum(kind is None for _, kind in chosen) / len(chosen),
    }
    for kind in list(OptionType)[1:]:
        name = f"errors_{kind.value.partition(' ')[0]}"
        found[name] = wrong.count(kind) / len(wrong) if wrong else math.nan
    for local_type in {item.local_type for item in ITEMS} - {None}:
        own = [kind for item, kind in chosen if item.local_type == local_type and kind is not None]
        name = f"local_{str(local_type).replace(' ', '_')}"
        found[name] = own.count(OptionType.LOCAL) / len(own)
    return found


def shortest(item: Item, order: list[OptionType]) -> OptionType:
    return min(order, key=lambda kind: len(item.options[kind]))


def b(item: Item, order: list[OptionType]) -> OptionType | None:
    return order[1] if len(order) > 1 else None


def local(item: Item, order: list[OptionType]) -> OptionType:
    return OptionType.LOCAL if OptionType.LOCAL in order else OptionType.STANDARD


@pytest.mark.parametrize(
    ("habit", "choose"),
    [
        ("right", lambda item, order: OptionType.STANDARD),
        ("local", local),
        ("letter", b),
        ("shortest", shortest),
    ],
)
def test_known_habits_give_the_measures_that_they_must(
    run_nubench: Run, habit: str, choose: Any
) -> None:
    log = run_nubench(habit)
    expected = by_hand(choose)
    live = metrics(log)
    assert {name: live[name] for name in expected} == pytest.approx(expected, nan_ok=True)
    choices = read_choices(log)
    accuracy = choice_accuracy(choices).iloc[0]
    assert accuracy["accuracy"] == pytest.approx(expected["accuracy"])
    assert accuracy["se"] == pytest.approx(live["stderr"])
    errors = choice_errors(choices).iloc[0]
    for kind in list(OptionType)[1:]:
        wanted = expected[f"errors_{kind.value.partition(' ')[0]}"]
        assert errors[kind.value] == pytest.approx(wanted, nan_ok=True)
    confusion = choice_confusion(choices).set_index("local_type")["confusion"]
    for local_type, value in confusion.items():
        assert value == pytest.approx(expected[f"local_{str(local_type).replace(' ', '_')}"])


def test_violations_are_wrong_and_counted_apart(run_nubench: Run) -> None:
    log = run_nubench("right", share=0.2, seed=5)
    assert log.samples is not None
    broken = sum(sample.output.completion in VIOLATIONS for sample in log.samples)
    assert 5 < broken < 35
    live = metrics(log)
    assert live["violations"] == pytest.approx(broken / 84)
    assert live["accuracy"] == pytest.approx(1 - broken / 84)
    errors = choice_errors(read_choices(log)).iloc[0]
    assert (errors["n_violations"], errors["n_wrong"], errors["n_valid"]) == (
        broken,
        0,
        84 - broken,
    )
    assert math.isnan(errors["local negation"])
    reasons = {s.scores["negation_choice"].reason for s in log.samples if s.scores}
    assert reasons == {None, "invalid_response_format"}


def test_letters_show_a_habit(run_nubench: Run) -> None:
    letters = choice_letters(read_choices(run_nubench("letter", letter="C"))).set_index("letter")
    assert letters["chosen"].to_dict() == {"A": 0, "B": 0, "C": 1, "D": 0}
    order = [shown_order(item, 1234) for item in ITEMS]
    right = sum(kinds.index(OptionType.STANDARD) == 2 for kinds in order)
    three = sum(len(kinds) == 3 for kinds in order)
    assert letters.loc["C", "right"] == pytest.approx(right / 84)
    assert three == 4


def test_accuracy_by_hand() -> None:
    """Pages a (1, 1), b (0, 1), c (0): mean 0.6; deviation sums 0.8, -0.2, -0.6, squares sum
    1.04; se = sqrt(3 / 2 * 1.04) / 5. The sample without a score is missing, not wrong."""
    rows = [("1", "a", 1), ("2", "a", 1), ("3", "b", 0), ("4", "b", 1), ("5", "c", 0)]
    row = choice_accuracy(table([*rows, ("6", "c", math.nan)])).iloc[0]
    assert row["accuracy"] == pytest.approx(0.6)
    assert row["se"] == pytest.approx(math.sqrt(1.5 * 1.04) / 5)
    assert (row["n_items"], row["n_pages"], row["n_missing"]) == (5, 3, 1)
    assert 0 <= row["ci_low"] < 0.6 < row["ci_high"] <= 1
    alike = choice_accuracy(table([(str(i), str(i), 1) for i in range(10)])).iloc[0]
    # Ten items all right: Wilson's lower limit with t of 9 degrees of freedom, 10 / (10 + t^2).
    assert alike["ci_low"] == pytest.approx(10 / (10 + 2.2621571628**2))
    assert alike["ci_high"] == 1


def test_the_interval_covers_as_it_says() -> None:
    """400 samples of 40 pages with two dependent items: near 95 % of the intervals hold p."""
    rng = np.random.default_rng(1)
    pages = np.repeat(np.arange(40), 2)
    held = 0
    for _ in range(400):
        page_rate = np.repeat(rng.beta(4, 1, 40), 2)  # mean 0.8
        values = (rng.random(80) < page_rate).astype(float)
        mean, error, n_pages = clustered_mean(values, pages)
        low, high = clustered_wilson(mean, error, len(values), n_pages, 0.95)
        held += low <= 0.8 <= high
    assert binomtest(held, 400, 0.95).pvalue > 1e-3


def test_over_seeds() -> None:
    parts = [
        table([("1", "a", x), ("2", "b", y)], seed=i)
        for i, (x, y) in enumerate([(1, 1), (1, 0), (0, 0)])
    ]
    row = choice_accuracy_over_seeds(choice_accuracy(pd.concat(parts))).iloc[0]
    assert (row["n_seeds"], row["accuracy"], row["sd"]) == (3, 0.5, 0.5)
    parts[2] = parts[2].iloc[:1]
    row = choice_accuracy_over_seeds(choice_accuracy(pd.concat(parts))).iloc[0]
    assert (row["n_items_min"], row["n_items_max"]) == (1, 2)


@pytest.mark.parametrize("confidence", [95, 1, 0, math.nan])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    made = table([("1", "a", 1), ("2", "b", 0)])
    with pytest.raises(ValueError, match="choice_accuracy: confidence_level is"):
        choice_accuracy(made, confidence_level=confidence)
    with pytest.raises(ValueError, match="compare_choices: confidence_level is"):
        compare_choices(made, made, confidence_level=confidence)


@pytest.mark.parametrize(
    ("statistic", "column"),
    [(choice_errors, "chosen"), (choice_confusion, "local_type"), (choice_letters, "right")],
)
def test_a_missing_column_is_named(statistic: Any, column: str) -> None:
    made = table([("1", "a", 1)]).assign(letter="A", right="A")
    statistic(made)
    for missing in (column, "seed"):
        with pytest.raises(ValueError, match=f"{statistic.__name__}: the table lacks '{missing}'"):
            statistic(made.drop(columns=missing))


def test_a_side_with_several_results_is_not_compared() -> None:
    one = table([("1", "a", 1), ("2", "b", 0)])
    two = pd.concat([one, one.assign(seed=2, shots=5)])
    for sides, name in (((two, one), "a"), ((one, two), "b")):
        with pytest.raises(
            ValueError, match=f"table {name} holds several results, which differ in shots, seed"
        ):
            compare_choices(*sides)


def test_two_models_on_the_same_items() -> None:
    """B alone is right on 5 items, A alone on 1: exact McNemar 2 * (1 + 6) / 2^6."""
    a = table([(str(i), str(i), float(i < 3)) for i in range(10)])
    b = table([(str(i), str(i), float(1 <= i < 8)) for i in range(10)])
    found = compare_choices(a, b)
    assert (found.only_a, found.only_b, found.n_items) == (1, 5, 10)
    assert found.p_value == pytest.approx(14 / 64)
    assert found.difference == pytest.approx(0.4)
    differences = np.array([-1] + [0] * 2 + [1] * 5 + [0] * 2)
    assert found.se == pytest.approx(differences.std(ddof=1) / math.sqrt(10))
    same = compare_choices(a, a)
    assert same.p_value == 1
    assert math.isnan(same.ci_low)
    with pytest.raises(ValueError, match="different data"):
        compare_choices(a.assign(data_hash="x"), b.assign(data_hash="y"))
    twice = pd.concat([a, a])
    assert math.isnan(compare_choices(twice, b).p_value)


def test_statistics_do_not_depend_on_the_order_of_rows(run_nubench: Run) -> None:
    choices = read_choices(run_nubench("letter"))
    shuffled = choices.sample(frac=1, random_state=1)
    for statistic in (choice_accuracy, choice_errors, choice_confusion, choice_letters):
        pd.testing.assert_frame_equal(statistic(choices), statistic(shuffled))
