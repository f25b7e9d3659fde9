"""All results of a table in one view: ranked, by scenario, by group, and before and after."""

from collections.abc import Callable, Sequence
from typing import Final

import pandas as pd

from negation_evals.analysis.framing.ablation import ablation_pairs
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.intervals.nsi_intervals import intervals_by
from negation_evals.analysis.framing.summary import nsi_summary
from negation_evals.schema.common import UNSPECIFIED

WORST: Final = 10
"""How many scenarios `worst_scenarios` gives for each result."""
GROUPINGS: Final = ("origin", "size_tier", "condition")
ABLATIONS: Final = ("temperature", "condition", "variant")


def ranking(
    by_model: pd.DataFrame,
    q: pd.DataFrame,
    chi_square: pd.DataFrame,
    patterns: pd.DataFrame,
    answers: pd.DataFrame,
) -> pd.DataFrame:
    """Results by mean NSI, the most framing-sensitive first; those without NSI come last.

    Args:
        by_model: The table of `summary_with_interval` by model.
        q: The table of `cochran_q`.
        chi_square: The table of `homogeneity`.
        patterns: The table of `failure_patterns`.
        answers: The table of `compliance`.
    """
    keys = RESULTS.carried_keys(by_model)
    table = by_model
    for test, prefix in ((q, "cochran"), (chi_square, "homogeneity")):
        groups = test.groupby(keys, sort=False, dropna=False)
        shares = groups.agg(tested=("tested", "sum"), found=("significant", "sum")).reset_index()
        shares[f"{prefix}_tested"] = shares["tested"]
        tested = shares["tested"].where(shares["tested"] > 0)
        shares[f"{prefix}_significant"] = shares["found"] / tested
        table = table.merge(shares.drop(columns=["tested", "found"]), on=keys, how="left")
    table = (
        table.merge(
            patterns[[*keys, "acquiescence", "polarity_correlation", "pattern"]],
            on=keys,
            how="left",
        )
        .merge(answers[[*keys, "compliance"]], on=keys, how="left")
        .sort_values(["nsi", "model"], ascending=[False, True], kind="stable", ignore_index=True)
    )
    table.insert(0, "rank", table["nsi"].rank(method="min", ascending=False).astype("Int64"))
    return table


def summaries_with_intervals(
    scenarios: pd.DataFrame, cells: pd.DataFrame, groupings: Sequence[Sequence[str]]
) -> list[pd.DataFrame]:
    """Means of NSI with the interval of the mean, which needs the counts.

    Args:
        scenarios: The table of `nsi`.
        cells: The table of `endorsement_rates`.
        groupings: What each summary is by, such as ["model", "domain"].
    """
    tables = []
    for by, intervals in zip(groupings, intervals_by(cells, groupings), strict=True):
        summary = nsi_summary(scenarios, by)
        keys = [name for name in intervals.columns if name in summary.columns]
        keys = [name for name in keys if name not in {"n_scenarios", "n_missing", "nsi"}]
        tables.append(summary.merge(intervals[[*keys, "ci_low", "ci_high"]], on=keys, how="left"))
    return tables


def highest_first(table: pd.DataFrame) -> pd.DataFrame:
    """Rows by NSI, the highest first."""
    return table.sort_values("nsi", ascending=False, kind="stable", ignore_index=True)


def worst_scenarios(scenarios: pd.DataFrame) -> pd.DataFrame:
    """The scenarios with the highest NSI of each result."""
    ordered = highest_first(scenarios.dropna(subset="nsi"))
    keys = RESULTS.carried_keys(scenarios)
    return ordered.groupby(keys, sort=False, dropna=False).head(WORST).reset_index(drop=True)


def nsi_profile(scenarios: pd.DataFrame, by: str) -> pd.DataFrame:
    """NSI by scenario for each value of a grouping; no rows where nothing is to be grouped."""
    if by not in scenarios.columns:
        scenarios = scenarios.iloc[:0].assign(**{by: ""})
    return nsi_summary(scenarios, [by, "scenario", "domain"])


def condition_profile(scenarios: pd.DataFrame) -> pd.DataFrame:
    """NSI by scenario under each condition, over what was asked under all of them.

    A model that only one condition has would move its mean alone.
    """
    settings = RESULTS.carried_settings(scenarios)
    pairs = ablation_pairs(scenarios, "condition").dropna(subset="change")
    if pairs.empty:
        return nsi_profile(scenarios.iloc[:0], "condition")
    unit = ["model", *(name for name in settings if name != "condition"), "scenario", "domain"]
    found = pairs.groupby(unit, sort=False, dropna=False).size().rename("found").reset_index()
    complete = found.loc[found["found"] == pairs["treatment"].nunique(), unit]
    levels = {*pairs["baseline"], *pairs["treatment"]}
    paired = scenarios[scenarios["condition"].isin(levels)].merge(complete, on=unit)
    by = [*RESULTS.across_models(scenarios, settings), "condition", "scenario", "domain"]
    return nsi_summary(paired, list(dict.fromkeys(by)))


def by_grouping(
    by_model: pd.DataFrame, compare: Callable[[pd.DataFrame, str], pd.DataFrame]
) -> pd.DataFrame:
    """The comparison for every grouping with at least two known groups of different models."""
    parts = [compare(by_model, by) for by in GROUPINGS if _tells_apart(by_model, by)]
    return pd.concat(parts, ignore_index=True) if parts else compare(by_model.iloc[:0], "origin")


def _tells_apart(by_model: pd.DataFrame, by: str) -> bool:
    """Whether a column forms two known groups or more, and no model is in two of them."""
    if by not in by_model.columns:
        return False
    known = by_model[by_model[by] != UNSPECIFIED]
    return known[by].nunique() > 1 and bool((known.groupby("model")[by].nunique() == 1).all())


def all_ablation_pairs(scenarios: pd.DataFrame) -> pd.DataFrame:
    """The pairs of every ablation; `unit` names the model or, for variants, the family."""
    parts = []
    for setting in ABLATIONS:
        pairs = ablation_pairs(scenarios, setting)
        unit = "family" if setting == "variant" else "model"
        parts.append(pairs.assign(unit=pairs[unit]))
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else parts[0]
