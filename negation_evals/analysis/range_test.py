"""The exact permutation test of equal endorsement in all frames, by the range of the rates."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from negation_evals.analysis.deals import HALF_STEP, Frames, few_enough, range_share

SMALLEST_P = 1e-15
"""Of many answers p is computed as 1 - P(smaller range), which doubles resolve no finer."""


def range_p_value(endorsed: Iterable[int], n: Iterable[int]) -> float:
    """P(range of the rates >= the observed one), the endorsements dealt to frames at random.

    Given the total of endorsements, the counts of an exactly invariant model follow the
    multivariate hypergeometric distribution, so p is exact and needs no random numbers. It
    depends on the frames only as a set.

    Args:
        endorsed: Endorsements per frame.
        n: Valid decisions per frame, each at least 1.

    Returns:
        p in [1e-15, 1].
    """
    frames = tuple(zip(map(int, endorsed), map(int, n), strict=True))
    p_value = range_share(frames) if few_enough(frames) else _share_by_convolution(frames)
    return float(np.clip(p_value, SMALLEST_P, 1.0))


def _share_by_convolution(frames: Frames) -> float:
    """The same where the deals are too many to enumerate.

    P(range >= D) = 1 - sum over possible rates u of P(the smallest rate is u, all < u + D).

    Binomials with the pooled rate, conditioned on their sum, are the hypergeometric; P(smallest
    is u, all < u + D) = P(all in [u, u + D)) - P(all in (u, u + D)).
    """
    counts, sizes = (np.array(column) for column in zip(*frames, strict=True))
    rates = counts / sizes
    observed = rates.max() - rates.min()
    if observed < HALF_STEP:
        return 1.0
    total, trials = int(counts.sum()), int(sizes.sum())
    pooled = total / trials
    pmfs = [binom.pmf(np.arange(size + 1), size, pooled) for size in sizes]
    possible = np.unique(np.concatenate([np.arange(size + 1) / size for size in set(sizes)]))
    smaller = 0.0
    for rate in possible:
        below = rate + observed - HALF_STEP
        smaller += _joint(pmfs, rate - HALF_STEP, below, total)
        smaller -= _joint(pmfs, rate + HALF_STEP, below, total)
    return float(1.0 - smaller / binom.pmf(total, trials, pooled))


def _joint(pmfs: list[NDArray[np.float64]], low: float, high: float, total: int) -> float:
    """P(every frame's rate lies in (low, high) and the counts add up to the total)."""
    distribution = np.ones(1)
    fewest = 0
    for pmf in pmfs:
        size = len(pmf) - 1
        first = max(0, int(np.ceil(low * size)))
        last = min(size, int(np.floor(high * size)))
        if first > last:
            return 0.0
        distribution = np.convolve(distribution, pmf[first : last + 1])
        fewest += first
    position = total - fewest
    return float(distribution[position]) if 0 <= position < len(distribution) else 0.0
