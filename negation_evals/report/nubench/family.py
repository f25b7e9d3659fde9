"""NUBench as a family of the report."""

from typing import Final

from negation_evals.analysis.nubench.read import CHOICE_LOGS
from negation_evals.analysis.nubench.tables import TABLES
from negation_evals.report.family import Family
from negation_evals.report.nubench.figures import FIGURES
from negation_evals.report.nubench.grids import terminal_accuracy
from negation_evals.report.nubench.sections import nubench_sections
from negation_evals.report.nubench.tables import nubench_tables
from negation_evals.schema.nubench import SOLVERS

NUBENCH: Final = Family(
    name="nubench",
    title="NUBench",
    page_title="Negation sensitivity audit",
    tasks=("nubench",),
    solvers=SOLVERS,
    kinds=(CHOICE_LOGS,),
    declared=TABLES,
    tables=nubench_tables,
    sections=nubench_sections,
    figures=FIGURES,
    terminal=terminal_accuracy,
    excluded="nubench_excluded",
)
