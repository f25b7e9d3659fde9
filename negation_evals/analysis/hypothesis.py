"""Tests of whether framing changes a model's endorsement, corrected for their number."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.multitest import multipletests

from negation_evals.analysis.columns import (
    expected_frames,
    require_columns,
    require_unique_decisions,
    result_keys,
)

FDR = 0.05
"""False discovery rate of both papers."""


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
        One row per model, settings and scenario: model, the settings that vary, scenario, domain,
        n_blocks, n_dropped (epochs without all frames), q, df, p_value, p_adjusted, significant,
        tested. Below two blocks nothing is tested: NaN, and left out of the FDR family.

    Raises:
        ValueError: a column is missing, or a decision occurs twice.
    """
    name = "cochran_q"
    require_columns(decisions, ["model", "scenario", "domain", "frame", "epoch", "endorsed"], name)
    require_unique_decisions(decisions, name)
    keys = result_keys(decisions)
    cell = ["scenario", "domain"]
    rows = []
    for values, group in decisions.groupby(keys, sort=False, dropna=False):
        expected = expected_frames(group, frames)
        for scenario, answers in group.groupby(cell, sort=False, dropna=False):
            wide = answers.pivot(index="epoch", columns="frame", values="endorsed")
            blocks = wide.reindex(columns=expected).dropna()
            rows.append(
                dict(zip([*keys, *cell], [*values, *scenario], strict=True))
                | {"n_blocks": len(blocks), "n_dropped": len(wide) - len(blocks)}
                | _q_test(blocks.to_numpy())
            )
    columns = [*keys, *cell, "n_blocks", "n_dropped", "q", "df", "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    table["p_adjusted"] = adjust_fdr(table["p_value"].to_numpy(dtype=float))
    table["significant"] = table["p_adjusted"] <= fdr
    table["tested"] = table["p_value"].notna()
    return table


def adjust_fdr(p_values: ArrayLike) -> NDArray[np.float64]:
    """Benjamini-Hochberg adjusted p-values in the order given; NaN stays out of the family."""
    values = np.asarray(p_values, dtype=float)
    adjusted = np.full(values.shape, np.nan)
    tested = ~np.isnan(values)
    if tested.any():
        adjusted[tested] = multipletests(values[tested], method="fdr_bh")[1]
    return adjusted


def _q_test(blocks: NDArray[np.float64]) -> dict[str, float]:
    """Q, its degrees of freedom and p-value for complete blocks (rows) of frames (columns)."""
    n_blocks, n_frames = blocks.shape
    if n_blocks < 2 or n_frames < 2:
        return {"q": np.nan, "df": np.nan, "p_value": np.nan}
    if (blocks == blocks[:, :1]).all():
        return {"q": 0.0, "df": n_frames - 1, "p_value": 1.0}
    result = cochrans_q(blocks)
    return {"q": float(result.statistic), "df": n_frames - 1, "p_value": float(result.pvalue)}
