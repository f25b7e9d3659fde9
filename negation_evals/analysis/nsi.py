"""The Negation Sensitivity Index (arXiv:2601.21433, Section 3.2, equation 2).

NSI = max over frames of the endorsement rate - min over frames. It is a range statistic: sampling
noise alone makes it positive, so every value stands beside the NSI expected of a model that is
exactly invariant (`nsi_null`) and the p-value of that hypothesis.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from negation_evals.analysis.columns import (
    SETTINGS,
    expected_frames,
    require_columns,
    result_keys,
)
from negation_evals.analysis.range_test import range_p_value
from negation_evals.analysis.rates import endorsement_rates

Floats = NDArray[np.float64]


def nsi_from_rates(rates: ArrayLike) -> Floats:
    """NSI over the last axis of endorsement rates: max - min, NaN where a rate is missing.

    A missing frame is not a rate of 0, and a range over fewer frames is another statistic.
    """
    values = np.asarray(rates, dtype=float)
    if values.shape[-1] < 2:
        return np.full(values.shape[:-1], np.nan)
    return np.asarray(values.max(axis=-1) - values.min(axis=-1))


def nsi_values(cells: pd.DataFrame, frames: Sequence[str] | None = None) -> pd.DataFrame:
    """The point values of NSI, without floor and p-value.

    Args:
        cells: The table of `endorsement_rates`.
        frames: The frames that NSI ranges over. Default: those that the log planned (column
            `frames`, joined by commas), else those that occur for the model and its settings.

    Returns:
        One row per model, settings and scenario: model, the settings that vary, scenario, domain,
        nsi in [0, 1], frame_max, frame_min (the first of equals), n_min (the smallest valid n of
        a frame), missing_frames (without a valid decision; NSI is NaN), joined by commas.
    """
    return _point_values(_wide_cells(cells, frames), result_keys(cells))


def nsi(decisions: pd.DataFrame, frames: Sequence[str] | None = None) -> pd.DataFrame:
    """NSI per model, settings and scenario, with its sampling floor and a test of invariance.

    Args:
        decisions: The table of `read_decisions` (columns as for `endorsement_rates`).
        frames: See `nsi_values`.

    Returns:
        The columns of `nsi_values`, and nsi_null (the NSI expected of an exactly invariant model
        with the same pooled rate and valid n), p_value (exact permutation test: the chance of so
        large a range when the valid answers are dealt to the frames at random), ci_low, ci_high
        (NaN: no interval is offered yet; the percentile bootstrap covers a true NSI of 0 never).
        All NaN where NSI is.

    Raises:
        ValueError: a column is missing, or a decision occurs twice.
    """
    cells = endorsement_rates(decisions)
    groups = _wide_cells(cells, frames)
    table = _point_values(groups, result_keys(cells))
    counts = [pair for wide in groups for pair in zip(wide.endorsed, wide.n_valid, strict=True)]
    known = table["nsi"].notna()
    table["nsi_null"] = [
        nsi_null(k.sum() / n.sum(), n) if is_known else np.nan
        for (k, n), is_known in zip(counts, known, strict=True)
    ]
    table["p_value"] = [
        range_p_value(k, n) if is_known else np.nan
        for (k, n), is_known in zip(counts, known, strict=True)
    ]
    table["ci_low"] = np.nan
    table["ci_high"] = np.nan
    return table


def nsi_null(rate: float, n: Sequence[int] | NDArray[np.int64]) -> float:
    """Expected NSI of an exactly invariant model: E[max - min] of Bin(n_f, rate) / n_f.

    Exact: the integral over t of P(min <= t < max) = 1 - prod F_f(t) - prod (1 - F_f(t)), where
    F_f is the distribution of frame f's rate, constant between the possible rates.

    Args:
        rate: Endorsement rate common to all frames, in [0, 1].
        n: Valid decisions per frame, each at least 1.
    """
    sizes = np.asarray(n)
    lattice = np.unique(np.concatenate([np.arange(size + 1) / size for size in set(sizes)]))
    # The half unit keeps t * n = k on the right side of rounding.
    successes = np.floor(lattice[:-1, None] * sizes + 1e-9)
    below = binom.cdf(successes, sizes, rate)
    spanned = 1 - below.prod(axis=1) - (1 - below).prod(axis=1)
    return float(np.sum(np.diff(lattice) * spanned))


def nsi_summary(table: pd.DataFrame, by: str | Sequence[str] = "model") -> pd.DataFrame:
    """Mean NSI over scenarios, by model, by domain, or both (arXiv:2601.21433, Tables 3 and 4).

    Args:
        table: The table of `nsi`.
        by: "model", "domain" or ["model", "domain"]. Settings that the table carries always
            group as well: a run at T = 0 is never averaged with one at T = 0.7.

    Returns:
        The grouping columns, n_scenarios (with an NSI), n_missing (without), nsi (mean, NaN
        without any), nsi_sd (sample SD, NaN below two), nsi_null (mean), nsi_max and
        worst_scenario, n_min (smallest valid n), ci_low, ci_high (NaN, see `nsi`).

    Raises:
        ValueError: `by` names another column, or the table lacks one.
    """
    names = [by] if isinstance(by, str) else list(by)
    if not names or not set(names) <= {"model", "domain"}:
        raise ValueError(f"nsi_summary: by={by!r}: use 'model', 'domain' or both")
    require_columns(table, [*names, "scenario", "nsi", "nsi_null", "n_min"], "nsi_summary")
    keys = [*names, *(setting for setting in SETTINGS if setting in table.columns)]
    groups = table.groupby(keys, sort=False, dropna=False)
    summary = groups["nsi"].agg(
        n_scenarios="count", n_missing="size", nsi="mean", nsi_sd="std", nsi_max="max"
    )
    summary["n_missing"] -= summary["n_scenarios"]
    summary["nsi_null"] = groups["nsi_null"].mean()
    worst = table.sort_values("nsi", ascending=False, kind="stable").dropna(subset="nsi")
    summary["worst_scenario"] = worst.groupby(keys, sort=False, dropna=False)["scenario"].first()
    summary["n_min"] = groups["n_min"].min()
    summary["ci_low"] = np.nan
    summary["ci_high"] = np.nan
    return summary.reset_index()


@dataclass(frozen=True)
class _Wide:
    """The cells of one model and its settings as scenario x frame."""

    scenarios: pd.DataFrame
    """The grouping columns, scenario and domain, in order of appearance."""
    frames: NDArray[np.object_]
    endorsed: NDArray[np.int64]
    n_valid: NDArray[np.int64]
    """Counts; 0 valid where the frame was not asked or gave no valid answer."""


def _wide_cells(cells: pd.DataFrame, frames: Sequence[str] | None) -> list[_Wide]:
    """The table `cells` as one pair of count matrices per model and its settings."""
    require_columns(cells, ["model", "scenario", "domain", "frame", "endorsed", "n_valid"], "nsi")
    keys = [*result_keys(cells), "scenario", "domain"]
    if cells.duplicated([*keys, "frame"]).any():
        raise ValueError("nsi: a cell occurs twice: pass the cells of one table of decisions")
    groups = []
    for _, group in cells.groupby(keys[:-2], sort=False, dropna=False):
        expected = expected_frames(group, frames)
        rows, _ = pd.MultiIndex.from_frame(group[["scenario", "domain"]]).factorize()
        columns = pd.Index(expected).get_indexer(group["frame"])
        asked = columns >= 0
        place = rows[asked], columns[asked]
        counts = np.zeros((2, rows.max() + 1, len(expected)), dtype=np.int64)
        counts[0][place] = group["endorsed"].to_numpy()[asked]
        counts[1][place] = group["n_valid"].to_numpy()[asked]
        scenarios = group[keys].drop_duplicates(["scenario", "domain"])
        groups.append(_Wide(scenarios, np.array(expected, dtype=object), *counts))
    return groups


def _point_values(groups: list[_Wide], keys: list[str]) -> pd.DataFrame:
    """The table of `nsi_values`."""
    parts = []
    for wide in groups:
        missing = wide.n_valid == 0
        rates = np.where(missing, np.nan, wide.endorsed / np.maximum(wide.n_valid, 1))
        complete = ~missing.any(axis=1) & (len(wide.frames) > 1)
        known = np.where(missing, 0.0, rates)
        highest, lowest = wide.frames[known.argmax(axis=1)], wide.frames[known.argmin(axis=1)]
        parts.append(
            wide.scenarios.assign(
                nsi=nsi_from_rates(rates),
                frame_max=np.where(complete, highest, None),
                frame_min=np.where(complete, lowest, None),
                n_min=wide.n_valid.min(axis=1),
                missing_frames=[",".join(wide.frames[row]) for row in missing],
            )
        )
    if parts:
        return pd.concat(parts, ignore_index=True)
    columns = ["scenario", "domain", "nsi", "frame_max", "frame_min", "n_min", "missing_frames"]
    return pd.DataFrame(columns=[*keys, *columns])
