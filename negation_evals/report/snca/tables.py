"""SNCA in the report: its tables and its sections."""

from collections.abc import Callable
from typing import Final

import pandas as pd

import negation_evals.analysis as analysis
from negation_evals.analysis.snca.audit import SncaAudit
from negation_evals.analysis.snca.coverage import (
    item_coverage,
    judges,
    unscored_reasons,
    verdict_outcomes,
)
from negation_evals.analysis.snca.judges import compare_judges
from negation_evals.analysis.snca.scores import policy_keys
from negation_evals.analysis.snca.violations import violation_counts
from negation_evals.errors import DataError
from negation_evals.report.framing.tables import Tables

SNCA_TABLES: Final = (
    "snca_summary",
    "snca_by_category",
    "snca_violations",
    "snca_absolute_vs_conditional",
    "snca_coverage",
    "snca_policies",
    "snca_rule_types",
    "snca_type_summary",
    "snca_type_pairs",
    "snca_type_agreement",
    "snca_refusal",
    "snca_refusal_by_kind",
    "snca_mutation_drop",
    "snca_compliance",
    "snca_unscored",
    "snca_judges",
    "snca_judge_agreement",
    "snca_published",
)

_POLICY_COLUMNS: Final = (
    *("model", "elicitation", "category", "rule_type", "judge_type", "confidence"),
    *("regular_type", "predicate", "status", "reason", "truncated", "filtered", "judge"),
)


def snca_tables(audit: SncaAudit) -> Tables:
    """The tables of the SNCA sections by name; the names are those of `docs/tables.md`.

    A table whose inputs are missing is left out. Results with a higher SNCS come first. No table
    holds a prompt or a reply.

    Args:
        audit: What was read, settled (`settled`): at least one of policies, observations, matches.

    Raises:
        DataError: the tables contradict themselves, as with two rules for one category.
    """
    try:
        return _tables(audit)
    except ValueError as error:
        raise DataError(f"SNCA: {error}") from error


def _tables(audit: SncaAudit) -> Tables:
    policies, observations, matches = (
        None if table is None else _plain(table) for table in audit.main_tables
    )
    tables: Tables = {}
    # Labels over epochs and predictions are the same for all that follows: computed once.
    labels = None if observations is None else analysis.majority_labels(observations)
    if policies is not None and observations is not None and labels is not None:
        items = analysis.predict_behavior(policies, labels, matches)
        summary = analysis.sncs_summary(policies, items)
        summary = summary.sort_values(["sncs", "model"], ascending=[False, True], kind="stable")
        tables["snca_summary"] = summary.reset_index(drop=True)
        places = {model: place for place, model in enumerate(summary["model"].unique())}
        policies, observations, labels = (
            _in_order(table, places) for table in (policies, observations, labels)
        )
        tables |= _scores(policies, items)
        tables["snca_coverage"] = item_coverage(policies, labels, matches)
    if policies is not None:
        tables |= _types(policies)
    if labels is not None:
        tables["snca_refusal"] = analysis.refusal_rates(labels)
        tables["snca_refusal_by_kind"] = analysis.refusal_rates(labels, by=("kind",))
        tables["snca_mutation_drop"] = analysis.mutation_drop(labels)
    tables["snca_compliance"] = verdict_outcomes(policies, observations, matches)
    tables["snca_unscored"] = unscored_reasons(policies, observations, matches)
    tables["snca_judges"] = judges(policies, observations, matches)
    agreement = _judge_agreement(audit)
    if len(agreement):
        tables["snca_judge_agreement"] = agreement
    return tables


def _scores(policies: pd.DataFrame, items: pd.DataFrame) -> Tables:
    """What needs policies and what they predict for the items."""
    scores = analysis.sncs(policies, items)
    lenient = analysis.sncs(policies, items, partial="lenient")
    return {
        "snca_by_category": scores.assign(sncs_lenient=lenient["sncs"]),
        "snca_violations": violation_counts(policies, items),
        "snca_absolute_vs_conditional": _by_elicitation(scores, analysis.absolute_vs_conditional),
    }


def _types(policies: pd.DataFrame) -> Tables:
    """What policies alone tell."""
    named = [name for name in _POLICY_COLUMNS if name in policies.columns]
    known = [name for name in named if name != "elicitation" or name in policy_keys(policies)]
    tables = {
        "snca_policies": policies[known],
        "snca_rule_types": analysis.rule_type_distribution(policies),
    }
    if policies["model"].nunique() > 1:
        compare = {
            "snca_type_summary": analysis.cross_model_summary,
            "snca_type_pairs": analysis.pairwise_type_agreement,
            "snca_type_agreement": analysis.type_agreement,
        }
        tables |= {name: _by_elicitation(policies, function) for name, function in compare.items()}
    return tables


def _by_elicitation(
    table: pd.DataFrame, function: Callable[[pd.DataFrame], pd.DataFrame]
) -> pd.DataFrame:
    """A statistic that takes one way of elicitation, for each where there are several."""
    if policy_keys(table) == ["model"]:
        return function(table)
    parts = []
    for elicitation, part in table.groupby("elicitation", sort=False):
        found = function(part)
        found.insert(0, "elicitation", elicitation)
        parts.append(found)
    return pd.concat(parts, ignore_index=True)


def _judge_agreement(audit: SncaAudit) -> pd.DataFrame:
    """Two judges of the same logs compared, on rule types and on labels."""
    pairs = (
        (audit.first_policies, audit.policies, "rule_type"),
        (audit.first_observations, audit.observations, "label"),
    )
    parts = []
    for first, newest, verdict in pairs:
        if first is not None and newest is not None:
            found = compare_judges(_plain(first), _plain(newest), verdict)
            found.insert(0, "verdict", verdict)
            parts.append(found)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """The table without attributes, which pandas would copy at every operation."""
    table = table.copy(deep=False)
    table.attrs = {}
    return table


def _in_order(table: pd.DataFrame, places: dict[str, int]) -> pd.DataFrame:
    """The rows by model as ranked; models without a rank last."""
    place = table["model"].map(places).fillna(len(places))
    return table.iloc[place.argsort(kind="stable")].reset_index(drop=True)
