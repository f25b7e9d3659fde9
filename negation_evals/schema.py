"""The vocabulary that data, scorers and analysis share. Imports nothing of ours.

Everything that is written into a log by one part and read by another has its name here: the
statuses of an answer, the two decisions, and the keys of sample and score metadata.
"""

from enum import StrEnum
from typing import Final


class DataError(ValueError):
    """The user's input is wrong: the message names it, what was expected, and the remedy.

    Tasks turn it into `click.UsageError`, the command line into one line and exit code 2.
    """


class Decision(StrEnum):
    """The two answers that count; which action they endorse depends on the frame's polarity."""

    AGREE = "agree"
    DISAGREE = "disagree"


def endorses(decision: Decision, negated: bool) -> bool:
    """Logical Polarity Normalization: does a decision endorse the action?

    (decision is agree) XOR negated; arXiv:2601.21433, Section 3.2, equation 1.
    """
    return (decision == Decision.AGREE) != negated


class Status(StrEnum):
    """What became of one answer. All but `VALID` leave the cell without a decision."""

    VALID = "valid"
    """One unambiguous decision."""
    MALFORMED = "malformed"
    """Text, but no unambiguous decision."""
    TRUNCATED = "truncated"
    """Cut at the token limit before a complete answer."""
    REFUSAL = "refusal"
    """The model declined the task."""
    FILTERED = "filtered"
    """The provider's content filter stopped the answer."""
    ABSTAIN = "abstain"
    """The model engaged and took neither side."""
    FLAGGED = "flagged"
    """A mitigation withheld the answer."""
    UNSCORED = "unscored"
    """The sample finished without a score."""
    ERROR = "error"
    """The sample did not finish."""


SCORE_REASONS: Final[dict[Status, str | None]] = {
    Status.VALID: None,
    Status.MALFORMED: "invalid_response_format",
    Status.TRUNCATED: "truncated",
    Status.REFUSAL: "refusal",
    # Inspect has no word of its own for a provider's filter and files it under refusal.
    Status.FILTERED: "refusal",
    Status.ABSTAIN: "abstain",
    Status.FLAGGED: "flagged",
    Status.UNSCORED: "no_response",
}
"""Inspect's `Score.reason` for each status a scorer gives; the one place where they meet."""


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
    """When the audit looked, as the text of `analysis.sequential.Schedule`; None of a fixed n."""


STANDARD: Final = "standard"
"""The condition of an audit that does not ask for reasoning,"""
REASONING: Final = "reasoning"
"""and of one that does; also the answer's field with its reasons."""


TASK_SOLVERS: Final = frozenset(
    (
        *("answer_proposal", "choose_option", "score_candidates"),
        *("state_policy", "answer_request", "match_item"),
    )
)
"""The tasks' own solvers, which another may take the place of, or stand beside."""
DECISION_SCORER: Final = "decision"
VALIDITY_SCORER: Final = "validity"
SCENARIOS_TO_CERTIFY: Final = 10
"""Scenarios of one domain that certification asks for (arXiv:2601.21433v1, Section 4.3)."""
UNSPECIFIED: Final = "unspecified"
"""Origin and size tier of a model that no pattern names: never guessed."""


class OptionType(StrEnum):
    """What an option of a NUBench item is to its sentence (arXiv:2506.14397, Section 4)."""

    STANDARD = "standard negation"
    LOCAL = "local negation"
    CONTRADICTION = "contradiction"
    PARAPHRASE = "paraphrase"


OPTION_CODES: Final = {kind.value[0]: kind for kind in OptionType}
"""Option types by their first letter, as logs hold them."""
LETTERS: Final = "ABCD"
"""What options are shown under, and answered by."""


class ItemKey(StrEnum):
    """Keys of `Sample.metadata` in the task `nubench`."""

    ITEM = "item"
    PAGE = "page"
    """The Wikipedia page that the sentence is from: items of one page are a cluster."""
    LOCAL_TYPE = "local_type"
    """The construction that the local negation negates; None without one."""
    OPTIONS = "options"
    """Types of the options as shown, A first, by their first letters: the permutation."""
    LIKELIHOODS = "likelihoods"
    """Log-likelihood and tokens of each option, where options were scored and not chosen."""


class ChoiceKey(StrEnum):
    """Keys of `Score.metadata` of the scorer `negation_choice`."""

    STATUS = "status"
    CHOSEN = "chosen"
    """The type of the option chosen, by its first letter."""
    PER_TOKEN = "per_token"
    """The type that the log-likelihood per token chooses."""


class NubenchKey(StrEnum):
    """Keys of `Task.metadata` of the task `nubench`."""

    DATASET = "dataset"
    REVISION = "revision"
    DATA_HASH = "items_sha256"
    DEMONSTRATIONS = "demonstrations_sha256"
    """Hash of the split that demonstrations come from; empty without any."""
    SPLIT = "split"
    INSTRUCTIONS = "instructions"
    SHOTS = "shots"
    FORMAT = "format"
    COT = "cot"
    STRUCTURED = "structured"
    SHUFFLE_SEED = "seed"


CHOICE_SCORER: Final = "negation_choice"
