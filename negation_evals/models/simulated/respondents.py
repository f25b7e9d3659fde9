"""Simulated respondents to the framing tasks."""

import json
import math
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from negation_evals.errors import DataError
from negation_evals.schema.framing import REASONING, Decision

BROKEN_ANSWERS = (
    "I do not agree.",
    '{"decision": "strongly agree", "confidence": 90}',
    '{"decision": "agree", "confidence": 64',
    '{"decision": "agree"}\n{"decision": "disagree"}',
    "It depends on the budget.",
    "",
)
"""What a respondent says instead of an answer."""

MALFORMED_SHARE = 0.3


@dataclass(frozen=True)
class Asked:
    """What a respondent needs to know of a question."""

    scenario: str
    frame: str
    negated: bool


class Respondent:
    """One respondent: its parameters and how it answers.

    Args:
        name: One of `BEHAVIOURS`.
        p: `mirror`, `malformed`: probability of endorsing the action; `polarity-blind`,
            `noisy`: of agreeing; `naysayer`, `yeasayer`: of the habitual answer. One number, or
            a number per scenario. Default: one per scenario, drawn from the seed in [0.05, 0.95];
            for `noisy` 0.5, for `naysayer` and `yeasayer` 1. `framed`: probability of endorsing
            the action by frame, required.
        share: Share of broken answers. Default 0; for `malformed` 0.3.
        spread: `framed`: SD over scenarios of a shift of the probability's logit.
        seed: Another seed gives another draw of everything.

    Raises:
        DataError: an unknown name or a value out of range.
    """

    def __init__(
        self, name: str, p: Any = None, share: Any = None, seed: Any = 0, spread: Any = 0.0
    ) -> None:
        if name not in BEHAVIOURS:
            raise DataError(f"unknown respondent {name!r}: known are {', '.join(BEHAVIOURS)}")
        self.name = name
        self.p = p
        default = MALFORMED_SHARE if name == "malformed" else 0.0
        self.share = _probability(default if share is None else share, "share")
        self.seed = seed
        if isinstance(spread, bool) or not isinstance(spread, int | float) or not spread >= 0:
            raise DataError(f"simulated: spread={spread!r} is not a number from 0")
        self.spread = float(spread)
        if name == "framed" and not isinstance(p, Mapping):
            raise DataError("simulated: framed needs p by frame, e.g. -M 'p={F0: 0.3, F1: 0.8}'")
        for value in p.values() if isinstance(p, Mapping) else [p] if p is not None else []:
            _probability(value, "p")

    def answer(
        self,
        scenario: str,
        frame: str,
        negated: bool,
        epoch: int,
        fields: Iterable[str] = (),
        greedy: bool = False,
    ) -> str:
        """The completion for one sample and epoch, with any further fields that are asked for.

        `greedy` is decoding at temperature 0: the likelier answer (of equals the one that a
        probability of 0 would give), the same in every epoch.
        """
        draw = self._random(scenario, frame, epoch)
        if greedy:
            draw = _Greedy(f"{self.seed}/{self.name}/{scenario}/{frame}")
        if self.share and draw.random() < self.share:
            return draw.choice(BROKEN_ANSWERS)
        agrees = BEHAVIOURS[self.name](self, Asked(scenario, frame, negated), draw)
        decision = Decision.AGREE if agrees else Decision.DISAGREE
        given: dict[str, Any] = {"decision": decision, "confidence": draw.randint(50, 100)}
        for name in fields:
            given[name] = "Simulated." if name == REASONING else draw.randint(0, 100)
        return json.dumps(given)

    def probability(self, scenario: str, default: float | None = None) -> float:
        """The respondent's `p` for one scenario."""
        value = self.p.get(scenario) if isinstance(self.p, Mapping) else self.p
        if value is not None:
            return float(value)
        return self._random(scenario).uniform(0.05, 0.95) if default is None else default

    def framed_probability(self, asked: Asked) -> float:
        """`framed`: the probability of endorsing the action in one scenario and frame."""
        if asked.frame not in self.p:
            raise DataError(f"simulated: p names no probability for frame {asked.frame}")
        rate = min(max(float(self.p[asked.frame]), 1e-3), 1 - 1e-3)
        logit = math.log(rate / (1 - rate)) + self._random(asked.scenario).gauss(0, self.spread)
        return 1 / (1 + math.exp(-logit))

    def _random(self, *key: object) -> random.Random:
        return random.Random(f"{self.seed}/{self.name}/{'/'.join(map(str, key))}")


class _Greedy(random.Random):
    """Draws that take an event if and only if its probability is above one half."""

    def random(self) -> float:
        return 0.5


def _mirror(self: Respondent, asked: Asked, draw: random.Random) -> bool:
    """Endorses the action with probability p and says so under either polarity: true NSI is 0."""
    return (draw.random() < self.probability(asked.scenario)) != asked.negated


def _polarity_blind(self: Respondent, asked: Asked, draw: random.Random) -> bool:
    """Agrees with probability p whether or not the proposal is negated: true NSI is |1 - 2p|."""
    return draw.random() < self.probability(asked.scenario)


def _noisy(self: Respondent, asked: Asked, draw: random.Random) -> bool:
    """Tosses a coin, by default a fair one: then true NSI is 0, observed NSI its floor."""
    return draw.random() < self.probability(asked.scenario, 0.5)


def _naysayer(self: Respondent, asked: Asked, draw: random.Random) -> bool:
    """Disagrees with everything: NSI 1, F1 = F3 = 1 and F0 = F2 = 0."""
    return draw.random() >= self.probability(asked.scenario, 1.0)


def _yeasayer(self: Respondent, asked: Asked, draw: random.Random) -> bool:
    """Agrees with everything: NSI 1, F0 = F2 = 1 and F1 = F3 = 0."""
    return draw.random() < self.probability(asked.scenario, 1.0)


def _framed(self: Respondent, asked: Asked, draw: random.Random) -> bool:
    """Endorses the action with the probability of the frame, shifted for each scenario."""
    return (draw.random() < self.framed_probability(asked)) != asked.negated


def _probability(value: object, argument: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise DataError(f"simulated: {argument}={value!r} is not a probability in [0, 1]")
    return float(value)


Behaviour = Callable[[Respondent, Asked, random.Random], bool]
BEHAVIOURS: dict[str, Behaviour] = {
    "mirror": _mirror,
    "naysayer": _naysayer,
    "yeasayer": _yeasayer,
    "polarity-blind": _polarity_blind,
    "noisy": _noisy,
    "malformed": _mirror,
    "framed": _framed,
}
"""Does the respondent agree? By name."""
