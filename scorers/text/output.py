"""What all scorers share about a model's output: how it ended, and why it has no score."""

import hashlib
from typing import Final

from inspect_ai.model import ModelOutput

from negation_evals.schema.common import SCORE_REASONS, Status

FILTER_REASON: Final = "content_filter"
"""The stop reason of a reply that the provider's content filter withheld."""
CUT_REASONS: Final = frozenset({"max_tokens", "model_length"})
"""Stop reasons of a reply that was cut."""
NO_OUTPUT: Final = "no_output"
"""A limit was met before any answer, or the provider gave none."""
NO_REPLY: Final = "There is no reply: a limit was met before it, or the provider gave none."


def stop_reason(output: ModelOutput) -> str:
    """Inspect's stop reason, or `NO_OUTPUT`: Inspect scores samples that met a limit, too."""
    return str(output.stop_reason) if output.choices else NO_OUTPUT


def completion_hash(completion: str) -> int:
    """48 bits of a completion's hash: enough to notice answers that repeat over epochs."""
    digest = hashlib.sha256(completion.encode(errors="replace")).digest()
    return int.from_bytes(digest[:6], "big")


def unscored_reason(status: Status, completion: str) -> str | None:
    """Inspect's reason for a status; an empty reply has a word of its own."""
    if status == Status.MALFORMED and not completion.strip():
        return "no_response"
    return SCORE_REASONS[status]
