"""Metrics of the framing scorers: the same functions as the analysis, on the live scores.

The live display calls them on partial data, so they never raise; where nothing can be said they
give NaN, never 0. pandas and the statistics are imported late: listing tasks need not pay for them.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from negation_evals.schema import SampleKey, Status

if TYPE_CHECKING:
    import pandas as pd


@metric(scores="unreduced")
def nsi() -> Metric:
    """Mean over scenarios of the Negation Sensitivity Index (arXiv:2601.21433, Section 3.2)."""

    def compute(scores: list[SampleScore]) -> Value:
        from negation_evals.analysis.nsi import nsi_values

        cells = live_cells(scores)
        return float(nsi_values(cells)["nsi"].mean()) if len(cells) else float("nan")

    return compute


@metric(scores="unreduced")
def endorsement_by_frame() -> Metric:
    """Endorsement rate per frame, as `endorsement_F0` and so on: the mean over scenarios."""

    def compute(scores: list[SampleScore]) -> Value:
        from negation_evals.analysis import rates

        cells = live_cells(scores)
        found = dict[str, float]()
        if len(cells):
            table = rates.endorsement_by_frame(cells)
            found = dict(zip(table["frame"], table["rate"].astype(float), strict=True))
        # A planned frame without any valid answer stays visible.
        frames = planned_frames(scores) or sorted(found)
        return {f"endorsement_{frame}": found.get(frame, float("nan")) for frame in frames}

    return compute


@metric(scores="unreduced")
def compliance() -> Metric:
    """Share of the answers that are valid; an answer that never came is not among them."""

    def compute(scores: list[SampleScore]) -> Value:
        valid = [score.score.value == Status.VALID for score in scores]
        return sum(valid) / len(valid) if valid else float("nan")

    return compute


def live_cells(scores: Iterable[SampleScore]) -> "pd.DataFrame":
    """The analysis table `cells` of one running task; a score without framing metadata is none."""
    import pandas as pd

    from negation_evals.analysis.rates import endorsement_rates

    columns = ["model", "scenario", "domain", "frame", "frames", "endorsed"]
    rows = [
        ("", *(metadata.get(key) for key in columns[1:5]), score.score.value)
        for score in scores
        if (metadata := _framing_metadata(score)) is not None
    ]
    decisions = pd.DataFrame(rows, columns=columns)
    decisions["endorsed"] = pd.to_numeric(decisions["endorsed"], errors="coerce")
    return endorsement_rates(decisions)


def planned_frames(scores: Iterable[SampleScore]) -> list[str]:
    """The frames that the task planned, from any sample's metadata."""
    for score in scores:
        metadata = _framing_metadata(score)
        if metadata is not None and isinstance(metadata.get(SampleKey.FRAMES), str):
            return str(metadata[SampleKey.FRAMES]).split(",")
    return []


def _framing_metadata(score: SampleScore) -> dict[str, Any] | None:
    metadata = score.sample_metadata
    if metadata is None or SampleKey.SCENARIO not in metadata or SampleKey.FRAME not in metadata:
        return None
    return metadata
