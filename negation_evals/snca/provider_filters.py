"""A provider's content filter that raises an error in the place of a stop reason.

Inspect turns the filters that it knows into the stop reason `content_filter`. Some providers answer
with HTTP 400 or 403 all the same; for the audit that is the same fact, and no error of ours.
"""

import re
from collections.abc import Awaitable
from typing import Final

from inspect_ai.model import ModelOutput

_STATUSES: Final = frozenset({400, 403})
_FILTERED: Final = re.compile(
    r"content[\s_-]?(?:filter|policy|management|moderation)|moderation[\s_-]blocked"
    r"|(?:prompt|request|input|output|message|response|content)s?\b[^.]{0,80}\b(?:flagged|blocked)"
    r"|(?:flagged|blocked) by[^.]{0,40}\b(?:moderation|safety|filter)"
    r"|result of (?:our|the) safety[\s_-]system|responsible[\s_-]?ai[\s_-]?policy"
    r"|data_inspection_failed",
    re.IGNORECASE,
)
"""Not "moderation" alone: an account or a parameter that is at fault is no refusal."""
_LONGEST: Final = 2000


def is_filter_error(error: BaseException) -> bool:
    """Whether an error says that a content filter blocked the request."""
    status = getattr(error, "status_code", None) or getattr(error, "status", None)
    return status in _STATUSES and bool(_FILTERED.search(str(error)[:_LONGEST]))


async def or_filtered(answer: Awaitable[ModelOutput], model: str) -> ModelOutput:
    """The answer, or an empty one with the stop reason `content_filter`; other errors go on.

    Args:
        answer: A call of the model.
        model: Its name, for the output that takes the error's place.
    """
    try:
        return await answer
    except Exception as error:
        if not is_filter_error(error):
            raise
        return ModelOutput.from_content(model, "", stop_reason="content_filter", error=str(error))
