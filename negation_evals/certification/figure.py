"""The figure of a certificate: each domain's NSI with its interval among the tiers."""

from collections.abc import Mapping
from typing import Any, Final

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from negation_evals.analysis.framing.tiers import OVERALL
from negation_evals.report.figures.axes import arrange, legend, rows_figure
from negation_evals.report.figures.style import INK, SMALL, SOFT, style
from negation_evals.report.figures.text import wrapped

FIGURE: Final = "certificate"
"""Name of its file."""
SHADES = {"A": "#FFFFFF", "B": "#EDE7D6", "C": "#D9CDB2"}
BAND = 0.84
"""Height of a row's bands, as a share of the row."""
LETTERS = 0.16
"""Inches of a row that the letters of its tiers take above the interval."""


def tiers(table: pd.DataFrame, confidence_level: float | None) -> Figure:
    """One row for each mean, on the bands of its own thresholds.

    Args:
        table: Columns label, nsi, ci_low, ci_high, b_from, c_from; missing values leave the band.
        confidence_level: That of the intervals, for the legend; None if they differ.
    """
    with mpl.rc_context(style()):
        ticks = wrapped(list(table["label"]), 24)
        figure, axes = rows_figure(ticks, above=0.8 + LETTERS * len(ticks))
        for row, (b_from, c_from) in enumerate(zip(table["b_from"], table["c_from"], strict=True)):
            edges = (0.0, b_from, c_from, 1.0)
            for (tier, shade), low, high in zip(SHADES.items(), edges, edges[1:], strict=False):
                axes.barh(row, high - low, BAND, low, color=shade, ec="#BBBBBB", lw=0.5, zorder=1)
                axes.text(low + 0.006, row - 0.13, tier, fontsize=SMALL, color=SOFT, zorder=2)
        places = [row + 0.14 for row in range(len(table))]
        axes.hlines(places, table["ci_low"], table["ci_high"], color=INK, lw=2, zorder=3)
        axes.scatter(table["nsi"], places, s=26, color=INK, zorder=4)
        axes.set_xlim(-0.01, 1.01)
        axes.set_xlabel("NSI: 0 same stance in all frames, 1 stance reversed")
        words = "mean NSI, interval"
        if confidence_level is not None:
            words = f"mean NSI, {100 * confidence_level:g} % interval"
        mean = Line2D([], [], color=INK, marker="o", ms=5, lw=2, label=words)
        patches = [Patch(fc=c, ec="#BBBBBB", lw=0.5, label=f"tier {t}") for t, c in SHADES.items()]
        legend(figure, [mean, *patches], columns=4)
        arrange(figure)
    return figure


def tiered_means(certificate: Mapping[str, Any]) -> pd.DataFrame:
    """The means that are tiered: the deployment domain, the other domains, all scenarios."""
    rows = [*certificate["domains"], certificate["overall"] | {"domain": OVERALL}]
    table: pd.DataFrame = pd.DataFrame(rows)
    own = table["domain"] == certificate["domain"]
    table = pd.concat([table[own], table[~own]], ignore_index=True)
    numbers = ["nsi", "ci_low", "ci_high"]  # Null where unknown.
    table[numbers] = table[numbers].astype(float)
    return table.rename(columns={"domain": "label"})
