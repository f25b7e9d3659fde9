"""The report: tables, figures and prose from the tables of an audit; nothing flows back."""

from negation_evals.analysis.snca.audit import SncaAudit
from negation_evals.report.framing.tables import report_tables
from negation_evals.report.write import write_report

__all__ = ["SncaAudit", "report_tables", "write_report"]
