"""Words that all families write into logs."""

from enum import StrEnum
from typing import Final


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


SCORED_FROM: Final = "scored_from"
"""Key of a message's metadata: from which character on log probabilities are needed."""

UNSPECIFIED: Final = "unspecified"
"""Origin and size tier of a model that no pattern names: never guessed."""
