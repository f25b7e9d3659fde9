"""The tables of SNCA: their names, rows and columns."""

from typing import Final

from negation_evals.analysis.common.tables import Table
from negation_evals.analysis.snca.tables.readers import (
    MATCHES,
    OBSERVATIONS,
    POLICIES,
)
from negation_evals.analysis.snca.tables.rule_types import (
    JUDGE_AGREEMENT,
    SNCA_JUDGE_AGREEMENT,
    SNCA_POLICIES,
    SNCA_RULE_TYPES,
    SNCA_TYPE_AGREEMENT,
    SNCA_TYPE_PAIRS,
    SNCA_TYPE_SUMMARY,
)
from negation_evals.analysis.snca.tables.scores import (
    MAJORITY_LABELS,
    SCORED_ITEMS,
    SNCA_ABSOLUTE_VS_CONDITIONAL,
    SNCA_BY_CATEGORY,
    SNCA_COVERAGE,
    SNCA_SUMMARY,
    SNCA_VIOLATIONS,
)
from negation_evals.analysis.snca.tables.verdicts import (
    SNCA_COMPLIANCE,
    SNCA_JUDGES,
    SNCA_MUTATION_DROP,
    SNCA_PUBLISHED,
    SNCA_REFUSAL,
    SNCA_REFUSAL_BY_KIND,
    SNCA_UNSCORED,
)

READ: Final[tuple[Table, ...]] = (POLICIES, OBSERVATIONS, MATCHES)
"""What the readers give."""

TABLES: Final[tuple[Table, ...]] = (
    SNCA_SUMMARY,
    SNCA_BY_CATEGORY,
    SNCA_VIOLATIONS,
    SNCA_ABSOLUTE_VS_CONDITIONAL,
    SNCA_COVERAGE,
    SNCA_POLICIES,
    SNCA_RULE_TYPES,
    SNCA_TYPE_SUMMARY,
    SNCA_TYPE_PAIRS,
    SNCA_TYPE_AGREEMENT,
    SNCA_REFUSAL,
    SNCA_REFUSAL_BY_KIND,
    SNCA_MUTATION_DROP,
    SNCA_COMPLIANCE,
    SNCA_UNSCORED,
    SNCA_JUDGES,
    SNCA_JUDGE_AGREEMENT,
    SNCA_PUBLISHED,
)
"""The tables of the report, in its order."""

OTHERS: Final[tuple[Table, ...]] = (MAJORITY_LABELS, SCORED_ITEMS, JUDGE_AGREEMENT)
"""What the report does not show."""

__all__ = [
    "JUDGE_AGREEMENT",
    "MAJORITY_LABELS",
    "MATCHES",
    "OBSERVATIONS",
    "OTHERS",
    "POLICIES",
    "READ",
    "SCORED_ITEMS",
    "SNCA_ABSOLUTE_VS_CONDITIONAL",
    "SNCA_BY_CATEGORY",
    "SNCA_COMPLIANCE",
    "SNCA_COVERAGE",
    "SNCA_JUDGES",
    "SNCA_JUDGE_AGREEMENT",
    "SNCA_MUTATION_DROP",
    "SNCA_POLICIES",
    "SNCA_PUBLISHED",
    "SNCA_REFUSAL",
    "SNCA_REFUSAL_BY_KIND",
    "SNCA_RULE_TYPES",
    "SNCA_SUMMARY",
    "SNCA_TYPE_AGREEMENT",
    "SNCA_TYPE_PAIRS",
    "SNCA_TYPE_SUMMARY",
    "SNCA_UNSCORED",
    "SNCA_VIOLATIONS",
    "TABLES",
]
