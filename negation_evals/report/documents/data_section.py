"""The section on what was read and what was left out."""

from typing import Any

from negation_evals.report.documents.sections import Section
from negation_evals.report.framing.sections.chapters import _framing_gaps
from negation_evals.report.framing.tables import Tables


def data_section(reading: dict[str, Any], tables: Tables, min_compliance: float) -> Section:
    """What was read and what was left out, for all families.

    Args:
        reading: The report of the readers.
        tables: All tables of the report.
        min_compliance: The threshold of exclusion.
    """
    sources = [
        f"{item['source']}: {item['model']}, status {item['status']}, {item['used']} of "
        f"{item['read']} rows used."
        for item in reading["sources"]
    ]
    left_out = [
        f"Left out: {item['source']}: {item['reason']}"
        + (f" ({item['rows']} rows)." if item["rows"] is not None else ".")
        for item in reading["left_out"]
    ]
    gaps = _framing_gaps(tables, min_compliance) if "excluded" in tables else []
    warnings = [f"Note: {warning}." for warning in reading["warnings"]]
    return Section(
        "data",
        "Appendix: what was read and what was left out",
        (*sources, *left_out, *gaps, *(warnings or ["No warnings."])),
    )
