"""The tables of the report, each a call into `negation_evals.analysis`; no formatting here."""

from collections.abc import Callable
from typing import Final

import pandas as pd

import negation_evals.analysis as analysis
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.intervals.nsi_intervals import intervals_by
from negation_evals.schema.common import UNSPECIFIED

WORST = 10
"""How many scenarios the table `worst_scenarios` holds for each result."""

GROUPINGS: Final = ("origin", "size_tier", "condition")
INTERVALS_BY: Final = (["model"], ["model", "domain"])
ABLATIONS: Final = ("temperature", "condition", "variant")

Tables = dict[str, pd.DataFrame]


def report_tables(decisions: pd.DataFrame, min_compliance: float = 0.0) -> Tables:
    """Every table of the report by name; each is also written as CSV and into `results.json`.

    The names are those of `docs/tables.md`; a table for which there are no data has no rows.

    Args:
        decisions: The table of `read_decisions`.
        min_compliance: Results with a smaller share of valid answers stand in `excluded` and
            `compliance`, and nowhere else.
    """
    # pandas copies a table's attributes, here the report of the reading, at every operation.
    decisions = decisions.copy(deep=False)
    decisions.attrs = {}
    answers = analysis.compliance(decisions)
    kept, excluded = answers, answers.iloc[:0]
    if min_compliance > 0:
        decisions, excluded = analysis.exclude_models(decisions, min_compliance)
        kept = analysis.compliance(decisions)
    cells = analysis.endorsement_rates(decisions)
    scenarios = analysis.nsi(decisions)
    q = analysis.cochran_q(decisions)
    chi_square = analysis.homogeneity(decisions)
    pairs = analysis.acquiescence(cells)
    effect = analysis.framing_effect(cells)
    patterns = analysis.failure_patterns(scenarios, pairs, effect)
    by_model, by_domain = (
        _with_interval(analysis.nsi_summary(scenarios, by), intervals)
        for by, intervals in zip(INTERVALS_BY, intervals_by(cells, INTERVALS_BY), strict=True)
    )
    confidence = analysis.confidence_by_scenario(decisions, scenarios)
    by_frame = analysis.endorsement_by_frame(cells)
    by_origin = analysis.endorsement_by_group(cells, "origin")
    bounds = analysis.nsi_bounds(cells)
    ablations = _ablation_pairs(scenarios)
    ranking = _ranking(by_model, q, chi_square, patterns, kept)
    return {
        "ranking": ranking,
        "fragility": analysis.fragility_shares(scenarios),
        "fragility_by_model": analysis.fragility_shares(scenarios, "model"),
        "fragility_by_origin": analysis.fragility_shares(scenarios, "origin"),
        "nsi_by_domain": _highest_first(analysis.nsi_summary(scenarios, "domain")),
        "nsi_by_model_and_domain": by_domain,
        "nsi_by_scenario": analysis.scenario_ranking(scenarios),
        "nsi_by_origin_and_scenario": _profile(scenarios, "origin"),
        "nsi_by_size_tier_and_scenario": _profile(scenarios, "size_tier"),
        "nsi_by_condition_and_scenario": _condition_profile(scenarios),
        "endorsement_by_frame": by_frame,
        "endorsement_by_origin": by_origin,
        "endorsement_by_origin_and_scenario": analysis.endorsement_by_group(
            cells, ["origin", "scenario", "domain"]
        ).drop(columns=["ci_low", "ci_high"]),
        "swing": analysis.polarity_swing(by_frame),
        "swing_by_origin": analysis.polarity_swing(by_origin),
        "patterns": patterns,
        "acquiescence_by_pair": analysis.acquiescence_summary(pairs),
        "group_tests": _by_grouping(by_model, analysis.compare_groups),
        "group_pairs": _by_grouping(by_model, analysis.compare_group_pairs),
        "agreement_by_frame": analysis.agreement_by_frame(cells),
        "ablations": analysis.ablation_summary(ablations),
        "ablations_by_unit": analysis.ablation_summary(ablations, "unit"),
        "ablations_by_scenario": analysis.ablation_summary(ablations, "scenario"),
        "answer_order": analysis.answer_order_effect(decisions),
        "mitigation": analysis.mitigation_effect(decisions),
        "confidence_by_model": analysis.confidence_summary(confidence),
        "alignment_by_frame": analysis.alignment(decisions, ["origin", "frame"]),
        "alignment_by_stance": analysis.alignment(decisions, ["origin", "frame", "endorsed"]),
        "alignment_by_scenario": analysis.alignment(decisions, ["origin", "scenario"]),
        "compliance": answers,
        "excluded": excluded,
        "outcomes_by_frame": analysis.outcomes_by_frame(cells),
        "worst_scenarios": _worst(scenarios),
        "nsi": scenarios,
        "nsi_bounds": bounds,
        "nsi_bounds_by_model": analysis.nsi_bounds_summary(bounds),
        "acquiescence": pairs,
        "agreement_by_pair": analysis.agreement_by_pair(cells),
        "ablation_pairs": ablations,
        "confidence": confidence,
        "cochran_q": q,
        "homogeneity": chi_square,
        "framing_effect": effect,
        "cells": cells,
    }


def _ranking(
    by_model: pd.DataFrame,
    q: pd.DataFrame,
    chi_square: pd.DataFrame,
    patterns: pd.DataFrame,
    answers: pd.DataFrame,
) -> pd.DataFrame:
    """Results by mean NSI, the most framing-sensitive first; those without NSI come last."""
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


def _with_interval(summary: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """Means of NSI with the interval of the mean, which needs the counts."""
    keys = [name for name in intervals.columns if name in summary.columns]
    keys = [name for name in keys if name not in {"n_scenarios", "n_missing", "nsi"}]
    return summary.merge(intervals[[*keys, "ci_low", "ci_high"]], on=keys, how="left")


def _highest_first(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("nsi", ascending=False, kind="stable", ignore_index=True)


def _worst(scenarios: pd.DataFrame) -> pd.DataFrame:
    ordered = _highest_first(scenarios.dropna(subset="nsi"))
    keys = RESULTS.carried_keys(scenarios)
    return ordered.groupby(keys, sort=False, dropna=False).head(WORST).reset_index(drop=True)


def _profile(scenarios: pd.DataFrame, by: str) -> pd.DataFrame:
    """NSI by scenario for each value of a grouping; no rows where nothing is to be grouped."""
    if by not in scenarios.columns:
        scenarios = scenarios.iloc[:0].assign(**{by: ""})
    return analysis.nsi_summary(scenarios, [by, "scenario", "domain"])


def _condition_profile(scenarios: pd.DataFrame) -> pd.DataFrame:
    """NSI by scenario under each condition, over what was asked under all of them.

    A model that only one condition has would move its mean alone.
    """
    settings = RESULTS.carried_settings(scenarios)
    pairs = analysis.ablation_pairs(scenarios, "condition").dropna(subset="change")
    if pairs.empty:
        return _profile(scenarios.iloc[:0], "condition")
    unit = ["model", *(name for name in settings if name != "condition"), "scenario", "domain"]
    found = pairs.groupby(unit, sort=False, dropna=False).size().rename("found").reset_index()
    complete = found.loc[found["found"] == pairs["treatment"].nunique(), unit]
    levels = {*pairs["baseline"], *pairs["treatment"]}
    paired = scenarios[scenarios["condition"].isin(levels)].merge(complete, on=unit)
    by = [*RESULTS.across_models(scenarios, settings), "condition", "scenario", "domain"]
    return analysis.nsi_summary(paired, list(dict.fromkeys(by)))


def _by_grouping(
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


def _ablation_pairs(scenarios: pd.DataFrame) -> pd.DataFrame:
    """The pairs of every ablation; `unit` names the model or, for variants, the family."""
    parts = []
    for setting in ABLATIONS:
        pairs = analysis.ablation_pairs(scenarios, setting)
        unit = "family" if setting == "variant" else "model"
        parts.append(pairs.assign(unit=pairs[unit]))
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else parts[0]
