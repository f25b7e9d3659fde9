"""A page as Markdown."""

import re
from collections.abc import Mapping

from negation_evals.report.documents.html import _environment
from negation_evals.report.documents.sections import Section

MARKDOWN_ROWS = 40
"""Longer tables are cut in Markdown, which does not scroll; the CSV has all rows."""


def render_markdown(
    header: Mapping[str, str],
    sections: list[Section],
    captions: Mapping[str, str],
) -> str:
    """The same sections as Markdown; text that comes from logs cannot form markup."""
    environment = _environment(autoescape=False)
    environment.filters["md"] = escape_markdown
    return environment.get_template("report.md.j2").render(
        header=header, sections=sections, captions=captions, most_rows=MARKDOWN_ROWS
    )


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line and within a table cell."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    line = re.sub(r"([\\`*_{}\[\]<>|~$&@])", r"\\\1", line)
    # Addresses become links by themselves in some readers.
    line = re.sub(r":(?=//)|(?<=www)\.", r"\\\g<0>", line, flags=re.IGNORECASE)
    # At the start of a line these would begin a heading, a list or a rule.
    return re.sub(r"^([#+=-]|\d+(?=[.)](?:\s|$)))", lambda mark: _escape_start(mark[0]), line)


def _escape_start(mark: str) -> str:
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"
