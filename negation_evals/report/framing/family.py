"""Negation framing (NSI, SFF) as a family of the report."""

from typing import Final

from negation_evals.analysis.framing.read import DECISION_LOGS
from negation_evals.report.documents.grids import Grid
from negation_evals.report.family import Family, Tables
from negation_evals.report.framing.figures import FIGURES
from negation_evals.report.framing.grids import result_grid
from negation_evals.report.framing.published import PUBLISHED_TABLES, published_tables
from negation_evals.report.framing.sections.chapters import framing_gaps, framing_sections
from negation_evals.report.framing.sections.overview import TERMINAL_RANKING
from negation_evals.report.framing.tables import framing_tables
from negation_evals.schema.framing import SOLVERS

FRAMING_TABLES: Final = (
    *("ranking", "fragility", "fragility_by_model", "fragility_by_origin", "nsi_by_domain"),
    *("nsi_by_model_and_domain", "nsi_by_scenario", "nsi_by_origin_and_scenario"),
    *("nsi_by_size_tier_and_scenario", "nsi_by_condition_and_scenario", "endorsement_by_frame"),
    *("endorsement_by_origin", "endorsement_by_origin_and_scenario", "swing", "swing_by_origin"),
    *("patterns", "acquiescence_by_pair", "group_tests", "group_pairs", "agreement_by_frame"),
    *("ablations", "ablations_by_unit", "ablations_by_scenario", "answer_order", "mitigation"),
    *("confidence_by_model", "alignment_by_frame", "alignment_by_stance", "alignment_by_scenario"),
    *("compliance", "excluded", "outcomes_by_frame", "worst_scenarios", "nsi", "nsi_bounds"),
    *("nsi_bounds_by_model", "acquiescence", "agreement_by_pair", "ablation_pairs", "confidence"),
    *("cochran_q", "homogeneity", "framing_effect", "cells"),
)


def _terminal(tables: Tables) -> Grid:
    title = "Negation Sensitivity Index, highest first"
    return result_grid(tables["ranking"], TERMINAL_RANKING, title=title)


FRAMING: Final = Family(
    name="framing",
    title="framing",
    page_title="Negation sensitivity audit",
    tasks=("negation_framing", "sff"),
    solvers=SOLVERS,
    kinds=(DECISION_LOGS,),
    table_names=(*FRAMING_TABLES, *PUBLISHED_TABLES),
    tables=framing_tables,
    sections=framing_sections,
    figures=FIGURES,
    terminal=_terminal,
    published=published_tables,
    gaps=framing_gaps,
    excluded="excluded",
)
