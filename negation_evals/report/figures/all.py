"""The figures of the report: they draw tables and compute no statistic.

Each figure is a function of the tables that returns None where there is nothing to draw.
"""

from collections.abc import Callable, Iterable
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

from negation_evals.report.figures.axes import arrange
from negation_evals.report.figures.captions import CAPTIONS
from negation_evals.report.figures.figure import Figure as Drawn
from negation_evals.report.figures.figure import Tables
from negation_evals.report.figures.style import png_bytes, style, svg_text
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
from negation_evals.report.nubench import figures as nubench
from negation_evals.report.snca import figures as snca

__all__ = ["CAPTIONS", "FIGURES", "draw_figures", "png_bytes", "svg_text"]

Draw = Callable[[Tables], Figure | None]

FRAMING_FIGURES: Final[dict[str, Draw]] = {
    "ranking": ranking.ranking,
    "model_by_domain": heatmaps.model_by_domain,
    "model_by_scenario": heatmaps.model_by_scenario,
    "endorsement_by_origin": frames.endorsement_by_origin,
    "agreement_by_frame": frames.agreement_by_frame,
    "scenarios": ranking.scenarios,
    "confidence": scatter.confidence,
    "size_tier": groups.size_tier,
    "distribution": groups.distribution,
    "compliance": scatter.compliance,
    "alignment_by_frame": alignment.alignment_by_frame,
    "alignment_by_scenario": alignment.alignment_by_scenario,
    "reasoning": ablations.reasoning,
    "temperature": ablations.temperature,
    "profile_origin": groups.profile_origin,
    "profile_size_tier": groups.profile_size_tier,
    "profile_condition": groups.profile_condition,
    "pairs": pairs.pairs,
    "acquiescence": pairs.acquiescence,
}
NUBENCH_FIGURES: Final[dict[str, Draw]] = {
    "nubench_accuracy": nubench.accuracy,
    "nubench_choices": nubench.choices,
    "nubench_confusion": nubench.confusion,
}
SNCA_FIGURES: Final[dict[str, Draw]] = {
    "snca_categories": snca.categories,
    "snca_rule_types": snca.rule_types,
    "snca_violations": snca.violations,
}
FIGURES: Final = FRAMING_FIGURES | NUBENCH_FIGURES | SNCA_FIGURES
"""Every figure by name, in the order in which they are drawn."""


def _of(drawings: dict[str, Draw]) -> tuple[Drawn, ...]:
    return tuple(Drawn(name, draw, CAPTIONS[name]) for name, draw in drawings.items())


FRAMING, NUBENCH, SNCA = map(_of, (FRAMING_FIGURES, NUBENCH_FIGURES, SNCA_FIGURES))


def draw_figures(figures: Iterable[Drawn], tables: Tables) -> dict[str, Figure]:
    """Every figure that the tables of a report give something to draw for, by name."""
    drawn = {}
    with mpl.rc_context(style()):
        for figure in figures:
            drawing = figure.draw(tables)
            if drawing is not None:
                arrange(drawing)
                drawn[figure.name] = drawing
    return drawn
