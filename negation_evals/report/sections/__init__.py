"""The sections on framing, shared by HTML and Markdown."""

from negation_evals.report.sections.chapters import data_section, framing_sections
from negation_evals.report.sections.overview import TERMINAL_RANKING

__all__ = ["TERMINAL_RANKING", "data_section", "framing_sections"]
