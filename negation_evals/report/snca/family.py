"""SNCA as a family of the report."""

from typing import Final

from negation_evals.analysis.snca.audit import SNCA_LOGS, settle
from negation_evals.analysis.snca.tables import TABLES
from negation_evals.report.family import Family
from negation_evals.report.snca.figures import FIGURES
from negation_evals.report.snca.published import published_snca
from negation_evals.report.snca.sections import snca_sections, terminal_scores
from negation_evals.report.snca.tables import snca_tables
from negation_evals.schema.snca import SOLVERS

SNCA: Final = Family(
    name="snca",
    title="SNCA",
    page_title="Audit of stated safety policies",
    tasks=("snca_extraction", "snca_behavior", "snca_matching"),
    solvers=SOLVERS,
    kinds=SNCA_LOGS,
    declared=TABLES,
    tables=snca_tables,
    sections=snca_sections,
    figures=FIGURES,
    terminal=terminal_scores,
    settle=settle,
    published=published_snca,
)
