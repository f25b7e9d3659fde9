"""What the report says on framing and in which order: one section per question.

A section for which there are no data is left out, and the appendix says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
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


def framing_sections(tables: Tables, options: ReportOptions) -> list[Section]:
    """The sections of the framing tasks, the last of which says what was chosen.

    Args:
        tables: Those of `framing_tables`, and of `published_tables` if asked for.
        options: With the threshold of exclusion.
    """
    sections: list[Section] = []
    empty: list[str] = []
    for title, build in CHAPTERS:
        section = build(tables)
        if section is None:
            empty.append(title)
        else:
            sections.append(replace(section, title=title))
    sections.append(_choices(tables, empty, options.min_compliance))
    return sections


Build = Callable[[Tables], Section | None]


CHAPTERS: Final[tuple[tuple[str, Build], ...]] = (
    ("In short", overview.summary),
    ("Models by sensitivity to negation", overview.ranking),
    ("What kind of failure it looks like", overview.patterns),
    ("How fragile: shares of robust and fragile cells", overview.fragility),
    ("NSI by domain", breakdowns.domains),
    ("NSI by scenario", breakdowns.scenarios),
    ("Endorsement of the action by frame", breakdowns.frames),
    ("Groups of models compared", breakdowns.groups),
    ("Agreement between models", breakdowns.agreement),
    ("The effect of reasoning", ablations.reasoning),
    ("The effect of temperature", ablations.temperature),
    ("The effect of the answer order", ablations.order),
    ("Confidence and the danger zone", answers.confidence),
    ("Justifications: the alignment scores", answers.alignment),
    ("Does framing change the answers? Two tests", significance.tests),
    ("Least stable scenarios", significance.worst),
    ("Valid and other answers", answers.compliance),
    ("Asking twice: the consensus of both polarities", answers.consensus),
    ("Abstentions and unparsed answers as bounds", answers.bounds),
    ("Published values", published.published),
)
"""The sections in order, each with its builder; one that gives None has no data."""


WHY_EMPTY: Final = {
    "What kind of failure it looks like": "no frame of a pair was asked",
    "Groups of models compared": "fewer than two known groups of different models",
    "Agreement between models": "fewer than two models under the same settings",
    "The effect of reasoning": "nothing was asked with and without reasoning, all else equal",
    "The effect of temperature": "no model was asked at two temperatures, all else equal",
    "The effect of the answer order": (
        "no valid answers to the same question in both orders (-T answer_order=balanced)"
    ),
    "Confidence and the danger zone": "no valid answer states a confidence",
    "Justifications: the alignment scores": "no valid answer states them (task sff)",
    "Asking twice: the consensus of both polarities": (
        "no run with --solver negation_evals/framing_consensus"
    ),
    "Abstentions and unparsed answers as bounds": "every answer that came has a decision",
    "Published values": "not asked for (--published)",
}
"""Why a section is left out, for the results that the report keeps."""


def _why_empty(title: str, tables: Tables) -> str:
    """The reason why a section has no data."""
    if title != "Published values" and tables["ranking"].empty:
        return "no result is kept"
    if title == "Confidence and the danger zone" and tables["confidence"]["n_confidence"].any():
        return "no scenario has both a stated confidence and an NSI"
    return WHY_EMPTY.get(title, "no data")


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


def _choices(tables: Tables, empty: Sequence[str], min_compliance: float) -> Section:
    ranking = tables["ranking"]
    carried = RESULTS.carried_settings(ranking)
    grouping = RESULTS.across_models(ranking, carried)
    pooled = [name for name in carried if name not in grouping]
    left_out = [f"{title} ({_why_empty(title, tables)})" for title in empty]
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
