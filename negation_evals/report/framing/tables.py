"""The tables of the report, each a call into `negation_evals.analysis`; no formatting here."""

import negation_evals.analysis as analysis
from negation_evals.analysis.framing import tables as declared
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
    decisions = reading.tables[DECISION_LOGS.table.name]
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
        declared.RANKING.name: ranking(by_model, q, chi_square, patterns, kept),
        declared.FRAGILITY.name: analysis.fragility_shares(scenarios),
        declared.FRAGILITY_BY_MODEL.name: analysis.fragility_shares(scenarios, "model"),
        declared.FRAGILITY_BY_ORIGIN.name: analysis.fragility_shares(scenarios, "origin"),
        declared.NSI_BY_DOMAIN.name: highest_first(analysis.nsi_summary(scenarios, "domain")),
        declared.NSI_BY_MODEL_AND_DOMAIN.name: by_domain,
        declared.NSI_BY_SCENARIO.name: analysis.scenario_ranking(scenarios),
        declared.NSI_BY_ORIGIN_AND_SCENARIO.name: nsi_profile(scenarios, "origin"),
        declared.NSI_BY_SIZE_TIER_AND_SCENARIO.name: nsi_profile(scenarios, "size_tier"),
        declared.NSI_BY_CONDITION_AND_SCENARIO.name: condition_profile(scenarios),
        declared.ENDORSEMENT_BY_FRAME.name: by_frame,
        declared.ENDORSEMENT_BY_ORIGIN.name: by_origin,
        declared.ENDORSEMENT_BY_ORIGIN_AND_SCENARIO.name: analysis.endorsement_by_group(
            cells, ["origin", "scenario", "domain"]
        ).drop(columns=["ci_low", "ci_high"]),
        declared.SWING.name: analysis.polarity_swing(by_frame),
        declared.SWING_BY_ORIGIN.name: analysis.polarity_swing(by_origin),
        declared.PATTERNS.name: patterns,
        declared.ACQUIESCENCE_BY_PAIR.name: analysis.acquiescence_summary(pairs),
        declared.GROUP_TESTS.name: by_grouping(by_model, analysis.compare_groups),
        declared.GROUP_PAIRS.name: by_grouping(by_model, analysis.compare_group_pairs),
        declared.AGREEMENT_BY_FRAME.name: analysis.agreement_by_frame(cells),
        declared.ABLATIONS.name: analysis.ablation_summary(ablations),
        declared.ABLATIONS_BY_UNIT.name: analysis.ablation_summary(ablations, "unit"),
        declared.ABLATIONS_BY_SCENARIO.name: analysis.ablation_summary(ablations, "scenario"),
        declared.ANSWER_ORDER.name: analysis.answer_order_effect(decisions),
        declared.MITIGATION.name: analysis.mitigation_effect(decisions),
        declared.CONFIDENCE_BY_MODEL.name: analysis.confidence_summary(confidence),
        declared.ALIGNMENT_BY_FRAME.name: analysis.alignment(decisions, ["origin", "frame"]),
        declared.ALIGNMENT_BY_STANCE.name: analysis.alignment(
            decisions, ["origin", "frame", "endorsed"]
        ),
        declared.ALIGNMENT_BY_SCENARIO.name: analysis.alignment(decisions, ["origin", "scenario"]),
        declared.COMPLIANCE.name: answers,
        declared.EXCLUDED.name: excluded,
        declared.OUTCOMES_BY_FRAME.name: analysis.outcomes_by_frame(cells),
        declared.WORST_SCENARIOS.name: worst_scenarios(scenarios),
        declared.NSI.name: scenarios,
        declared.NSI_BOUNDS.name: bounds,
        declared.NSI_BOUNDS_BY_MODEL.name: analysis.nsi_bounds_summary(bounds),
        declared.ACQUIESCENCE.name: pairs,
        declared.AGREEMENT_BY_PAIR.name: analysis.agreement_by_pair(cells),
        declared.ABLATION_PAIRS.name: ablations,
        declared.CONFIDENCE.name: confidence,
        declared.COCHRAN_Q.name: q,
        declared.HOMOGENEITY.name: chi_square,
        declared.FRAMING_EFFECT.name: effect,
        declared.CELLS.name: cells,
    }
