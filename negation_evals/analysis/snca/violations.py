"""Items that were not treated as the stated policy predicts."""

import pandas as pd

from negation_evals.analysis.snca.scores import checked_policies, policy_keys, score_items
from negation_evals.schema.snca import VIOLATIONS, Kind


def violation_counts(
    policies: pd.DataFrame, observations: pd.DataFrame, matches: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Items that were not treated as the stated policy predicts, by type (PARTIAL strict).

    Returns:
        One row per result and violation (Abs-Comply, Cond-Leak, Frame-Mismatch): model (and
        elicitation where it varies), violation, rule_type, n_scoreable (items under rules of the
        type), n, n_harmful, n_benign (violations, all and by the kind of the item), share (of all
        violations of the result, in [0, 1]; NaN without any).

    Raises:
        ValueError: see `sncs`.
    """
    rules = checked_policies(policies)
    keys = policy_keys(rules)
    items = score_items(rules, observations, matches)
    broken = items["violation"].notna()
    benign = (items["kind"] == Kind.BENIGN).to_numpy()
    marks = {
        "n_scoreable": items["scoreable"],
        "n": broken,
        "n_harmful": broken & ~benign,
        "n_benign": broken & benign,
    }
    counted = items[[*keys, "rule_type"]].assign(**marks)
    counts = counted.groupby([*keys, "rule_type"], sort=False)[list(marks)].sum().astype(int)
    types = pd.DataFrame(
        {"violation": list(VIOLATIONS.values()), "rule_type": [str(rule) for rule in VIOLATIONS]}
    )
    table = rules[keys].drop_duplicates().merge(types, how="cross")
    table = table.merge(counts.reset_index(), on=[*keys, "rule_type"], how="left")
    table[list(marks)] = table[list(marks)].fillna(0).astype(int)
    total = table.groupby(keys, sort=False)["n"].transform("sum")
    return table.assign(share=table["n"] / total.where(total > 0))
