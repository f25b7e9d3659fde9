"""NSI summed up: by model, domain, scenario or any other column, and its descriptive classes."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from negation_evals.analysis.common.bootstrap import RESAMPLES, Seed, mean_interval
from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS

ROBUST_BELOW: Final = 0.2
HIGH_FROM: Final = 0.5
"""Classes of arXiv:2601.09724, Section 3.6: robust < 0.2 <= moderate < 0.5 <= high."""

BOUNDS: Final = ("nsi_if_endorse", "nsi_if_oppose", "nsi_lowest", "nsi_highest")

TOLERANCE: Final = 1e-9
"""NSI is a difference of two fractions. A double is off by some 1e-16, and with n answers a frame
the value nearest to a threshold lies 1 / (10 n^2) away, which is more than 1e-9 up to n = 10,000.
So a comparison within 1e-9 decides as the exact fractions do: 0.8 - 0.6 is moderate."""


def at_least(values: pd.Series, threshold: float | pd.Series) -> pd.Series:
    """Whether rates or differences of rates reach a threshold, as exact fractions would."""
    return values >= threshold - TOLERANCE


def nsi_summary(table: pd.DataFrame, by: str | Sequence[str] = "model") -> pd.DataFrame:
    """Mean NSI over scenarios by any columns (arXiv:2601.21433, Tables 3 and 4).

    Args:
        table: The table of `nsi`.
        by: Columns to group by, such as "model", ["model", "domain"], "scenario" or "origin". The
            settings that the table carries group as well: a model's run at T = 0 is never averaged
            with its run at T = 0.7. Without "model" among the columns, those that differ between
            models alone do not (`across_models`).

    Returns:
        The grouping columns, n_scenarios (values of NSI), n_missing (without), nsi (mean, NaN
        without any), nsi_sd (sample SD, NaN below two), nsi_null (mean), nsi_min, nsi_max,
        worst_scenario, n_min (smallest valid n), and deterministic where the table has it (all
        values are of copies, see `repeatability`). The interval of a mean needs the counts: see
        `nsi_intervals`.

    Raises:
        ValueError: the table lacks a column.
    """
    names = [by] if isinstance(by, str) else list(by)
    require_columns(table, [*names, "scenario", "nsi", "nsi_null", "n_min"], "nsi_summary")
    keys = RESULTS.grouping_keys(table, names)
    groups = table.groupby(keys, sort=False, dropna=False)
    summary = groups["nsi"].agg(
        n_scenarios="count",
        n_missing="size",
        nsi="mean",
        nsi_sd="std",
        nsi_min="min",
        nsi_max="max",
    )
    summary["n_missing"] -= summary["n_scenarios"]
    summary.insert(summary.columns.get_loc("nsi_min"), "nsi_null", groups["nsi_null"].mean())
    if "scenario" not in keys:
        worst = table.sort_values("nsi", ascending=False, kind="stable").dropna(subset="nsi")
        first = worst.groupby(keys, sort=False, dropna=False)["scenario"].first()
        summary["worst_scenario"] = first
    summary["n_min"] = groups["n_min"].min()
    if "deterministic" in table.columns:
        summary["deterministic"] = groups["deterministic"].all()
    return summary.reset_index()


def nsi_bounds_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Means of `nsi_bounds` per result, all of them over the same scenarios.

    Args:
        table: The table of `nsi_bounds`.

    Returns:
        `<keys>`, n_scenarios (with an NSI: all means are over these), n_missing (without: left
        out), n_undecided (answers without a decision in any scenario), nsi, nsi_if_endorse,
        nsi_if_oppose, nsi_lowest, nsi_highest (means).

    Raises:
        ValueError: the table lacks a column.
    """
    require_columns(table, ["model", "nsi", "n_undecided", *BOUNDS], "nsi_bounds_summary")
    keys, names = RESULTS.carried_keys(table), ["nsi", *BOUNDS]
    known = table["nsi"].notna()
    columns = {name: table[name].where(known) for name in names}
    groups = table.assign(**columns, n_missing=~known).groupby(keys, sort=False, dropna=False)
    counts = {"n_scenarios": ("nsi", "count"), "n_missing": ("n_missing", "sum")}
    means = {name: (name, "mean") for name in names}
    return groups.agg(**counts, n_undecided=("n_undecided", "sum"), **means).reset_index()


def fragility_shares(table: pd.DataFrame, by: str | Sequence[str] = ()) -> pd.DataFrame:
    """Shares of robust, moderate and highly fragile cells (arXiv:2601.09724, Section 4.1).

    Args:
        table: The table of `nsi`: a cell is one scenario of one result.
        by: Columns to group by; default all cells together, but for the settings.

    Returns:
        The settings as in `nsi_summary`, `by`, n_cells (with an NSI), n_missing (without), robust,
        moderate, high (shares that add up to 1; NaN without cells), nsi (mean), nsi_sd (sample
        SD). A value at a threshold belongs to the worse class, see `TOLERANCE`.

    Raises:
        ValueError: the table lacks a column.
    """
    names = [by] if isinstance(by, str) else list(by)
    require_columns(table, [*names, "nsi"], "fragility_shares")
    keys = RESULTS.grouping_keys(table, names)
    high, fragile = at_least(table["nsi"], HIGH_FROM), at_least(table["nsi"], ROBUST_BELOW)
    classes = {"robust": ~fragile, "moderate": fragile & ~high, "high": high}
    known = table["nsi"].notna()
    marked = table[keys].assign(
        _all=0,
        nsi=table["nsi"],
        **{name: cells.where(known).astype(float) for name, cells in classes.items()},
    )
    groups = marked.groupby(keys or ["_all"], sort=False, dropna=False)
    shares = groups.agg(
        n_cells=("nsi", "count"),
        n_missing=("nsi", "size"),
        robust=("robust", "mean"),
        moderate=("moderate", "mean"),
        high=("high", "mean"),
        nsi=("nsi", "mean"),
        nsi_sd=("nsi", "std"),
    ).reset_index()
    shares["n_missing"] -= shares["n_cells"]
    return shares.drop(columns="_all", errors="ignore")


def scenario_ranking(
    table: pd.DataFrame,
    *,
    confidence_level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Scenarios by mean NSI over the models (arXiv:2601.09724, Section 4.4, Figure 4).

    The interval resamples models (percentile bootstrap): it says how far the mean depends on
    which models were audited, and nothing about the sampling noise within a model.

    Args:
        table: The table of `nsi`.
        confidence_level: Of the interval, in (0, 1).
        resamples: Bootstrap resamples.
        rng: Seed or generator.

    Returns:
        The settings that group models (`across_models`), scenario, domain, n_models (with an NSI),
        nsi (mean), nsi_null (mean), ci_low, ci_high (NaN with one model), the highest NSI first,
        those without any last.
    """
    require_columns(table, ["model", "scenario", "domain", "nsi", "nsi_null"], "scenario_ranking")
    keys = RESULTS.grouping_keys(table, ["scenario", "domain"])
    generator = np.random.default_rng(rng)
    rows = []
    for values, group in table.groupby(keys, sort=False, dropna=False):
        nsi = group["nsi"].dropna()
        low, high = mean_interval(
            nsi, confidence_level=confidence_level, resamples=resamples, generator=generator
        )
        rows.append(
            dict(zip(keys, values, strict=True))
            | {"n_models": len(nsi), "nsi": nsi.mean(), "nsi_null": group["nsi_null"].mean()}
            | {"ci_low": low, "ci_high": high}
        )
    columns = [*keys, "n_models", "nsi", "nsi_null", "ci_low", "ci_high"]
    ranked = pd.DataFrame(rows, columns=columns)
    return ranked.sort_values("nsi", ascending=False, kind="stable", ignore_index=True)
