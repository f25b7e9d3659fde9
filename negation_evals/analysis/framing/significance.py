"""Tests of whether framing changes a model's endorsement, corrected for their number."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.contingency_tables import cochrans_q

from negation_evals.analysis.common.bootstrap import Seed
from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.multiplicity import FDR, adjust_fdr
from negation_evals.analysis.framing.cells import frame_matrices
from negation_evals.analysis.framing.columns import (
    RESULTS,
    expected_frames,
    require_unique_decisions,
)
from negation_evals.analysis.framing.permutation import (
    HALF_STEP,
    chi_square_share,
    few_enough,
    permuted_spreads,
    smallest_share,
    spread_of,
)
from negation_evals.analysis.framing.rates import endorsement_rates

ENOUGH = 5
"""With this many answers in each of two frames or more, p can go below 2 / 252."""
DRAWS = 99_999
"""Permutations drawn where there are too many to enumerate; the observed one counts, too."""


def cochran_q(
    decisions: pd.DataFrame, frames: Sequence[str] | None = None, fdr: float = FDR
) -> pd.DataFrame:
    """Cochran's Q per model and scenario, with Benjamini-Hochberg over all tested cells.

    A block is an epoch in which all frames have a valid decision (arXiv:2601.21433, Section 3.5).
    Q is chi-square with (frames - 1) degrees of freedom when framing has no effect. Where no block
    varies, Q is 0/0 in the formula; the answers do not differ, so Q is 0 and p is 1.

    Args:
        decisions: Columns model, scenario, domain, frame, epoch, endorsed, and any settings.
        frames: Frames of a block. Default: those that the log planned, else those that occur.
        fdr: Level at which an adjusted p-value is significant.

    Returns:
        One row per model, settings and scenario: `<keys>`, scenario, domain,
        n_blocks, n_dropped (epochs without all frames), q, df, p_value, p_adjusted, significant,
        tested. Below two blocks, and where the answers are copies (`repeatability`), nothing is
        tested: NaN, and left out of the FDR family.

    Raises:
        ValueError: a column is missing, or a decision occurs twice.
    """
    name = "cochran_q"
    require_columns(decisions, ["model", "scenario", "domain", "frame", "epoch", "endorsed"], name)
    require_unique_decisions(decisions, name)
    keys = RESULTS.keys(decisions)
    cell = ["scenario", "domain"]
    by_result, by_scenario = (
        decisions.groupby(names, sort=False, dropna=False).ngroup().to_numpy()
        for names in (keys, [*keys, *cell])
    )
    first_rows = np.unique(by_scenario, return_index=True)[1]  # In the order of asking.
    copies = np.zeros(len(decisions), dtype=bool)
    if "deterministic" in decisions.columns:
        copies = decisions["deterministic"].to_numpy(dtype=bool)
    tests: dict[int, dict[str, float]] = {}
    for rows, epochs, scenario in _epochs(decisions, by_result, by_scenario, frames):
        complete = ~np.isnan(epochs).any(axis=1)
        copied = bool(copies[rows].all())
        for number in np.unique(scenario).tolist():
            here: NDArray[np.bool_] = scenario == number
            blocks = epochs[here & complete]
            counts = {"n_blocks": len(blocks), "n_dropped": int(here.sum()) - len(blocks)}
            tests[number] = counts | _q_test(blocks[:0] if copied else blocks)
    scenarios = decisions[[*keys, *cell]].iloc[first_rows].reset_index(drop=True)
    columns = ["n_blocks", "n_dropped", "q", "df", "p_value"]
    in_order = [tests[number] for number in range(len(scenarios))]
    table = scenarios.join(pd.DataFrame(in_order, columns=columns))
    table["p_adjusted"] = adjust_fdr(table["p_value"].to_numpy(dtype=float))
    table["significant"] = table["p_adjusted"] <= fdr
    table["tested"] = table["p_value"].notna()
    return table


def _epochs(
    decisions: pd.DataFrame,
    by_result: NDArray[np.integer],
    by_scenario: NDArray[np.integer],
    frames: Sequence[str] | None,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.integer]]]:
    """Each result's rows, its decisions as epochs x frames, and the scenario of each epoch."""
    by_block = decisions.groupby([by_scenario, "epoch"], sort=False, dropna=False).ngroup()
    blocks = by_block.to_numpy()
    frame, names = decisions["frame"].factorize()
    endorsed = decisions["endorsed"].to_numpy(dtype=float, na_value=np.nan)
    planned = decisions[[name for name in ("frame", "frames") if name in decisions.columns]]
    for result in range(int(by_result.max(initial=-1)) + 1):
        rows = np.flatnonzero(by_result == result)
        expected = expected_frames(planned.iloc[rows], frames)
        places = np.array([expected.index(name) if name in expected else -1 for name in names])
        _, first, row = np.unique(blocks[rows], return_index=True, return_inverse=True)
        epochs, column = np.full((len(first), len(expected)), np.nan), places[frame[rows]]
        expected_here = column >= 0
        epochs[row[expected_here], column[expected_here]] = endorsed[rows[expected_here]]
        yield rows, epochs, by_scenario[rows[first]]


def homogeneity(
    decisions: pd.DataFrame,
    frames: Sequence[str] | None = None,
    fdr: float = FDR,
    *,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Equal endorsement in all frames, without pairing epochs: permutation chi-square.

    Epochs of different frames are independent draws, so Cochran's blocks are a convention. This
    test assigns the valid answers of a scenario to the frames at random and compares Pearson's
    chi-square: exact over all permutations up to four frames of 62 answers, else by Monte Carlo
    with `DRAWS` draws. Answers that have no partner in an epoch count, too.

    Args:
        decisions: Columns model, scenario, domain, frame, endorsed, and any settings.
        frames: See `cochran_q`.
        fdr: Level at which an adjusted p-value is significant.
        rng: Seed or generator of the Monte Carlo draws.

    Returns:
        `<keys>`, scenario, domain, n_valid, chi_square, df, p_value, p_adjusted
        (Benjamini-Hochberg over all tested cells), significant, tested. A frame without a valid
        answer: NaN. All answers the same: chi-square 0, p 1. Not tested, and left out of the
        family: cells with NaN, and those with too few answers for any outcome to reach `fdr`
        (four frames of 2: the smallest possible p is 0.086). Answers that are copies
        (`repeatability`) are no draws: NaN.

    Raises:
        ValueError: a column is missing, or a decision occurs twice.
    """
    generator = np.random.default_rng(rng)
    parts = []
    for matrix in frame_matrices(endorsement_rates(decisions), frames):
        draws = matrix.n_valid * (not matrix.deterministic)  # Copies are none.
        tests = [
            _homogeneity_test(k, n, generator)
            for k, n in zip(matrix.n_endorsed, draws, strict=True)
        ]
        parts.append(
            pd.concat(
                [
                    matrix.scenarios.reset_index(drop=True),
                    pd.DataFrame({"n_valid": matrix.n_valid.sum(axis=1)}),
                    pd.DataFrame(tests, columns=["chi_square", "df", "p_value"]),
                    pd.DataFrame(
                        {
                            "tested": [
                                smallest_share(tuple(n)) <= fdr for n in matrix.n_valid.tolist()
                            ]
                        }
                    ),
                ],
                axis=1,
            )
        )
    columns = [*RESULTS.keys(decisions), "scenario", "domain"]
    columns += ["n_valid", "chi_square", "df", "p_value", "tested"]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    tested = table.pop("tested").astype(bool) & table["p_value"].notna()
    table["p_adjusted"] = adjust_fdr(table["p_value"].where(tested).to_numpy(dtype=float))
    table["significant"] = table["p_adjusted"] <= fdr
    table["tested"] = tested
    return table


def _q_test(blocks: NDArray[np.float64]) -> dict[str, float]:
    """Q, its degrees of freedom and p-value for complete blocks (rows) of frames (columns)."""
    n_blocks, n_frames = len(blocks), len(blocks.T)
    if n_blocks < 2 or n_frames < 2:
        return {"q": np.nan, "df": np.nan, "p_value": np.nan}
    if (blocks == blocks[:, :1]).all():
        return {"q": 0.0, "df": n_frames - 1, "p_value": 1.0}
    result = cochrans_q(blocks)
    return {"q": float(result.statistic), "df": n_frames - 1, "p_value": float(result.pvalue)}


def _homogeneity_test(
    endorsed: NDArray[np.int64], n: NDArray[np.int64], generator: np.random.Generator
) -> tuple[float, float, float]:
    """Chi-square, its degrees of freedom and permutation p-value for one scenario."""
    total, trials, df = int(endorsed.sum()), int(n.sum()), len(n) - 1
    if df < 1 or not n.all():
        return np.nan, np.nan, np.nan
    if total in (0, trials):
        return 0.0, df, 1.0
    pooled = total / trials
    expected = n * pooled
    chi_square = float(((endorsed - expected) ** 2 / (expected * (1 - pooled))).sum())
    frames = tuple(zip(map(int, endorsed), map(int, n), strict=True))
    if few_enough(frames):
        return chi_square, df, chi_square_share(frames)
    at_least = permuted_spreads(frames, DRAWS, generator) >= spread_of(frames) - HALF_STEP
    return chi_square, df, float((1 + at_least.sum()) / (1 + DRAWS))
