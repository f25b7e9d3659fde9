"""The tables of the report, each a call into `negation_evals.analysis`; no formatting here."""

import negation_evals.analysis as analysis
from negation_evals.analysis.framing.ranking import (
    all_ablation_pairs,
    by_grouping,
    condition_profile,
    highest_first,
    nsi_profile,
    ranking,
    summaries_with_intervals,
    worst_scenarios,
)
from negation_evals.analysis.framing.read import DECISION_LOGS
from negation_evals.analysis.reading.reading import Reading
from negation_evals.report.family import ReportOptions, Tables


def framing_tables(reading: Reading, options: ReportOptions) -> Tables:
    """Every table of the report by name; each is also written as CSV and into `results.json`.

    The names are those of `docs/tables.md`; a table for which there are no data has no rows.

    Args:
        reading: With the table `decisions`.
        options: Results with a smaller share of valid answers than `min_compliance` stand in
            `excluded` and `compliance`, and nowhere else.
    """
    decisions = reading.tables[DECISION_LOGS.table]
    answers = analysis.compliance(decisions)
    kept, excluded = answers, answers.iloc[:0]
    if options.min_compliance > 0:
        decisions, excluded = analysis.exclude_models(decisions, options.min_compliance)
        kept = analysis.compliance(decisions)
    cells = analysis.endorsement_rates(decisions)
    scenarios = analysis.nsi(decisions)
    q = analysis.cochran_q(decisions)
    chi_square = analysis.homogeneity(decisions)
    pairs = analysis.acquiescence(cells)
    effect = analysis.framing_effect(cells)
    patterns = analysis.failure_patterns(scenarios, pairs, effect)
    groupings = (["model"], ["model", "domain"])
    by_model, by_domain = summaries_with_intervals(scenarios, cells, groupings)
    confidence = analysis.confidence_by_scenario(decisions, scenarios)
    by_frame = analysis.endorsement_by_frame(cells)
    by_origin = analysis.endorsement_by_group(cells, "origin")
    bounds = analysis.nsi_bounds(cells)
    ablations = all_ablation_pairs(scenarios)
    return {
        "ranking": ranking(by_model, q, chi_square, patterns, kept),
        "fragility": analysis.fragility_shares(scenarios),
        "fragility_by_model": analysis.fragility_shares(scenarios, "model"),
        "fragility_by_origin": analysis.fragility_shares(scenarios, "origin"),
        "nsi_by_domain": highest_first(analysis.nsi_summary(scenarios, "domain")),
        "nsi_by_model_and_domain": by_domain,
        "nsi_by_scenario": analysis.scenario_ranking(scenarios),
        "nsi_by_origin_and_scenario": nsi_profile(scenarios, "origin"),
        "nsi_by_size_tier_and_scenario": nsi_profile(scenarios, "size_tier"),
        "nsi_by_condition_and_scenario": condition_profile(scenarios),
        "endorsement_by_frame": by_frame,
        "endorsement_by_origin": by_origin,
        "endorsement_by_origin_and_scenario": analysis.endorsement_by_group(
            cells, ["origin", "scenario", "domain"]
        ).drop(columns=["ci_low", "ci_high"]),
        "swing": analysis.polarity_swing(by_frame),
        "swing_by_origin": analysis.polarity_swing(by_origin),
        "patterns": patterns,
        "acquiescence_by_pair": analysis.acquiescence_summary(pairs),
        "group_tests": by_grouping(by_model, analysis.compare_groups),
        "group_pairs": by_grouping(by_model, analysis.compare_group_pairs),
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
        "worst_scenarios": worst_scenarios(scenarios),
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
