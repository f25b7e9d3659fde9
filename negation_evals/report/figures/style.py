"""Sizes, colours and markers, the same in every figure, and the files that figures become."""

import io
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from negation_evals.schema.common import UNSPECIFIED

WIDTH: Final = 6.3
"""Inches between the margins of A4: printed there, a point of type is a point."""
TEXT: Final = 8
"""Points of titles and axis labels."""
SMALL: Final = 7
"""Points of ticks and notes; nothing is smaller."""
PNG_DPI: Final = 200
MOST_PIXELS: Final = 60_000
"""Agg draws at most 2^16 pixels: a figure of thousands of rows is drawn coarser."""

INK: Final = "#333333"
SOFT: Final = "#888888"
FAINT: Final = "#BBBBBB"
GRID: Final = "#E6E6E6"
SHADE: Final = "#F3F3F3"

# Okabe and Ito's colours, safe for colour-blind readers.
BLUE: Final = "#0072B2"
VERMILION: Final = "#D55E00"
GREEN: Final = "#009E73"

FONTS: Final = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)
"""Where installed, they draw what DejaVu Sans, which comes with matplotlib, has no glyph for."""


class Mark(NamedTuple):
    """How one group is drawn: by shape as well as by colour."""

    colour: str
    marker: str


OTHER_COLOURS: Final = ("#56B4E9", "#CC79A7", "#E69F00", "#000000")
OTHER_MARKERS: Final = ("D", "v", "P", "X", "<", "p", ">")
"""As many markers as colours have no divisor with: 28 groups before two look alike."""
UNKNOWN: Final = Mark("#6B6B6B", "h")


@cache
def font_families() -> tuple[str, ...]:
    """DejaVu Sans, and those of `FONTS` that this machine has.

    Only those: matplotlib logs a complaint for each text in a font that is not installed.
    """
    installed = set(font_manager.get_font_names())
    return ("DejaVu Sans", *(name for name in FONTS if name in installed))


def style() -> Any:
    """Matplotlib's settings for drawing and saving."""
    return {
        "font.family": list(font_families()),
        "font.size": TEXT,
        "axes.titlesize": TEXT,
        "axes.labelsize": TEXT,
        "figure.labelsize": TEXT,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "legend.fontsize": SMALL,
        "legend.frameon": False,
        # Names of models and domains are data, not formulas.
        "text.parse_math": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": SOFT,
        "axes.axisbelow": True,
        "grid.color": GRID,
        "xtick.color": SOFT,
        "ytick.color": SOFT,
        "xtick.labelcolor": "black",
        "ytick.labelcolor": "black",
        "svg.fonttype": "path",
        # A fixed salt and no date: the same tables give the same file, byte for byte.
        "svg.hashsalt": "negation_evals",
    }


def svg_text(figure: Figure) -> str:
    """A figure as SVG, without the date that would make every run differ."""
    buffer = io.StringIO()
    with mpl.rc_context(style()):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def png_bytes(figure: Figure) -> bytes:
    """A figure as PNG at print resolution."""
    buffer = io.BytesIO()
    dpi = min(PNG_DPI, MOST_PIXELS / max(figure.get_size_inches()))
    with mpl.rc_context(style()):
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def marks(names: Iterable[Any], fixed: dict[str, Mark]) -> dict[str, Mark]:
    """A mark for each name: those of `fixed` in their order, others by name, the unknown last."""
    present = {str(name) for name in names}
    others = sorted(present - set(fixed) - {UNSPECIFIED})
    table = {name: mark for name, mark in fixed.items() if name in present}
    for i, name in enumerate(others):
        table[name] = Mark(
            OTHER_COLOURS[i % len(OTHER_COLOURS)], OTHER_MARKERS[i % len(OTHER_MARKERS)]
        )
    return table | ({UNSPECIFIED: UNKNOWN} if UNSPECIFIED in present else {})


def handle(label: str, mark: Mark, size: float = 6, **line: Any) -> Line2D:
    """An entry of a legend."""
    options = {"linestyle": "none", "markeredgewidth": 0, **line}
    return Line2D([], [], color=mark.colour, marker=mark.marker, ms=size, label=label, **options)


def handles(groups: Mapping[str, Mark]) -> list[Line2D]:
    """An entry of a legend for each group."""
    return [handle(name, mark) for name, mark in groups.items()]
