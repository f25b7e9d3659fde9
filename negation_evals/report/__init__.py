"""The report: tables, figures and prose from the table `decisions`; nothing flows back."""

from negation_evals.report.tables import report_tables
from negation_evals.report.write import write_report

__all__ = ["report_tables", "write_report"]
