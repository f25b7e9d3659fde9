"""The parts of a page: a heading, what its numbers mean, figures and tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from negation_evals.report.documents.grids import Grid


@dataclass(frozen=True)
class Section:
    """One section: a heading, what its numbers mean, and figures and tables."""

    id: str
    title: str
    paragraphs: tuple[str, ...]
    figures: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()


def section(
    id: str, paragraphs: Sequence[str], figures: Sequence[str] = (), grids: Sequence[Grid] = ()
) -> Section:
    """A section whose heading its place in the report gives."""
    return Section(id, "", tuple(paragraphs), tuple(figures), tuple(grids))
