"""Does framing change a result's answers at all? One test for all of its scenarios together."""

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.common.bootstrap import Seed
from negation_evals.analysis.common.multiplicity import FDR
from negation_evals.analysis.framing.cells import FrameMatrix, frame_matrices
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.permutation import (
    HALF_STEP,
    permuted_spreads,
    smallest_share,
    spread_of,
)

POOLED_DRAWS: Final = 9_999
"""Permutations of all scenarios that are drawn for a result; the observed one counts, too."""


def framing_effect(
    cells: pd.DataFrame, frames: Sequence[str] | None = None, *, rng: Seed = 0
) -> pd.DataFrame:
    """Equal endorsement in all frames of every scenario: one permutation test per result.

    The statistic is the sum over scenarios of Pearson's chi-square (`homogeneity`). Under random
    framing the valid answers of each scenario fall to its frames at random; the p-value is the
    share of `POOLED_DRAWS` such permutations of all scenarios with at least as large a sum, the
    observed one counted. Small differences that no scenario shows by itself are found together.
    The p-value is not corrected for the number of results.

    Args:
        cells: The table of `endorsement_rates`.
        frames: See `nsi_values`.
        rng: Seed or generator of the draws.

    Returns:
        One row per result: `<keys>`, n_scenarios (with a valid answer in every frame; the others
        are left out), chi_square (sum), df (sum), p_value, p_smallest (that any answers with
        these numbers per frame could give: the product of the scenarios' smallest), tested
        (p_smallest is at most 0.05). NaN without such a scenario, and where the answers are copies
        (`repeatability`).

    Raises:
        ValueError: the table lacks a column, or a cell occurs twice.
    """
    generator = np.random.default_rng(rng)
    keys = RESULTS.keys(cells)
    rows = [
        matrix.scenarios.iloc[0][keys].to_dict() | _pooled_test(matrix, generator)
        for matrix in frame_matrices(cells, frames)
    ]
    columns = ["n_scenarios", "chi_square", "df", "p_value", "p_smallest", "tested"]
    table = pd.DataFrame(rows, columns=[*keys, *columns])
    return table.astype({"tested": bool})


def _pooled_test(matrix: FrameMatrix, generator: np.random.Generator) -> dict[str, float | bool]:
    """The test of one result."""
    n_frames = len(matrix.frames)
    known = np.asarray((matrix.n_valid > 0).all(axis=1)) & (n_frames > 1)
    counts = {"n_scenarios": int(known.sum())}
    if matrix.deterministic or not known.any():
        unknown = dict.fromkeys(("chi_square", "df", "p_value", "p_smallest"), np.nan)
        return counts | unknown | {"tested": False}
    observed, permuted = 0.0, np.zeros(POOLED_DRAWS)
    for endorsed, n in zip(matrix.n_endorsed[known], matrix.n_valid[known], strict=True):
        if 0 < endorsed.sum() < n.sum():
            of_scenario, of_permutations = _chi_squares(endorsed, n, generator)
            observed += of_scenario
            permuted += of_permutations
    smallest = prod(smallest_share(tuple(n)) for n in matrix.n_valid[known].tolist())
    at_least = int((permuted >= observed - HALF_STEP).sum())
    return counts | {
        "chi_square": observed,
        "df": (n_frames - 1) * int(known.sum()),
        "p_value": (1 + at_least) / (1 + POOLED_DRAWS),
        "p_smallest": smallest,
        "tested": smallest <= FDR,
    }


def _chi_squares(
    endorsed: NDArray[np.int64], n: NDArray[np.int64], generator: np.random.Generator
) -> tuple[float, NDArray[np.float64]]:
    """Pearson's chi-square of one scenario as observed, and under random permutations."""
    frames = tuple(zip(endorsed.tolist(), n.tolist(), strict=True))
    total = int(endorsed.sum())
    rate = total / int(n.sum())
    expected, variance = total * rate, rate * (1 - rate)
    permuted = permuted_spreads(frames, POOLED_DRAWS, generator)
    return (spread_of(frames) - expected) / variance, (permuted - expected) / variance
