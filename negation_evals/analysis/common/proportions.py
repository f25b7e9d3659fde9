"""Means and proportions with their intervals."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from negation_evals.analysis.common.confidence import error_per_side

Floats = NDArray[np.float64]


def wilson_interval(
    successes: ArrayLike, n: ArrayLike, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Wilson's interval of each proportion successes / n; NaN where n is 0.

    Args:
        successes: Numbers of successes.
        n: Numbers of trials, of the same shape.
        confidence_level: In (0, 1).
    """
    hits, trials = np.asarray(successes, dtype=float), np.asarray(n, dtype=float)
    low, high = proportion_confint(
        hits, np.where(trials > 0, trials, np.nan), 1 - confidence_level, method="wilson"
    )
    return np.asarray(low), np.asarray(high)


def clustered_mean(values: Floats, clusters: NDArray[np.object_]) -> tuple[float, float, int]:
    """Mean, its standard error clustered with the finite correction, and the number of clusters.

    The error is NaN with fewer than two clusters.
    """
    if not len(values):
        return float("nan"), float("nan"), 0
    mean = float(values.mean())
    codes, unique = pd.factorize(clusters)
    n_clusters = len(unique)
    if n_clusters < 2:
        return mean, float("nan"), n_clusters
    deviations = np.bincount(codes, weights=values - mean, minlength=n_clusters)
    variance = n_clusters / (n_clusters - 1) * float((deviations**2).sum())
    return mean, float(np.sqrt(variance)) / len(values), n_clusters


def clustered_wilson(
    mean: float, error: float, n_items: int, n_clusters: int, confidence_level: float
) -> tuple[float, float]:
    """Wilson's interval for the effective number of items (at most all); NaN for one cluster."""
    tail = error_per_side(confidence_level, "clustered_wilson")
    if n_clusters < 2:
        return float("nan"), float("nan")
    effective = mean * (1 - mean) / error**2 if error > 1e-12 else n_clusters
    n = min(float(effective), float(n_items))
    # By hand: statsmodels takes no quantile of t, which a small number of clusters needs.
    q = float(stats.t.ppf(1 - tail, n_clusters - 1))
    centre = (mean + q**2 / (2 * n)) / (1 + q**2 / n)
    half = q * np.sqrt(mean * (1 - mean) / n + q**2 / (4 * n**2)) / (1 + q**2 / n)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))
