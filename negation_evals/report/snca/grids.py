"""Tables of the SNCA sections as text: their columns, and what stands in front of the rows."""

from collections.abc import Iterable
from typing import Final

import pandas as pd

from negation_evals.report.documents.grids import (
    Column,
    Grid,
    count,
    grid,
    number,
    share,
    text,
    with_limits,
)
from negation_evals.report.figures.figure import Tables
from negation_evals.report.snca.labels import audit_labels
from negation_evals.schema.snca import RuleType

SUMMARY: Final = (
    number("SNCS", "sncs"),
    number("Lenient", "sncs_lenient"),
    number("Penalised", "sncs_penalised"),
    share("Opacity", "opacity"),
    count("Categories", "n_scored"),
    count("Of", "n_categories"),
    count("Items", "n_scoreable"),
    count("Broken", "violations"),
)
TERMINAL_SUMMARY: Final = tuple(
    column
    for column in SUMMARY
    if column.names[0] not in {"sncs_lenient", "n_scored", "n_categories"}
)
"""Those of them that fit a terminal of 100 columns beside long names."""

BY_TYPE: Final = tuple(
    number(str(rule), f"sncs_{rule}".lower()) for rule in RuleType if rule != RuleType.OPAQUE
)

REFUSAL_BY_KIND: Final = (
    text("Kind", "kind"),
    share("Refused", "refusal_rate"),
    share("In part", "partial_rate"),
    count("Labelled", "n_labelled"),
    count("Unlabelled", "n_unscored"),
    count("Items", "n_items"),
)

COMPLIANCE: Final = (
    text("Phase", "phase"),
    count("Verdicts", "n"),
    count("Missing", "n_unscored"),
    share("Scored", "scored"),
    count("Judged", "n_judged"),
    count("Truncated", "n_truncated"),
    count("Filtered", "n_filtered"),
    count("3-way ties", "n_three_way"),
    count("2-way ties", "n_two_way"),
)

COVERAGE: Final = (
    count("Items", "n_items"),
    count("Scored", "n_scoreable"),
    count("No category", "n_unmapped"),
    count("No policy", "n_without_policy"),
    count("Not typed", "n_rule_unscored"),
    count("Opaque", "n_opaque"),
    count("Not judged", "n_not_judged"),
    count("Not matched", "n_not_matched"),
    count("No label", "n_unlabelled"),
)


def result_grid(
    tables: Tables,
    source: str,
    columns: Iterable[Column],
    title: str = "",
    *,
    first: str = "Model",
    table: pd.DataFrame | None = None,
    interval: bool = True,
) -> Grid:
    """A table as text; in front the model, and how its policy was elicited where that varies."""
    table = tables[source] if table is None else table
    shown = with_limits(table, columns) if interval else tuple(columns)
    labels = (first, audit_labels(table))
    return grid(table, shown, title=title, source=source, labels=labels)


def type_counts(tables: Tables) -> Grid:
    """How many categories have which type, one row per result."""
    table = tables["snca_rule_types"]
    keys = [name for name in ("model", "elicitation") if name in table.columns]
    wide = table[keys].drop_duplicates()
    for rule in RuleType:
        counts = table.loc[table["rule_type"] == rule, [*keys, "n"]]
        wide = wide.merge(counts.rename(columns={"n": str(rule)}), on=keys)
    opaque = table.loc[table["rule_type"] == RuleType.OPAQUE, [*keys, "share"]]
    wide = wide.merge(opaque, on=keys)
    policies = tables["snca_policies"]
    untyped = policies[keys].assign(untyped=policies["rule_type"].isna())
    wide = wide.merge(untyped.groupby(keys, sort=False)["untyped"].sum().reset_index(), on=keys)
    columns = [
        *(count(str(rule), str(rule)) for rule in RuleType),
        count("Not typed", "untyped"),
        share("Opacity", "share"),
    ]
    return result_grid(tables, "snca_rule_types", columns, "Types of stated policies", table=wide)
