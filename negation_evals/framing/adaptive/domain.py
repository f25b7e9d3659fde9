"""What an adaptive audit knows about one domain: the answers that are in, and the looks taken.

Answers finish in any order; a look is taken when the last answer of its epochs is in, and on these
alone. Samples of later epochs are held back until then: so the same answers give the same stops and
the same calls, however many run at a time.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import anyio
import numpy as np
import pandas as pd
from inspect_ai.util import EarlyStop
from pydantic import JsonValue

from negation_evals.analysis.framing.interim import look, with_overall
from negation_evals.analysis.framing.rates import endorsement_rates
from negation_evals.analysis.framing.tier_tables import TierThresholds
from negation_evals.analysis.framing.tiers import OVERALL
from negation_evals.schema.framing import SampleKey
from negation_evals.schema.schedule import Schedule

PATIENCE: Final = 5.0
"""Seconds that samples of a domain are held back while none of its samples is under way. In a retry
what a look needs can be queued behind them; then one goes ahead, a call that is not needed."""

Answer = tuple[str | int, int]
"""A sample's id and an epoch."""

_COUNTED_BY: Final = (SampleKey.SCENARIO, SampleKey.DOMAIN, SampleKey.FRAME, SampleKey.FRAMES)


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
