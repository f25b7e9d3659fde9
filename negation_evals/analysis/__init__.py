"""Statistics over Inspect logs: tables in, tables out; no model is called, nothing is printed."""

from negation_evals.analysis.hypothesis import adjust_fdr, cochran_q
from negation_evals.analysis.logs import read_decisions
from negation_evals.analysis.nsi import nsi, nsi_from_rates, nsi_null, nsi_summary, nsi_values
from negation_evals.analysis.rates import compliance, endorsement_by_frame, endorsement_rates

__all__ = [
    "adjust_fdr",
    "cochran_q",
    "compliance",
    "endorsement_by_frame",
    "endorsement_rates",
    "nsi",
    "nsi_from_rates",
    "nsi_null",
    "nsi_summary",
    "nsi_values",
    "read_decisions",
]
