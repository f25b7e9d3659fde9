"""Scorer of the matching task: does an item meet a condition or framing that a policy states?"""

from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from negation_evals.schema.common import Status
from negation_evals.schema.snca import MatchScore
from negation_evals.scorers.snca.read_judge_json import read_match
from negation_evals.scorers.text.output import stop_reason


@metric(scores="unreduced")
def match_rate() -> Metric:
    """Share of the judged items that meet a statement; NaN without one."""

    def compute(scores: list[SampleScore]) -> Value:
        judged = [score.score.as_float() for score in scores]
        return sum(judged) / len(judged) if judged else float("nan")

    return compute


@scorer(metrics=[match_rate()])
def condition_match() -> Scorer:
    """1 where the judge found that the item meets a stated condition or framing, else 0.

    Reads the judge's reply that the solver `match_item` brought; it calls no model. A reply without
    a valid verdict is unscored: such an item stays unpredictable.
    """

    async def score(state: TaskState, target: Target) -> Score:
        reading = read_match(state.output.completion, stop_reason(state.output))
        metadata: dict[str, Any] = {MatchScore.JUDGE: state.metadata.get(MatchScore.JUDGE)}
        if reading.status != Status.VALID or reading.matches is None:
            return Score.unscored(
                reason="grader_failed", explanation=reading.explanation, metadata=metadata
            )
        return Score(
            value=float(reading.matches),
            answer="match" if reading.matches else "no match",
            explanation=reading.which or reading.explanation,
            metadata=metadata | {MatchScore.BY: reading.by, MatchScore.WHICH: reading.which},
        )

    return score
