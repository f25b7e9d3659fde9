"""Draw the figures of a report."""

from collections.abc import Iterable

import matplotlib as mpl
from matplotlib.figure import Figure

from negation_evals.report.figures.axes import arrange
from negation_evals.report.figures.figure import ReportFigure, Tables
from negation_evals.report.figures.style import style


def draw_figures(figures: Iterable[ReportFigure], tables: Tables) -> dict[str, Figure]:
    """Those figures for which the tables hold something to draw, by name.

    Args:
        figures: The figures of the families that the report covers.
        tables: All tables of those families.
    """
    drawn = {}
    with mpl.rc_context(style()):
        for entry in figures:
            figure = entry.draw(tables)
            if figure is not None:
                arrange(figure)
                drawn[entry.name] = figure
    return drawn
