"""Statistics over Inspect logs: tables in, tables out; no model is called, nothing is printed.

A name is imported when it is first used: pandas and statsmodels take a second to load.
"""

from importlib import import_module
from typing import Any, Final

_MODULES: Final = {
    "common.formulas": "majority_label nsi_from_rates",
    "common.multiplicity": "adjust_fdr adjust_holm",
    "framing.ablation": "ablation_pairs ablation_summary",
    "framing.acquiescence": "acquiescence acquiescence_summary",
    "framing.agreement": "agreement_by_frame agreement_by_pair",
    "framing.answer_order": "answer_order_effect",
    "framing.comparison": "Comparison compare_audits",
    "framing.consensus": "mitigation_effect",
    "framing.framing_effect": "framing_effect",
    "framing.groups": "compare_group_pairs compare_groups",
    "framing.intervals.nsi_intervals": "mean_range_interval nsi_intervals range_interval",
    "framing.nsi": "nsi nsi_bounds nsi_null nsi_values svi",
    "framing.patterns": "Pattern failure_patterns",
    "framing.rates": "compliance endorsement_by_frame endorsement_by_group "
    "endorsement_rates exclude_models outcomes_by_frame polarity_swing",
    "framing.read": "read_decisions",
    "framing.repeats": "repeatability",
    "framing.significance": "cochran_q homogeneity",
    "framing.stated_confidence": "alignment confidence_by_scenario confidence_summary",
    "framing.summary": "fragility_shares nsi_bounds_summary nsi_summary scenario_ranking",
    "framing.tiers": "Tier Verdict keeps_tier tiers",
    "nubench.accuracy": "choice_accuracy choice_accuracy_over_seeds",
    "nubench.comparison": "ChoiceComparison compare_choices",
    "nubench.errors": "choice_confusion choice_errors choice_letters",
    "nubench.read": "read_choices",
    "snca.coverage": "item_coverage judges unscored_reasons verdict_outcomes",
    "snca.judges": "compare_judges first_observations first_policies",
    "snca.labels": "majority_labels",
    "snca.read": "read_matches read_observations read_policies",
    "snca.refusals": "mutation_drop refusal_rates",
    "snca.rule_types": "absolute_vs_conditional cross_model_summary judge_agreement "
    "pairwise_type_agreement rule_type_distribution type_agreement",
    "snca.scores": "predict_behavior score_items sncs sncs_summary",
    "snca.violations": "violation_counts",
}
"""The public names, by the module that defines them."""
_MODULE_OF: Final = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    """A public name, from its module."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
