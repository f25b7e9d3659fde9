"""Tables of SNCS, of violations, and of the items that count."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import (
    MODEL,
    P_VALUE,
    WILSON,
    interval,
)
from negation_evals.analysis.common.tables import (
    Column,
    Table,
    flag,
    number,
    share,
    text,
    whole,
)
from negation_evals.analysis.snca.tables.keys import KEYS, MODEL_OR_ALL, SOURCE, VARIANT, VARIES
from negation_evals.analysis.snca.tables.readers import (
    CATEGORY,
    KIND,
    OBSERVATIONS,
    RULE_TYPE,
)
from negation_evals.schema.snca import UNPREDICTABLE, VIOLATIONS, Label, RuleType

_SNCS: Final = "arXiv:2604.09189, Phase 3"

_N_ITEMS: Final = whole("n_items")

_N_SCOREABLE: Final = whole("n_scoreable", "predicted and labelled")


def _types(columns: str) -> tuple[Column, ...]:
    return tuple(whole(f"n_{rule.lower()}", columns) for rule in RuleType)


SNCA_SUMMARY: Final = Table(
    "snca_summary",
    "One row per result, the highest SNCS first.",
    (
        *KEYS,
        whole("n_categories"),
        whole("n_typed"),
        whole("n_unscored"),
        *_types("categories of the type"),
        whole("n_scored", "categories with a score"),
        share("opacity", "Opaque among the typed"),
        share("sncs", "mean over categories, never pooled over items"),
        *interval("categories resampled, 95 %"),
        share("sncs_lenient", "PARTIAL as COMPLY"),
        share("sncs_penalised", "sncs (1 - opacity)"),
        share("sncs_absolute"),
        share("sncs_conditional"),
        share("sncs_adaptive"),
        _N_ITEMS,
        _N_SCOREABLE,
        whole("violations", "number of items"),
        whole("abs_comply", "number of items"),
        whole("cond_leak", "number of items"),
        whole("frame_mismatch", "number of items"),
    ),
    "sncs_summary(policies, observations, matches=None, *, resamples=10000, rng=0)",
    _SNCS,
)

SNCA_BY_CATEGORY: Final = Table(
    "snca_by_category",
    "One row per policy.",
    (
        *KEYS,
        CATEGORY,
        RULE_TYPE,
        _N_ITEMS,
        _N_SCOREABLE,
        whole("n_matched", "items as predicted"),
        share("sncs", "n_matched / n_scoreable; NaN where nothing is scoreable"),
        *WILSON,
        share("sncs_lenient", "PARTIAL as COMPLY; a column of the report"),
    ),
    'sncs(policies, observations, matches=None, partial="strict")',
    _SNCS,
)

SNCA_VIOLATIONS: Final = Table(
    "snca_violations",
    "One row per result and violation.",
    (
        *KEYS,
        text("violation", "", VIOLATIONS.values()),
        text("rule_type", "", VIOLATIONS),
        whole("n_scoreable", "items under rules of the type"),
        whole("n", "violations"),
        whole("n_harmful", "of harmful items"),
        whole("n_benign", "of benign items"),
        share("share", "of all violations of the result"),
    ),
    "violation_counts(policies, observations, matches=None)",
)

SNCA_ABSOLUTE_VS_CONDITIONAL: Final = Table(
    "snca_absolute_vs_conditional",
    "One row per model, by elicitation where it varies.",
    (
        VARIES,
        MODEL_OR_ALL,
        whole("n_absolute", "categories"),
        whole("n_conditional", "categories"),
        share("mean_absolute", "mean SNCS"),
        share("mean_conditional", "mean SNCS"),
        number("difference", "absolute - conditional", -1, 1),
        number("ci_low", "Welch, 95 %"),
        number("ci_high", "the upper limit"),
        number("t", "Welch; NaN with fewer than two categories on a side"),
        number("df", "degrees of freedom", 0),
        P_VALUE,
    ),
    "absolute_vs_conditional(scores)",
)

SNCA_COVERAGE: Final = Table(
    "snca_coverage",
    "One row per result. The parts of `n_items` exclude each other and add up.",
    (
        *KEYS,
        _N_ITEMS,
        whole("n_unmapped", "no category"),
        whole("n_without_policy"),
        whole("n_rule_unscored"),
        whole("n_opaque"),
        whole(
            "n_not_judged", "benign, under a Conditional or Adaptive rule, without a match verdict"
        ),
        whole("n_not_matched", "the same, and the verdict is no"),
        whole("n_unlabelled"),
        _N_SCOREABLE,
    ),
    "item_coverage(policies, observations, matches=None)",
)

_ITEM: Final = (MODEL, SOURCE, VARIANT, replace(OBSERVATIONS["item_id"], required=False))

MAJORITY_LABELS: Final = Table(
    "majority_labels",
    "One row per item.",
    (
        *_ITEM,
        text("category"),
        KIND,
        whole("n_epochs"),
        whole("n_labels", "epochs with a label"),
        text("label", "that of most epochs; PARTIAL where none leads", Label, nullable=True),
        text("tie", "", ("", "two labels", "three labels")),
        whole("filtered", "epochs"),
        whole("truncated", "epochs"),
    ),
    "majority_labels(observations)",
)

_PREDICTION: Final = text(
    "prediction",
    "missing under an unscored rule",
    (Label.REFUSE, Label.COMPLY, UNPREDICTABLE),
    nullable=True,
)

SCORED_ITEMS: Final = Table(
    "score_items",
    "One row per item and policy: the columns of `majority_labels`, and these.",
    (
        VARIES,
        RULE_TYPE,
        _PREDICTION,
        text("observed", "the label with PARTIAL resolved", Label, nullable=True),
        flag("scoreable"),
        flag("consistent"),
        text("violation", "", VIOLATIONS.values(), nullable=True),
    ),
    'score_items(policies, observations, matches=None, partial="strict")',
    notes="`predict_behavior(policies, items, matches=None)` gives the items with `rule_type` and "
    "`prediction`.",
)
