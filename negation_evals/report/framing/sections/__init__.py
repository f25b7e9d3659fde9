"""The sections on framing, shared by HTML and Markdown."""

from negation_evals.report.framing.sections.chapters import framing_sections
from negation_evals.report.framing.sections.overview import TERMINAL_RANKING

__all__ = ["TERMINAL_RANKING", "framing_sections"]
