"""Where answers and verdicts differ, and what both have in common, read by one function."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negation_evals.schema.common import Status
from negation_evals.scorers.text.letters import OPTION, VERDICT, ReplyForm, read_letter

FORMS = (OPTION, VERDICT)


def letter(reply: str, form: ReplyForm, stop_reason: str = "stop") -> str | None:
    return read_letter(reply, "ABCD", stop_reason, form).letter


@pytest.mark.parametrize(
    "reply",
    ["B", "b.", "(B)", "[B]", "**B**", "B)", "B) It is.", "Answer: B", "The answer is B.", "*B*."],
)
def test_both_forms_read_what_is_plain(reply: str) -> None:
    assert [letter(reply, form) for form in FORMS] == ["B", "B"]


@pytest.mark.parametrize(
    "reply",
    ["", "E", "I", "Answer: E", "A or B", "Answer: A or B", "A-level work", "B complies.", "**"],
)
def test_neither_form_reads_what_is_not(reply: str) -> None:
    assert [letter(reply, form) for form in FORMS] == [None, None]


@pytest.mark.parametrize(
    ("reply", "option", "verdict"),
    [
        # An answer may be revised; a judge that names two letters has decided nothing.
        ("Answer: A\nAnswer: B", "B", None),
        ("A: it declines.\nAnswer: B", "B", None),
        # An answer may follow on an argument, anywhere in a line.
        ("It rained, so the answer is B.", "B", None),
        ("I think my choice: B", "B", None),
        # A verdict stands at the start of a line, before any separator.
        ("B: it is.", None, "B"),
        ("B - it is.", None, "B"),
        ("So be it.\nB. It is.", None, "B"),
        ("Verdict: B", None, "B"),
        # Rejection is read only where letters are argued about.
        ("The answer is not A. The answer is B.", "B", "B"),
        ("I do not think the answer is B.", None, None),
        # Compatibility form and mathematics occur in answers.
        ("Answer: Ｂ", "B", None),
        (r"Answer: $\boxed{B}$", "B", None),
    ],
)
def test_the_forms_differ_on_purpose(reply: str, option: str | None, verdict: str | None) -> None:
    assert (letter(reply, OPTION), letter(reply, VERDICT)) == (option, verdict)


def test_a_reply_that_was_cut() -> None:
    """Reasoning that was cut has not come to its answer; a verdict comes first."""
    assert read_letter("Answer: B. It is", "ABCD", "max_tokens").status == Status.TRUNCATED
    assert letter("Answer: B. It is", VERDICT, "max_tokens") == "B"
    assert letter("B", VERDICT, "max_tokens") is None


def test_only_a_verdict_has_a_sentence() -> None:
    verdict = read_letter("B: it  answers…", "ABC", form=VERDICT)
    assert verdict.sentence == "it  answers…"
    assert read_letter("Answer: B. It is.", "ABC").sentence == ""


def test_the_menu_is_an_argument() -> None:
    assert [read_letter("D", "ABC", form=form).letter for form in FORMS] == [None, None]
    assert [read_letter("D", "ABCD", form=form).letter for form in FORMS] == ["D", "D"]


@given(st.text(), st.sampled_from(["stop", "max_tokens", "content_filter"]))
def test_a_letter_is_given_exactly_if_the_reading_is_valid(reply: str, stop_reason: str) -> None:
    for form in FORMS:
        reading = read_letter(reply, "ABC", stop_reason, form)
        assert (reading.letter is not None) == (reading.status == Status.VALID)
        assert reading.letter is None or reading.letter in "ABC"
        assert reading.explanation.endswith(".")
