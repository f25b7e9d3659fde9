"""What the SNCA statistics rest on: broken rules, items that count, and what became of verdicts.

For the tables `policies`, `observations` and `matches` see `snca.scores`.
"""

from typing import Final

import pandas as pd

from negation_evals.analysis.snca.labels import item_labels
from negation_evals.analysis.snca.refusals import refusal_rates
from negation_evals.analysis.snca.scores import (
    checked_policies,
    policy_keys,
    predict_behavior,
    score_items,
)
from negation_evals.schema.snca import UNPREDICTABLE, RuleType

POLICY: Final = "policy"
RESPONSE: Final = "response"
MATCH: Final = "match"

NOT_STATED: Final = "not stated"
"""The reason of an unscored verdict where none is recorded, and the judge that no table names."""

_PARTS: Final = (
    *("n_unmapped", "n_without_policy", "n_rule_unscored", "n_opaque", "n_not_judged"),
    *("n_not_matched", "n_unlabelled", "n_scoreable"),
)


def item_coverage(
    policies: pd.DataFrame, observations: pd.DataFrame, matches: pd.DataFrame | None = None
) -> pd.DataFrame:
    """How many items count towards SNCS, and why the others do not.

    Returns:
        One row per result: model (and elicitation where it varies), n_items, and its parts, which
        exclude each other and add up: n_unmapped (of no category), n_without_policy (no policy on
        the category), n_rule_unscored, n_opaque, n_not_judged (benign, under a Conditional or
        Adaptive rule, without a match verdict), n_not_matched (the same, and the verdict says no),
        n_unlabelled (predicted, but without a label), n_scoreable. A model without any policy has
        a row too.

    Raises:
        ValueError: see `sncs`.
    """
    rules = checked_policies(policies)
    keys = policy_keys(rules)
    labels = item_labels(observations)
    items = score_items(rules, labels, matches)
    verdicts = None if matches is None else matches.dropna(subset="matched").assign(matched=True)
    if_matched = predict_behavior(rules, labels, verdicts)["prediction"]
    rule = items["rule_type"]
    opaque = rule == RuleType.OPAQUE
    open_ = (items["prediction"] == UNPREDICTABLE) & ~opaque
    judged = (if_matched != UNPREDICTABLE).to_numpy()
    marks = {
        "n_rule_unscored": rule.isna(),
        "n_opaque": opaque,
        "n_not_judged": open_ & ~judged,
        "n_not_matched": open_ & judged,
        "n_unlabelled": rule.notna() & ~opaque & ~open_ & ~items["scoreable"],
        "n_scoreable": items["scoreable"],
    }
    counted = items[keys].assign(n_with_policy=1, **marks)
    table = rules[keys].drop_duplicates()
    others = labels.loc[~labels["model"].isin(set(table["model"])), ["model"]].drop_duplicates()
    table = pd.concat([table, others], ignore_index=True)
    per_model = labels.assign(n_unmapped=labels["category"] == "").groupby("model", sort=False)
    totals = per_model["n_unmapped"].agg(n_items="size", n_unmapped="sum").reset_index()
    table = table.merge(totals, on="model", how="left")
    table = table.merge(counted.groupby(keys, sort=False).sum().reset_index(), on=keys, how="left")
    numbers = [name for name in table.columns if name not in keys]
    table[numbers] = table[numbers].fillna(0).astype(int)
    without = table["n_items"] - table["n_unmapped"] - table["n_with_policy"]
    return table.assign(n_without_policy=without)[[*keys, "n_items", *_PARTS]]


def verdict_outcomes(
    policies: pd.DataFrame | None = None,
    observations: pd.DataFrame | None = None,
    matches: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """What became of the verdicts of each phase; tables that are missing have no rows.

    Returns:
        One row per model and phase (policy, response, match): model, phase, n (statements, or
        responses, or benign items), n_scored, n_unscored, scored (share in [0, 1]), n_judged (a
        judge was asked), n_truncated, n_filtered (of n; missing where it does not apply),
        n_three_way, n_two_way (items whose label is PARTIAL by a tie; responses alone).

    Raises:
        ValueError: see `majority_labels`.
    """
    parts = []
    for phase, table, value in _phases(policies, observations, matches):
        scored = table[value].notna()
        marks = {"n_scored": scored, "n_unscored": ~scored, "n_judged": _present(table, "judge")}
        for mark in ("truncated", "filtered") if phase != MATCH else ():
            marks[f"n_{mark}"] = _flag(table, mark)
        groups = table[["model"]].assign(**marks).groupby("model", sort=False)
        part = groups[list(marks)].sum().astype("Int64")
        part.insert(0, "n", groups.size().astype("Int64"))
        part = part.reset_index().assign(phase=phase)
        if phase == RESPONSE:
            ties = refusal_rates(table, by=())[["model", "n_three_way", "n_two_way"]]
            part = part.merge(ties.convert_dtypes(), on="model", how="left")
        parts.append(part)
    columns = ["model", "phase", "n", "n_scored", "n_unscored", "scored", "n_judged"]
    columns += ["n_truncated", "n_filtered", "n_three_way", "n_two_way"]
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat(parts, ignore_index=True)
    table["scored"] = (table["n_scored"] / table["n"]).astype(float)
    return table.reindex(columns=columns)


def unscored_reasons(
    policies: pd.DataFrame | None = None,
    observations: pd.DataFrame | None = None,
    matches: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Why verdicts are missing.

    Returns:
        model, phase, reason (as recorded, such as grader_failed or no_response; error for a sample
        that failed; "not stated"), n. Nothing unscored: no rows.
    """
    parts = []
    for phase, table, value in _phases(policies, observations, matches):
        missing = table[table[value].isna()]
        reasons = pd.Series(None, index=missing.index, dtype=object)
        for column in ("reason", "status"):
            if column in missing.columns:
                reasons = reasons.where(reasons.notna(), missing[column].astype(object))
        reasons = reasons.where(reasons.notna(), NOT_STATED)
        counts = missing.assign(reason=reasons).groupby(["model", "reason"], sort=False).size()
        parts.append(counts.rename("n").reset_index().assign(phase=phase))
    columns = ["model", "phase", "reason", "n"]
    filled = [part for part in parts if len(part)]
    if not filled:
        return pd.DataFrame(columns=columns)
    return pd.concat(filled, ignore_index=True)[columns]


def judges(
    policies: pd.DataFrame | None = None,
    observations: pd.DataFrame | None = None,
    matches: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Who judged what.

    Returns:
        phase (policy, response, match), judge ("not stated" for verdicts whose judge no table
        names; what the phrases or the provider's filter decide has none and is left out), n
        (verdicts asked for), judges_itself (is the judge one of the models that it judges?).
    """
    rows = []
    for phase, table, value in _phases(policies, observations, matches):
        judge = pd.Series(None, index=table.index, dtype=object)
        if "judge" in table.columns:
            judge = table["judge"].astype(object)
        by_rule = _flag(table, "filtered")
        if "tier" in table.columns:
            by_rule |= table["tier"].isin([0, 1])
        counted = judge.notna() | (table[value].notna() & ~by_rule)
        names = judge.where(judge.notna(), NOT_STATED)[counted]
        for name, part in table[counted].groupby(names, sort=True):
            itself = name in set(part["model"])
            rows.append({"phase": phase, "judge": name, "n": len(part), "judges_itself": itself})
    return pd.DataFrame(rows, columns=["phase", "judge", "n", "judges_itself"])


def _phases(
    policies: pd.DataFrame | None,
    observations: pd.DataFrame | None,
    matches: pd.DataFrame | None,
) -> list[tuple[str, pd.DataFrame, str]]:
    """The tables that are there, each with its phase and the column of its verdict."""
    tables = ((POLICY, policies, "rule_type"), (RESPONSE, observations, "label"))
    everything = (*tables, (MATCH, matches, "matched"))
    return [
        (phase, table.reset_index(drop=True), value)
        for phase, table, value in everything
        if table is not None
    ]


def _present(table: pd.DataFrame, column: str) -> pd.Series:
    if column not in table.columns:
        return pd.Series(False, index=table.index)
    return table[column].notna()


def _flag(table: pd.DataFrame, column: str) -> pd.Series:
    """A mark as true or false; false where a table does not have it."""
    if column not in table.columns:
        return pd.Series(False, index=table.index)
    return table[column].astype(object).eq(True).astype(bool)
