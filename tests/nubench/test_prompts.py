"""The order of options, the demonstrations and the prompts."""

from collections import Counter

import numpy as np
import pytest
from helpers.nubench import ITEMS
from scipy.stats import binomtest

from negation_evals.errors import DataError
from negation_evals.nubench.dataset import (
    Item,
    load_items,
)
from negation_evals.nubench.options import NubenchOptions
from negation_evals.nubench.prompts import chosen_demonstrations, shown_order
from negation_evals.nubench.task import nubench, nubench_sample
from negation_evals.schema.nubench import OptionType


def test_the_shuffle_is_pinned_and_fair() -> None:
    """The literal is the permutation of one item: a change would be another benchmark."""
    items = load_items("builtin", "test", with_demonstrations=False).items
    assert "".join(kind.value[0] for kind in shown_order(items[0], 1234)) == "plsc"
    four = [item for item in items if len(item.options) == 4]
    places = Counter(
        shown_order(item, seed).index(OptionType.STANDARD) for item in four for seed in range(50)
    )
    for place in range(4):
        assert binomtest(places[place], 50 * len(four), 0.25).pvalue > 1e-4


def test_demonstrations_are_never_the_item_nor_of_its_page() -> None:
    def item(name: str, page: str) -> Item:
        return Item(name, page, f"Sentence {name}.", {OptionType.STANDARD: "x"})

    pool = [item(str(i), str(i % 4)) for i in range(12)]
    for asked in pool:
        shown = chosen_demonstrations(asked, pool, 5, seed=3)
        assert len(shown) == 5
        assert all(one.page != asked.page for one in shown)
    twin = Item("other", "99", "Sentence 3.", {OptionType.STANDARD: "x"})
    assert "3" not in [one.id for one in chosen_demonstrations(twin, pool, 12, seed=3)]
    with pytest.raises(DataError, match="only 9 demonstrations"):
        nubench_sample(pool[0], pool, NubenchOptions(shots=10, seed=3))


def test_prompts_hold_what_they_should() -> None:
    task = nubench("builtin", shots=1, instructions="detailed")
    sample = task.dataset[0]
    assert sample.input.count("Options:\nA)") == 2
    assert sample.input.count("ANSWER: ") == 2
    assert sample.input.endswith("(A, B, C or D).")
    assert "De Morgan" in sample.input
    assert sample.choices is not None
    assert all(choice in sample.input for choice in sample.choices)
    context = nubench("builtin", shots=1, format="completion").dataset[0].input
    assert context.endswith("Standard negation:")
    assert context.count("Standard negation:") == 2


def test_always_b_is_at_chance_over_seeds() -> None:
    """Over 40 seeds the right option stands at B as often as chance has it."""
    hits = [
        shown_order(item, seed)[1] == OptionType.STANDARD for item in ITEMS for seed in range(40)
    ]
    chance = np.mean([1 / len(item.options) for item in ITEMS])
    assert binomtest(sum(hits), len(hits), float(chance)).pvalue > 1e-3
