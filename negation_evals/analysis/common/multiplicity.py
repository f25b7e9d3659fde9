"""Corrections of p-values for several tests."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control

FDR = 0.05
"""False discovery rate of both papers."""


def adjust_fdr(p_values: ArrayLike) -> NDArray[np.float64]:
    """Benjamini-Hochberg adjusted p-values in the order given; NaN stays out of the family."""
    values = np.asarray(p_values, dtype=float)
    adjusted = np.full(values.shape, np.nan)
    tested = ~np.isnan(values)
    if tested.any():
        adjusted[tested] = false_discovery_control(values[tested], method="bh")
    return adjusted


def adjust_holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's adjusted p-values in the order given; NaN stays out of the family.

    By hand: SciPy has none, and that of statsmodels runs the garbage collector at every call,
    which takes about 0.1 s however few the p-values are.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    adjusted = np.full(values.shape, np.nan)
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return adjusted
