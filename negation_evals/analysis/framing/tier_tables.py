"""Thresholds of the tiers and adjacent domains, from `datasets/`."""

from pathlib import Path

from pydantic import (
    model_validator,
)

from negation_evals.files.bundled import dataset_path
from negation_evals.files.rows import read_rows
from negation_evals.files.validation import Name, Row, Text, require_unique, validate_rows


class TierThresholds(Row):
    """The lowest NSI of tiers B and C in one domain (arXiv:2601.21433v1, Tables 8 and 9)."""

    domain: Name
    b_from: float
    c_from: float

    @model_validator(mode="after")
    def _in_order(self) -> "TierThresholds":
        if not 0 < self.b_from <= self.c_from <= 1:
            raise ValueError("thresholds must satisfy 0 < b_from <= c_from <= 1")
        return self


class AdjacentDomains(Row):
    """The domains whose scenarios count as adjacent to one, and why."""

    domain: Name
    to: tuple[Name, ...]
    reason: Text


def load_tier_thresholds(path: Path | None = None) -> tuple[TierThresholds, ...]:
    """The thresholds of `datasets/tiers.yaml`, or of a user's file of the same form.

    Raises:
        DataError: the file cannot be read, a row breaks the schema, or a domain occurs twice.
    """
    path = path or dataset_path("tiers.yaml")
    rows = validate_rows(TierThresholds, read_rows(path, "thresholds"), path)
    require_unique((row.domain for row in rows), path)
    return tuple(rows)


def load_adjacent_domains() -> dict[str, tuple[str, ...]]:
    """Domain -> its adjacent domains."""
    path = dataset_path("adjacent_domains.yaml")
    rows = validate_rows(AdjacentDomains, read_rows(path, "adjacent"), path)
    return {row.domain: row.to for row in rows}
