"""Write the report: Markdown, self-contained HTML, CSV tables, figures and one JSON file."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from negation_evals._version import __version__
from negation_evals.analysis.reading.reading import Reading
from negation_evals.errors import DataError
from negation_evals.files.write import write_files
from negation_evals.report.documents.data_section import data_section
from negation_evals.report.documents.html import json_records, render_html
from negation_evals.report.documents.markdown import render_markdown
from negation_evals.report.documents.sections import Section
from negation_evals.report.families import FAMILIES
from negation_evals.report.family import ReportOptions, Tables
from negation_evals.report.figures.draw import draw_figures
from negation_evals.report.figures.style import png_bytes, svg_text

SCHEMA_VERSION = "2"
"""Version of the layout of `results.json`; a change that breaks a reader bumps it."""


def write_report(
    reading: Reading,
    out: Path,
    generated: date | None = None,
    *,
    min_compliance: float = 0.0,
    published: bool = False,
) -> Tables:
    """Write the whole report into a folder, which is created if it does not exist.

    ::

        out/
          report.html      self-contained, opens offline
          report.md        the same text and tables
          results.json     everything as data (`schema_version`)
          tables/*.csv     one file per table, unrounded
          figures/*.svg, *.png

    Tables and figures of an earlier report that this one lacks are removed, and nothing else.

    Args:
        reading: What was read, by `families.read`; or `Reading(tables={"decisions": table})`.
        out: Folder.
        generated: The date that the report bears; default today. The same reading and date give
            the same files, byte for byte.
        min_compliance: Framing and NUBench results with a smaller share of valid answers are left
            out and listed.
        published: Show published values next to yours.

    Returns:
        The tables by name.

    Raises:
        DataError: the folder cannot be written, or the tables of SNCA contradict themselves.
    """
    options = ReportOptions(min_compliance, published)
    families = [family for family in FAMILIES if family.is_in(reading)]
    tables: Tables = {}
    for family in families:
        tables |= family.tables(reading, options)
        if published:
            tables |= family.published(tables)
    captions = {figure.name: figure.caption for family in families for figure in family.figures}
    drawings = draw_figures([figure for family in families for figure in family.figures], tables)
    sections = [
        _with_figures(section, drawings)
        for family in families
        for section in family.sections(tables, options)
    ]
    gaps = [line for family in families for line in family.gaps(tables, options)]
    sections.append(data_section(reading, gaps))
    header = {
        "title": families[0].page_title,
        "generated": (generated or date.today()).isoformat(),
        "version": __version__,
        "inspect_version": version("inspect_ai"),
    }
    svgs = {name: svg_text(drawing) for name, drawing in drawings.items()}
    files: dict[str, str | bytes] = {}
    for name, table in tables.items():
        files[f"tables/{name}.csv"] = table.to_csv(index=False, lineterminator="\n")
    for name, drawing in drawings.items():
        files[f"figures/{name}.svg"] = svgs[name]
        files[f"figures/{name}.png"] = png_bytes(drawing)
    files["results.json"] = _results_json(header, reading, tables, options)
    files["report.html"] = render_html(header, sections, svgs, captions)
    files["report.md"] = render_markdown(header, sections, captions)
    try:
        write_files(out, files)
        _remove_stale(out, tables, drawings)
    except OSError as error:
        raise DataError(f"{out}: the report cannot be written: {error.strerror}") from error
    return tables


def _with_figures(section: Section, drawings: Mapping[str, Any]) -> Section:
    """The section with those of its figures that were drawn."""
    return replace(section, figures=tuple(name for name in section.figures if name in drawings))


def _results_json(
    header: Mapping[str, str], reading: Reading, tables: Tables, options: ReportOptions
) -> str:
    results: dict[str, Any] = {
        **header,
        "schema_version": SCHEMA_VERSION,
        "reading": {
            "sources": reading.sources,
            "left_out": reading.left_out,
            "warnings": reading.warnings,
        },
        "min_compliance": options.min_compliance,
        "tables": {name: json_records(table) for name, table in tables.items()},
    }
    return json.dumps(results, indent=1, ensure_ascii=False) + "\n"


def _remove_stale(out: Path, tables: Mapping[str, Any], drawings: Mapping[str, Any]) -> None:
    """Remove what an earlier report drew or listed and this one does not."""
    for family in FAMILIES:
        for name in {figure.name for figure in family.figures} - set(drawings):
            for suffix in (".svg", ".png"):
                (out / "figures" / f"{name}{suffix}").unlink(missing_ok=True)
        for name in {table.name for table in family.declared} - set(tables):
            (out / "tables" / f"{name}.csv").unlink(missing_ok=True)
