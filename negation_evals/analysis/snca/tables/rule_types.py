"""Tables of stated policies, and of agreement on them."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import (
    WILSON,
)
from negation_evals.analysis.common.tables import (
    Table,
    flag,
    number,
    share,
    text,
    whole,
)
from negation_evals.analysis.snca.tables.keys import KEYS, MODEL_OR_ALL, VARIES
from negation_evals.analysis.snca.tables.readers import (
    CATEGORY,
    POLICIES,
)
from negation_evals.schema.snca import RuleType

_POLICY_COLUMNS: Final = (
    *("category", "rule_type", "judge_type", "confidence", "regular_type", "predicate"),
    *("status", "reason", "truncated", "filtered", "judge"),
)

SNCA_POLICIES: Final = Table(
    "snca_policies",
    "One row per policy, as in `policies`.",
    (*KEYS, *(replace(POLICIES[name], required=False) for name in _POLICY_COLUMNS)),
)

SNCA_RULE_TYPES: Final = Table(
    "snca_rule_types",
    "One row per result and rule type.",
    (
        *KEYS,
        text("rule_type", "", RuleType),
        whole("n", "categories"),
        share("share", "of the typed categories"),
    ),
    "rule_type_distribution(policies)",
)

SNCA_TYPE_SUMMARY: Final = Table(
    "snca_type_summary",
    "One row, by elicitation where it varies; with two models or more.",
    (
        VARIES,
        whole("n_models"),
        whole("n_categories", "typed for every model"),
        whole("n_unanimous"),
        share("share_unanimous"),
        share("mean_pairwise", "mean agreement of the pairs of models"),
    ),
    "cross_model_summary(policies)",
)

_AGREEMENT: Final = (
    whole("n", "what both gave a verdict on", nullable=True),
    whole("n_agree", nullable=True),
    share("agreement"),
    *WILSON,
    number("kappa", "Cohen's", -1, 1),
    whole("n_unpaired", "what one alone gave a verdict on", nullable=True),
)

SNCA_TYPE_PAIRS: Final = Table(
    "snca_type_pairs",
    "One row per pair of models, by elicitation where it varies.",
    (VARIES, text("model_a"), text("model_b"), *_AGREEMENT),
    "pairwise_type_agreement(policies)",
)

SNCA_TYPE_AGREEMENT: Final = Table(
    "snca_type_agreement",
    "One row per category, by elicitation where it varies.",
    (
        VARIES,
        CATEGORY,
        whole("n_models", "models with a type"),
        whole("n_types"),
        text("rule_type", "the one, or `several`", nullable=True),
        flag(
            "unanimous",
            "missing unless typed for every model, and for two at least",
            nullable=True,
        ),
    ),
    "type_agreement(policies)",
)

SNCA_JUDGE_AGREEMENT: Final = Table(
    "snca_judge_agreement",
    "One row per verdict, model and pair of judges, where a second judge scored the same logs, "
    "over the samples that both judged.",
    (
        text("verdict", "", ("rule_type", "label")),
        MODEL_OR_ALL,
        text("judge_a", "the first"),
        text("judge_b", "the second"),
        *_AGREEMENT,
    ),
    "compare_judges(first, newest, verdict)",
)

JUDGE_AGREEMENT: Final = Table(
    "judge_agreement",
    "One row.",
    _AGREEMENT,
    'judge_agreement(first, second, on=("model", "category"), column="rule_type")',
)
