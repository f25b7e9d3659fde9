"""Which of a sample's scores counts: `inspect score --action append` numbers the later ones."""

import re
from collections.abc import Mapping

from inspect_ai.scorer import Score


def scores_of(scores: Mapping[str, Score] | None, name: str) -> list[Score]:
    """All scores of one scorer, the newest first."""
    named = ((re.fullmatch(rf"{name}(\d*)", key), score) for key, score in (scores or {}).items())
    own = [(int(match[1] or 0), score) for match, score in named if match]
    return [score for _, score in sorted(own, key=lambda pair: pair[0], reverse=True)]


def newest_score(scores: Mapping[str, Score] | None, name: str) -> Score | None:
    """The newest score of one scorer, None without any."""
    return next(iter(scores_of(scores, name)), None)
