"""Stop asking about a domain once its tier is decided: Inspect's EarlyStopping for the audits.

Inspect starts samples epoch by epoch, so that a look can stop what has not begun. When a
look is taken, `domain` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from logging import getLogger
from typing import TYPE_CHECKING, Any, Final

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore
from inspect_ai.solver import TaskState
from inspect_ai.util import EarlyStop, EarlyStopping
from pydantic import JsonValue

from negation_evals.errors import DataError
from negation_evals.schema.common import Status
from negation_evals.schema.framing import DECISION_SCORER, SampleKey, ScoreKey
from negation_evals.schema.schedule import Schedule

if TYPE_CHECKING:
    from negation_evals.analysis.framing.tier_tables import TierThresholds
    from negation_evals.framing.adaptive.domain import Domain

logger = getLogger(__name__)

MANAGER: Final = "negation_evals/adaptive"
"""Name of the manager in the log."""

CONSENSUS_SOLVER: Final = "framing_consensus"


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
        # Interim looks compute intervals: only an adaptive run loads the analysis.
        from negation_evals.analysis.framing.tier_tables import load_tier_thresholds

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
        from negation_evals.framing.adaptive.domain import Domain

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


_domain_of: ContextVar[dict[str | int, Domain]] = ContextVar("adaptive_domains")
"""By sample, of the run at hand: Inspect starts samples within the context of their run."""


def _endorsed(scores: dict[str, SampleScore]) -> float:
    """1, 0, or NaN where there is no valid decision."""
    found = scores.get(DECISION_SCORER)
    if found is None or (found.score.metadata or {}).get(ScoreKey.STATUS) != Status.VALID:
        return float("nan")
    return found.score.as_float()
