"""A result in words: what noise alone would give, and what its NSI looks like."""

from collections.abc import Hashable
from typing import Any, Final

import pandas as pd

from negation_evals.analysis.framing.patterns import FOLLOWS_CONTENT, Pattern
from negation_evals.report.documents.formats import fixed, interval

PATTERN_WORDS: Final = {
    Pattern.UNKNOWN: (
        "so few answers are valid that no test could tell a framing effect from sampling noise"
    ),
    Pattern.NOISE: (
        "over all scenarios together the answers differ between frames by no more than sampling "
        "not distinguishable from noise with this many answers"
    ),
    Pattern.GOAL: (
        "the answers mirror the negation, and the stance moves with the mention of the goal"
    ),
    Pattern.IGNORED: (
        "it looks like ignored negation: what it agrees with when affirmed it also agrees with "
        "when negated"
    ),
    Pattern.MIXED: "neither ignored negation nor a response bias explains it alone",
}
"""What a result's NSI looks like, for the end of a sentence; `_habit_words` has the habits."""

STRONG_HABIT: Final = 0.8
CLEAR_HABIT: Final = 0.5
"""From these mean acquiescences on a habit is called a strong and a clear one."""


def noise_words(row: dict[Hashable, Any]) -> str:
    """A result's interval, and what noise alone would give."""
    if row["deterministic"]:
        return ", without sampling noise"
    return (
        f" (95 % interval {interval(row['ci_low'], row['ci_high'])}), where an exactly invariant "
        f"model with the same rates and as many answers would be expected at {row['nsi_null']:.2f}"
    )


def pattern_words(row: dict[Hashable, Any]) -> str:
    """What a result looks like."""
    pattern = row["pattern"]
    if pattern in {Pattern.YEA, Pattern.NAY}:
        return _habit_words(row)
    if pattern == Pattern.UNKNOWN and pd.isna(row["acquiescence"]):
        return "no scenario has valid answers in both frames of a pair, so nothing tells"
    if pattern == Pattern.NOISE and row["deterministic"]:
        return "none, the stance is the same in all frames"
    return PATTERN_WORDS[pattern]


def _habit_words(row: dict[Hashable, Any]) -> str:
    """A response bias by its size, and whether the answers turn with the negation all the same."""
    verb = "agree" if row["pattern"] == Pattern.YEA else "disagree"
    size = abs(row["acquiescence"])
    habit = f"a weak leaning to {verb}"
    if size >= CLEAR_HABIT:
        habit = f"a clear leaning to {verb} with what is proposed"
    if size >= STRONG_HABIT:
        habit = f"a habit of {verb}ing with whatever is proposed"
    acquiescence = fixed(row["acquiescence"], sign="+")
    words = f"it looks like a response bias, {habit} (mean acquiescence {acquiescence})"
    if row["polarity_correlation"] <= -FOLLOWS_CONTENT:
        return f"{words}, although over scenarios the answers do turn with the negation"
    return f"{words}, under which it cannot be told whether the negation is read"
