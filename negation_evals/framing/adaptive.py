"""Stop asking about a domain once its tier is decided: Inspect's EarlyStopping for the audits.

Inspect starts samples epoch by epoch, so that a look can stop what has not begun. Answers finish in
any order; a look is taken when the last answer of its epochs is in, and on these alone. Samples of
later epochs are held back until then: so the same answers give the same stops and the same calls,
however many run at a time.
"""

import math
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from logging import getLogger
from typing import Any, Final

import anyio
import numpy as np
import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore
from inspect_ai.solver import TaskState
from inspect_ai.util import EarlyStop, EarlyStopping
from pydantic import JsonValue

from negation_evals.analysis.rates import endorsement_rates
from negation_evals.analysis.sequential import (
    FIRST_LOOK,
    MAX_EPOCHS,
    Schedule,
    look,
    with_overall,
)
from negation_evals.analysis.tiers import OVERALL
from negation_evals.arguments import check_type
from negation_evals.data import TierThresholds, load_tier_thresholds
from negation_evals.schema import DECISION_SCORER, DataError, SampleKey, ScoreKey, Status

logger = getLogger(__name__)

MANAGER: Final = "negation_evals/adaptive"
"""Name of the manager in the log."""

PATIENCE: Final = 5.0
"""Seconds that samples of a domain are held back while none of its samples is under way. In a retry
what a look needs can be queued behind them; then one goes ahead, a call that is not needed."""

CONSENSUS_SOLVER: Final = "framing_consensus"

Answer = tuple[str | int, int]
"""A sample's id and an epoch."""


def plan_looks(adaptive: bool, min_epochs: int, max_epochs: int) -> Schedule | None:
    """The schedule that a task's arguments ask for; None without `adaptive`.

    Raises:
        DataError: an argument of the wrong type, epochs without `adaptive`, or no look at all.
    """
    check_type("adaptive", adaptive, bool, "true or false")
    given = {"min_epochs": min_epochs, "max_epochs": max_epochs}
    for name, value in given.items():
        check_type(name, value, int, "a whole number")
    if adaptive:
        return Schedule(first=min_epochs, max_epochs=max_epochs)
    for (name, value), default in zip(given.items(), (FIRST_LOOK, MAX_EPOCHS), strict=True):
        if value != default:
            raise DataError(f"{name}={value} needs adaptive=true; without it use --epochs")
    return None


class DomainStopping(EarlyStopping):
    """Stops the scenarios of a domain, in all frames, once a look has settled the domain's tier.

    The log's `results.early_stopping` names every sample that was stopped, with the domain, tier,
    epochs, NSI and interval as its reason; its metadata hold the schedule and one entry per domain
    with what the last look said. An answer that is malformed, refused or failed is missing from a
    look, and a domain with a scenario that lacks a frame is not settled. An answer that fails is
    not waited for, though it may be asked again (`--retry-on-error`).

    Args:
        schedule: When to look.
        thresholds: Default `datasets/tiers.yaml`; domains without any take the overall ones.
    """

    def __init__(
        self, schedule: Schedule, thresholds: Sequence[TierThresholds] | None = None
    ) -> None:
        self.schedule = schedule
        self.thresholds = list(thresholds or load_tier_thresholds())

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Begin one run: one task object may serve several models at a time, each with its own.

        Raises:
            DataError: the temperature is 0, where answers are copies and no draws, or the solver
                withholds answers, whose rest is not tiered.
        """
        if task.model_generate_config.temperature == 0:
            raise DataError(
                "adaptive=true at temperature 0: repeated answers are copies there, from which no "
                "look can learn; leave adaptive out and ask two epochs"
            )
        if (task.solver or "").rpartition("/")[2] == CONSENSUS_SOLVER:
            raise DataError(
                "adaptive=true with framing_consensus: what that lets through is stable by design, "
                "and no look at it decides anything; leave one of them out"
            )
        asked: dict[str, dict[str | int, dict[str, Any]]] = {}
        for sample in samples:
            metadata, id = dict(sample.metadata or {}), sample.id
            assert id is not None
            asked.setdefault(str(metadata[SampleKey.DOMAIN]), {})[id] = metadata
        domain_of: dict[str | int, Domain] = {}
        for name, members in asked.items():
            domain = Domain(name, members, self.schedule, self.thresholds, epochs)
            domain_of |= dict.fromkeys(members, domain)
        for domain in dict.fromkeys(domain_of.values()):
            if domain.incomplete:
                logger.warning(
                    "adaptive: no look can settle %s, which is asked all %d epochs: %s without all "
                    "frames (--limit, --sample-id, or a frame that a scenario cannot form)",
                    domain.name,
                    epochs,
                    ", ".join(domain.incomplete),
                )
        _domain_of.set(domain_of)
        return MANAGER

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Hold the sample until the looks before its epoch are taken; stop it if one settled."""
        return await _domain_of.get()[id].admit(id, epoch)

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        """Take in an answer, new or from the log of an interrupted run, and look if it is time."""
        _domain_of.get()[id].end((id, epoch), _endorsed(scores))

    async def complete_task(self) -> dict[str, JsonValue]:
        """The schedule, and what the last look said about each domain."""
        domains = dict.fromkeys(_domain_of.get().values())
        return {
            "schedule": str(self.schedule),
            "domains": [domain.summary() for domain in domains],
        }


async def note_failure(state: TaskState) -> None:
    """The task's cleanup, run at the end of every attempt: one without a score has failed."""
    domain = _domain_of.get({}).get(state.sample_id)
    if domain is not None and DECISION_SCORER not in (state.scores or {}):
        domain.end((state.sample_id, state.epoch))


class Domain:
    """What is known about one domain: its answers, and the looks taken."""

    def __init__(
        self,
        name: str,
        samples: dict[str | int, dict[str, Any]],
        schedule: Schedule,
        thresholds: Sequence[TierThresholds],
        epochs: int,
    ) -> None:
        self.name = name
        self.samples = samples
        self.schedule = schedule
        self.own_thresholds = name in {row.domain for row in thresholds}
        self.thresholds = with_overall([name], thresholds)
        self.incomplete = incomplete_scenarios(samples.values())
        """Scenarios that are not asked in every frame, which keep the domain from being settled."""
        self.due = [look for look in schedule.looks if look <= epochs]
        """Looks to take; `--epochs` below the cap leaves some out."""
        self.last = self.due[-1] if self.due else epochs
        """Epochs after which nothing is asked."""
        self.answers: dict[Answer, float] = {}
        """What has finished: 1 endorses, 0 opposes, NaN is no answer."""
        self.running: set[Answer] = set()
        self.ended: dict[int, set[str | int]] = {epoch: set() for epoch in range(1, epochs + 1)}
        """By epoch, the samples with an answer, and those that failed and were not asked again."""
        self.taken: dict[str, Any] = {}
        """What the last look said; with `epochs`."""
        self.settled = False
        self.scouted = self.given_up = False
        """Whether patience ran out before the look that is due, once and twice."""
        self.changed = anyio.Event()

    async def admit(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Wait for the looks before the epoch; then stop the sample or let it run."""
        before = max((look for look in self.schedule.looks if look < epoch), default=0)
        while not self.settled and not self.given_up and self.due and self.due[0] <= before:
            changed = self.changed
            with anyio.move_on_after(math.inf if self.running else PATIENCE) as waiting:
                await changed.wait()
            if waiting.cancelled_caught and changed is self.changed:
                # One goes ahead, whose place then falls to what the look lacks, if it comes at all.
                self.scouted, self.given_up = True, self.scouted
                break
        if reason := self.obstacle(epoch):
            return EarlyStop(id=id, epoch=epoch, reason=reason)
        self.running.add((id, epoch))
        self.ended[epoch].discard(id)
        self._notify()
        return None

    def obstacle(self, epoch: int) -> str | None:
        """Why nothing is asked in this epoch any more."""
        if self.settled and epoch > self.taken["epochs"]:
            return (
                "{domain}: {tier} after {epochs} epochs, NSI {nsi:.3f} in "
                "{ci_low:.3f} to {ci_high:.3f}"
            ).format(**self.taken)
        if epoch > self.last:
            return f"{self.name}: undecided after the last look, at {self.last} epochs"
        return None

    def end(self, answer: Answer, endorsed: float | None = None) -> None:
        """Take in an answer, or that an attempt brought none (None), and look if it is time."""
        id, epoch = answer
        if endorsed is not None:
            self.answers[answer] = endorsed
        self.running.discard(answer)
        self.ended[epoch].add(id)
        while not self.settled and self.due and self._complete(self.due[0]):
            self._look(self.due.pop(0))
        self._notify()

    def _notify(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()

    def _complete(self, epochs: int) -> bool:
        return all(len(self.ended[e]) == len(self.samples) for e in range(1, epochs + 1))

    def _look(self, epochs: int) -> None:
        rows = [
            {"model": "", "epoch": epoch, "endorsed": self.answers.get((id, epoch), np.nan)}
            | {key: asked.get(key) for key in _COUNTED_BY}
            for id, asked in self.samples.items()
            for epoch in range(1, epochs + 1)
        ]
        cells = endorsement_rates(pd.DataFrame(rows))
        row = look(cells, self.schedule, epochs, self.thresholds).iloc[0]
        names = ("domain", "confidence", "nsi", "ci_low", "ci_high", "tier")
        self.taken = {name: row[name] for name in names} | {"epochs": epochs}
        self.settled = bool(row["settled"])
        self.scouted = self.given_up = False

    def summary(self) -> dict[str, JsonValue]:
        """What the log keeps: plain values, None where a figure is missing."""
        counted = int(self.taken.get("epochs", 0))
        figures = {
            name: self.taken.get(name) for name in ("confidence", "nsi", "ci_low", "ci_high")
        }
        (cuts,) = (row for row in self.thresholds if row.domain == self.name)
        return {
            "domain": self.name,
            "epochs": counted,
            "settled": self.settled,
            "incomplete": list(self.incomplete),
            "tier": str(self.taken["tier"]) if self.taken else None,
            **{k: None if v is None or np.isnan(v) else float(v) for k, v in figures.items()},
            "thresholds": self.name if self.own_thresholds else OVERALL,
            "b_from": cuts.b_from,
            "c_from": cuts.c_from,
            "answers": len(self.answers),
            "answers_beyond_look": sum(epoch > counted for _, epoch in self.answers),
        }


def incomplete_scenarios(samples: Iterable[dict[str, Any]]) -> list[str]:
    """The scenarios that lack a frame, by the metadata of their samples."""
    frames: dict[str, set[str]] = {}
    for metadata in samples:
        planned = frames.setdefault(
            metadata[SampleKey.SCENARIO], set(str(metadata[SampleKey.FRAMES]).split(","))
        )
        planned.discard(metadata[SampleKey.FRAME])
    return [scenario for scenario, missing in frames.items() if missing]


_COUNTED_BY: Final = (SampleKey.SCENARIO, SampleKey.DOMAIN, SampleKey.FRAME, SampleKey.FRAMES)

_domain_of: ContextVar[dict[str | int, Domain]] = ContextVar("adaptive_domains")
"""By sample, of the run at hand: Inspect starts samples within the context of their run."""


def _endorsed(scores: dict[str, SampleScore]) -> float:
    """1, 0, or NaN where there is no valid decision."""
    found = scores.get(DECISION_SCORER)
    if found is None or (found.score.metadata or {}).get(ScoreKey.STATUS) != Status.VALID:
        return float("nan")
    return found.score.as_float()
