"""Reports from tables, without logs."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from negation_evals.analysis.reading.reading import Reading
from negation_evals.report.documents.sections import Section
from negation_evals.report.families import FAMILIES
from negation_evals.report.family import ReportOptions, Tables
from negation_evals.report.figures.draw import draw_figures as draw
from negation_evals.report.framing.family import FRAMING
from negation_evals.report.nubench.family import NUBENCH
from negation_evals.report.snca.family import SNCA


def reading_of(**tables: pd.DataFrame | None) -> Reading:
    """A reading of these tables by name; those that are None are missing."""
    return Reading(tables={name: table for name, table in tables.items() if table is not None})


def snca_audit(
    policies: pd.DataFrame | None = None,
    observations: pd.DataFrame | None = None,
    matches: pd.DataFrame | None = None,
    **more: pd.DataFrame,
) -> Reading:
    """A reading of an SNCA audit."""
    return reading_of(policies=policies, observations=observations, matches=matches, **more)


def without(reading: Reading, *names: str) -> Reading:
    """The reading without these tables."""
    kept = {name: table for name, table in reading.tables.items() if name not in names}
    return replace(reading, tables=kept)


def report_tables(decisions: pd.DataFrame, min_compliance: float = 0.0) -> Tables:
    return FRAMING.tables(reading_of(decisions=decisions), ReportOptions(min_compliance))


def choice_tables(choices: pd.DataFrame, min_compliance: float = 0.0) -> Tables:
    return NUBENCH.tables(reading_of(choices=choices), ReportOptions(min_compliance))


def snca_tables(reading: Reading) -> Tables:
    return SNCA.tables(reading, ReportOptions())


def framing_sections(
    tables: Tables, figures: Iterable[str] = (), min_compliance: float = 0.0
) -> list[Section]:
    drawn = set(figures)
    return [
        replace(section, figures=tuple(name for name in section.figures if name in drawn))
        for section in FRAMING.sections(tables, ReportOptions(min_compliance))
    ]


def nubench_sections(tables: Tables) -> list[Section]:
    return NUBENCH.sections(tables, ReportOptions())


def snca_sections(tables: Tables) -> list[Section]:
    return SNCA.sections(tables, ReportOptions())


def draw_figures(tables: dict[str, Any]) -> dict[str, Figure]:
    """The figures of every family that has tables here."""
    families = [
        family for family in FAMILIES if {table.name for table in family.declared} & set(tables)
    ]
    return draw([figure for family in families for figure in family.figures], tables)
