"""The public names of the analysis, by the module that defines them."""

from .common.formulas import (
    majority_label as majority_label,
    nsi_from_rates as nsi_from_rates,
)
from .common.multiplicity import (
    adjust_fdr as adjust_fdr,
    adjust_holm as adjust_holm,
)
from .framing.ablation import (
    ablation_pairs as ablation_pairs,
    ablation_summary as ablation_summary,
)
from .framing.acquiescence import (
    acquiescence as acquiescence,
    acquiescence_summary as acquiescence_summary,
)
from .framing.agreement import (
    agreement_by_frame as agreement_by_frame,
    agreement_by_pair as agreement_by_pair,
)
from .framing.answer_order import answer_order_effect as answer_order_effect
from .framing.comparison import (
    Comparison as Comparison,
    compare_audits as compare_audits,
)
from .framing.consensus import mitigation_effect as mitigation_effect
from .framing.framing_effect import framing_effect as framing_effect
from .framing.groups import (
    compare_group_pairs as compare_group_pairs,
    compare_groups as compare_groups,
)
from .framing.intervals.nsi_intervals import (
    mean_range_interval as mean_range_interval,
    nsi_intervals as nsi_intervals,
    range_interval as range_interval,
)
from .framing.nsi import (
    nsi as nsi,
    nsi_bounds as nsi_bounds,
    nsi_null as nsi_null,
    nsi_values as nsi_values,
    svi as svi,
)
from .framing.patterns import (
    Pattern as Pattern,
    failure_patterns as failure_patterns,
)
from .framing.rates import (
    compliance as compliance,
    endorsement_by_frame as endorsement_by_frame,
    endorsement_by_group as endorsement_by_group,
    endorsement_rates as endorsement_rates,
    exclude_models as exclude_models,
    outcomes_by_frame as outcomes_by_frame,
    polarity_swing as polarity_swing,
)
from .framing.read import read_decisions as read_decisions
from .framing.repeats import repeatability as repeatability
from .framing.significance import (
    cochran_q as cochran_q,
    homogeneity as homogeneity,
)
from .framing.stated_confidence import (
    alignment as alignment,
    confidence_by_scenario as confidence_by_scenario,
    confidence_summary as confidence_summary,
)
from .framing.summary import (
    fragility_shares as fragility_shares,
    nsi_bounds_summary as nsi_bounds_summary,
    nsi_summary as nsi_summary,
    scenario_ranking as scenario_ranking,
)
from .framing.tiers import (
    Tier as Tier,
    Verdict as Verdict,
    keeps_tier as keeps_tier,
    tiers as tiers,
)
from .nubench.accuracy import (
    choice_accuracy as choice_accuracy,
    choice_accuracy_over_seeds as choice_accuracy_over_seeds,
)
from .nubench.comparison import (
    ChoiceComparison as ChoiceComparison,
    compare_choices as compare_choices,
)
from .nubench.errors import (
    choice_confusion as choice_confusion,
    choice_errors as choice_errors,
    choice_letters as choice_letters,
)
from .nubench.read import read_choices as read_choices
from .snca.audit import read_snca as read_snca, settle as settle
from .snca.coverage import (
    item_coverage as item_coverage,
    judges as judges,
    unscored_reasons as unscored_reasons,
    verdict_outcomes as verdict_outcomes,
)
from .snca.judges import (
    compare_judges as compare_judges,
)
from .snca.labels import majority_labels as majority_labels
from .reading.kinds import ReadOptions as ReadOptions
from .reading.logs import read as read
from .reading.reading import Reading as Reading
from .snca.read import (
    read_matches as read_matches,
    read_observations as read_observations,
    read_policies as read_policies,
)
from .snca.refusals import (
    mutation_drop as mutation_drop,
    refusal_rates as refusal_rates,
)
from .snca.rule_types import (
    absolute_vs_conditional as absolute_vs_conditional,
    cross_model_summary as cross_model_summary,
    judge_agreement as judge_agreement,
    pairwise_type_agreement as pairwise_type_agreement,
    rule_type_distribution as rule_type_distribution,
    type_agreement as type_agreement,
)
from .snca.scores import (
    predict_behavior as predict_behavior,
    score_items as score_items,
    sncs as sncs,
    sncs_summary as sncs_summary,
)
from .snca.violations import violation_counts as violation_counts
