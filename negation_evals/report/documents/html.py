"""A page as HTML, and tables as JSON."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from negation_evals.report.documents.sections import Section


def render_html(
    header: Mapping[str, str],
    sections: list[Section],
    svgs: Mapping[str, str],
    captions: Mapping[str, str],
) -> str:
    """One HTML page with everything inline; all text is escaped by the template."""
    inline = {name: Markup(svg[svg.index("<svg") :]) for name, svg in svgs.items()}
    return (
        _environment(autoescape=True)
        .get_template("report.html.j2")
        .render(header=header, sections=sections, svgs=inline, captions=captions)
    )


def json_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table as JSON rows; missing numbers become null, which strict parsers can read."""
    return [
        {str(name): _json_value(value) for name, value in row.items()}
        for row in table.to_dict("records")
    ]


def _json_value(value: Any) -> Any:
    if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value.item() if hasattr(value, "item") else value


def _without_controls(value: Any) -> Any:
    """Text without control characters, which a terminal or a browser could obey."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(c if c.isprintable() or c in "\n\t" else " " for c in value)


def _environment(autoescape: bool) -> Environment:
    return Environment(
        loader=PackageLoader("negation_evals.report.documents", "templates"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        finalize=_without_controls,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
