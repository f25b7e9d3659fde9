"""The parts of a page: a heading, what its numbers mean, figures and tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from negation_evals.report.documents.grids import Grid


@dataclass(frozen=True)
class Section:
    """One section: a heading, what its numbers mean, and figures and tables."""

    id: str
    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[str] = ()
    grids: Sequence[Grid] = ()
    left_out: str = ""
    """Why there is nothing to show; such a section is on no page."""
