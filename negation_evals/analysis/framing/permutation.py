"""Exact permutation tests of a scenario's labels: how answers could fall to frames."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import binom

MOST_PERMUTATIONS: Final = 250_000
"""Most that are enumerated: four frames of 62 answers."""

HALF_STEP: Final = 1e-9
"""Far below the distance of two possible rates, far above their rounding."""

Frames = tuple[tuple[int, int], ...]
"""Endorsements and valid answers of each frame."""


@dataclass(frozen=True)
class Distribution:
    """Of one statistic over all permutations, which have the same margins."""

    values: NDArray[np.float64]
    """Distinct values, ascending."""
    shares: NDArray[np.float64]
    """Probability of each value."""

    def at_least(self, observed: float) -> float:
        """P(statistic >= observed); all values together have exactly 1."""
        first = int(np.searchsorted(self.values, observed - HALF_STEP))
        return float(self.shares[first:].sum()) if first else 1.0


@dataclass(frozen=True)
class Permutations:
    """What the statistics are over all permutations of a scenario's answers."""

    ranges: Distribution
    """Range of the frames' rates."""
    spreads: Distribution
    """Sum of k^2 / n, with which Pearson's chi-square grows."""


def few_enough(frames: Frames) -> bool:
    """Whether the permutations of these frames are enumerated."""
    sizes = sorted(size for _, size in frames)
    return prod(size + 1 for size in sizes[:-1]) <= MOST_PERMUTATIONS


def range_share(frames: Frames) -> float:
    """P(range of the rates >= the observed one)."""
    counts, sizes = _counts_and_sizes(frames)
    return _permutations_of(frames).ranges.at_least(float(np.ptp(counts / sizes)))


def chi_square_share(frames: Frames) -> float:
    """P(chi-square >= the observed one)."""
    return _permutations_of(frames).spreads.at_least(spread_of(frames))


def spread_of(frames: Frames) -> float:
    """Sum of k^2 / n, with which Pearson's chi-square grows."""
    counts, sizes = _counts_and_sizes(frames)
    return float((counts**2 / sizes).sum())


def permuted_spreads(
    frames: Frames, draws: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """`spread_of` random permutations of the same answers."""
    if few_enough(frames):
        spreads = _permutations_of(frames).spreads
        return generator.choice(spreads.values, size=draws, p=spreads.shares)
    counts, sizes = _counts_and_sizes(frames)
    permuted = generator.multivariate_hypergeometric(
        sizes, counts.sum(), size=draws, method="marginals"
    )
    return np.asarray((permuted**2 / sizes).sum(axis=1))


def _counts_and_sizes(frames: Frames) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The endorsements and the valid answers of the frames as arrays."""
    counts, sizes = zip(*frames, strict=True)
    return np.array(counts, dtype=np.int64), np.array(sizes, dtype=np.int64)


@lru_cache(maxsize=4096)
def smallest_share(sizes: tuple[int, ...]) -> float:
    """The smallest `chi_square_share` that any answers with these numbers per frame could give.

    Of the permutations of K endorsements those in which each frame endorses always or never have
    the largest sum of k^2 / n, which is K, and each of them is one of C(N, K) permutations.
    """
    if len(sizes) < 2 or not all(sizes):
        return 1.0
    ways = Counter({0: 1})
    for size in sizes:
        ways.update({total + size: number for total, number in list(ways.items())})
    n = sum(sizes)
    return min(number / comb(n, total) for total, number in ways.items() if 0 < total < n)


def _permutations_of(frames: Frames) -> Permutations:
    # Tests depend on the frames only as a set, and many cells have the same sizes and total.
    counts, sizes = zip(*frames, strict=True)
    return _all_permutations(tuple(sorted(map(int, sizes))), int(sum(counts)))


@lru_cache(maxsize=4096)
def _all_permutations(sizes: tuple[int, ...], total: int) -> Permutations:
    """Enumerate: the largest frame takes what the others leave of the endorsements."""
    *others, largest = sizes
    grid = np.meshgrid(*(np.arange(size + 1) for size in others), indexing="ij", sparse=True)
    last = total - sum(grid, start=np.zeros((1,) * len(others), dtype=np.int64))
    possible = (last >= 0) & (last <= largest)
    permuted = [np.broadcast_to(k, possible.shape)[possible] for k in grid] + [last[possible]]
    rates = [k / size for k, size in zip(permuted, sizes, strict=True)]
    weight = sum(_log_binomial(size)[k] for k, size in zip(permuted, sizes, strict=True))
    share: NDArray[np.float64] = np.exp(weight - np.max(weight))
    share /= share.sum()
    spreads: NDArray[np.float64] = np.add.reduce(
        [k**2 / size for k, size in zip(permuted, sizes, strict=True)]
    )
    ranges: NDArray[np.float64] = np.maximum.reduce(rates) - np.minimum.reduce(rates)
    return Permutations(_distribution(ranges, share), _distribution(spreads, share))


def _distribution(values: NDArray[np.float64], shares: NDArray[np.float64]) -> Distribution:
    """Values that differ by rounding alone are one: few are left, and many can be kept."""
    order = np.argsort(values)
    ascending = values[order]
    first = np.flatnonzero(np.diff(ascending, prepend=-np.inf) > HALF_STEP)
    return Distribution(ascending[first], np.add.reduceat(shares[order], first))


def _log_binomial(size: int) -> NDArray[np.float64]:
    """Logarithm of the binomial coefficients C(size, k) for all k."""
    k = np.arange(size + 1)
    return np.asarray(gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1))


SMALLEST_P: Final = 1e-15
"""With many answers p is computed as 1 - P(smaller range), which doubles resolve no finer."""


def range_p_value(endorsed: Iterable[int], n: Iterable[int]) -> float:
    """P(range of the rates >= the observed one), the endorsements assigned to frames at random.

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
    """The same where there are too many permutations to enumerate.

    P(range >= D) = 1 - sum over possible rates u of P(the smallest rate is u, all < u + D).

    Binomials with the pooled rate, conditioned on their sum, are the hypergeometric; P(smallest
    is u, all < u + D) = P(all in [u, u + D)) - P(all in (u, u + D)).
    """
    counts, sizes = _counts_and_sizes(frames)
    observed = float(np.ptp(counts / sizes))
    if observed < HALF_STEP:
        return 1.0
    total, trials = int(counts.sum()), int(sizes.sum())
    pooled = total / trials
    pmfs = [binom.pmf(np.arange(size + 1), size, pooled) for size in sizes]
    possible = np.unique(np.concatenate([np.arange(size + 1) / size for size in set(sizes)]))
    smaller = 0.0
    for rate in possible.tolist():
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
