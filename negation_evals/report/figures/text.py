"""Names as labels: they are data of any length and script, and must not break a figure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from matplotlib.font_manager import FontProperties, findfont, get_font
from rich.cells import cell_len

from negation_evals.report.figures.style import SMALL, font_families

LABEL_WIDTH = 34
"""Columns of a line of a label; a longer label breaks into several lines."""
LABEL_LINES = 4
"""Lines of a label; a longer label is cut, and tables name it in full."""
LINE = 1.25 * SMALL / 72
"""Inches that one line of a label takes."""
PADDING = 0.075
"""Inches between the labels of two rows."""


@cache
def _drawable() -> frozenset[int]:
    """The characters that the fonts have glyphs for."""
    fonts = [get_font(findfont(FontProperties(family=[name]))) for name in font_families()]
    return frozenset(code for font in fonts for code in font.get_charmap())


def printable(text: str) -> str:
    r"""A text that can be drawn: without control characters, on one line.

    A character that no font has becomes its code point, such as \u540d. Matplotlib would warn and
    draw the same empty box for each, so that two names could not be told apart.
    """
    spaced = "".join(c if c.isprintable() else " " for c in text)
    return "".join(c if ord(c) in _drawable() else _code_point(c) for c in " ".join(spaced.split()))


def _code_point(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def wrap(text: str, width: int = LABEL_WIDTH, lines: int = LABEL_LINES) -> str:
    """A text in lines of at most `width` columns, broken after spaces, hyphens and slashes.

    `textwrap` breaks at spaces and hyphens alone and takes every character for equally wide. What
    does not fit into `lines` lines is cut and marked.
    """
    rows = [""]
    for piece in _pieces(printable(str(text)), width):
        if cell_len(rows[-1]) + cell_len(piece.rstrip()) > width and rows[-1]:
            rows.append("")
        rows[-1] += piece
    rows = [row.strip() for row in rows]
    if len(rows) > lines:
        rest = rows[lines - 1]
        while cell_len(rest) > width - 4:
            rest = rest[:-1]
        rows = [*rows[: lines - 1], f"{rest} ..."]
    return "\n".join(rows)


def wrapped(labels: Iterable[str], width: int = LABEL_WIDTH) -> list[str]:
    """Labels broken into short lines."""
    return [wrap(label, width) for label in labels]


def _pieces(text: str, width: int) -> Iterator[str]:
    """Parts between which a line may break; one that fills more than a line is broken anyway."""
    for word in re.findall(r"[^\s/\-]*[\s/\-]?", text):
        piece = ""
        for character in word:
            if cell_len(piece + character.rstrip()) > width:
                yield piece
                piece = ""
            piece += character
        if piece:
            yield piece


def row_height(labels: Sequence[str]) -> float:
    """Inches that one row needs for the tallest of its labels."""
    return PADDING + LINE * max((label.count("\n") + 1 for label in labels), default=1)
