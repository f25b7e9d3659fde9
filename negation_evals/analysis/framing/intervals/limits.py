"""Confidence limits for a range of binomial rates, and for a mean of such ranges.

Both invert a test: a candidate value is kept unless the observed range (or mean of ranges) lies
too far out in the distribution that it has under the fit of that value. Nothing here is random.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from negation_evals.analysis.framing.intervals.distribution import (
    Counts,
    Floats,
    range_moments,
    range_probabilities,
)
from negation_evals.analysis.framing.intervals.fit import (
    canonical,
    fit_at_ends,
    fit_between,
    likeliest,
)

CANDIDATES: Final[Floats] = np.linspace(0.0, 1.0, 101)
"""Values of one scenario's NSI that are tested; limits are interpolated linearly between them."""

MEAN_CANDIDATES: Final[Floats] = np.linspace(0.0, 1.0, 51)
"""The same for each of S scenarios of a mean, which so moves in steps of 0.02 / S."""

COULD_BE_INVARIANT: Final = 2.0
"""In the lower limit of a mean, the log-likelihood at an NSI of 0 is raised by this: a scenario
that could be invariant counts as invariant, with all the upward bias that this brings."""

PSEUDO_COUNT: Final = 0.5
"""Added to both answers of every frame for the lower limit of a mean: frames that happen to show a
rate of 0 or 1 would be fitted without any noise, and the bias of the mean underestimated."""

LEAST_VARIANCE: Final = 1e-12
"""Stands for a variance of 0: far above rounding, far below any real noise."""

AT_ONCE: Final = 256
"""Scenarios that are fitted at a time."""

CHUNKS: Final = 8
"""Parts in which the candidates of their limits are tested."""

Test: TypeAlias = Callable[[Counts, Counts, Floats], Floats]


@dataclass(frozen=True)
class MeanParts:
    """What the interval of a mean needs of each of its scenarios: shape ..., curves ... x 3 x G."""

    observed: Floats
    """Observed range."""
    half_step: Floats
    """Half a step of the rate of that of the two extreme frames which has fewer answers."""
    low: Floats
    """For lower limits: log-likelihood, mean and variance of the range under each candidate."""
    high: Floats
    """For upper limits: the same."""

    def take(self, rows: Counts) -> "MeanParts":
        """The scenarios of these numbers, in the shape of the numbers."""
        return MeanParts(self.observed[rows], self.half_step[rows], self.low[rows], self.high[rows])

    @staticmethod
    def concatenate(parts: "list[MeanParts]") -> "MeanParts":
        """The scenarios of all parts, one after the other."""
        return MeanParts(
            np.concatenate([part.observed for part in parts]),
            np.concatenate([part.half_step for part in parts]),
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.high for part in parts]),
        )


def scenario_limits(k: Counts, n: Counts, tail: float) -> Floats:
    """R x 2: lower and upper limit of one scenario's NSI, `tail` the error on each side.

    With D the observed range and w the weight of ties (`_tie_weight`): the lower limit is the
    smallest d with P(range > D) + w P(range = D) > tail, the upper one the largest d with
    g(d) / g(0) > tail, g(d) = P(range < D) + w P(range = D); see `lower_test`, `upper_test`.
    """

    def limits(k: Counts, n: Counts) -> Floats:
        from_zero = _until_above(lower_test, k, n, CANDIDATES, tail)
        from_one = _until_above(upper_test, k, n, CANDIDATES[::-1], tail)
        return np.stack([_first_above(from_zero, tail), 1 - _first_above(from_one, tail)], axis=-1)

    return _once_each(k, n, limits)


def lower_test(k: Counts, n: Counts, candidates: Floats) -> Floats:
    """R x G: P(range > D) + w P(range = D) under `fit_at_ends`, for counts as in `canonical`."""
    best = likeliest(k, n, candidates)
    less, equal = range_probabilities(n, fit_at_ends(best), observed_range(k, n))
    return np.asarray(1 - less - equal + _tie_weight(k) * equal)


def upper_test(k: Counts, n: Counts, candidates: Floats) -> Floats:
    """R x G: g(d) / g(0) under `fit_between`, for counts as in `canonical`.

    Divided by g(0), the upper limit does not collapse when the frames happen to agree better than
    chance allows.
    """
    best = likeliest(k, n, np.append(candidates, 0.0))
    less, equal = range_probabilities(n, fit_between(best, n), observed_range(k, n))
    below = less + _tie_weight(k) * equal
    return np.asarray(below[:, :-1] / below[:, -1:])


def _until_above(test: Test, k: Counts, n: Counts, candidates: Floats, tail: float) -> Floats:
    """R x G: a test of the candidates in their order, up to a first one above `tail`; then 0.

    What lies behind decides nothing, and is most of the work.
    """
    tested = np.zeros((len(k), len(candidates)))
    rows = np.arange(len(k))
    for chunk in np.array_split(np.arange(len(candidates)), CHUNKS):
        values = test(k[rows], n[rows], candidates[chunk])
        tested[np.ix_(rows, chunk)] = values
        rows = rows[~(values > tail).any(axis=1)]
        if len(rows) == 0:
            break
    return tested


def _tie_weight(k: Counts) -> Floats:
    """R x 1: how much of P(range = D) counts, for counts as `canonical` gives them.

    One half (mid-p) where frames lie between the extremes: their room to move makes the test
    conservative. The whole, as in Clopper and Pearson's interval, where there is no such room: of
    two frames, or where all but one give the same answer throughout.
    """
    no_room: NDArray[np.bool_] = (k[:, :-1] == 0).all(axis=1) | (k.shape[1] == 2)
    return np.where(no_room, 1.0, 0.5)[:, None]


def observed_range(k: Counts, n: Counts) -> Floats:
    """R: max - min of the observed rates."""
    rates = k / n
    return np.asarray(rates.max(axis=1) - rates.min(axis=1))


def mean_parts(k: Counts, n: Counts) -> MeanParts:
    """What `mean_limits` needs of R scenarios."""

    def curves(k: Counts, n: Counts) -> Floats:
        padded_k = k.astype(np.float64) + PSEUDO_COUNT
        padded_n = n.astype(np.float64) + 2 * PSEUDO_COUNT
        padded = likeliest(padded_k, padded_n, MEAN_CANDIDATES)
        best = likeliest(k, n, MEAN_CANDIDATES)
        low = padded.loglik, *range_moments(n, fit_at_ends(padded))
        high = best.loglik, *range_moments(n, fit_between(best, n))
        return np.stack([*low, *high], axis=1)

    both = _once_each(k, n, curves)
    sorted_k, sorted_n = canonical(k, n)
    half_step = 0.5 / np.minimum(sorted_n[:, 0], sorted_n[:, -1])
    return MeanParts(observed_range(sorted_k, sorted_n), half_step, both[:, :3], both[:, 3:])


def _once_each(k: Counts, n: Counts, compute: Callable[[Counts, Counts], Floats]) -> Floats:
    """Compute once for all counts that differ in order or meaning only, some at a time."""
    counts = np.concatenate(canonical(k, n), axis=1)
    distinct, place = np.unique(counts, axis=0, return_inverse=True)
    blocks = np.array_split(distinct, -(-len(distinct) // AT_ONCE))
    computed = [compute(*np.split(block, 2, axis=1)) for block in blocks]
    return np.concatenate(computed)[place.ravel()]


def mean_limits(parts: MeanParts, tail: float) -> Floats:
    """... x 2: limits of the mean NSI over the last axis of scenarios (at least two).

    The true values d_s of the scenarios are led from 0 to 1 along d_s(t) = argmax over d of
    loglik_s(d) + t d, t from -inf to inf. For each mean of d_s the observed mean is compared with
    a normal distribution: mean and variance are those of the exact ranges at d_s, averaged. The
    upper limit has a continuity correction of half a step of the observed mean.
    """
    observed: Floats = parts.observed.mean(axis=-1)[..., None]
    half_step: Floats = parts.half_step.mean(axis=-1)[..., None] / parts.observed.shape[-1]
    mean, deviation = _path(parts.low, COULD_BE_INVARIANT)
    above: Floats = ndtr((mean - observed) / deviation)
    mean, deviation = _path(parts.high, 0.0)
    below: Floats = log_ndtr((observed + half_step - mean) / deviation)
    below = np.exp(below - below[..., :1])
    return np.stack([_first_above(above, tail), _last_above(below, tail)], axis=-1)


def _path(curves: Floats, bonus: float) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the mean range along the path, ... x (S (G - 1) + 1).

    The log-likelihood is concave in d, so scenario s takes its step from one candidate to the next
    when t passes the loss of that step: the path is all scenarios' steps in order of their losses.
    With unequal n the likeliest extreme frames can change with d, so that a step costs less than
    the one before it; then both are taken at once. A bonus at d = 0 holds a scenario there until
    the best step to any other candidate is due; it then leaps, and on the leap mean and variance
    are interpolated.
    """
    loglik, moments = curves[..., 0, :], curves[..., 1:, :]
    losses = np.maximum.accumulate(-np.diff(loglik), axis=-1)
    steps = np.arange(losses.shape[-1])
    chords = (bonus + loglik[..., :1] - loglik[..., 1:]) / (steps + 1)
    last: NDArray[np.intp] = chords.argmin(axis=-1)[..., None]
    leaps = (steps <= last) & (bonus > 0)
    losses = np.where(leaps, np.take_along_axis(chords, last, axis=-1), losses)
    landed = np.take_along_axis(moments, last[..., None, :] + 1, axis=-1)
    gains = (landed - moments[..., :1]) / (last[..., None, :] + 1)
    gains = np.where(leaps[..., None, :], gains, np.diff(moments))

    *groups, n_scenarios, _ = losses.shape
    order = np.argsort(losses.reshape(*groups, -1), axis=-1, kind="stable")
    totals = []
    for which in (0, 1):
        start: Floats = moments[..., which, 0].sum(axis=-1)[..., None]
        taken = np.take_along_axis(gains[..., which, :].reshape(*groups, -1), order, axis=-1)
        totals.append(np.concatenate([start, start + np.cumsum(taken, axis=-1)], axis=-1))
    variance = np.maximum(totals[1] / n_scenarios**2, LEAST_VARIANCE)
    return totals[0] / n_scenarios, np.sqrt(variance)


def _first_above(curve: Floats, tail: float) -> Floats:
    """Where a curve over equidistant values from 0 to 1 first exceeds `tail`, interpolated."""
    first: NDArray[np.intp] = (curve > tail).argmax(axis=-1)[..., None]
    before = np.maximum(first - 1, 0)
    low: Floats = np.take_along_axis(curve, before, axis=-1)
    high: Floats = np.take_along_axis(curve, first, axis=-1)
    share = np.where(first > 0, (tail - low) / np.where(first > 0, high - low, 1.0), 0.0)
    return np.asarray((before + share)[..., 0] / (curve.shape[-1] - 1))


def _last_above(curve: Floats, tail: float) -> Floats:
    """Where a curve over equidistant values from 0 to 1 last exceeds `tail`, interpolated."""
    return np.asarray(1 - _first_above(curve[..., ::-1], tail))
