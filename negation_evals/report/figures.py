"""The figures of the report: they draw tables and compute nothing."""

import io
import textwrap
from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from negation_evals.report.tables import result_labels

ORIGIN_COLOURS = {"US": "#0072B2", "CN": "#D55E00", "OSS": "#009E73"}
"""Okabe and Ito's colours, safe for colour-blind readers."""
OTHER_COLOURS = ("#56B4E9", "#CC79A7", "#E69F00", "#F0E442")
UNSPECIFIED_COLOUR = "#555555"
FLOOR_COLOUR = "#999999"
PNG_DPI = 200
DARK_CELL = 0.6
"""Cells up to this value are dark and take white text."""
LABEL_WIDTH = 34
"""Longer labels break into lines of at most so many characters,"""
LABEL_LINES = 4
"""and what is longer still is cut: tables name it in full."""

STYLE: Any = {
    "font.size": 9,
    # Names of models and domains are data, not formulas.
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "path",
    # A fixed salt and no date: the same tables give the same file, byte for byte.
    "svg.hashsalt": "negation_evals",
}


def draw_figures(tables: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    """Every figure of the report by name, from the tables of `report_tables`."""
    with mpl.rc_context(STYLE):
        return {
            "ranking": ranking_figure(tables["ranking"], tables["nsi"]),
            "model_by_domain": heatmap_figure(tables["nsi_by_model_and_domain"], tables["ranking"]),
        }


def svg_text(figure: Figure) -> str:
    """A figure as SVG, without the date that would make every run differ."""
    buffer = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def png_bytes(figure: Figure) -> bytes:
    """A figure as PNG at print resolution."""
    buffer = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return buffer.getvalue()


def ranking_figure(ranking: pd.DataFrame, scenarios: pd.DataFrame) -> Figure:
    """Lollipops of mean NSI, most sensitive on top, over the scenarios' values and the floor."""
    shown = ranking.dropna(subset="nsi")
    labels = result_labels(shown)
    ticks = _wrapped(labels)
    height = 1.5 + _row_height(ticks) * max(len(shown), 1)
    figure = Figure(figsize=(5.0 + _label_width(ticks), height), layout="constrained")
    axes = figure.subplots()
    rows = np.arange(len(shown))
    colours = _origin_colours(shown["origin"])
    by_label = dict(zip(labels, rows, strict=True))
    values = scenarios.assign(label=result_labels(scenarios)).dropna(subset="nsi")
    axes.scatter(
        values["nsi"],
        values["label"].map(by_label),
        s=14,
        color="#BBBBBB",
        zorder=2,
        label="one scenario",
    )
    axes.hlines(rows, 0, shown["nsi"], colors=[colours[o] for o in shown["origin"]], lw=2, zorder=3)
    for origin, group in shown.groupby("origin", sort=True):
        axes.scatter(
            group["nsi"],
            group.index.map(dict(zip(shown.index, rows, strict=True))),
            s=48,
            color=colours[origin],
            zorder=4,
            label=f"mean, {origin}",
        )
    axes.scatter(
        shown["nsi_null"],
        rows,
        marker="|",
        s=120,
        color=FLOOR_COLOUR,
        linewidths=2,
        zorder=5,
        label="floor: an invariant model's expected NSI",
    )
    axes.set(xlim=(-0.02, 1.02), ylim=(len(shown) - 0.4, -0.6), yticks=rows)
    axes.set_yticklabels(ticks)
    axes.set_xlabel("NSI: 0 same stance in all frames, 1 reversed")
    axes.grid(axis="x", color="#EEEEEE", zorder=0)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=8)
    return figure


def heatmap_figure(by_domain: pd.DataFrame, ranking: pd.DataFrame) -> Figure:
    """Model x domain heatmap of mean NSI: models as ranked, the most sensitive domain first."""
    order = result_labels(ranking)
    table = by_domain.assign(label=result_labels(by_domain))
    wide = table.pivot(index="label", columns="domain", values="nsi").reindex(order)
    wide = wide[wide.mean().sort_values(ascending=False, kind="stable").index]
    n_rows, n_columns = wide.shape
    ticks = _wrapped(order)
    size = (1.6 + _label_width(ticks) + 0.8 * n_columns, 1.3 + _row_height(ticks) * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    values = wide.to_numpy(dtype=float)
    image = axes.imshow(np.ma.masked_invalid(values), vmin=0, vmax=1, cmap="cividis", aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        shown = "none" if np.isnan(value) else f"{value:.2f}"
        colour = "white" if value <= DARK_CELL else "black"
        axes.text(column, row, shown, ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(n_columns), _wrapped(wide.columns), rotation=30, ha="right")
    axes.set_yticks(range(n_rows), ticks)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    figure.colorbar(image, ax=axes, label="mean NSI", shrink=min(1.0, 4 / max(n_rows, 4) + 0.3))
    return figure


def _wrapped(labels: Iterable[str]) -> list[str]:
    """Labels broken into short lines, and cut where a name has no end."""
    return [
        "\n".join(textwrap.wrap(label, LABEL_WIDTH, max_lines=LABEL_LINES, placeholder=" ..."))
        for label in labels
    ]


def _label_width(labels: list[str]) -> float:
    """Inches that the widest line of the labels takes."""
    return 0.075 * max((len(line) for label in labels for line in label.split("\n")), default=1)


def _row_height(labels: list[str]) -> float:
    """Inches that one row needs for the tallest of its labels."""
    return 0.16 + 0.16 * max((label.count("\n") + 1 for label in labels), default=1)


def _origin_colours(origins: pd.Series) -> dict[str, str]:
    """A colour per origin: fixed for the papers' three, grey for unspecified."""
    others = sorted(set(origins) - set(ORIGIN_COLOURS) - {"unspecified"})
    extra = {o: OTHER_COLOURS[i % len(OTHER_COLOURS)] for i, o in enumerate(others)}
    return {**ORIGIN_COLOURS, **extra, "unspecified": UNSPECIFIED_COLOUR}
