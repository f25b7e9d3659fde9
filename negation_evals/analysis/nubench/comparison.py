"""Two NUBench results compared on the same items."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.confidence import error_per_side
from negation_evals.analysis.common.proportions import clustered_mean
from negation_evals.analysis.common.results import varying
from negation_evals.analysis.nubench.columns import CHOICE_SETTINGS


@dataclass(frozen=True)
class ChoiceComparison:
    """Two results on the same items, B minus A."""

    n_items: int
    """Items that both answered."""
    accuracy_a: float
    """Of A on these items."""
    accuracy_b: float
    """Of B on these items."""
    difference: float
    """Mean over items of the difference of their shares of right answers, in [-1, 1]."""
    se: float
    """Clustered on the page; NaN with fewer than two pages, or where all items differ alike."""
    ci_low: float
    """Lower limit of the difference."""
    ci_high: float
    """Upper limit of the difference."""
    only_a: int
    """Items that A alone answers right; counted where each side has one answer an item."""
    only_b: int
    """Items that B alone answers right."""
    p_value: float
    """Exact McNemar test, two-sided; NaN where an item has several answers (no such test)."""
    unpaired: int
    """Items that only one of them answered: left out."""


def compare_choices(
    a: pd.DataFrame, b: pd.DataFrame, *, confidence_level: float = 0.95
) -> ChoiceComparison:
    """Compare two results on the items that both answered, B minus A.

    The interval is the paired difference -+ t * se, clustered on the page (C - 1 degrees of
    freedom). McNemar's test counts the items that only one answers right and asks whether both
    counts could be of a fair coin; it takes items as independent.

    Args:
        a: Rows of `read_choices` of one model under one set of settings.
        b: The other's.
        confidence_level: Of the interval, in (0, 1).

    Raises:
        ValueError: the two have no item in common, or share ids over different data; one of them
            holds several results; or the confidence level is not between 0 and 1.
    """
    tail = error_per_side(confidence_level, "compare_choices")
    for name, table in (("a", a), ("b", b)):
        require_columns(table, ("item", "page", "correct"), "compare_choices")
        if several := varying(table, ("model", *CHOICE_SETTINGS)):
            raise ValueError(
                f"compare_choices: table {name} holds several results, which differ in "
                f"{', '.join(several)}: give the rows of one"
            )
    if {"data_hash"} <= set(a.columns) & set(b.columns):
        hashes = set(a["data_hash"]) | set(b["data_hash"])
        if len(hashes) > 1:
            raise ValueError("compare_choices: the two answered different data (data_hash)")
    sides = [_by_item(table) for table in (a, b)]
    both = sides[0].merge(sides[1], left_index=True, right_index=True, suffixes=("_a", "_b"))
    if both.empty:
        raise ValueError("compare_choices: no item was answered by both")
    differences = (both["share_b"] - both["share_a"]).to_numpy()
    mean, error, n_pages = clustered_mean(differences, both["page_a"].to_numpy())
    # All items differ alike, or none does: that is no proof of it, so there is no interval.
    error = error if error > 1e-12 else float("nan")
    half = stats.t.ppf(1 - tail, n_pages - 1) * error if n_pages > 1 else np.nan
    single = bool((both[["n_a", "n_b"]] == 1).all(axis=None))
    only_a, only_b = int((differences < 0).sum()), int((differences > 0).sum())
    test = mcnemar([[0, only_a], [only_b, 0]], exact=True)
    return ChoiceComparison(
        n_items=len(both),
        accuracy_a=float(both["share_a"].mean()),
        accuracy_b=float(both["share_b"].mean()),
        difference=mean,
        se=error,
        ci_low=float(np.maximum(-1.0, mean - half)),
        ci_high=float(np.minimum(1.0, mean + half)),
        only_a=only_a,
        only_b=only_b,
        p_value=float(test.pvalue) if single else float("nan"),
        unpaired=len(sides[0].index.symmetric_difference(sides[1].index)),
    )


def _by_item(table: pd.DataFrame) -> pd.DataFrame:
    scored = table[table["correct"].notna()]
    return scored.groupby("item").agg(
        share=("correct", "mean"), n=("correct", "size"), page=("page", "first")
    )
