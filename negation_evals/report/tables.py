"""The tables of the report, each a call into `negation_evals.analysis`; no formatting here."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

import negation_evals.analysis as analysis
from negation_evals.analysis.columns import carried_keys, carried_settings
from negation_evals.schema import UNSPECIFIED

SHA256_DIGITS = 64
WORST = 10
"""How many scenarios the table `worst_scenarios` holds for each result."""

GROUPINGS: Final = ("origin", "size_tier", "condition")
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
    patterns = analysis.failure_patterns(scenarios, pairs)
    by_model = analysis.nsi_summary(scenarios)
    confidence = analysis.confidence_by_scenario(decisions, scenarios)
    by_frame = analysis.endorsement_by_frame(cells)
    by_origin = analysis.endorsement_by_group(cells, "origin")
    ranking = _ranking(by_model, q, chi_square, patterns, kept)
    return {
        "ranking": ranking,
        "fragility": analysis.fragility_shares(scenarios),
        "fragility_by_model": analysis.fragility_shares(scenarios, "model"),
        "fragility_by_origin": analysis.fragility_shares(scenarios, "origin"),
        "nsi_by_domain": _highest_first(analysis.nsi_summary(scenarios, "domain")),
        "nsi_by_model_and_domain": analysis.nsi_summary(scenarios, ["model", "domain"]),
        "nsi_by_scenario": analysis.scenario_ranking(scenarios),
        "nsi_by_origin_and_scenario": _profile(scenarios, "origin"),
        "nsi_by_size_tier_and_scenario": _profile(scenarios, "size_tier"),
        "nsi_by_condition_and_scenario": _profile(scenarios, "condition"),
        "endorsement_by_frame": by_frame,
        "endorsement_by_origin": by_origin,
        "swing": analysis.polarity_swing(by_frame),
        "swing_by_origin": analysis.polarity_swing(by_origin),
        "patterns": patterns,
        "acquiescence_by_pair": analysis.acquiescence_summary(pairs),
        "group_tests": _by_grouping(by_model, analysis.compare_groups),
        "group_pairs": _by_grouping(by_model, analysis.compare_group_pairs),
        "agreement_by_frame": analysis.agreement_by_frame(cells),
        "ablations": _ablations(scenarios, ()),
        "ablations_by_unit": _ablations(scenarios, "unit"),
        "ablations_by_scenario": _ablations(scenarios, "scenario"),
        "answer_order": analysis.answer_order_effect(decisions),
        "confidence_by_model": analysis.confidence_summary(confidence),
        "alignment_by_frame": analysis.alignment(decisions, ["origin", "frame"]),
        "alignment_by_scenario": analysis.alignment(decisions, ["origin", "scenario"]),
        "compliance": answers,
        "excluded": excluded,
        "outcomes_by_frame": analysis.outcomes_by_frame(cells),
        "worst_scenarios": _worst(scenarios),
        "nsi": scenarios,
        "nsi_bounds": analysis.nsi_bounds(cells),
        "acquiescence": pairs,
        "agreement_by_pair": analysis.agreement_by_pair(cells),
        "ablation_pairs": _ablation_pairs(scenarios),
        "confidence": confidence,
        "cochran_q": q,
        "homogeneity": chi_square,
        "cells": cells,
    }


def table_keys(table: pd.DataFrame) -> list[str]:
    """The columns that say what one result stands for: the model and the varying settings."""
    return ["model", *carried_settings(table)]


def result_labels(table: pd.DataFrame, settings: Sequence[str] | None = None) -> list[str]:
    """One short label per row: the model, and the settings that vary in brackets.

    Args:
        table: A table of results.
        settings: The settings to name; default those that a table of the framing tasks carries.
    """
    settings = carried_settings(table) if settings is None else settings
    labels = []
    for row in table[["model", *settings]].to_dict("records"):
        details = ", ".join(setting_label(name, row[name]) for name in settings)
        labels.append(f"{row['model']} ({details})" if details else str(row["model"]))
    return labels


def settings_labels(table: pd.DataFrame) -> list[str]:
    """One label per row from the settings alone; empty where none varies."""
    settings = carried_settings(table)
    rows = table[settings].to_dict("records") if settings else [{}] * len(table)
    return [", ".join(setting_label(name, row[name]) for name in settings) for row in rows]


def setting_label(name: str, value: Any) -> str:
    """One setting in a few characters, such as `T=0.7` or `structured`."""
    if name == "temperature":
        return "T unset" if pd.isna(value) else f"T={value:g}"
    if name == "structured":
        return "structured" if value else "free text"
    if name == "cot":
        return "step by step" if value else "answer alone"
    if name == "shots":
        return f"{value}-shot"
    if name == "seed":
        return f"seed {value}"
    if name == "solver":
        return f"solver {value or 'built in'}"
    if name == "data_hash":
        return f"data {value[:8] if len(value) == SHA256_DIGITS else value}"
    if name == "version":
        return f"version {value}"
    return str(value) or "defaults"


def _ranking(
    by_model: pd.DataFrame,
    q: pd.DataFrame,
    chi_square: pd.DataFrame,
    patterns: pd.DataFrame,
    answers: pd.DataFrame,
) -> pd.DataFrame:
    """Results by mean NSI, the most framing-sensitive first; those without NSI come last."""
    keys = carried_keys(by_model)
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


def _highest_first(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("nsi", ascending=False, kind="stable", ignore_index=True)


def _worst(scenarios: pd.DataFrame) -> pd.DataFrame:
    ordered = _highest_first(scenarios.dropna(subset="nsi"))
    keys = carried_keys(scenarios)
    return ordered.groupby(keys, sort=False, dropna=False).head(WORST).reset_index(drop=True)


def _profile(scenarios: pd.DataFrame, by: str) -> pd.DataFrame:
    """NSI by scenario for each value of a grouping; no rows where nothing is to be grouped."""
    if by not in scenarios.columns:
        scenarios = scenarios.iloc[:0].assign(**{by: ""})
    return analysis.nsi_summary(scenarios, [by, "scenario", "domain"])


def _by_grouping(by_model: pd.DataFrame, compare: Any) -> pd.DataFrame:
    """The comparison for every grouping with at least two known groups."""
    parts = [
        compare(by_model, by)
        for by in GROUPINGS
        if by in by_model.columns and by_model.loc[by_model[by] != UNSPECIFIED, by].nunique() > 1
    ]
    return pd.concat(parts, ignore_index=True) if parts else compare(by_model.iloc[:0], "origin")


def _ablation_pairs(scenarios: pd.DataFrame) -> pd.DataFrame:
    """The pairs of every ablation; `unit` names the model or, for variants, the family."""
    parts = []
    for setting in ABLATIONS:
        pairs = analysis.ablation_pairs(scenarios, setting)
        unit = "family" if setting == "variant" else "model"
        parts.append(pairs.assign(unit=pairs[unit]))
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else parts[0]


def _ablations(scenarios: pd.DataFrame, by: str | tuple[str, ...]) -> pd.DataFrame:
    return analysis.ablation_summary(_ablation_pairs(scenarios), by)
