"""The figures of the framing tasks, in the order in which they are drawn."""

from typing import Final

from negation_evals.report.figures.figure import ReportFigure
from negation_evals.report.framing.figures import (
    ablations,
    alignment,
    frames,
    groups,
    heatmaps,
    pairs,
    ranking,
    scatter,
)

FIGURES: Final[tuple[ReportFigure, ...]] = (
    ranking.ranking,
    heatmaps.model_by_domain,
    heatmaps.model_by_scenario,
    frames.endorsement_by_origin,
    frames.agreement_by_frame,
    ranking.scenarios,
    scatter.stated_confidence,
    groups.size_class,
    groups.distribution,
    scatter.compliance,
    alignment.alignment_by_frame,
    alignment.alignment_by_scenario,
    ablations.reasoning,
    ablations.temperature,
    groups.profile_origin,
    groups.profile_size_class,
    groups.profile_condition,
    pairs.pairs,
    pairs.acquiescence,
)
