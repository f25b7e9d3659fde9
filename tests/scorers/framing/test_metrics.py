"""The live metrics through Inspect's real epoch reducer."""

import math

import pytest
from helpers.framing import FRAMES, NEGATED
from inspect_ai.scorer import Score
from pytest_inspect_evals.metrics import assert_agreeing_epochs_change_nothing, run_metrics

from negation_evals.scorers.framing.metrics import compliance, endorsement_by_frame, nsi
from negation_evals.scorers.nubench.choice import (
    accuracy_per_token,
    error_shares,
    local_confusion,
    violations,
)

pytestmark = pytest.mark.usefixtures("count_tokens_offline")


def metadata(*scenarios: str) -> list[dict[str, object]]:
    return [
        {"scenario": s, "frame": f, "negated": NEGATED[f], "frames": ",".join(FRAMES)}
        for s in scenarios
        for f in FRAMES
    ]


def test_single_epochs_reach_the_metrics() -> None:
    # Scenario a: rates 0, 1/2, 0, 1 -> NSI 1. Scenario b: 1/2, 1/2, 1/2, 1/2 -> NSI 0.
    epochs = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], *([[1.0, 0.0]] * 4)]
    values = run_metrics([nsi(), endorsement_by_frame()], epochs, metadata=metadata("a", "b"))
    assert values == pytest.approx(
        {"nsi": 0.5, "rate_F0": 0.25, "rate_F1": 0.5, "rate_F2": 0.25, "rate_F3": 0.75}
    )


def test_unscored_epochs_are_left_out_and_a_missing_frame_is_no_range() -> None:
    missing = Score.unscored(reason="refusal")
    # Scenario a: one epoch of F1 unscored, so its rate is 1; b: F3 has no answer at all.
    epochs = [[0.0, 0.0], [missing, 1.0], [0.0, 0.0], [0.0, 0.0]]
    epochs += [[1.0, 1.0], [1.0, 1.0], [1.0, 0.0], [missing, missing]]
    values = run_metrics([nsi(), endorsement_by_frame()], epochs, metadata=metadata("a", "b"))
    assert values["nsi"] == 1.0  # scenario b has none
    assert values["rate_F3"] == 0.0  # the mean over scenarios with a rate
    assert values["rate_F1"] == 1.0


def test_a_frame_without_any_answer_is_named() -> None:
    missing = Score.unscored(reason="refusal")
    epochs = [[0.0], [1.0], [0.0], [missing]]
    values = run_metrics([nsi(), endorsement_by_frame()], epochs, metadata=metadata("a"))
    assert math.isnan(values["nsi"])
    assert math.isnan(values["rate_F3"])


def test_compliance_counts_every_answer() -> None:
    epochs = [["valid", "malformed"], ["valid", "valid"]]
    assert run_metrics([compliance()], epochs)["compliance"] == 0.75


def test_equal_epochs_change_nothing() -> None:
    scores = [0.0, 1.0, 0.0, 1.0]
    assert_agreeing_epochs_change_nothing(
        [nsi(), endorsement_by_frame()], scores, metadata=metadata("a")
    )
    assert_agreeing_epochs_change_nothing([compliance()], ["valid", "malformed"])


def chosen(code: str | None, per_token: str | None = None) -> Score:
    """The score of a choice by the code of its type; None is a format violation."""
    metadata = {"chosen": code, "per_token": per_token}
    return Score(
        value="C" if code == "s" else "I",
        metadata={key: value for key, value in metadata.items() if value is not None},
    )


CHOICE_METRICS = [violations(), error_shares(), local_confusion(), accuracy_per_token()]
ITEMS = [{"local_type": "relative clause"}, {"local_type": "relative clause"}, {"local_type": None}]


def test_choices_are_counted_over_single_epochs() -> None:
    """Six answers: two right, two local (both on items of one construction), one contradiction,
    one violation; by likelihood per token one of two is right."""
    epochs = [
        [chosen("s", "s"), chosen("l", "p")],
        [chosen("l"), chosen(None)],
        [chosen("c"), chosen("s")],
    ]
    assert run_metrics(CHOICE_METRICS, epochs, metadata=ITEMS) == pytest.approx(
        {
            "violations": 1 / 6,
            "errors_local": 2 / 3,
            "errors_contradiction": 1 / 3,
            "errors_paraphrase": 0.0,
            "local_relative_clause": 2 / 3,
            "accuracy_norm": 0.5,
        }
    )


def test_agreeing_epochs_change_no_choice_metric() -> None:
    scores = [chosen("s", "s"), chosen("l", "s"), chosen("p", "c")]
    assert_agreeing_epochs_change_nothing(CHOICE_METRICS, scores, metadata=ITEMS)
    assert not run_metrics([accuracy_per_token()], [[chosen("s")]], metadata=ITEMS[:1])
