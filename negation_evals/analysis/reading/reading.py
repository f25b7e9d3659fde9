"""What was read, what was left out and why."""

from dataclasses import dataclass, field
from typing import Any

from negation_evals.errors import printable


@dataclass
class ReadReport:
    """What was read, what was left out and why, and what the reader should know."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    """One per log or table that contributed: source, model, status, planned, read, used."""
    left_out: list[dict[str, Any]] = field(default_factory=list)
    """One per thing left out: source, rows (None where unknown), reason."""
    warnings: list[str] = field(default_factory=list)

    def leave_out(self, source: str, reason: str, rows: int | None = None) -> None:
        """Record something that does not count."""
        self.left_out.append({"source": printable(source), "rows": rows, "reason": reason})
