"""The exact distribution of the range max - min of independent binomial rates: moments and tails.

Arrays hold R scenarios with equally many frames F, and G candidate rates of each frame.
"""

from collections.abc import Callable
from functools import lru_cache, reduce, wraps
from operator import mul
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from negation_evals.analysis.framing.permutation import HALF_STEP

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = Floats | Counts
"""Counts, or counts with pseudo-counts added."""

NO_RATE: Final = 1e-15
"""A rate of 0 is computed as this, and 1 as 1 minus this: no logarithm is infinite."""

BLOCK: Final = 200_000
"""Probabilities computed at a time, about: a cache holds them."""

Distribution: TypeAlias = Callable[..., tuple[Floats, ...]]


def _blockwise(function: Distribution) -> Distribution:
    """Call a function of R scenarios for a few at a time, those with similar sizes together."""

    @wraps(function)
    def called(n: Counts, rates: list[Floats], *others: Floats) -> tuple[Floats, ...]:
        lattices = [len(_lattice(tuple(sorted(set(sizes))))) for sizes in n.tolist()]
        order = np.lexsort((*n.T, lattices))
        probabilities = rates[0].size * len(n.T) * max(lattices, default=1)
        blocks = np.array_split(order, -(-probabilities // BLOCK))
        parts = [
            function(n[rows], [p[rows] for p in rates], *(other[rows] for other in others))
            for rows in blocks
            if len(rows)
        ]
        back = np.argsort(order)
        return tuple(np.concatenate(part)[back] for part in zip(*parts, strict=True))

    return called


def possible_rates(n: Counts) -> Floats:
    """R x L: all rates that some frame can show, ascending from 0 to 1; then 2 fills up.

    No rate reaches 2, so that the filling has no probability.
    """
    lattices = [_lattice(tuple(sorted(set(sizes)))) for sizes in n.tolist()]
    filled = np.full((len(n), max(map(len, lattices))), 2.0)
    for row, lattice in zip(filled, lattices, strict=True):
        row[: len(lattice)] = lattice
    return filled


@lru_cache(maxsize=1024)
def _lattice(sizes: tuple[int, ...]) -> Floats:
    return np.unique(np.concatenate([np.arange(size + 1) / size for size in sizes]))


def _cumulative(n: Counts, rates: Floats) -> Floats:
    """Of one frame, R x G x (N + 2): P(k < c) for c = 0, 1, ..., N + 1, N the largest n."""
    c, size = np.arange(int(n.max()) + 1), n[:, None]
    ways = gammaln(size + 1) - gammaln(c + 1) - gammaln(np.maximum(size - c, 0) + 1)
    ways = np.where(c <= size, ways, -np.inf)
    p = np.clip(rates, NO_RATE, 1 - NO_RATE)
    # log P(k = c) = log C(n, c) + c log(p / (1 - p)) + n log(1 - p)
    mass = c * (np.log(p) - np.log1p(-p))[:, :, None]
    mass += ways[:, None]
    mass += (size * np.log1p(-p))[:, :, None]
    np.exp(mass, out=mass)
    below = np.zeros((*mass.shape[:-1], len(c) + 1))
    np.cumsum(mass, axis=-1, out=below[..., 1:])
    return np.minimum(below, 1.0, out=below)


def _at_most(below: Floats, n: Counts, rates: Floats) -> Floats:
    """Of one frame, R x G x L: P(rate <= r) for R x L values of r."""
    places = np.clip(np.floor(rates * n[:, None]).astype(np.int64) + 1, 0, n[:, None] + 1)
    if (places == places[0]).all():
        return below[..., places[0]]
    return np.take_along_axis(below, places[:, None], axis=-1)


def _on_lattice(n: Counts, rates: list[Floats]) -> tuple[list[Floats], Floats]:
    """P(rate <= t) of each frame for every possible rate t but the last, and these t (R x L)."""
    t = possible_rates(n)
    starts = t[:, :-1] + HALF_STEP
    frames = zip(n.T, rates, strict=True)
    shares = [_at_most(_cumulative(size, p), size, starts) for size, p in frames]
    return shares, np.minimum(t, 1.0)


def _integral(heights: Floats, widths: Floats) -> Floats:
    """R x G: the sum over L of R x G x L heights times R x L widths."""
    return np.asarray(np.matmul(heights, widths[:, :, None])[..., 0])


def _product(factors: list[Floats]) -> Floats:
    return reduce(mul, factors)


def expected_range(n: Counts, rates: list[Floats]) -> Floats:
    """R x G: E[max - min], the integral of 1 - prod F_f - prod (1 - F_f), see `nsi_null`."""
    return _expected_range(n, rates)[0]


@_blockwise
def _expected_range(n: Counts, rates: list[Floats]) -> tuple[Floats]:
    at_most, t = _on_lattice(n, rates)
    spanned = 1 - _product(at_most) - _product([1 - share for share in at_most])
    return (_integral(spanned, np.diff(t)),)


@_blockwise
def range_moments(n: Counts, rates: list[Floats]) -> tuple[Floats, Floats]:
    """R x G: mean and variance of the range max - min of the frames' observed rates.

    E[max^2] and E[min^2] are sums over the lattice t of possible rates. E[max min] = E[min] -
    sum over i < j of w_i w_j prod_f (F_f(t_j) - F_f(t_i)), w the steps of t. The product is
    multiplied out to 2^F terms, each a running sum: linear in the size of the lattice.
    """
    at_most, t = _on_lattice(n, rates)
    steps = np.diff(t)
    none_above, all_above = _product(at_most), _product([1 - share for share in at_most])
    mean_min = _integral(all_above, steps)
    mean = _integral(1 - none_above, steps) - mean_min
    weights = np.broadcast_to(steps[:, None], none_above.shape)
    terms = [(weights, weights)]
    for share in at_most:
        terms = [
            term for end, start in terms for term in ((end * share, start), (end, start * -share))
        ]
    between = sum(
        np.einsum("rgl,rgl->rg", end[..., 1:], np.cumsum(start[..., :-1], axis=-1))
        for end, start in terms
    )
    squares = _integral(1 - none_above + all_above, np.diff(t**2))
    mean_square = squares - 2 * (mean_min - between)
    return mean, np.maximum(mean_square - mean**2, 0.0)


@_blockwise
def range_probabilities(n: Counts, rates: list[Floats], observed: Floats) -> tuple[Floats, Floats]:
    """R x G: P(range < D) and P(range = D), D the R observed values.

    P(range <= D) = sum over the smallest rate u of P(all in [u, u + D]) - P(all in (u, u + D]),
    and likewise for < D.
    """
    u = possible_rates(n)
    up_to_d = u + observed[:, None]
    limits = (u - HALF_STEP, u + HALF_STEP, up_to_d - HALF_STEP, up_to_d + HALF_STEP)
    shares: list[list[Floats]] = [[] for _ in limits]
    for size, p in zip(n.T, rates, strict=True):
        below = _cumulative(size, p)
        for share, limit in zip(shares, limits, strict=True):
            share.append(_at_most(below, size, limit))
    from_u, above_u, short_of_d, within_d = shares

    def total(ends: list[Floats]) -> Floats:
        parts = [
            _product([np.maximum(e - s, 0) for e, s in zip(ends, starts, strict=True)])
            for starts in (from_u, above_u)
        ]
        return np.asarray((parts[0] - parts[1]).sum(axis=-1))

    less = total(short_of_d)
    return less, np.maximum(total(within_d) - less, 0.0)
