"""Scoring a choice."""

import asyncio

import pytest
from inspect_ai.model import ModelName
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from negation_evals.scorers.nubench.choice import negation_choice


def test_scoring_the_log_of_another_task_says_so() -> None:
    state = TaskState(
        model=ModelName("mockllm/model"), sample_id="x", epoch=1, input="?", messages=[]
    )
    with pytest.raises(ValueError, match="sample 'x' is of another task"):
        asyncio.run(negation_choice()(state, Target("A")))  # type: ignore[arg-type]


def test_likelihoods_choose_by_sum_and_by_token() -> None:
    from negation_evals.scorers.nubench.choice import likelihood_score

    likelihoods = [
        {"total": -9.0, "tokens": 3},
        {"total": -10.0, "tokens": 10},
        {"total": -9.0, "tokens": 2},
        {"total": -20.0, "tokens": 10},
    ]
    score = likelihood_score(likelihoods, "scpl")
    assert (score.value, score.answer) == ("C", "A")
    assert score.metadata is not None
    assert (score.metadata["chosen"], score.metadata["per_token"]) == ("s", "c")
