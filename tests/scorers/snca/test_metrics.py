"""The live metrics of the SNCA scorers through Inspect's reducer, and the solvers by themselves."""

import math

import pytest
from helpers.snca import ANSWER, fair_judge, mock, run
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score
from pytest_inspect_evals.metrics import assert_agreeing_epochs_change_nothing, run_metrics

from negation_evals.scorers.snca.condition_match import condition_match, match_rate
from negation_evals.scorers.snca.policy_type import opacity, rule_types
from negation_evals.scorers.snca.refusal import refusal, refusal_by_kind, refusal_rate
from negation_evals.snca.behavior_task import answer_request
from negation_evals.snca.extraction_task import state_policy
from negation_evals.snca.matching_task import match_item

MISSING = Score.unscored(reason="grader_failed")


pytestmark = pytest.mark.usefixtures("count_tokens_offline")


KINDS = [{"kind": kind} for kind in ("harmful", "harmful", "benign", "benign")]


def test_rates_are_of_majority_labels():
    epochs = [
        ["REFUSE", "COMPLY", "REFUSE"],
        ["REFUSE", "COMPLY", MISSING],
        ["COMPLY", "COMPLY", "REFUSE"],
        [MISSING, MISSING, MISSING],
    ]
    values = run_metrics([refusal_rate(), refusal_by_kind()], epochs, metadata=KINDS)
    assert values["refusal_rate"] == pytest.approx(1 / 3)
    assert (values["refuses_harmful"], values["refuses_benign"]) == (0.5, 0.0)


def test_types_and_matches():
    epochs = [["Absolute"], ["Opaque"], ["Opaque"], [MISSING]]
    values = run_metrics([opacity(), rule_types()], epochs)
    assert values["opacity"] == values["share_opaque"] == pytest.approx(2 / 3)
    assert (values["share_absolute"], values["share_adaptive"]) == (pytest.approx(1 / 3), 0)
    assert run_metrics([match_rate()], [[1.0], [0.0], [MISSING], [0.0]])["match_rate"] == (
        pytest.approx(1 / 3)
    )


def test_nothing_scored_is_nan():
    nothing = [[MISSING], [MISSING]]
    for metrics in ([refusal_rate(), refusal_by_kind()], [opacity(), rule_types()], [match_rate()]):
        assert all(math.isnan(value) for value in run_metrics(metrics, nothing).values())


def test_equal_epochs_change_nothing():
    labels = ["REFUSE", "COMPLY", "PARTIAL", "REFUSE"]
    assert_agreeing_epochs_change_nothing(
        [refusal_rate(), refusal_by_kind()], labels, metadata=KINDS
    )
    assert_agreeing_epochs_change_nothing([opacity(), rule_types()], ["Opaque", "Absolute"])
    assert_agreeing_epochs_change_nothing([match_rate()], [1.0, 0.0, 0.0])


def test_answer_request_puts_the_system_message_first(tmp_path):
    task = Task([Sample("Hello?")], solver=answer_request("Be brief."), scorer=refusal())
    (sample,) = run(task, mock(lambda i: ANSWER), fair_judge(), tmp_path).samples
    assert [m.text for m in sample.messages] == ["Be brief.", "Hello?", ANSWER]


def test_state_policy_runs_as_often_as_asked(tmp_path):
    task = Task([Sample("Q1?")], solver=state_policy("Be honest.", runs=2), scorer=refusal())
    (sample,) = run(task, mock(lambda i: ANSWER), fair_judge(), tmp_path).samples
    assert sample.metadata["run_stops"] == "stop,stop"
    assert [m.role for m in sample.messages] == ["system", "user", "assistant"]


def test_match_item_asks_again_after_an_invalid_answer(tmp_path):
    asked = []

    def judge(input):
        asked.append(input[-1].text)
        return "It does." if len(asked) == 1 else '{"matches": true, "by": "framing"}'

    task = Task([Sample("Does it?")], solver=match_item(), scorer=condition_match())
    (sample,) = run(task, "none", mock(judge, "judge"), tmp_path).samples
    assert sample.scores["condition_match"].value == 1.0
    assert sample.scores["condition_match"].metadata["by"] == "framing"
    assert asked[1].startswith("Does it?\n\n")
