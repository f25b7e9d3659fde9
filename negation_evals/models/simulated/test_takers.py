"""Simulated test takers of NUBench: habits whose accuracy and errors are known beforehand."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from negation_evals.errors import DataError
from negation_evals.schema.nubench import LETTERS, OptionType

VIOLATIONS = (
    "None of the options is a standard negation of the sentence.",
    "ANSWER: E",
    "ANSWER: A and C",
    "I would rather not say.",
    "",
)
"""What a test taker says who chooses no option."""


@dataclass(frozen=True)
class Shown:
    """An item as a test taker sees it, and what only a simulated one knows: the types."""

    options: str
    """Codes of the options' types, A first."""
    texts: Sequence[str]


class Chooser:
    """One test taker.

    Args:
        name: One of `HABITS`.
        letter: `letter`: the letter that it always chooses. Default B.
        share: Share of replies that choose no option.
        seed: Another seed gives another draw of those.

    Raises:
        DataError: an unknown name or a value out of range.
    """

    def __init__(self, name: str, letter: Any = "B", share: Any = 0.0, seed: Any = 0) -> None:
        if name not in HABITS:
            raise DataError(f"unknown test taker {name!r}: known are {', '.join(HABITS)}")
        if letter not in tuple(LETTERS):
            raise DataError(f"simulated: letter={letter!r} is not one of {', '.join(LETTERS)}")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise DataError(f"simulated: share={share!r} is not a probability in [0, 1]")
        self.name, self.letter, self.share, self.seed = name, letter, float(share), seed

    def answer(self, item: str, shown: Shown, epoch: int) -> str:
        """The completion for one item and epoch."""
        draw = random.Random(f"{self.seed}/{self.name}/{item}/{epoch}")
        if self.share and draw.random() < self.share:
            return draw.choice(VIOLATIONS)
        return f"ANSWER: {HABITS[self.name](self, shown)}"


def _of_type(kind: OptionType) -> Callable[[Chooser, Shown], str]:
    """Chooses a type wherever it stands; of an item without it the right option."""

    def choose(self: Chooser, shown: Shown) -> str:
        wanted = kind if kind.value[0] in shown.options else OptionType.STANDARD
        return LETTERS[shown.options.index(wanted.value[0])]

    return choose


def _letter(self: Chooser, shown: Shown) -> str:
    """Chooses its letter, even where an item has no such option."""
    return str(self.letter)


def _shortest(self: Chooser, shown: Shown) -> str:
    """Chooses the shortest option, of equals the first."""
    lengths = [len(text) for text in shown.texts]
    return LETTERS[lengths.index(min(lengths))]


HABITS: dict[str, Callable[[Chooser, Shown], str]] = {
    "right": _of_type(OptionType.STANDARD),
    "local": _of_type(OptionType.LOCAL),
    "letter": _letter,
    "shortest": _shortest,
}
"""Which option is chosen? By name."""
