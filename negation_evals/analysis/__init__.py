"""Statistics over Inspect logs: tables in, tables out; no model is called, nothing is printed."""

from negation_evals.analysis.common.multiplicity import adjust_fdr, adjust_holm
from negation_evals.analysis.framing.ablation import ablation_pairs, ablation_summary
from negation_evals.analysis.framing.acquiescence import acquiescence, acquiescence_summary
from negation_evals.analysis.framing.agreement import agreement_by_frame, agreement_by_pair
from negation_evals.analysis.framing.answer_order import answer_order_effect
from negation_evals.analysis.framing.comparison import Comparison, compare_audits
from negation_evals.analysis.framing.consensus import mitigation_effect
from negation_evals.analysis.framing.framing_effect import framing_effect
from negation_evals.analysis.framing.groups import compare_group_pairs, compare_groups
from negation_evals.analysis.framing.intervals.nsi_intervals import (
    mean_range_interval,
    nsi_intervals,
    range_interval,
)
from negation_evals.analysis.framing.nsi import (
    nsi,
    nsi_bounds,
    nsi_from_rates,
    nsi_null,
    nsi_values,
)
from negation_evals.analysis.framing.patterns import Pattern, failure_patterns
from negation_evals.analysis.framing.rates import (
    compliance,
    endorsement_by_frame,
    endorsement_by_group,
    endorsement_rates,
    exclude_models,
    outcomes_by_frame,
    polarity_swing,
)
from negation_evals.analysis.framing.read import read_decisions
from negation_evals.analysis.framing.repeats import repeatability
from negation_evals.analysis.framing.significance import cochran_q, homogeneity
from negation_evals.analysis.framing.stated_confidence import (
    alignment,
    confidence_by_scenario,
    confidence_summary,
)
from negation_evals.analysis.framing.summary import (
    fragility_shares,
    nsi_bounds_summary,
    nsi_summary,
    scenario_ranking,
)
from negation_evals.analysis.framing.tiers import Tier, Verdict, keeps_tier, tiers
from negation_evals.analysis.nubench.accuracy import choice_accuracy, choice_accuracy_over_seeds
from negation_evals.analysis.nubench.comparison import ChoiceComparison, compare_choices
from negation_evals.analysis.nubench.errors import choice_confusion, choice_errors, choice_letters
from negation_evals.analysis.nubench.read import read_choices
from negation_evals.analysis.reading.logs import ReadOptions, read
from negation_evals.analysis.reading.reading import Reading
from negation_evals.analysis.snca.audit import read_snca, settle
from negation_evals.analysis.snca.coverage import (
    item_coverage,
    judges,
    unscored_reasons,
    verdict_outcomes,
)
from negation_evals.analysis.snca.judges import compare_judges
from negation_evals.analysis.snca.labels import majority_label, majority_labels
from negation_evals.analysis.snca.read import read_matches, read_observations, read_policies
from negation_evals.analysis.snca.refusals import mutation_drop, refusal_rates
from negation_evals.analysis.snca.rule_types import (
    absolute_vs_conditional,
    cross_model_summary,
    judge_agreement,
    pairwise_type_agreement,
    rule_type_distribution,
    type_agreement,
)
from negation_evals.analysis.snca.scores import predict_behavior, score_items, sncs, sncs_summary
from negation_evals.analysis.snca.violations import violation_counts

svi = nsi
"""The Syntactic Variation Index of arXiv:2601.09724 is the same formula under another name."""

__all__ = [
    "ChoiceComparison",
    "Comparison",
    "Pattern",
    "ReadOptions",
    "Reading",
    "Tier",
    "Verdict",
    "ablation_pairs",
    "ablation_summary",
    "absolute_vs_conditional",
    "acquiescence",
    "acquiescence_summary",
    "adjust_fdr",
    "adjust_holm",
    "agreement_by_frame",
    "agreement_by_pair",
    "alignment",
    "answer_order_effect",
    "choice_accuracy",
    "choice_accuracy_over_seeds",
    "choice_confusion",
    "choice_errors",
    "choice_letters",
    "cochran_q",
    "compare_audits",
    "compare_choices",
    "compare_group_pairs",
    "compare_groups",
    "compare_judges",
    "compliance",
    "confidence_by_scenario",
    "confidence_summary",
    "cross_model_summary",
    "endorsement_by_frame",
    "endorsement_by_group",
    "endorsement_rates",
    "exclude_models",
    "failure_patterns",
    "fragility_shares",
    "framing_effect",
    "homogeneity",
    "item_coverage",
    "judge_agreement",
    "judges",
    "keeps_tier",
    "majority_label",
    "majority_labels",
    "mean_range_interval",
    "mitigation_effect",
    "mutation_drop",
    "nsi",
    "nsi_bounds",
    "nsi_bounds_summary",
    "nsi_from_rates",
    "nsi_intervals",
    "nsi_null",
    "nsi_summary",
    "nsi_values",
    "outcomes_by_frame",
    "pairwise_type_agreement",
    "polarity_swing",
    "predict_behavior",
    "range_interval",
    "read",
    "read_choices",
    "read_decisions",
    "read_matches",
    "read_observations",
    "read_policies",
    "read_snca",
    "refusal_rates",
    "repeatability",
    "rule_type_distribution",
    "scenario_ranking",
    "score_items",
    "settle",
    "sncs",
    "sncs_summary",
    "svi",
    "tiers",
    "type_agreement",
    "unscored_reasons",
    "verdict_outcomes",
    "violation_counts",
]
