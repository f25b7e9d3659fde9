"""Write the report: Markdown, self-contained HTML, CSV tables, figures and one JSON file."""

import json
from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pandas as pd

from negation_evals._version import __version__
from negation_evals.analysis.reading.logs import FOREIGN
from negation_evals.analysis.snca.audit import SncaAudit, settled
from negation_evals.errors import DataError
from negation_evals.files.write import write_files
from negation_evals.report.documents.data_section import data_section
from negation_evals.report.documents.html import json_records, render_html
from negation_evals.report.documents.markdown import render_markdown
from negation_evals.report.documents.sections import Section
from negation_evals.report.figures.draw import draw_figures
from negation_evals.report.figures.style import png_bytes, svg_text
from negation_evals.report.framing.figures import FIGURES as FRAMING_FIGURES
from negation_evals.report.framing.published import PUBLISHED_TABLES, published_tables
from negation_evals.report.framing.sections import framing_sections
from negation_evals.report.framing.tables import report_tables
from negation_evals.report.nubench.figures import FIGURES as NUBENCH_FIGURES
from negation_evals.report.nubench.sections import nubench_sections
from negation_evals.report.nubench.tables import CHOICE_TABLES, choice_tables
from negation_evals.report.snca.figures import FIGURES as SNCA_FIGURES
from negation_evals.report.snca.published import published_snca
from negation_evals.report.snca.sections import snca_sections
from negation_evals.report.snca.tables import SNCA_TABLES, snca_tables

SCHEMA_VERSION = "2"
"""Version of the layout of `results.json`; a change that breaks a reader bumps it."""

FRAMING_TABLES: Final = (
    *("ranking", "fragility", "fragility_by_model", "fragility_by_origin", "nsi_by_domain"),
    *("nsi_by_model_and_domain", "nsi_by_scenario", "nsi_by_origin_and_scenario"),
    *("nsi_by_size_tier_and_scenario", "nsi_by_condition_and_scenario", "endorsement_by_frame"),
    *("endorsement_by_origin", "endorsement_by_origin_and_scenario", "swing", "swing_by_origin"),
    *("patterns", "acquiescence_by_pair", "group_tests", "group_pairs", "agreement_by_frame"),
    *("ablations", "ablations_by_unit", "ablations_by_scenario", "answer_order", "mitigation"),
    *("confidence_by_model", "alignment_by_frame", "alignment_by_stance", "alignment_by_scenario"),
    *("compliance", "excluded", "outcomes_by_frame", "worst_scenarios", "nsi", "nsi_bounds"),
    *("nsi_bounds_by_model", "acquiescence", "agreement_by_pair", "ablation_pairs", "confidence"),
    *("cochran_q", "homogeneity", "framing_effect", "cells"),
)
"""The names of the tables of `report_tables`."""

TITLE = "Negation sensitivity audit"
SNCA_TITLE = "Audit of stated safety policies"
"""The title of a report on SNCA alone."""


def write_report(
    decisions: pd.DataFrame | None,
    out: Path,
    generated: date | None = None,
    *,
    choices: pd.DataFrame | None = None,
    snca: SncaAudit | None = None,
    min_compliance: float = 0.0,
    published: bool = False,
) -> dict[str, pd.DataFrame]:
    """Write the whole report into a folder, which is made if need be.

    ::

        out/
          report.html      self-contained, opens offline
          report.md        the same text and tables
          results.json     everything as data (`schema_version`)
          tables/*.csv     one file per table, unrounded
          figures/*.svg, *.png

    Tables and figures of an earlier report that this one lacks are removed, and nothing else.

    Args:
        decisions: The table of `read_decisions`; None without framing logs.
        out: Folder.
        generated: The date that the report bears; default today. The same decisions and date give
            the same files, byte for byte.
        choices: The table of `read_choices`; None without NUBench logs.
        snca: The tables of an SNCA audit; None without logs of it.
        min_compliance: Framing and NUBench results with a smaller share of valid answers are left
            out and listed.
        published: Show the papers' values beside one's own.

    Returns:
        The tables of `report_tables`, `choice_tables` and `snca_tables`, and if asked for of
        `published_tables` and `published_snca`.

    Raises:
        DataError: the folder cannot be written, or the tables of SNCA contradict themselves.
    """
    snca = settled(snca) if snca else None
    tables: dict[str, pd.DataFrame] = {}
    if decisions is not None:
        tables |= report_tables(decisions, min_compliance)
        if published:
            tables |= published_tables(tables)
    if choices is not None:
        tables |= choice_tables(choices, min_compliance)
    if snca is not None:
        tables |= snca_tables(snca)
        if published:
            tables |= published_snca(tables)
    families = (
        (decisions, FRAMING_FIGURES),
        (choices, NUBENCH_FIGURES),
        (snca, SNCA_FIGURES),
    )
    present = [figure for audit, own in families if audit is not None for figure in own]
    figures = draw_figures(present, tables)
    captions = {figure.name: figure.caption for figure in present}
    audits = (decisions, choices, *(snca.main_tables if snca is not None else ()))
    reading = joint_reading(*audits)
    header = {
        "title": SNCA_TITLE if decisions is None and choices is None else TITLE,
        "generated": (generated or date.today()).isoformat(),
        "version": __version__,
        "inspect_version": version("inspect_ai"),
    }
    sections: list[Section] = []
    if decisions is not None:
        sections += framing_sections(tables, figures, min_compliance)
    if choices is not None:
        sections += nubench_sections(tables, figures)
    if snca is not None:
        sections += snca_sections(tables, figures)
    sections.append(data_section(reading, tables, min_compliance))
    svgs = {name: svg_text(figure) for name, figure in figures.items()}
    files: dict[str, str | bytes] = {}
    for name, table in tables.items():
        files[f"tables/{name}.csv"] = table.to_csv(index=False, lineterminator="\n")
    for name, figure in figures.items():
        files[f"figures/{name}.svg"] = svgs[name]
        files[f"figures/{name}.png"] = png_bytes(figure)
    results: dict[str, Any] = header | {"schema_version": SCHEMA_VERSION, "reading": reading}
    results["min_compliance"] = min_compliance
    results["tables"] = {name: json_records(table) for name, table in tables.items()}
    files["results.json"] = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    files["report.html"] = render_html(header, sections, svgs, captions)
    files["report.md"] = render_markdown(header, sections, captions)
    try:
        write_files(out, files)
        _remove_stale(out, tables, figures)
    except OSError as error:
        raise DataError(f"{out}: the report cannot be written: {error.strerror}") from error
    return tables


def joint_reading(*tables: pd.DataFrame | None) -> dict[str, list[Any]]:
    """What the readers of several families say, as one; a log that any used is not left out.

    Args:
        tables: Tables with `attrs["report"]`; None for a family without logs.
    """
    reports = [table.attrs.get("report", {}) for table in tables if table is not None]
    sources = [source for report in reports for source in report.get("sources", [])]
    used = {source["source"] for source in sources}
    left_out: list[dict[str, Any]] = []
    for item in (item for report in reports for item in report.get("left_out", [])):
        foreign = item["reason"].startswith(FOREIGN)
        if item not in left_out and not (foreign and item["source"] in used):
            left_out.append(item)
    warnings = dict.fromkeys(w for report in reports for w in report.get("warnings", []))
    return {"sources": sources, "left_out": left_out, "warnings": list(warnings)}


def _remove_stale(out: Path, tables: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
    """Remove what an earlier report drew or listed and this one does not."""
    every = {figure.name for figure in (*FRAMING_FIGURES, *NUBENCH_FIGURES, *SNCA_FIGURES)}
    for name in every - set(figures):
        for suffix in (".svg", ".png"):
            (out / "figures" / f"{name}{suffix}").unlink(missing_ok=True)
    ours = {*FRAMING_TABLES, *PUBLISHED_TABLES, *CHOICE_TABLES, *SNCA_TABLES}
    for name in ours - set(tables):
        (out / "tables" / f"{name}.csv").unlink(missing_ok=True)
