"""Bootstrap intervals by resampling whole clusters, vectorised over the resamples."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import permutation_test

RESAMPLES = 10_000

SIGN_FLIPS = 2**14
"""Patterns of signs that are drawn; up to 14 values have no more, so all are counted: exact."""

Seed: TypeAlias = int | np.random.Generator
"""A seed, or a generator that is used as it stands."""


def resample_counts(
    n_clusters: int, resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """How often each cluster occurs in each resample: resamples x clusters.

    Counted by hand: `Generator.multinomial` takes 10 to 20 times as long.
    """
    drawn = generator.integers(n_clusters, size=(resamples, n_clusters))
    # Counted all at once, each resample in numbers of its own.
    drawn += n_clusters * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * n_clusters)
    return counts.reshape(resamples, n_clusters).astype(float)


def ratio_interval(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    confidence_level: float = 0.95,
    resamples: int = RESAMPLES,
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
        return percentile_interval((counts @ tops) / (counts @ bottoms), confidence_level)


def mean_interval(
    values: ArrayLike,
    *,
    confidence_level: float = 0.95,
    resamples: int = RESAMPLES,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """`ratio_interval` of a mean of values, each of them a cluster."""
    return ratio_interval(
        values,
        np.ones(len(np.asarray(values))),
        confidence_level=confidence_level,
        resamples=resamples,
        generator=generator,
    )


def percentile_interval(
    values: NDArray[np.float64], confidence_level: float
) -> tuple[float, float]:
    """The central share `confidence_level` of bootstrap values; NaN values are ignored."""
    numbers = values[~np.isnan(values)]
    if not len(numbers):
        return float("nan"), float("nan")
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(numbers, [tail, (1 + confidence_level) / 2])
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
