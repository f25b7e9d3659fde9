"""The public names of the analysis, by the module that defines them."""

from negation_evals.analysis.common.formulas import (
    majority_label as majority_label,
    nsi_from_rates as nsi_from_rates,
)
from negation_evals.analysis.common.multiplicity import (
    adjust_fdr as adjust_fdr,
    adjust_holm as adjust_holm,
)
from negation_evals.analysis.framing.ablation import (
    ablation_pairs as ablation_pairs,
    ablation_summary as ablation_summary,
)
from negation_evals.analysis.framing.acquiescence import (
    acquiescence as acquiescence,
    acquiescence_summary as acquiescence_summary,
)
from negation_evals.analysis.framing.agreement import (
    agreement_by_frame as agreement_by_frame,
    agreement_by_pair as agreement_by_pair,
)
from negation_evals.analysis.framing.answer_order import answer_order_effect as answer_order_effect
from negation_evals.analysis.framing.comparison import (
    Comparison as Comparison,
    compare_audits as compare_audits,
)
from negation_evals.analysis.framing.consensus import mitigation_effect as mitigation_effect
from negation_evals.analysis.framing.framing_effect import framing_effect as framing_effect
from negation_evals.analysis.framing.groups import (
    compare_group_pairs as compare_group_pairs,
    compare_groups as compare_groups,
)
from negation_evals.analysis.framing.intervals.nsi_intervals import (
    mean_range_interval as mean_range_interval,
    nsi_intervals as nsi_intervals,
    range_interval as range_interval,
)
from negation_evals.analysis.framing.nsi import (
    nsi as nsi,
    nsi_bounds as nsi_bounds,
    nsi_null as nsi_null,
    nsi_values as nsi_values,
    svi as svi,
)
from negation_evals.analysis.framing.patterns import (
    Pattern as Pattern,
    failure_patterns as failure_patterns,
)
from negation_evals.analysis.framing.rates import (
    compliance as compliance,
    endorsement_by_frame as endorsement_by_frame,
    endorsement_by_group as endorsement_by_group,
    endorsement_rates as endorsement_rates,
    exclude_models as exclude_models,
    outcomes_by_frame as outcomes_by_frame,
    polarity_swing as polarity_swing,
)
from negation_evals.analysis.framing.read import read_decisions as read_decisions
from negation_evals.analysis.framing.repeats import repeatability as repeatability
from negation_evals.analysis.framing.significance import (
    cochran_q as cochran_q,
    homogeneity as homogeneity,
)
from negation_evals.analysis.framing.stated_confidence import (
    alignment as alignment,
    confidence_by_scenario as confidence_by_scenario,
    confidence_summary as confidence_summary,
)
from negation_evals.analysis.framing.summary import (
    fragility_shares as fragility_shares,
    nsi_bounds_summary as nsi_bounds_summary,
    nsi_summary as nsi_summary,
    scenario_ranking as scenario_ranking,
)
from negation_evals.analysis.framing.tiers import (
    Tier as Tier,
    Verdict as Verdict,
    keeps_tier as keeps_tier,
    tiers as tiers,
)
from negation_evals.analysis.nubench.accuracy import (
    choice_accuracy as choice_accuracy,
    choice_accuracy_over_seeds as choice_accuracy_over_seeds,
)
from negation_evals.analysis.nubench.comparison import (
    ChoiceComparison as ChoiceComparison,
    compare_choices as compare_choices,
)
from negation_evals.analysis.nubench.errors import (
    choice_confusion as choice_confusion,
    choice_errors as choice_errors,
    choice_letters as choice_letters,
)
from negation_evals.analysis.nubench.read import read_choices as read_choices
from negation_evals.analysis.snca.coverage import (
    item_coverage as item_coverage,
    judges as judges,
    unscored_reasons as unscored_reasons,
    verdict_outcomes as verdict_outcomes,
)
from negation_evals.analysis.snca.judges import (
    compare_judges as compare_judges,
    first_observations as first_observations,
    first_policies as first_policies,
)
from negation_evals.analysis.snca.labels import majority_labels as majority_labels
from negation_evals.analysis.snca.read import (
    read_matches as read_matches,
    read_observations as read_observations,
    read_policies as read_policies,
)
from negation_evals.analysis.snca.refusals import (
    mutation_drop as mutation_drop,
    refusal_rates as refusal_rates,
)
from negation_evals.analysis.snca.rule_types import (
    absolute_vs_conditional as absolute_vs_conditional,
    cross_model_summary as cross_model_summary,
    judge_agreement as judge_agreement,
    pairwise_type_agreement as pairwise_type_agreement,
    rule_type_distribution as rule_type_distribution,
    type_agreement as type_agreement,
)
from negation_evals.analysis.snca.scores import (
    predict_behavior as predict_behavior,
    score_items as score_items,
    sncs as sncs,
    sncs_summary as sncs_summary,
)
from negation_evals.analysis.snca.violations import violation_counts as violation_counts
