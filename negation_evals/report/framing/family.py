"""Negation framing (NSI, SFF) as a family of the report."""

from typing import Final

from negation_evals.analysis.framing.read import DECISION_LOGS
from negation_evals.analysis.framing.tables import PUBLISHED, TABLES
from negation_evals.report.documents.grids import Grid
from negation_evals.report.family import Family, Tables
from negation_evals.report.framing.figures import FIGURES
from negation_evals.report.framing.grids import result_grid
from negation_evals.report.framing.published import published_tables
from negation_evals.report.framing.sections.chapters import framing_gaps, framing_sections
from negation_evals.report.framing.sections.overview import TERMINAL_RANKING
from negation_evals.report.framing.tables import framing_tables
from negation_evals.schema.framing import SOLVERS


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
    declared=(*TABLES, *PUBLISHED),
    tables=framing_tables,
    sections=framing_sections,
    figures=FIGURES,
    terminal=_terminal,
    published=published_tables,
    gaps=framing_gaps,
    excluded="excluded",
)
