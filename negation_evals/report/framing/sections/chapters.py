"""What the report says on framing and in which order: one section per question.

A section for which there are no data is left out, and the appendix says so.
"""

from collections.abc import Callable, Sequence
from typing import Final

import pandas as pd

from negation_evals.analysis.common.labels import setting_label
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.report.documents.formats import percent
from negation_evals.report.documents.sections import Section
from negation_evals.report.family import ReportOptions, Tables
from negation_evals.report.framing.sections import (
    ablations,
    answers,
    breakdowns,
    overview,
    published,
    significance,
)

BUILDERS: Final[tuple[Callable[[Tables], Section], ...]] = (
    overview.summary,
    overview.ranking,
    overview.patterns,
    overview.fragility,
    breakdowns.domains,
    breakdowns.scenarios,
    breakdowns.frames,
    breakdowns.groups,
    breakdowns.agreement,
    ablations.reasoning,
    ablations.temperature,
    ablations.order,
    answers.confidence,
    answers.alignment,
    significance.tests,
    significance.worst,
    answers.compliance,
    answers.consensus,
    answers.bounds,
    published.published,
)
"""The sections in order."""


def framing_sections(tables: Tables, options: ReportOptions) -> list[Section]:
    """The sections of the framing tasks, the last of which says what was chosen.

    Args:
        tables: Those of `framing_tables`, and of `published_tables` if asked for.
        options: With the threshold of exclusion.
    """
    sections = [build(tables) for build in BUILDERS]
    # Without any result that is one reason for all but what was not asked for.
    reason = "no result is kept" if tables["ranking"].empty else ""
    left_out = [
        f"{section.title} ({reason if reason and section.id != 'published' else section.left_out})"
        for section in sections
        if section.left_out
    ]
    kept = [section for section in sections if not section.left_out]
    return [*kept, _choices(tables, left_out, options.min_compliance)]


def framing_gaps(tables: Tables, options: ReportOptions) -> list[str]:
    """What is missing from the sections on framing, and why."""
    excluded = tables["excluded"]
    rows = zip(RESULTS.labels(excluded), excluded.to_dict("records"), strict=True)
    gaps = [
        f"Excluded: {label}: {percent(row['compliance'])} of {int(row['answered'])} answers are "
        f"valid, below the threshold of {percent(options.min_compliance)}."
        for label, row in rows
    ]
    missing = tables["nsi"][tables["nsi"]["nsi"].isna()]
    incomplete = int((missing["missing_frames"] != "").sum())
    reasons = {
        "a planned frame has no valid answer (column missing_frames)": incomplete,
        "a single frame was planned, which has no range": len(missing) - incomplete,
    }
    gaps += [
        f"NSI is missing in {n} of {len(tables['nsi'])} rows of tables/nsi.csv, because {why}."
        for why, n in reasons.items()
        if n
    ]
    return gaps


def _choices(tables: Tables, left_out: Sequence[str], min_compliance: float) -> Section:
    ranking = tables["ranking"]
    carried = RESULTS.carried_settings(ranking)
    grouping = RESULTS.across_models(ranking, carried)
    pooled = [name for name in carried if name not in grouping]
    return Section(
        "choices",
        "Appendix: choices made",
        (
            "Scenarios, frames and the index follow Elkins and Chun, arXiv:2601.21433 and "
            "arXiv:2601.09724. Endorsement is (decision is agree) XOR (proposal is negated). "
            "Rates are over valid answers; tables/cells.csv has their 95 % Wilson intervals. A "
            "scenario in which a planned frame has no valid answer has no NSI. The scenarios are "
            "dilemmas without a right answer: what is measured is whether the stance survives the "
            "wording, not which stance it is.",
            "A result is a model under one set of settings, and the results of one model are never "
            "pooled over settings. "
            + (
                f"Settings that vary here: {_values(ranking, carried)}."
                if carried
                else "None varies here."
            ),
            *(
                [
                    "Statistics over several models (domains, scenarios, origins, groups, "
                    "agreement, fragility) keep apart what was asked, and how a model was run "
                    "where some model was run in several ways. What differs from model to model "
                    "alone is pooled there, so that a difference between models may come from it: "
                    f"{_values(ranking, pooled)}."
                ]
                if pooled
                else []
            ),
            "Thresholds are decided as exact fractions would be; a value at a threshold belongs to "
            "the worse class. The bands A, B and C of the ranking figure are the proposal of the "
            "first version of arXiv:2601.21433, not a standard.",
            "Origin and size tier come from the models file; what it does not name is unspecified "
            "and stands in no comparison of groups. "
            f"The threshold of exclusion is {percent(min_compliance)} valid answers.",
            "Bootstrap intervals have 10,000 resamples and seed 0: the same logs give the same "
            "report. p-values of single scenarios and of ablations are not corrected unless the "
            "column says so.",
            *([f"Not in this report: {'; '.join(left_out)}."] if left_out else []),
        ),
    )


def _values(ranking: pd.DataFrame, settings: Sequence[str]) -> str:
    """Settings and the values that they take."""
    return "; ".join(
        f"{name.replace('_', ' ')} ("
        + ", ".join(sorted({setting_label(name, value) for value in ranking[name]}))
        + ")"
        for name in settings
    )
