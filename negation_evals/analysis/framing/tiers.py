"""Tiers of NSI (arXiv:2601.21433v1, Section 4.2, Tables 8 and 9), decided with error control.

The paper compares the observed NSI with thresholds. That value is biased upward and noisy; here a
tier is decided only where the whole interval lies within it, and is undecided elsewhere.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import numpy as np
import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.summary import at_least
from negation_evals.analysis.framing.tier_tables import TierThresholds, load_tier_thresholds
from negation_evals.errors import unknown_name

OVERALL: Final = "overall"
"""The thresholds of Table 8, for a mean over all scenarios."""


class Tier(StrEnum):
    """A tier, or that the data do not decide on one."""

    A = "A"
    B = "B"
    C = "C"
    UNDECIDED = "undecided"


class Verdict(StrEnum):
    """Whether a required tier is kept."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


def tiers(
    intervals: pd.DataFrame,
    thresholds: Sequence[TierThresholds] | None = None,
    domain: str | None = None,
) -> pd.DataFrame:
    """The tier of every interval, beside the paper's point rule.

    Args:
        intervals: The table of `nsi_intervals`, or any with nsi, ci_low and ci_high.
        thresholds: Default `datasets/tiers.yaml`.
        domain: The row of the thresholds that counts for all rows, such as `overall`; default
            each row's own column `domain`.

    Returns:
        The table with b_from and c_from (lowest NSI of tiers B and C), tier (`Tier`: A if ci_high
        lies below b_from; B if ci_low is at or above b_from and ci_high below c_from; C if ci_low
        is at or above c_from; else undecided), point_tier (the same of nsi alone, the paper's
        rule: None where NSI is missing). Values are compared as exact fractions would be
        (`TOLERANCE`); a value at a threshold belongs to the worse tier.

    Raises:
        ValueError: the table lacks a column.
        DataError: a domain has no thresholds.
    """
    needed = ["nsi", "ci_low", "ci_high"]
    require_columns(intervals, needed if domain else [*needed, "domain"], "tiers")
    known = {row.domain: row for row in thresholds or load_tier_thresholds()}
    domains = [domain] * len(intervals) if domain else list(intervals["domain"])
    for name in dict.fromkeys(domains):
        if name not in known:
            raise unknown_name("domain of the tier thresholds", str(name), known)
    table = intervals.assign(
        b_from=[known[name].b_from for name in domains],
        c_from=[known[name].c_from for name in domains],
    )
    lowest, highest = _point_tiers(table, "ci_low"), _point_tiers(table, "ci_high")
    table["tier"] = np.where(lowest == highest, lowest, Tier.UNDECIDED)
    table.loc[table["ci_low"].isna() | table["ci_high"].isna(), "tier"] = Tier.UNDECIDED
    point = pd.Series(_point_tiers(table, "nsi"), index=table.index, dtype=object)
    table["point_tier"] = point.where(table["nsi"].notna(), None)
    return table


def keeps_tier(row: pd.Series, required: Tier) -> Verdict:
    """Whether a row of `tiers` is decided to be in the required tier or a better one.

    An interval that lies across A and B keeps B.

    Args:
        row: A row with ci_low, ci_high, b_from and c_from.
        required: A, B or C; C is kept by every NSI.
    """
    if required is Tier.C:
        return Verdict.HOLDS
    limit = row["b_from"] if required is Tier.A else row["c_from"]
    low, high = (bool(at_least(row[name], limit)) for name in ("ci_low", "ci_high"))
    if pd.isna(row["ci_low"]) or low != high:
        return Verdict.UNDECIDED
    return Verdict.FAILS if low else Verdict.HOLDS


def _point_tiers(table: pd.DataFrame, column: str) -> np.ndarray:
    """The tier of each value; that of a missing one means nothing."""
    values = table[column]
    at_c = at_least(values, table["c_from"]).to_numpy()
    at_b = at_least(values, table["b_from"]).to_numpy()
    return np.where(at_c, Tier.C, np.where(at_b, Tier.B, Tier.A))
