"""Rates of a scenario's frames fitted under max - min = d, for every candidate d of its NSI.

What the frames between the extremes truly are decides how much of an observed range is noise, and
the data say little about it: so there are two fits, one that expects much of the range for lower
limits, and one that expects little for upper limits.

Arrays hold R scenarios with equally many frames F and the G values of d.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from negation_evals.analysis.framing.intervals.distribution import (
    NO_RATE,
    Counts,
    Floats,
    Numbers,
    expected_range,
)

CLOSE: Final = 2.0**-36
"""A fitted rate is final when it moves by less in a step."""

STEPS: Final = 60
"""Newton's steps at most; about ten are needed."""

HALVINGS: Final = 40
"""Steps of halving alone, which follow where Newton's do not suffice."""

TIE: Final = 1e-7
"""Log-likelihoods closer than this are equal: rounding must not choose between mirror images."""


@dataclass(frozen=True)
class Likeliest:
    """The largest likelihood under max - min = d, for every candidate d."""

    k: Numbers
    """Endorsements, R x F."""
    n: Numbers
    """Valid decisions, R x F."""
    d: Floats
    """Candidates, G."""
    x: Floats
    """The lowest rate, R x G."""
    loglik: Floats
    """The log-likelihood, R x G."""
    lowest: Counts
    """The number of the frame at x, R x G."""
    highest: Counts
    """The number of the frame at y = x + d, R x G."""


def canonical(k: Counts, n: Counts) -> tuple[Counts, Counts]:
    """One representative of all counts that differ in order of frames or endorse/oppose only.

    Frames are sorted by rate, then n; of the counts and their mirror image n - k the first in
    lexicographic order stands for both. So no result depends on either, not even by rounding.
    """
    as_given, mirrored = _sorted_frames(k, n), _sorted_frames(n - k, n)
    difference = as_given - mirrored
    first: NDArray[np.intp] = (difference != 0).argmax(axis=1)[:, None]
    swap = np.take_along_axis(difference, first, axis=1) > 0
    chosen = np.where(swap, mirrored, as_given)
    return chosen[:, : k.shape[1]], chosen[:, k.shape[1] :]


def _sorted_frames(k: Counts, n: Counts) -> Counts:
    order = np.lexsort((n, k / n), axis=-1)
    parts = [np.take_along_axis(values, order, axis=-1) for values in (k, n)]
    return np.concatenate(parts, axis=1)


RatesAt: TypeAlias = Callable[[Floats, Floats], list[Floats]]
"""The rates of all frames, given x and y."""


def likeliest(k: Numbers, n: Numbers, d: Floats) -> Likeliest:
    """Fit the rates under max - min = d for every d, by maximum likelihood.

    One frame has the rate x, one x + d, the others their observed rates as far as these lie in
    between.

    Args:
        k: Endorsements, R x F, frames in the order of `canonical`; with or without pseudo-counts.
        n: Valid decisions, R x F, each above 0.
        d: Candidate values of NSI in [0, 1], G.
    """
    shape = len(k), len(d)
    x, loglik = np.zeros(shape), np.full(shape, -np.inf)
    lowest, highest = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for low, high, rows in _possible_extremes(k, n):
        some_k, some_n = k[rows], n[rows]
        rates_at = partial(_rates_between, some_k / some_n, low, high)
        root = _root(some_k, some_n, d, rates_at)
        reached = _total_loglik(some_k, some_n, rates_at(root, np.minimum(root + d, 1.0)))
        better = reached > loglik[rows] + TIE
        x[rows] = np.where(better, root, x[rows])
        loglik[rows] = np.where(better, reached, loglik[rows])
        lowest[rows] = np.where(better, low, lowest[rows])
        highest[rows] = np.where(better, high, highest[rows])
    return Likeliest(k, n, d, x, loglik, lowest, highest)


def _rates_between(observed: Floats, low: int, high: int, x: Floats, y: Floats) -> list[Floats]:
    """One frame at x, one at y, the others at their observed rates as far as these lie between."""
    rates = [np.clip(rate[:, None], x, y) for rate in observed.T]
    rates[low], rates[high] = x, y
    return rates


def _possible_extremes(k: Numbers, n: Numbers) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
    """Which frames can be the lowest and the highest of the likeliest rates, and in which rows.

    A frame of few answers is moved at less cost than one of many that was observed further out.
    So none is an extreme if another, itself not the other extreme, was observed as far out with as
    few answers. With equal n and more than two frames, the extremes are those observed.
    """
    rates, frames = k / n, range(n.shape[1])
    for low in frames:
        for high in reversed(frames):
            if high == low:
                continue
            beaten = np.zeros(len(n), dtype=bool)
            for f in set(frames) - {low, high}:
                ahead = (rates[:, f] <= rates[:, low]) if f < low else rates[:, f] < rates[:, low]
                beaten |= ahead & (n[:, f] <= n[:, low])
                ahead = (
                    (rates[:, f] >= rates[:, high]) if f > high else rates[:, f] > rates[:, high]
                )
                beaten |= ahead & (n[:, f] <= n[:, high])
            rows = np.flatnonzero(~beaten)
            if len(rows):
                yield low, high, rows


def _root(k: Numbers, n: Numbers, d: Floats, rates_at: RatesAt) -> Floats:
    """The x of the largest likelihood, which is concave in x: its slope has one root.

    Newton's method. Its step is not taken where it leads out of the bracket or is not half of the
    one before: then the bracket is halved. At the ends, 0 and 1 - d, the slope can be infinite and
    steps become as short as the distance to the end, however far the root is: so none goes more
    than nine tenths of the way to one.
    """

    def slope_and_bend(x: Floats) -> tuple[Floats, Floats]:
        slope, bend = np.zeros_like(x), np.zeros_like(x)
        for wins, trials, rate in zip(k.T, n.T, rates_at(x, x + d), strict=True):
            p = np.clip(rate, NO_RATE, 1 - NO_RATE)
            won, lost = wins[:, None] / p, (trials - wins)[:, None] / (1 - p)
            slope += won - lost
            # A frame in between keeps its rate, wherever x is.
            bend += np.where((rate == x) | (rate == x + d), won / p + lost / (1 - p), 0.0)
        return slope, bend

    below = np.zeros((len(k), len(d)))
    above = 1 - d + below
    above = np.where(slope_and_bend(below)[0] <= 0, below, above)
    below = np.where(slope_and_bend(above)[0] >= 0, above, below)
    x, step = (below + above) / 2, above - below
    for number in range(STEPS + HALVINGS):
        slope, bend = slope_and_bend(x)
        below, above = np.where(slope > 0, x, below), np.where(slope > 0, above, x)
        newton = np.clip(x + slope / np.maximum(bend, 1.0), x / 10, 1 - d - (1 - d - x) / 10)
        taken = (newton >= below) & (newton <= above) & (np.abs(newton - x) <= np.abs(step) / 2)
        moved = np.where(taken & (number < STEPS), newton, (below + above) / 2)
        # A final rate stays, so that no result depends on the others of its table.
        final = np.abs(step) < CLOSE
        x, step = np.where(final, x, moved), np.where(final, step, moved - x)
        if (np.abs(step) < CLOSE).all():
            break
    return x


def fit_between(best: Likeliest, n: Counts) -> list[Floats]:
    """Rates that expect little of the range of n answers a frame, for upper limits: F times R x G.

    The frames in between have their observed rates as far as these lie in [x, y], which is the
    maximum of the likelihood, or all of them (x + y) / 2: whichever expects the smaller range.
    """
    x, y = best.x, np.minimum(best.x + best.d, 1.0)
    halfway, clipped = (x + y) / 2, []
    for frame, observed in enumerate((best.k / best.n).T):
        between = np.clip(observed[:, None], x, y)
        clipped.append(_placed(best, frame, between))
    if len(clipped) == 2:
        return clipped
    central = [_placed(best, frame, halfway) for frame in range(len(clipped))]
    smaller = expected_range(n, central) < expected_range(n, clipped)
    return [np.where(smaller, *pair) for pair in zip(central, clipped, strict=True)]


def _placed(best: Likeliest, frame: int, between: Floats) -> Floats:
    """A frame's rate: x or y where it is an extreme, else the one given."""
    y = np.minimum(best.x + best.d, 1.0)
    return np.where(best.lowest == frame, best.x, np.where(best.highest == frame, y, between))


def fit_at_ends(best: Likeliest) -> list[Floats]:
    """Rates that expect much of the range, for lower limits: F times R x G.

    Every frame in between is put at x or y, whichever is likelier, and x fitted again: ties at
    both ends give the range its largest upward bias.
    """
    y = np.minimum(best.x + best.d, 1.0)
    at_x = [
        (best.lowest == frame)
        | ((best.highest != frame) & (_loglik(a, b, best.x) > _loglik(a, b, y) - TIE))
        for frame, (a, b) in enumerate(zip(best.k.T, best.n.T, strict=True))
    ]

    def ends(x: Floats, y: Floats) -> list[Floats]:
        return [np.where(low, x, y) for low in at_x]

    x = _root(best.k, best.n, best.d, ends)
    return ends(x, np.minimum(x + best.d, 1.0))


def _total_loglik(k: Numbers, n: Numbers, rates: list[Floats]) -> Floats:
    parts = [_loglik(wins, trials, p) for wins, trials, p in zip(k.T, n.T, rates, strict=True)]
    return np.asarray(sum(parts))


def _loglik(k: Numbers, n: Numbers, rates: Floats) -> Floats:
    p = np.clip(rates, NO_RATE, 1 - NO_RATE)
    return np.asarray(k[:, None] * np.log(p) + (n - k)[:, None] * np.log1p(-p))
