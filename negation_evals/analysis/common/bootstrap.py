"""Bootstrap intervals by resampling whole clusters, vectorised over the resamples."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import permutation_test

RESAMPLES = 10_000

SIGN_FLIPS = 2**14
"""Up to 14 values all patterns of signs are counted, which is exact; of more, so many are drawn."""

Seed: TypeAlias = int | np.random.Generator
"""A seed, or a generator that is used as it stands."""


def resample_counts(
    n_clusters: int, resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """How often each cluster occurs in each resample: resamples x clusters."""
    drawn = generator.integers(n_clusters, size=(resamples, n_clusters))
    # Counted all at once, each resample in numbers of its own.
    drawn += n_clusters * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * n_clusters)
    return counts.reshape(resamples, n_clusters).astype(float)


def ratio_interval(
    numerators: ArrayLike,
    denominators: ArrayLike,
    level: float,
    resamples: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Percentile interval of sum(numerators) / sum(denominators) when clusters are resampled.

    A mean over clusters of unequal size is such a ratio. NaN below two clusters: one says nothing
    about their spread.
    """
    tops, bottoms = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if len(tops) < 2:
        return float("nan"), float("nan")
    counts = resample_counts(len(tops), resamples, generator)
    with np.errstate(invalid="ignore"):
        return percentile_interval((counts @ tops) / (counts @ bottoms), level)


def percentile_interval(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The central share `level` of bootstrap values; NaN values are none."""
    known = values[~np.isnan(values)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def sign_flip_p(values: ArrayLike, generator: np.random.Generator) -> float:
    """Two-sided p-value of a mean of 0 when each value could as well have the other sign."""
    differences = np.asarray(values, dtype=float)
    if len(differences) < 2 or not differences.any():
        return 1.0
    result = permutation_test(
        (differences,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        n_resamples=SIGN_FLIPS,
        vectorized=True,
        rng=generator,
    )
    return float(result.pvalue)
