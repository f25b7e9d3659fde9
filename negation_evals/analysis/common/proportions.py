"""Means and proportions with their intervals."""

import numpy as np
import pandas as pd
from scipy import stats

from negation_evals.analysis.framing.intervals.nsi_intervals import error_per_side


def clustered_mean(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float, int]:
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
    mean: float, error: float, n_items: int, n_clusters: int, confidence: float
) -> tuple[float, float]:
    """Wilson's interval for the effective number of items (at most all); NaN for one cluster."""
    tail = error_per_side(confidence, "clustered_wilson")
    if n_clusters < 2:
        return float("nan"), float("nan")
    effective = mean * (1 - mean) / error**2 if error > 1e-12 else n_clusters
    n = min(float(effective), float(n_items))
    q = float(stats.t.ppf(1 - tail, n_clusters - 1))
    centre = (mean + q**2 / (2 * n)) / (1 + q**2 / n)
    half = q * np.sqrt(mean * (1 - mean) / n + q**2 / (4 * n**2)) / (1 + q**2 / n)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))
