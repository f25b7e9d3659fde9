"""What readers say beside their table."""

from typing import Any

from negation_evals.analysis.framing.read import DECISION_LOGS
from negation_evals.analysis.reading.kinds import LogKind, ReadOptions
from negation_evals.analysis.reading.logs import read
from negation_evals.analysis.reading.reading import Reading


def notes(paths: Any, kind: LogKind = DECISION_LOGS, **options: Any) -> Reading:
    """The reading of one kind of log, with what was left out and the warnings."""
    return read(paths, (kind,), ReadOptions(**options))
