"""A number of a reply, as a number, a text or a percentage."""

import re
import unicodedata
from typing import Final

from negation_evals.scorers.text.characters import PLAIN

_LONGEST: Final = 300
"""Longer text is no number, and could be slow to normalise."""
_NUMBER: Final = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?) ?%?")


def number_up_to_100(value: object) -> float | None:
    """A number from 0 to 100, neither clamped nor rescaled; a boolean is no number."""
    if isinstance(value, str):
        text = value.strip()
        text = unicodedata.normalize("NFKC", text.translate(PLAIN)) if len(text) <= _LONGEST else ""
        number = _NUMBER.fullmatch(text.lower())
        value = float(number[1]) if number else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    return float(value)
