"""Numbers as readers see them: all rounding happens here, once, on the way to a page."""

from typing import Any

import pandas as pd

MISSING = "–"


def fixed(value: Any, digits: int = 2, sign: str = "") -> str:
    """A number with so many digits; a missing one becomes a dash, and what rounds to 0 is 0."""
    if pd.isna(value):
        return MISSING
    # Adding 0 turns the minus zero of a rounded difference into zero.
    return f"{round(float(value), digits) + 0.0:{sign}.{digits}f}"


def percent(value: Any) -> str:
    """A share as a percentage without decimals."""
    return MISSING if pd.isna(value) else f"{fixed(100 * value, 0)} %"


def signed_percent(value: Any) -> str:
    """A relative change as a signed percentage."""
    return MISSING if pd.isna(value) else f"{fixed(100 * value, 0, sign='+')} %"


def counted(number: int, noun: str) -> str:
    """A number and what it counts: 1 scenario, 2 scenarios."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def p_text(value: Any) -> str:
    """A p-value to three digits, bounded below."""
    if pd.isna(value):
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def interval(low: Any, high: Any) -> str:
    """Two limits; a dash where they are missing."""
    return MISSING if pd.isna(low) else f"{fixed(low)} to {fixed(high)}"


def name_text(value: Any) -> str:
    """A name as it is; a dash where there is none."""
    return MISSING if value is None or value is pd.NA or value != value else str(value)


def count_text(value: Any) -> str:
    """A whole number."""
    return MISSING if pd.isna(value) else f"{value:.0f}"
