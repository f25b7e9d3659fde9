"""The section on what was read and what was left out."""

from collections.abc import Sequence

from negation_evals.analysis.reading.reading import Reading
from negation_evals.report.documents.sections import Section


def data_section(reading: Reading, gaps: Sequence[str]) -> Section:
    """What was read and what was left out, for all families.

    Args:
        reading: With the notes of the readers.
        gaps: What the families say is missing from their sections.
    """
    sources = [
        f"{item['source']}: {item['model']}, status {item['status']}, {item['used']} of "
        f"{item['read']} rows used."
        for item in reading.sources
    ]
    left_out = [
        f"Left out: {item['source']}: {item['reason']}"
        + (f" ({item['rows']} rows)." if item["rows"] is not None else ".")
        for item in reading.left_out
    ]
    warnings = [f"Note: {warning}." for warning in reading.warnings]
    return Section(
        "data",
        "Appendix: what was read and what was left out",
        (*sources, *left_out, *gaps, *(warnings or ["No warnings."])),
    )
