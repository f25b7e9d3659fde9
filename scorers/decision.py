"""Scorers of the framing tasks: which action does an answer endorse, and is it an answer at all?"""

import hashlib

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from negation_evals.schema import SCORE_REASONS, SampleKey, ScoreKey, endorses
from negation_evals.scorers.metrics import compliance, endorsement_by_frame, nsi
from negation_evals.scorers.parsing import DecisionReading, read_decision


@scorer(metrics=[nsi(), endorsement_by_frame()])
def decision() -> Scorer:
    """Action endorsement of the answer: 1 endorses, 0 opposes (Logical Polarity Normalization).

    The answer is the decision as given. An answer without one unambiguous decision is unscored,
    with its status, a reason and an explanation: an abstention or a broken answer endorses
    nothing, so counting it as 0 would invent a stance.
    """

    async def score(state: TaskState, target: Target) -> Score:
        reading = read_output(state)
        metadata = {
            ScoreKey.STATUS: reading.status,
            ScoreKey.CONFIDENCE: reading.confidence,
            ScoreKey.COMPLETION: hashlib.sha256(
                state.output.completion.encode(errors="replace")
            ).hexdigest()[:12],
        }
        if reading.decision is None:
            return Score.unscored(
                reason=unscored_reason(state, reading),
                explanation=reading.explanation,
                metadata=metadata,
            )
        negated = bool(state.metadata.get(SampleKey.NEGATED, False))
        endorsed = endorses(reading.decision, negated)
        return Score(
            value=float(endorsed),
            answer=reading.decision,
            explanation=f"{reading.explanation} The proposal is "
            f"{'negated' if negated else 'affirmative'}, so this "
            f"{'endorses' if endorsed else 'opposes'} the action.",
            metadata=metadata,
        )

    return score


@scorer(metrics=[compliance()])
def validity() -> Scorer:
    """The status of the answer, from the same reading as `decision`.

    A scorer of its own, because Inspect drops unscored answers before every metric: the share of
    valid answers cannot be a metric of the scorer that leaves the others unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:
        reading = read_output(state)
        return Score(
            value=str(reading.status),
            reason=unscored_reason(state, reading),
            explanation=reading.explanation,
        )

    return score


def read_output(state: TaskState) -> DecisionReading:
    """The reading of the model's completion; both scorers share it."""
    return read_decision(state.output.completion, state.output.stop_reason)


def unscored_reason(state: TaskState, reading: DecisionReading) -> str | None:
    """Inspect's reason for a status; an empty reply has a word of its own."""
    if reading.status == "malformed" and not state.output.completion.strip():
        return "no_response"
    return SCORE_REASONS[reading.status]
