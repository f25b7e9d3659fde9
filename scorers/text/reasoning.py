"""A reply without its reasoning."""

import re
from bisect import bisect_right
from typing import Final

from negation_evals.scorers.text.json_objects import find_objects

_TAG_NAMES: Final = r"(?:\w{1,20}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|scratchpad)"
_TAG: Final = re.compile(
    rf"<(?P<end>/)?{_TAG_NAMES}(?:\s[^<>]*)?(?<!/)>|\[(?P<end_bracket>/)?THINK\]", re.IGNORECASE
)


def strip_reasoning(text: str) -> str:
    """Remove the reasoning: tagged blocks, and all before a closing tag that nothing opened.

    An opening tag that nothing closes makes the rest reasoning, unless it stands amid a sentence
    that mentions it. Tags within a string of a complete object are text.
    """
    objects = find_objects(text) if _TAG.search(text) else []
    starts = [found.start for found in objects]
    kept: list[str] = []
    position, opened = 0, None
    for tag in _TAG.finditer(text):
        nearest = bisect_right(starts, tag.start()) - 1
        if nearest >= 0 and tag.start() < objects[nearest].end:
            continue
        if not (tag["end"] or tag["end_bracket"]):
            opened = tag.start() if opened is None else opened
            continue
        if opened is None:
            kept.clear()
        else:
            kept.append(text[position:opened])
        position, opened = tag.end(), None
    if opened is None or _is_mention(text[position:opened]):
        opened = len(text)
    return " ".join([*kept, text[position:opened]])


def _is_mention(before: str) -> bool:
    """Whether the text before an opening tag breaks off amid a sentence."""
    before = before.rstrip(" \t\ufeff")
    return bool(before) and before[-1] not in "\r\n.!?:;>}"
