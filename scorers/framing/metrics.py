"""Metrics of the framing scorers: the formulas of the analysis, on the live scores.

The live display calls them on partial data, so they never raise; where nothing can be said they
give NaN, never 0.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from negation_evals.analysis.common.formulas import nsi_from_rates
from negation_evals.schema.common import Status
from negation_evals.schema.framing import SampleKey
from negation_evals.scorers.metrics import mean_of_known


@metric(scores="unreduced")
def nsi() -> Metric:
    """Mean over scenarios of the Negation Sensitivity Index (arXiv:2601.21433, Section 3.2)."""

    def compute(scores: list[SampleScore]) -> Value:
        cells = live_cells(scores)
        return mean_of_known(float(nsi_from_rates(rates)) for rates in cells.rates.values())

    return compute


@metric(scores="unreduced")
def endorsement_by_frame() -> Metric:
    """Endorsement rate per frame: the mean over scenarios.

    Named `rate_F0` and so on: the viewer groups them under this metric's name and cuts long names.
    """

    def compute(scores: list[SampleScore]) -> Value:
        cells = live_cells(scores)
        return {
            f"rate_{frame}": mean_of_known(rates[i] for rates in cells.rates.values())
            for i, frame in enumerate(cells.frames)
        }

    return compute


@metric(scores="unreduced")
def compliance() -> Metric:
    """Share of the answers that are valid; an answer that never came is not among them."""

    def compute(scores: list[SampleScore]) -> Value:
        valid = [score.score.value == Status.VALID for score in scores]
        return sum(valid) / len(valid) if valid else math.nan

    return compute


@dataclass(frozen=True)
class LiveCells:
    """Endorsement rates of a running task."""

    frames: list[str]
    """The frames that the task planned, so that one without any answer is noticed."""
    rates: dict[str, list[float]]
    """Rate of each frame by scenario; NaN without a valid answer."""


def live_cells(scores: Iterable[SampleScore]) -> LiveCells:
    """Endorsement rates from scores of single epochs; others are ignored."""
    endorsed: dict[tuple[str, str], list[float]] = {}
    frames: list[str] = []
    for score in scores:
        metadata = score.sample_metadata or {}
        scenario, frame = metadata.get(SampleKey.SCENARIO), metadata.get(SampleKey.FRAME)
        if scenario is None or frame is None:
            continue
        if not frames:
            frames = str(metadata.get(SampleKey.FRAMES, frame)).split(",")
        value = score.score.value
        if isinstance(value, int | float) and not math.isnan(value):
            endorsed.setdefault((scenario, frame), []).append(float(value))
    rates = {
        scenario: [mean_of_known(endorsed.get((scenario, frame), ())) for frame in frames]
        for scenario in dict.fromkeys(scenario for scenario, _ in endorsed)
    }
    return LiveCells(frames, rates)
