"""Respondents do what their names say, the same in every run."""

import json

import click
import pytest
from inspect_ai.model import get_model

from negation_evals.errors import DataError
from negation_evals.models.simulated.respondents import (
    BEHAVIOURS,
    BROKEN_ANSWERS,
    Asked,
    Respondent,
)
from negation_evals.scorers.framing.read_decision import read_decision


def decisions(respondent: Respondent, negated: bool, n: int = 400) -> list[str]:
    replies = [respondent.answer("s", "F1" if negated else "F0", negated, e) for e in range(n)]
    return [json.loads(reply)["decision"] for reply in replies]


@pytest.mark.parametrize("name", sorted(BEHAVIOURS))
def test_answers_depend_on_seed_sample_and_epoch_alone(name: str) -> None:
    p = {"F0": 0.5} if name == "framed" else None
    first = [Respondent(name, p).answer("s", "F0", False, e) for e in range(40)]
    again = [Respondent(name, p).answer("s", "F0", False, e) for e in reversed(range(40))]
    assert first == again[::-1]
    assert first != [Respondent(name, p, seed=1).answer("s", "F0", False, e) for e in range(40)]


def test_habits() -> None:
    assert set(decisions(Respondent("naysayer"), True)) == {"disagree"}
    assert set(decisions(Respondent("yeasayer"), True)) == {"agree"}
    mirror = Respondent("mirror", p=0.2)
    # 400 draws: the standard error of a share of 0.2 is 0.02.
    assert decisions(mirror, False).count("agree") / 400 == pytest.approx(0.2, abs=0.08)
    assert decisions(mirror, True).count("agree") / 400 == pytest.approx(0.8, abs=0.08)
    blind = Respondent("polarity-blind", p=0.2)
    assert decisions(blind, True).count("agree") / 400 == pytest.approx(0.2, abs=0.08)
    assert decisions(Respondent("noisy"), True).count("agree") / 400 == pytest.approx(0.5, abs=0.1)
    by_scenario = Respondent("mirror", p={"s": 1.0, "t": 0.0})
    assert set(decisions(by_scenario, False)) == {"agree"}
    assert 0.05 <= Respondent("mirror").probability("any") <= 0.95


def test_broken_answers_are_broken_and_as_frequent_as_asked() -> None:
    assert all(read_decision(reply).decision is None for reply in BROKEN_ANSWERS)
    respondent = Respondent("malformed", share=0.4)
    replies = [respondent.answer("s", "F0", False, e) for e in range(400)]
    assert sum(r in BROKEN_ANSWERS for r in replies) / 400 == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize("arguments", [{"p": 1.2}, {"p": True}, {"p": {"s": "x"}}, {"share": -1}])
def test_values_out_of_range_are_named(arguments: dict) -> None:
    with pytest.raises(DataError, match="not a probability"):
        Respondent("mirror", **arguments)


def test_provider_refuses_unknown_names_and_arguments_in_one_line() -> None:
    with pytest.raises(click.UsageError, match="unknown respondent 'mirrror'"):
        get_model("simulated/mirrror", memoize=False)
    with pytest.raises(click.UsageError, match="unknown -M 'q'"):
        get_model("simulated/mirror", memoize=False, q=1)


def test_framed_respondent_follows_its_rates() -> None:
    rates = {"F0": 0.2, "F1": 0.8, "F2": 0.5, "F3": 0.95}
    respondent = Respondent("framed", p=rates)
    for frame, negated in (("F0", False), ("F1", True), ("F2", False), ("F3", True)):
        answers = [respondent.answer("s", frame, negated, epoch) for epoch in range(2000)]
        agreed = [json.loads(answer)["decision"] == "agree" for answer in answers]
        endorsed = sum(a != negated for a in agreed) / 2000
        assert endorsed == pytest.approx(rates[frame], abs=0.04)
    spread = Respondent("framed", p=rates, spread=1.0)
    shown = {spread.framed_probability(Asked(f"s{i}", "F2", False)) for i in range(50)}
    assert len(shown) == 50
    assert min(shown) > 0.0
    assert max(shown) < 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "framed needs p by frame"),
        ({"p": 0.5}, "framed needs p by frame"),
        ({"p": {"F0": 0.5}, "spread": -1}, "spread=-1"),
        ({"p": {"F0": 1.5}}, "p=1.5"),
    ],
)
def test_framed_refuses_bad_parameters(arguments, message) -> None:
    with pytest.raises(DataError, match=message):
        Respondent("framed", **arguments)
    with pytest.raises(DataError, match="no probability for frame F1"):
        Respondent("framed", p={"F0": 0.5}).answer("s", "F1", True, 1)


@pytest.mark.parametrize(("p", "endorses"), [(0.3, False), (0.7, True)])
def test_at_temperature_0_the_likelier_answer_is_given_each_time(p: float, endorses: bool) -> None:
    respondent = Respondent("mirror", p=p)
    answers = {
        (frame, negated): {
            respondent.answer("s", frame, negated, epoch, greedy=True) for epoch in range(1, 6)
        }
        for frame, negated in (("F0", False), ("F1", True))
    }
    for (_, negated), given in answers.items():
        (text,) = given
        assert (json.loads(text)["decision"] == "agree") == (endorses != negated)
    assert len({respondent.answer("s", "F0", False, epoch) for epoch in range(1, 6)}) > 1
