"""Do models agree with each other, and in which frame do they agree least?"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.common.bootstrap import (
    RESAMPLES,
    Seed,
    percentile_interval,
    resample_counts,
)
from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS

CHUNK = 2_000_000
"""Resampled values held at once: with many models the pairs are many."""


def agreement_by_pair(cells: pd.DataFrame) -> pd.DataFrame:
    """Share of scenarios in which two models have the same majority decision, per frame.

    A majority of exactly half is either decision with equal chance, so it counts one half
    (arXiv:2601.21433, Section 3.6, Figure 2; arXiv:2601.09724, Appendix D).

    Args:
        cells: The table of `endorsement_rates`. Pairs are formed within equal settings, of those
            that group models (`across_models`).

    Returns:
        These settings, frame, model_a, model_b, n_scenarios (in which both have a valid
        answer), agreement in [0, 1] (NaN without any).
    """
    rows: list[dict[str, Any]] = []
    for settings, frame, names, agreed, shared in _pairwise(cells):
        with np.errstate(invalid="ignore"):
            shares = agreed.sum(axis=1) / shared.sum(axis=1)
        rows += [
            settings
            | {"frame": frame, "model_a": a, "model_b": b, "n_scenarios": int(n), "agreement": x}
            for (a, b), n, x in zip(names, shared.sum(axis=1), shares, strict=True)
        ]
    columns = ["frame", "model_a", "model_b", "n_scenarios", "agreement"]
    return pd.DataFrame(rows, columns=[*_settings(cells), *columns])


def agreement_by_frame(
    cells: pd.DataFrame,
    *,
    confidence_level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Mean agreement over all pairs of models, per frame, with a bootstrap interval.

    Args:
        cells: The table of `endorsement_rates`.
        confidence_level: Of the interval, in (0, 1); scenarios are resampled (percentile
            bootstrap).
        resamples: Bootstrap resamples.
        rng: Seed or generator.

    Returns:
        The same settings, frame, n_models, n_pairs (with a scenario in common), agreement (mean
        over pairs of `agreement_by_pair`), ci_low, ci_high (NaN with one scenario). No rows with
        fewer than two models.
    """
    generator = np.random.default_rng(rng)
    rows = []
    for settings, frame, names, agreed, shared in _pairwise(cells):
        in_common = shared.sum(axis=1) > 0
        agreed, shared = agreed[in_common], shared[in_common]
        values: Floats = agreed.sum(axis=1) / shared.sum(axis=1)
        low, high = _mean_share_interval(agreed, shared, confidence_level, resamples, generator)
        rows.append(
            settings
            | {"frame": frame, "n_models": len({name for pair in names for name in pair})}
            | {"n_pairs": len(values), "agreement": values.mean() if len(values) else np.nan}
            | {"ci_low": low, "ci_high": high}
        )
    columns = ["frame", "n_models", "n_pairs", "agreement", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=[*_settings(cells), *columns])


Floats = NDArray[np.float64]
Pairwise = Iterator[tuple[dict[str, Any], str, list[tuple[str, str]], Floats, Floats]]


def _pairwise(cells: pd.DataFrame) -> Pairwise:
    """Per settings and frame: the pairs, their agreement (pair x scenario), and where known."""
    require_columns(cells, ["model", "scenario", "frame", "rate"], "agreement")
    keys = [*_settings(cells), "frame"]
    for values, group in cells.groupby(keys, sort=False, dropna=False):
        by_model = group.pivot(index="model", columns="scenario", values="rate")
        if len(by_model) < 2:
            continue
        rates = by_model.to_numpy(dtype=float)
        # 1 most endorse, 0 most oppose, one half exactly half.
        majority = np.where(np.isnan(rates), np.nan, (np.sign(rates - 0.5) + 1) / 2)
        first, second = np.triu_indices(len(by_model), k=1)
        a, b = majority[first], majority[second]
        same = a * b + (1 - a) * (1 - b)
        both = ~np.isnan(same)
        names = list(combinations(map(str, by_model.index), 2))
        settings = dict(zip(keys[:-1], values[:-1], strict=True))
        yield settings, str(values[-1]), names, np.nan_to_num(same), both.astype(float)


def _settings(cells: pd.DataFrame) -> list[str]:
    return RESULTS.across_models(cells, RESULTS.varying_settings(cells))


def _mean_share_interval(
    agreed: Floats,
    shared: Floats,
    confidence_level: float,
    resamples: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Interval of the mean over pairs of agreed / shared when scenarios are resampled."""
    n_pairs, n_scenarios = agreed.shape
    if n_pairs == 0 or n_scenarios < 2:
        return np.nan, np.nan
    counts = resample_counts(n_scenarios, resamples, generator)
    if shared.all():
        # Every pair shares every scenario, so the mean over pairs may come first.
        return percentile_interval(counts @ agreed.mean(axis=0) / n_scenarios, confidence_level)
    means = []
    step = max(1, CHUNK // n_pairs)
    for start in range(0, resamples, step):
        some = counts[start : start + step]
        in_common = some @ shared.T
        with np.errstate(invalid="ignore"):
            shares = (some @ agreed.T) / in_common
            means.append(np.nansum(shares, axis=1) / (in_common > 0).sum(axis=1))
    return percentile_interval(np.concatenate(means), confidence_level)
