"""The families of tasks. A new one is one folder in each layer, and an entry here."""

from collections.abc import Iterable
from typing import Final

from negation_evals.analysis.reading import logs
from negation_evals.analysis.reading.kinds import ReadOptions
from negation_evals.analysis.reading.reading import Reading
from negation_evals.analysis.reading.sources import Source
from negation_evals.report.family import Family
from negation_evals.report.framing.family import FRAMING
from negation_evals.report.nubench.family import NUBENCH
from negation_evals.report.snca.family import SNCA

FAMILIES: Final[list[Family]] = [FRAMING, NUBENCH, SNCA]
"""In the order of the report."""


def read(sources: Source | Iterable[Source], options: ReadOptions | None = None) -> Reading:
    """Read whatever audits the logs and tables hold, for `write_report`.

    Args:
        sources: Log files, folders, fsspec URLs, log objects, or tables.
        options: See `ReadOptions`.

    Raises:
        NothingFoundError: there is nothing of any family.
        DataError: a file named by itself cannot be read, or a table is of no family.
    """
    kinds = [kind for family in FAMILIES for kind in family.kinds]
    *others, last = (family.title for family in FAMILIES)
    wanted = f"log of {', '.join(others)} or {last}"
    reading = logs.read(sources, kinds, options, wanted=wanted)
    for family in FAMILIES:
        reading = family.settle(reading)
    return reading
