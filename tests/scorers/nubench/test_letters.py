"""Reading a letter out of a reply."""

from typing import Any

import pytest
from helpers.nubench import cases
from hypothesis import given
from hypothesis import strategies as st

from negation_evals.schema.common import Status
from negation_evals.scorers.text.letters import read_letter


@pytest.mark.parametrize("case", cases("choice"))
def test_pinned_replies_are_read(case: dict[str, Any]) -> None:
    context = case["context"]
    reading = read_letter(case["input"], "".join(context["options"]), context["finish_reason"])
    assert reading.letter == case["expected"]["choice"]
    assert (reading.letter is not None) == (reading.status == Status.VALID)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("I don't think the answer is A.", None),
        ("The answer is A.\nNo: the answer is not A.", None),
        ("The answer is not A. The answer is B.", "B"),
        ("Not A; the answer is B", "B"),
        ("The answer is a matter of taste.", None),
        ("**Answer:** B", "B"),
        ('{"answer": "C"}', "C"),
        ("Answer: $LETTER", None),
        ("The correct answer is option (B).", "B"),
        ("A) It rained.\nB) It did not rain.", None),
        ("answer: c) it did not rain", "C"),
        ("A boat sank.", None),
        ("Answer: A farmer in the valley does not own it.", None),
        ("The answer is A because B only negates the clause.", "A"),
        ("The answer is B, I think.", "B"),
        ("The answer is B and I am certain.", "B"),
        ("Option A does not negate the main clause, so the answer is B.", "B"),
        ("There is no doubt the answer is B", "B"),
        ("It is not true that the answer is A.", None),
        ("ANSWER: B\nThis choice: C is a local negation.", "B"),
        ("ANSWER: B\nThe answer is not B alone.", "B"),
        ("Step by step. " * 300 + "ANSWER: D", "D"),
        ("I", None),
        ("d", "D"),
        ("ANSWER: A B C D", None),
        ("ANSWER: A) B) C)", None),
        ("ANSWER: A | B | C | D", None),
        ("ANSWER: B A farmer in the valley does not own it.", "B"),
    ],
)
def test_other_replies_follow_the_same_rules(reply: str, letter: str | None) -> None:
    assert read_letter(reply, "ABCD").letter == letter


@given(st.text(max_size=300), st.sampled_from(["ABC", "ABCD"]))
def test_the_reader_never_raises_and_gives_an_option_or_none(reply: str, letters: str) -> None:
    letter = read_letter(reply, letters).letter
    assert letter is None or letter in letters
