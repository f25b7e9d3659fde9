"""Every way to deal a scenario's endorsements to its frames: what exact tests count over.

Given how many of the valid answers endorse the action, the counts of an exactly invariant model
follow the multivariate hypergeometric distribution, whatever its rate.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

MOST_DEALS: Final = 250_000
"""So many are enumerated: four frames of 62 answers."""

HALF_STEP: Final = 1e-9
"""Far below the distance of two possible rates, far above their rounding."""

Frames = tuple[tuple[int, int], ...]
"""Endorsements and valid answers of each frame."""


@dataclass(frozen=True)
class Deals:
    """All deals with the same margins, in no particular order."""

    ranges: NDArray[np.float64]
    """Range of the frames' rates,"""
    spreads: NDArray[np.float64]
    """sum of k^2 / n, with which Pearson's chi-square grows,"""
    shares: NDArray[np.float64]
    """and probability of each deal."""


def few_enough(frames: Frames) -> bool:
    """Whether the deals of these frames are enumerated."""
    sizes = sorted(size for _, size in frames)
    return prod(size + 1 for size in sizes[:-1]) <= MOST_DEALS


def range_share(frames: Frames) -> float:
    """P(range of the rates >= the observed one)."""
    deals, counts, sizes = _deals_of(frames)
    return _share(deals, deals.ranges >= np.ptp(counts / sizes) - HALF_STEP)


def chi_square_share(frames: Frames) -> float:
    """P(chi-square >= the observed one)."""
    deals, _, _ = _deals_of(frames)
    return _share(deals, deals.spreads >= spread_of(frames) - HALF_STEP)


def spread_of(frames: Frames) -> float:
    """Sum of k^2 / n, with which Pearson's chi-square grows."""
    counts, sizes = np.array(frames).T
    return float((counts**2 / sizes).sum())


def dealt_spreads(
    frames: Frames, draws: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """`spread_of` random deals of the same answers."""
    if few_enough(frames):
        deals, _, _ = _deals_of(frames)
        # Looked up in order and shuffled after: so memory is read in one direction.
        place = np.searchsorted(
            np.cumsum(deals.shares), np.sort(generator.random(draws)), side="right"
        )
        drawn = deals.spreads[np.minimum(place, len(deals.spreads) - 1)]
        return np.asarray(generator.permutation(drawn))
    counts, sizes = np.array(frames).T
    dealt = generator.multivariate_hypergeometric(
        sizes, counts.sum(), size=draws, method="marginals"
    )
    return np.asarray((dealt**2 / sizes).sum(axis=1))


@lru_cache(maxsize=4096)
def smallest_share(sizes: tuple[int, ...]) -> float:
    """The smallest `chi_square_share` that any answers with so many per frame could give.

    Of the deals of K endorsements those in which each frame endorses always or never have the
    largest sum of k^2 / n, which is K, and each of them is one of C(N, K) ways to deal.
    """
    if len(sizes) < 2 or not all(sizes):
        return 1.0
    ways = Counter({0: 1})
    for size in sizes:
        ways.update({total + size: number for total, number in list(ways.items())})
    n = sum(sizes)
    return min(number / comb(n, total) for total, number in ways.items() if 0 < total < n)


def _share(deals: Deals, chosen: NDArray[np.bool_]) -> float:
    """Probability of the chosen deals; all of them have exactly 1."""
    return 1.0 if chosen.all() else float(deals.shares[chosen].sum())


def _deals_of(frames: Frames) -> tuple[Deals, NDArray[np.int64], NDArray[np.int64]]:
    counts, sizes = (np.array(column) for column in zip(*frames, strict=True))
    # Tests depend on the frames only as a set, and many cells have the same sizes and total.
    return _all_deals(tuple(sorted(map(int, sizes))), int(counts.sum())), counts, sizes


@lru_cache(maxsize=64)
def _all_deals(sizes: tuple[int, ...], total: int) -> Deals:
    """Enumerate: the largest frame takes what the others leave of the endorsements."""
    *others, largest = sizes
    grid = np.meshgrid(*(np.arange(size + 1) for size in others), indexing="ij", sparse=True)
    last = total - sum(grid, start=np.zeros((1,) * len(others), dtype=np.int64))
    possible = (last >= 0) & (last <= largest)
    dealt = [np.broadcast_to(k, possible.shape)[possible] for k in grid] + [last[possible]]
    rates = [k / size for k, size in zip(dealt, sizes, strict=True)]
    weight = sum(_log_binomial(size)[k] for k, size in zip(dealt, sizes, strict=True))
    share = np.exp(weight - np.max(weight))
    return Deals(
        ranges=np.maximum.reduce(rates) - np.minimum.reduce(rates),
        spreads=np.add.reduce([k**2 / size for k, size in zip(dealt, sizes, strict=True)]),
        shares=share / share.sum(),
    )


def _log_binomial(size: int) -> NDArray[np.float64]:
    """Logarithm of the binomial coefficients C(size, k) for all k."""
    k = np.arange(size + 1)
    return np.asarray(gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1))
