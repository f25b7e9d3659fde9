"""The Negation Sensitivity Index (arXiv:2601.21433, Section 3.2, equation 2).

NSI = max over frames of the endorsement rate - min over frames. It is a range statistic: sampling
noise alone makes it positive, so every value stands beside the NSI expected of a model that is
exactly invariant (`nsi_null`) and the p-value of that hypothesis.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.common.formulas import nsi_from_rates
from negation_evals.analysis.framing.cells import FrameMatrix, frame_matrices
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.intervals.distribution import Counts, Floats, expected_range
from negation_evals.analysis.framing.intervals.nsi_intervals import (
    by_frame_count,
    scenario_intervals,
)
from negation_evals.analysis.framing.permutation import range_p_value
from negation_evals.analysis.framing.rates import endorsement_rates


def nsi_values(cells: pd.DataFrame, frames: Sequence[str] | None = None) -> pd.DataFrame:
    """The point values of NSI, without noise floor and p-value.

    Args:
        cells: The table of `endorsement_rates`.
        frames: The frames that NSI ranges over, such as `frame_pairs()["simple"]` for the NSI of
            one pair. Default: those that the log planned (column `frames`, joined by commas), else
            those that occur for the model and its settings.

    Returns:
        One row per model, settings and scenario: `<keys>`, scenario, domain,
        nsi in [0, 1], frame_max, frame_min (the first of equals), n_min (the smallest valid n of
        a frame), missing_frames (without a valid decision; NSI is NaN), joined by commas.
    """
    return _point_values(frame_matrices(cells, frames), RESULTS.keys(cells))


def nsi(decisions: pd.DataFrame, frames: Sequence[str] | None = None) -> pd.DataFrame:
    """NSI per model, settings and scenario, with its noise floor and a test of invariance.

    Args:
        decisions: The table of `read_decisions` (columns as for `endorsement_rates`).
        frames: See `nsi_values`.

    Returns:
        The columns of `nsi_values`, and nsi_null (the NSI expected of an exactly invariant model
        with the same pooled rate and valid n), p_value (exact permutation test: the probability of
        at least as large a range when the valid answers are assigned to the frames at random),
        ci_low, ci_high (`range_interval`, 95 %), deterministic. All NaN where NSI is.
        Repeated answers that are copies (`repeatability`) have no sampling noise: nsi_null is 0 and
        the others NaN.

    Raises:
        ValueError: a column is missing, or a decision occurs twice.
    """
    cells = endorsement_rates(decisions)
    groups = frame_matrices(cells, frames)
    table = _point_values(groups, RESULTS.keys(cells))
    if not groups:
        return table.assign(
            **dict.fromkeys(("nsi_null", "p_value", "ci_low", "ci_high"), np.nan),
            deterministic=False,
        )
    sizes = [len(matrix.n_valid) for matrix in groups]
    copies = np.repeat([matrix.deterministic for matrix in groups], sizes)
    has_nsi = table["nsi"].notna().to_numpy()
    noise_floor, p_values = np.where(has_nsi & copies, 0.0, np.nan), np.full(len(table), np.nan)
    for rows, endorsed, n in by_frame_count(groups, has_nsi & ~copies):
        noise_floor[rows] = _noise_floors(endorsed.sum(axis=1) / n.sum(axis=1), n)
        p_values[rows] = list(map(range_p_value, endorsed.tolist(), n.tolist()))
    table["nsi_null"], table["p_value"] = noise_floor, p_values
    table[["ci_low", "ci_high"]] = scenario_intervals(groups)
    table["deterministic"] = copies.astype(bool)
    return table


def nsi_bounds(cells: pd.DataFrame, frames: Sequence[str] | None = None) -> pd.DataFrame:
    """NSI under each reading of the answers without a decision: abstentions and unparsed ones.

    The value beside them leaves these answers out. Missing responses are excluded from every
    bound.

    Args:
        cells: The table of `endorsement_rates`.
        frames: See `nsi_values`.

    Returns:
        `<keys>`, scenario, domain, nsi, n_undecided, nsi_if_endorse, nsi_if_oppose (all of them
        counted so), nsi_lowest, nsi_highest (over every way to count them). NaN where a frame has
        no answer at all; nsi alone is NaN where a frame has no valid one.
    """
    parts = []
    for matrix in frame_matrices(cells, frames):
        answers = matrix.n_valid + matrix.n_undecided
        n = np.where(answers > 0, answers, np.nan)
        low, high = matrix.n_endorsed / n, (matrix.n_endorsed + matrix.n_undecided) / n
        valid = np.where(matrix.n_valid > 0, matrix.n_valid, np.nan)
        lowest = [
            _narrowest_range(*counts)
            for counts in zip(matrix.n_endorsed, matrix.n_undecided, answers, strict=True)
        ]
        parts.append(
            matrix.scenarios.assign(
                nsi=nsi_from_rates(matrix.n_endorsed / valid),
                n_undecided=matrix.n_undecided.sum(axis=1),
                nsi_if_endorse=nsi_from_rates(high),
                nsi_if_oppose=nsi_from_rates(low),
                nsi_lowest=lowest,
                nsi_highest=_widest_range(low, high),
            )
        )
    if parts:
        return pd.concat(parts, ignore_index=True)
    names = ["nsi", "n_undecided", "nsi_if_endorse", "nsi_if_oppose", "nsi_lowest", "nsi_highest"]
    return pd.DataFrame(columns=[*RESULTS.keys(cells), "scenario", "domain", *names])


def _narrowest_range(
    endorsed: NDArray[np.int64], undecided: NDArray[np.int64], n: NDArray[np.int64]
) -> float:
    """The smallest range over every way to count the undecided answers of each frame.

    The lowest rate of the best way is a possible rate of some frame; given it, every other frame
    takes its smallest possible rate that is not below.
    """
    if len(n) < 2 or not n.all():
        return np.nan
    possible: list[Floats] = [
        (k + np.arange(u + 1)) / m for k, u, m in zip(endorsed, undecided, n, strict=True)
    ]
    best = math.inf
    for lowest in np.unique(np.concatenate(possible)).tolist():
        places = [int(np.searchsorted(rates, lowest)) for rates in possible]
        if all(place < len(rates) for place, rates in zip(places, possible, strict=True)):
            picked = [float(rates[place]) for place, rates in zip(places, possible, strict=True)]
            best = min(best, max(picked) - lowest)
    return best


def _widest_range(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest high of one frame minus low of another: one answer cannot count both ways."""
    n_frames = len(low.T)
    if n_frames < 2:
        return np.full(len(low), np.nan)
    gaps = high[:, :, None] - low[:, None, :]
    gaps[:, np.arange(n_frames), np.arange(n_frames)] = -np.inf
    # A frame without answers (NaN) makes the whole scenario unknown.
    return np.asarray(np.where(np.isnan(low).any(axis=1), np.nan, gaps.max(axis=(1, 2))))


def nsi_null(rate: float, n: Sequence[int] | NDArray[np.int64]) -> float:
    """The noise floor: the expected NSI of an exactly invariant model.

    E[max - min] of Bin(n_f, rate) / n_f, exact: the integral over t of P(min <= t < max) =
    1 - prod F_f(t) - prod (1 - F_f(t)), where F_f is the distribution of frame f's rate, constant
    between the possible rates.

    Args:
        rate: Endorsement rate common to all frames, in [0, 1].
        n: Valid decisions per frame, each at least 1.
    """
    return float(_noise_floors(np.array([rate]), np.array([n]))[0])


def _noise_floors(rates: Floats, n: Counts) -> Floats:
    """`nsi_null` of several scenarios: rates R, valid decisions R x F."""
    expected = expected_range(n, [rates[:, None]] * n.shape[1])[:, 0]
    return np.where((rates == 0) | (rates == 1), 0.0, expected)  # There is no noise to round.


def _point_values(groups: list[FrameMatrix], keys: list[str]) -> pd.DataFrame:
    """The table of `nsi_values`."""
    parts = []
    for matrix in groups:
        missing: NDArray[np.bool_] = matrix.n_valid == 0
        rates: Floats = matrix.n_endorsed / np.maximum(matrix.n_valid, 1)
        rates[missing] = np.nan
        incomplete = np.asarray(missing.any(axis=1))
        if len(matrix.frames) < 2:
            incomplete[:] = True
        or_zero = np.where(missing, 0.0, rates)
        highest: NDArray[np.object_] = matrix.frames[or_zero.argmax(axis=1)]
        lowest: NDArray[np.object_] = matrix.frames[or_zero.argmin(axis=1)]
        highest[incomplete], lowest[incomplete] = None, None
        parts.append(
            matrix.scenarios.assign(
                nsi=nsi_from_rates(rates),
                frame_max=highest,
                frame_min=lowest,
                n_min=matrix.n_valid.min(axis=1),
                missing_frames=[",".join(matrix.frames[row]) for row in missing],
            )
        )
    if parts:
        return pd.concat(parts, ignore_index=True)
    columns = ["scenario", "domain", "nsi", "frame_max", "frame_min", "n_min", "missing_frames"]
    return pd.DataFrame(columns=[*keys, *columns])


svi = nsi
"""The Syntactic Variation Index of arXiv:2601.09724 is the same formula under another name."""
