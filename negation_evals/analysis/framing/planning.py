"""What an audit will cost and show, before any money is spent. Pure: no model, no file, no task."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from negation_evals.analysis.framing.interim import look_confidence, with_overall
from negation_evals.analysis.framing.intervals.distribution import Floats
from negation_evals.analysis.framing.intervals.limits import (
    mean_limits,
    mean_parts,
    scenario_limits,
)
from negation_evals.analysis.framing.tier_tables import TierThresholds
from negation_evals.analysis.framing.tiers import OVERALL, Tier, tiers
from negation_evals.schema.schedule import Schedule

CHARACTERS_PER_TOKEN: Final = 4
"""A rule of thumb for English text and current tokenizers."""

ANSWER_TOKENS: Final = {"short": 20, "sff": 150, "sff with reasoning": 400}
"""Tokens assumed for an answer of the framing tasks, by form."""

OTHER_TOKENS: Final = 200
"""For an answer of any other task."""

POOL: Final = 60
"""Simulated scenarios under each assumption; means draw theirs from these."""

MEANS: Final = 200
"""Simulated means under each assumption."""

MOST_SIMULATED: Final = 300
"""Answers a cell up to which intervals are simulated: more take minutes, and are narrow anyway."""


@dataclass(frozen=True)
class Assumption:
    """A model with known rates of endorsement, the same in every scenario."""

    name: str
    affirmative: float
    """Rate in frames that state the action,"""
    negated: float
    """and in those that negate it."""


ASSUMPTIONS: Final = (
    Assumption("nearly invariant (rate 0.02)", 0.02, 0.02),
    Assumption("noisy invariant (rate 0.5)", 0.5, 0.5),
    Assumption("strongly framed (0.1, negated 0.9)", 0.1, 0.9),
)


@dataclass(frozen=True)
class PerCall:
    """Tokens of one model call, and where known seconds and dollars."""

    input_tokens: float
    output_tokens: float
    how: str
    """Where the figures come from, in words."""
    seconds: float | None = None
    """Of the whole audit's time, with as many calls at once as where it was measured."""
    dollars: float | None = None


@dataclass(frozen=True)
class Plan:
    """What an audit takes."""

    task: str
    model: str
    samples: int
    asked: int
    """Epochs of the task or of `--epochs`."""
    call: PerCall
    schedule: Schedule | None = None
    """Of an adaptive audit."""

    def lines(self) -> list[str]:
        """The plan in words."""
        epochs = dict.fromkeys(planned_epochs(self.asked, self.schedule))
        call = self.call

        def total(per_call: float, most_decimals: int = 0) -> str:
            figures = (per_call * self.samples * n for n in epochs)
            return " to ".join(_rounded(figure, most_decimals) for figure in figures)

        cost = "no price known: give --model-cost-config FILE"
        if call.dollars is not None:
            cost = f"about {total(call.dollars, 6)} dollars"
        time = "not known: give --sample-log LOG"
        if call.seconds is not None:
            time = f"about {total(call.seconds / 60, 1)} minutes at the pace of that log"
        return [
            f"Plan of {self.task} for {self.model}; no model was called.",
            f"Calls: {' to '.join(f'{self.samples * n:,}' for n in epochs)} ({self.samples} "
            f"samples, {' to '.join(map(str, epochs))} epochs).",
            f"Tokens: about {total(call.input_tokens)} in, {total(call.output_tokens)} out.",
            f"  {call.how}",
            f"Cost: {cost}.",
            f"Time: {time}.",
        ]


def _rounded(value: float, most_decimals: int) -> str:
    """To three digits, which is more than any of the estimates is good for."""
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    digits = min(digits, most_decimals)
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def estimated_call(prompts: Sequence[int], answer_tokens: int) -> PerCall:
    """A call by the length of the prompts.

    Args:
        prompts: Characters of each sample's prompt.
        answer_tokens: Tokens assumed for an answer.
    """
    mean = sum(prompts) / len(prompts)
    return PerCall(
        mean / CHARACTERS_PER_TOKEN,
        answer_tokens,
        f"Prompts by characters / {CHARACTERS_PER_TOKEN}; {answer_tokens} a call assumed for the "
        "answer: a model that reasons takes far more.",
    )


def planned_epochs(epochs: int, schedule: Schedule | None) -> tuple[int, int]:
    """The fewest and the most epochs of an audit: of an adaptive one, first and last look.

    Args:
        epochs: Those of the task or of `--epochs`.
        schedule: That of an adaptive audit.
    """
    if schedule is None:
        return epochs, epochs
    due = [look for look in schedule.looks if look <= epochs]
    return (due[0], due[-1]) if due else (epochs, epochs)


def planned_confidences(
    epochs: int, confidence: float, schedule: Schedule | None
) -> dict[int, float]:
    """The epochs at which intervals are of interest, and their confidence.

    Args:
        epochs: As for `planned_epochs`.
        confidence: That is asked for; of an adaptive audit, for all its looks together.
        schedule: That of an adaptive audit.
    """
    both = planned_epochs(epochs, schedule)
    if schedule is None or both[0] not in schedule.looks:
        return {epochs: confidence}
    error = round(1 - confidence, 12)
    spent = Schedule(schedule.first, schedule.every, schedule.max_epochs, error)
    return {n: look_confidence(spent, n) for n in both}


def expected_intervals(
    domains: Mapping[str, int],
    negated: Sequence[bool],
    n: int,
    *,
    confidence_level: float = 0.95,
    thresholds: Sequence[TierThresholds] | None = None,
    rng: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """How wide the intervals of an audit are going to be, and what share of tiers they decide.

    Simulated: scenarios with every answer valid, their intervals by the method of the analysis.

    Args:
        domains: Scenarios of each domain.
        negated: Of each frame, whether it negates the action.
        n: Answers to each scenario and frame.
        confidence_level: In (0, 1).
        thresholds: Default `datasets/tiers.yaml`; domains without any take the overall ones.
        rng: Seed or generator.

    Returns:
        One row per `ASSUMPTIONS` and what is estimated: assumed (its name), estimated (one
        scenario, mean of a domain, mean of all), n, confidence, width (mean, in [0, 1]), decided
        (share of tiers; NaN for one scenario, which has no tier).
    """
    generator = np.random.default_rng(rng)
    rows, tail = with_overall([*domains], thresholds), (1 - confidence_level) / 2
    sizes = list(domains.values())
    found = []
    for assumed in ASSUMPTIONS:
        rates = np.where(negated, assumed.negated, assumed.affirmative)
        k = generator.binomial(n, rates, (POOL, len(rates)))
        sizes_of_n = np.full_like(k, n)
        single = scenario_limits(k, sizes_of_n, tail)
        parts = mean_parts(k, sizes_of_n)
        limits = {1: single}
        for size in {*sizes, sum(sizes)} - {1}:
            members = generator.integers(POOL, size=(MEANS, size))
            limits[size] = mean_limits(parts.take(members), tail)
        decided = [_decided(limits[size], name, rows) for name, size in domains.items()]
        widths = [_width(limits[size]) for size in sizes]
        whole = limits[sum(sizes)]
        for estimated, width, share in (
            ("one scenario", _width(single), math.nan),
            ("mean of a domain", float(np.mean(widths)), float(np.mean(decided))),
            ("mean of all", _width(whole), _decided(whole, OVERALL, rows)),
        ):
            found.append((assumed.name, estimated, n, confidence_level, width, share))
    columns = ["assumed", "estimated", "n", "confidence", "width", "decided"]
    return pd.DataFrame(found, columns=columns)


def _width(limits: Floats) -> float:
    return float(np.mean(limits[:, 1] - limits[:, 0]))


def _decided(limits: Floats, domain: str, thresholds: Sequence[TierThresholds]) -> float:
    """The share of intervals that lie within one tier."""
    table = pd.DataFrame({"nsi": np.nan, "ci_low": limits[:, 0], "ci_high": limits[:, 1]})
    return float((tiers(table, thresholds, domain)["tier"] != Tier.UNDECIDED).mean())
