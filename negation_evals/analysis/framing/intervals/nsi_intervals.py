"""Confidence intervals for NSI and its means, by inverting the exact test on the range.

NSI is a range of noisy rates: noise alone makes it positive, and resampling the observed rates adds
that noise a second time, so the percentile bootstrap stays clear of a true NSI of 0. Here every
candidate value is tested against the distribution that the observed NSI has under it, and the
interval holds what is not rejected. `docs/intervals.md` gives the method in a page, and the
coverage as measured.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.confidence import error_per_side
from negation_evals.analysis.framing.cells import FrameMatrix, frame_matrices
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.intervals.distribution import Counts, Floats
from negation_evals.analysis.framing.intervals.limits import (
    MeanParts,
    mean_limits,
    mean_parts,
    observed_range,
    scenario_limits,
)


def range_interval(
    successes: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Exact interval for one NSI: the range max - min of the rates of independent binomials.

    With D the observed range and a = 1 - confidence_level, the lower limit is the smallest d with
    P(range > D) + P(range = D) / 2 > a / 2, the upper limit the largest d with g(d) / g(0) > a / 2,
    g(d) = P(range < D) + P(range = D) / 2; the rates are fitted under max - min = d
    (`fit_at_ends`, `fit_between`). Of two frames, or where all but one give the same answer
    throughout, P(range = D) counts wholly. Intervals are nested in the confidence level and
    depend on neither the order of the frames nor on which answer is called success.

    Args:
        successes: Endorsements, ... x frames.
        n: Valid decisions, of the same shape or broadcast to it.
        confidence_level: In (0, 1).

    Returns:
        Lower and upper limits in [0, 1], one for each leading index; NaN with fewer than two
        frames, or where a frame has no valid decision.

    Raises:
        ValueError: a confidence level not in (0, 1), or counts that are not whole or not in
            0 <= successes <= n.
    """
    tail = error_per_side(confidence_level, "range_interval")
    k, sizes = _counts(successes, n, "range_interval")
    rows, n_rows = (values.reshape(-1, k.shape[-1]) for values in (k, sizes))
    limits = np.full((len(rows), 2), np.nan)
    has_nsi = _has_nsi(n_rows)
    if has_nsi.any():
        limits[has_nsi] = scenario_limits(rows[has_nsi], n_rows[has_nsi], tail)
    return limits[:, 0].reshape(k.shape[:-1]), limits[:, 1].reshape(k.shape[:-1])


def mean_range_interval(
    successes: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Interval for a mean NSI over scenarios, such as a domain's or a model's.

    Of one scenario it is `range_interval`. Of several, their true values are led from 0 to 1 along
    the path of largest likelihood, and the observed mean is compared with a normal distribution
    that has the exact mean and variance of the mean of the ranges (`mean_limits`).

    Args:
        successes: Endorsements, scenarios x frames.
        n: Valid decisions, of the same shape or broadcast to it. Scenarios in which a frame has
            none are left out, as they are from the mean.
        confidence_level: In (0, 1).

    Returns:
        Lower and upper limit in [0, 1]; NaN without any scenario, or with fewer than two frames.

    Raises:
        ValueError: as for `range_interval`, or the counts are not scenarios x frames.
    """
    tail = error_per_side(confidence_level, "mean_range_interval")
    k, sizes = _counts(successes, n, "mean_range_interval")
    if k.ndim != 2:
        raise ValueError(
            f"mean_range_interval: counts have {k.ndim} axes, expected scenarios x frames; for one "
            "scenario use range_interval"
        )
    has_nsi = _has_nsi(sizes)
    k, sizes = k[has_nsi], sizes[has_nsi]
    if len(k) == 0:
        return float("nan"), float("nan")
    single = len(k) == 1
    limits = scenario_limits(k, sizes, tail) if single else mean_limits(mean_parts(k, sizes), tail)
    low, high = limits.ravel().tolist()
    return low, high


def nsi_intervals(
    cells: pd.DataFrame,
    by: str | Sequence[str] = "model",
    *,
    confidence_level: float = 0.95,
    frames: Sequence[str] | None = None,
) -> pd.DataFrame:
    """NSI with its interval by any columns: of scenarios, of domains' means, of models' means.

    Args:
        cells: The table of `endorsement_rates`.
        by: Columns to group by, such as ["model", "scenario"], ["model", "domain"], "model" or
            "origin". The settings that vary within the table group as well, as in `nsi_summary`.
        confidence_level: Of each interval by itself, in (0, 1).
        frames: See `nsi_values`.

    Returns:
        The grouping columns, n_scenarios (values of NSI), n_missing (scenarios in which a frame
        has no valid decision: left out), nsi (mean, in [0, 1]), ci_low, ci_high (in [0, 1]:
        `range_interval` of one value, `mean_range_interval` of several; NaN of none, and where
        answers are copies without sampling noise, see `repeatability`). The observed mean is
        biased upward by sampling noise, the interval is not: it can lie below the mean.

    Raises:
        ValueError: the table lacks a column, a cell occurs twice, or the level is not in (0, 1).
    """
    return intervals_by(cells, [by], confidence_level=confidence_level, frames=frames)[0]


def intervals_by(
    cells: pd.DataFrame,
    groupings: Sequence[str | Sequence[str]],
    *,
    confidence_level: float = 0.95,
    frames: Sequence[str] | None = None,
) -> list[pd.DataFrame]:
    """`nsi_intervals` by several groupings, with what each scenario contributes computed once."""
    tail = error_per_side(confidence_level, "nsi_intervals")
    columns = [[by] if isinstance(by, str) else list(by) for by in groupings]
    for names in columns:
        require_columns(cells, names, "nsi_intervals")
    groups = frame_matrices(cells, frames)
    measures = ["n_scenarios", "n_missing", "nsi", "ci_low", "ci_high"]
    if not groups:
        return [pd.DataFrame(columns=[*names, *measures]) for names in columns]
    scenarios = pd.concat([matrix.scenarios for matrix in groups], ignore_index=True)
    contributions = _Contributions(groups)
    tables = []
    for names in columns:
        require_columns(scenarios, names, "nsi_intervals")
        keys = RESULTS.grouping_keys(scenarios, names)
        group = scenarios.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
        table = scenarios.loc[~pd.Series(group).duplicated(), keys].reset_index(drop=True)
        values = _group_values(contributions, group, tail)
        tables.append(table.join(pd.DataFrame(values, columns=measures)))
    return tables


def scenario_intervals(groups: list[FrameMatrix], *, confidence_level: float = 0.95) -> Floats:
    """`range_interval` of every scenario of several results: scenarios x (low, high).

    NaN where a frame has no valid decision or the answers are copies.
    """
    tail = error_per_side(confidence_level, "scenario_intervals")
    noisy = [_has_nsi(matrix.n_valid) & (not matrix.deterministic) for matrix in groups]
    limits = np.full((sum(map(len, noisy)), 2), np.nan)
    for rows, k, n in by_frame_count(groups, np.concatenate(noisy)):
        limits[rows] = scenario_limits(k, n, tail)
    return limits


class _Contributions:
    """What the scenarios of several results contribute to means over any groups of them."""

    def __init__(self, groups: list[FrameMatrix]) -> None:
        self.groups = groups
        self.has_nsi = np.concatenate([_has_nsi(matrix.n_valid) for matrix in groups])
        copies = [np.full(len(matrix.n_valid), matrix.deterministic) for matrix in groups]
        self.copies = np.concatenate(copies)
        self.nsi = np.full(len(self.has_nsi), np.nan)
        for rows, k, n in by_frame_count(groups, self.has_nsi):
            self.nsi[rows] = observed_range(k, n)

    @cached_property
    def parts(self) -> tuple[NDArray[np.intp], MeanParts]:
        """For each scenario its place among the parts, and these; copies have none."""
        noisy = by_frame_count(self.groups, self.has_nsi & ~self.copies)
        order = np.concatenate([rows for rows, _, _ in noisy])
        place = np.full(len(self.has_nsi), -1)
        place[order] = np.arange(len(order))
        return place, MeanParts.concatenate([mean_parts(k, n) for _, k, n in noisy])


def _group_values(
    scenarios: _Contributions, group: NDArray[np.integer], tail: float
) -> dict[str, ArrayLike]:
    """The columns of `nsi_intervals` but for the keys; `group` numbers each scenario's row."""
    known, nsi = scenarios.has_nsi, scenarios.nsi
    n_groups = int(group.max()) + 1
    n_rows, n_known = (np.bincount(ids, minlength=n_groups) for ids in (group, group[known]))
    noisy = np.bincount(group[scenarios.copies], minlength=n_groups) == 0
    single = known & ((n_known == 1) & noisy)[group]

    limits = np.full((n_groups, 2), np.nan)
    for rows, k, n in by_frame_count(scenarios.groups, single):
        limits[group[rows]] = scenario_limits(k, n, tail)
    for number in np.flatnonzero((n_known > 1) & noisy).tolist():
        place, parts = scenarios.parts
        limits[number] = mean_limits(parts.take(place[known & (group == number)]), tail)
    sums = np.bincount(group[known], nsi[known], minlength=n_groups)
    mean = np.where(n_known > 0, sums / np.maximum(n_known, 1), np.nan)
    values = [n_known, n_rows - n_known, mean, limits[:, 0], limits[:, 1]]
    return dict(zip(["n_scenarios", "n_missing", "nsi", "ci_low", "ci_high"], values, strict=True))


def by_frame_count(
    groups: list[FrameMatrix], chosen: NDArray[np.bool_]
) -> list[tuple[NDArray[np.intp], Counts, Counts]]:
    """The chosen scenarios with equally many frames: their rows, endorsements, valid decisions."""
    starts = np.cumsum([0, *(len(matrix.n_valid) for matrix in groups)])
    by_count: dict[int, list[tuple[NDArray[np.intp], Counts, Counts]]] = {}
    for matrix, start in zip(groups, starts.tolist()[:-1], strict=True):
        rows = np.flatnonzero(chosen[start : start + len(matrix.n_valid)])
        if len(rows):
            part = (rows + start, matrix.n_endorsed[rows], matrix.n_valid[rows])
            by_count.setdefault(len(matrix.frames), []).append(part)
    return [
        (np.concatenate(rows), np.concatenate(k), np.concatenate(n))
        for rows, k, n in (zip(*parts, strict=True) for parts in by_count.values())
    ]


def _counts(successes: ArrayLike, n: ArrayLike, function: str) -> tuple[Counts, Counts]:
    """Both as whole numbers of the same shape."""
    broadcast = np.broadcast_arrays(np.atleast_1d(successes), np.atleast_1d(n))
    k, sizes = (np.asarray(values, dtype=float) for values in broadcast)
    wrong: NDArray[np.bool_] = ~((k >= 0) & (k <= sizes) & (k % 1 == 0) & (sizes % 1 == 0))
    if wrong.any():
        raise ValueError(
            f"{function}: {k[wrong][0]:g} successes of {sizes[wrong][0]:g}: expected whole numbers "
            "with 0 <= successes <= n"
        )
    return k.astype(np.int64), sizes.astype(np.int64)


def _has_nsi(n: Counts) -> NDArray[np.bool_]:
    """Which scenarios have an NSI: a valid decision in every one of two or more frames."""
    return np.asarray((n > 0).all(axis=-1) & (n.shape[-1] > 1))
