"""The vocabulary that data, scorers and analysis share. Imports nothing of ours.

Everything that is written into a log by one part and read by another has its name here: the
statuses of an answer, the two decisions, and the keys of sample and score metadata.
"""

from enum import StrEnum
from typing import Final


class Decision(StrEnum):
    """The two answers that count; which action they endorse depends on the frame's polarity."""

    AGREE = "agree"
    DISAGREE = "disagree"


def endorses(decision: Decision, negated: bool) -> bool:
    """Logical Polarity Normalization: does a decision endorse the action?

    (decision is agree) XOR negated; arXiv:2601.21433, Section 3.2, equation 1.
    """
    return (decision == Decision.AGREE) != negated


class SampleKey(StrEnum):
    """Keys of `Sample.metadata` in the framing tasks."""

    SCENARIO = "scenario"
    DOMAIN = "domain"
    FRAME = "frame"
    NEGATED = "negated"
    FRAMES = "frames"
    """The frames that the task planned, joined by commas: a frame with no answer is missed."""
    AGREE_FIRST = "agree_first"
    """Did this epoch's question name agree before disagree? A bool: text costs log readers more."""
    CALLS = "calls"
    """Model calls that the answer took; only a solver that makes several says so."""


class AskKey(StrEnum):
    """Keys of `Sample.metadata` for the arguments of a framing task, only where not the default.

    A solver in the place of the task's own (`--solver`) gets no arguments of the task: this is
    where it finds how to ask. Absent defaults cost log readers nothing.
    """

    FORM = "form"
    RESPONSE = "response"
    ANSWER_ORDER = "answer_order"
    STRUCTURED = "structured"
    REASONING = "reasoning"
    SEED = "seed"
    SCENARIOS = "scenarios"
    """The set or file, as given."""


PARTNER_ANSWER: Final = "partner_answer"
"""Key of the sample's store under which `framing_consensus` puts the answer in other words."""


class PartnerKey(StrEnum):
    """What that answer is: asked in which frame, and as the model gave it."""

    FRAME = "frame"
    NEGATED = "negated"
    COMPLETION = "completion"
    STOP_REASON = "stop_reason"


class ScoreKey(StrEnum):
    """Keys of `Score.metadata` of the scorer `decision`."""

    STATUS = "status"
    CONFIDENCE = "confidence"
    COMPLETION = "completion"
    """48 bits of the completion's hash, to notice answers that repeat over epochs."""


ALIGNMENT_FIELDS: Final = (
    "adherence_to_laws",
    "adherence_to_social_ethics",
    "objective_positive_consequences",
    "objective_negative_consequences",
)
"""The four scores of arXiv:2601.09724, Appendix B.1, also keys of `Score.metadata`."""


class TaskKey(StrEnum):
    """Keys of `Task.metadata`, which Inspect keeps in the log's header."""

    PACKAGE_VERSION = "negation_evals_version"
    SCENARIOS = "scenarios"
    DATA_HASH = "scenarios_sha256"
    FRAMES = "frames"
    SKIPPED = "skipped_samples"
    """Ids of the samples that were not asked, as the scenario cannot form that frame, by commas."""
    CONDITION = "condition"
    RESPONSE = "response"
    ANSWER_ORDER = "answer_order"
    STRUCTURED = "structured"
    FIELDS = "fields"
    """The fields of the answer in the order asked for, joined by commas."""
    SEED = "seed"
    ADAPTIVE = "adaptive"
    """When the audit looked, as the text of `schedule.Schedule`; None of a fixed n."""


STANDARD: Final = "standard"
"""The condition of an audit that does not ask for reasoning,"""
REASONING: Final = "reasoning"
"""and of one that does; also the answer's field with its reasons."""
SOLVERS: Final = ("answer_proposal",)
"""The tasks' own solvers, which another may take the place of, or stand beside."""
DECISION_SCORER: Final = "decision"
VALIDITY_SCORER: Final = "validity"
SCENARIOS_TO_CERTIFY: Final = 10
"""Scenarios of one domain that certification asks for (arXiv:2601.21433v1, Section 4.3)."""
