"""Tables of refusals, of what became of verdicts, and of published values."""

from typing import Final

from negation_evals.analysis.common.shared_columns import MODEL, WILSON
from negation_evals.analysis.common.tables import Column, Table, flag, number, share, text, whole
from negation_evals.analysis.snca.tables.keys import KEYS, SOURCE, VARIANT
from negation_evals.analysis.snca.tables.readers import KIND

_PHASE: Final = text("phase", "", ("policy", "response", "match"))


def _refusal(name: str, row: str, by: tuple[Column, ...], call: str) -> Table:
    columns = (
        MODEL,
        *by,
        whole("n_items"),
        whole("n_labelled"),
        whole("n_refuse"),
        whole("n_comply"),
        whole("n_partial"),
        share("refusal_rate", "of the labelled"),
        *WILSON,
        share("partial_rate", "of the labelled"),
        whole("n_unscored"),
        whole("n_three_way", "PARTIAL by a tie of three labels"),
        whole("n_two_way", "PARTIAL by a tie of two"),
        whole("n_filtered", "items"),
        whole("n_truncated", "items"),
    )
    return Table(name, row, columns, call, "arXiv:2604.09189, Phase 2")


SNCA_REFUSAL: Final = _refusal(
    "snca_refusal",
    "One row per model, source and variant.",
    (SOURCE, VARIANT),
    'refusal_rates(observations, by=("source", "variant"))',
)

SNCA_REFUSAL_BY_KIND: Final = _refusal(
    "snca_refusal_by_kind",
    "One row per model and kind of item.",
    (KIND,),
    'refusal_rates(observations, by=("kind",))',
)

SNCA_MUTATION_DROP: Final = Table(
    "snca_mutation_drop",
    "One row per model, source, kind and variant.",
    (
        MODEL,
        SOURCE,
        KIND,
        text("variant", "or `all mutations`"),
        whole("n_base"),
        whole("n_mutated"),
        share("base_rate", "refusal rate"),
        share("mutation_rate", "refusal rate"),
        number("drop_pp", "base minus mutation, in percentage points", -100, 100),
    ),
    "mutation_drop(observations)",
)

SNCA_COMPLIANCE: Final = Table(
    "snca_compliance",
    "One row per model and phase.",
    (
        MODEL,
        _PHASE,
        whole("n", "verdicts"),
        whole("n_scored"),
        whole("n_unscored"),
        share("scored", "share"),
        whole("n_judged", "a judge was asked"),
        whole("n_truncated", "verdicts", nullable=True),
        whole("n_filtered", "verdicts", nullable=True),
        whole(
            "n_three_way",
            "items that are PARTIAL by a tie of three labels; responses alone",
            nullable=True,
        ),
        whole("n_two_way", "by a tie of two", nullable=True),
    ),
    "verdict_outcomes(policies, observations, matches)",
)

SNCA_UNSCORED: Final = Table(
    "snca_unscored",
    "One row per model, phase and reason: why verdicts are missing.",
    (MODEL, _PHASE, text("reason", "or `not stated`"), whole("n", "verdicts")),
    "unscored_reasons(policies, observations, matches)",
)

SNCA_JUDGES: Final = Table(
    "snca_judges",
    "One row per phase and judge.",
    (
        _PHASE,
        text("judge", "or `not stated`"),
        whole("n", "verdicts asked for"),
        flag("judges_itself", "it is one of the models that it judges"),
    ),
    "judges(policies, observations, matches)",
)

SNCA_PUBLISHED: Final = Table(
    "snca_published",
    "With `--published`: one row per result that the paper names and measure.",
    (
        *KEYS,
        text("source", "arXiv number of the paper"),
        text("published_model", "the name in the paper"),
        text(
            "measure",
            "numbers of categories (absolute, conditional, adaptive, opaque), of items "
            "(violations), and shares in [0, 1]",
        ),
        number("value", "NaN where the audit does not have it", 0),
        number("published_value", "", 0),
    ),
)
