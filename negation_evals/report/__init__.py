"""The report: tables, figures and prose from the tables of an audit; nothing flows back."""

from negation_evals.report.families import read
from negation_evals.report.write import write_report

__all__ = ["read", "write_report"]
