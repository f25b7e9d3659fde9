"""Scorers of the framing tasks: which action does an answer endorse, and is it an answer at all?"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from negation_evals.schema.common import Status
from negation_evals.schema.framing import (
    PARTNER_ANSWER,
    REASONING,
    PartnerKey,
    SampleKey,
    ScoreKey,
    endorses,
)
from negation_evals.scorers.framing.metrics import compliance, endorsement_by_frame, nsi
from negation_evals.scorers.framing.read_decision import DecisionReading, read_decision
from negation_evals.scorers.text.output import NO_REPLY, completion_hash, unscored_reason


@scorer(metrics=[nsi(), endorsement_by_frame()])
def decision() -> Scorer:
    """Action endorsement of the answer: 1 endorses, 0 opposes (Logical Polarity Normalization).

    The answer is the decision as given. An answer without one unambiguous decision is unscored,
    with its status, a reason and an explanation: an abstention or a broken answer endorses
    nothing, so counting it as 0 would invent a stance. So is one that the solver
    `framing_consensus` asked for twice and could not confirm (`flagged`). Of a seven-field answer
    (`sff`) the scores are kept as metadata, the model's reasoning as the explanation; a broken
    field is missing.
    """

    async def score(state: TaskState, target: Target) -> Score:
        negated = state.metadata.get(SampleKey.NEGATED)
        if not isinstance(negated, bool):
            # Without the polarity an answer endorses nothing; a guess could reverse it.
            raise ValueError(
                f"sample {state.sample_id}: its metadata lack `negated`, true or false"
            )
        return decision_score(read_output(state), state.output.completion, negated)

    return score


@scorer(metrics=[compliance()])
def validity() -> Scorer:
    """The status of the answer, from the same reading as `decision`.

    A scorer of its own, because Inspect drops unscored answers before every metric: the share of
    valid answers cannot be a metric of the scorer that leaves the others unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return validity_score(read_output(state), state.output.completion)

    return score


def decision_score(reading: DecisionReading, completion: str, negated: bool) -> Score:
    """The score of `decision` for one reading."""
    metadata: dict[str, Any] = {
        ScoreKey.STATUS: reading.status,
        ScoreKey.CONFIDENCE: reading.confidence,
        ScoreKey.COMPLETION: completion_hash(completion),
    }
    if reading.decision is None:
        return Score.unscored(
            reason=unscored_reason(reading.status, completion),
            explanation=reading.explanation,
            metadata=metadata,
        )
    # No text of ours where answer and value say all: it would double the cost of reading logs.
    reasoning = reading.fields.get(REASONING)
    return Score(
        value=float(endorses(reading.decision, negated)),
        answer=reading.decision,
        explanation=reasoning if isinstance(reasoning, str) else None,
        metadata=metadata | dict(reading.alignment),
    )


def validity_score(reading: DecisionReading, completion: str) -> Score:
    """The score of `validity` for one reading."""
    return Score(
        value=str(reading.status),
        reason=unscored_reason(reading.status, completion),
        explanation=None if reading.status == Status.VALID else reading.explanation,
    )


def read_output(state: TaskState) -> DecisionReading:
    """The reading of the model's completion, flagged where its partner does not confirm it."""
    if not state.output.choices:
        return DecisionReading(Status.UNSCORED, None, None, NO_REPLY)
    reading = _read(state.output.completion, state.output.stop_reason)
    partner = state.store.get(PARTNER_ANSWER)
    if partner is None or reading.decision is None:
        return reading
    endorsed = endorses(reading.decision, state.metadata[SampleKey.NEGATED])
    return confirmed_reading(reading, endorsed, partner)


def confirmed_reading(
    reading: DecisionReading, endorsed: bool, partner: Mapping[str, Any]
) -> DecisionReading:
    """A valid reading, flagged unless the partner's answer says the same about the action.

    Args:
        reading: With a decision.
        endorsed: Does it endorse the action?
        partner: The answer to the same proposal in the other polarity (`PartnerKey`), from the
            solver `framing_consensus`.
    """
    other = _read(partner[PartnerKey.COMPLETION], partner[PartnerKey.STOP_REASON])
    if other.decision is None:
        found = f"gives no decision ({other.status})"
    elif endorses(other.decision, partner[PartnerKey.NEGATED]) == endorsed:
        return reading
    else:
        found = f"says {other.decision}"
    sides = ("opposes", "endorses")
    return replace(
        reading,
        status=Status.FLAGGED,
        decision=None,
        explanation=(
            f"Not confirmed: {reading.decision} here {sides[endorsed]} the action, and asked as "
            f"{partner[PartnerKey.FRAME]} the model {found}."
        ),
    )


_read = lru_cache(maxsize=256)(read_decision)
"""Both scorers share one reading of a completion."""
