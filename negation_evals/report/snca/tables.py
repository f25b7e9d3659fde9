"""SNCA in the report: its tables and its sections."""

from collections.abc import Callable
from typing import Final

import pandas as pd

import negation_evals.analysis as analysis
from negation_evals.analysis.reading.reading import Reading
from negation_evals.analysis.snca import tables as declared
from negation_evals.analysis.snca.coverage import (
    item_coverage,
    judges,
    unscored_reasons,
    verdict_outcomes,
)
from negation_evals.analysis.snca.judges import compare_judges
from negation_evals.analysis.snca.read import (
    FIRST_OBSERVATION_LOGS,
    FIRST_POLICY_LOGS,
    MATCH_LOGS,
    OBSERVATION_LOGS,
    POLICY_LOGS,
)
from negation_evals.analysis.snca.scores import policy_keys
from negation_evals.analysis.snca.violations import violation_counts
from negation_evals.errors import DataError
from negation_evals.report.family import ReportOptions, Tables

_POLICY_COLUMNS: Final = (
    *("model", "elicitation", "category", "rule_type", "judge_type", "confidence"),
    *("regular_type", "predicate", "status", "reason", "truncated", "filtered", "judge"),
)


def snca_tables(reading: Reading, options: ReportOptions) -> Tables:
    """The tables of the SNCA sections by name; the names are those of `docs/tables.md`.

    A table whose inputs are missing is left out. Results with a higher SNCS come first. No table
    holds a prompt or a reply.

    Args:
        reading: Settled (`settle`), with at least one of policies, observations, matches.
        options: Do not change these tables.

    Raises:
        DataError: the tables contradict themselves, as with two rules for one category.
    """
    try:
        return _tables(reading)
    except ValueError as error:
        raise DataError(f"SNCA: {error}") from error


def _tables(reading: Reading) -> Tables:
    kinds = (POLICY_LOGS, OBSERVATION_LOGS, MATCH_LOGS)
    policies, observations, matches = (reading.tables.get(kind.table.name) for kind in kinds)
    tables: Tables = {}
    # Labels over epochs and predictions are the same for all that follows: computed once.
    labels = None if observations is None else analysis.majority_labels(observations)
    if policies is not None and labels is not None:
        items = analysis.predict_behavior(policies, labels, matches)
        summary = analysis.sncs_summary(policies, items)
        summary = summary.sort_values(["sncs", "model"], ascending=[False, True], kind="stable")
        tables[declared.SNCA_SUMMARY.name] = summary.reset_index(drop=True)
        places = {model: place for place, model in enumerate(summary["model"].unique())}
        policies, labels = (_in_order(table, places) for table in (policies, labels))
        observations = None if observations is None else _in_order(observations, places)
        tables |= _scores(policies, items)
        tables[declared.SNCA_COVERAGE.name] = item_coverage(policies, labels, matches)
    if policies is not None:
        tables |= _types(policies)
    if labels is not None:
        tables[declared.SNCA_REFUSAL.name] = analysis.refusal_rates(labels)
        tables[declared.SNCA_REFUSAL_BY_KIND.name] = analysis.refusal_rates(labels, by=("kind",))
        tables[declared.SNCA_MUTATION_DROP.name] = analysis.mutation_drop(labels)
    tables[declared.SNCA_COMPLIANCE.name] = verdict_outcomes(policies, observations, matches)
    tables[declared.SNCA_UNSCORED.name] = unscored_reasons(policies, observations, matches)
    tables[declared.SNCA_JUDGES.name] = judges(policies, observations, matches)
    agreement = _judge_agreement(reading)
    if len(agreement):
        tables[declared.SNCA_JUDGE_AGREEMENT.name] = agreement
    return tables


def _scores(policies: pd.DataFrame, items: pd.DataFrame) -> Tables:
    """What needs policies and what they predict for the items."""
    scores = analysis.sncs(policies, items)
    lenient = analysis.sncs(policies, items, partial="lenient")
    contrast = _by_elicitation(scores, analysis.absolute_vs_conditional)
    return {
        declared.SNCA_BY_CATEGORY.name: scores.assign(sncs_lenient=lenient["sncs"]),
        declared.SNCA_VIOLATIONS.name: violation_counts(policies, items),
        declared.SNCA_ABSOLUTE_VS_CONDITIONAL.name: contrast,
    }


def _types(policies: pd.DataFrame) -> Tables:
    """What policies alone tell."""
    named = [name for name in _POLICY_COLUMNS if name in policies.columns]
    known = [name for name in named if name != "elicitation" or name in policy_keys(policies)]
    tables = {
        declared.SNCA_POLICIES.name: policies[known],
        declared.SNCA_RULE_TYPES.name: analysis.rule_type_distribution(policies),
    }
    if policies["model"].nunique() > 1:
        compare = {
            declared.SNCA_TYPE_SUMMARY.name: analysis.cross_model_summary,
            declared.SNCA_TYPE_PAIRS.name: analysis.pairwise_type_agreement,
            declared.SNCA_TYPE_AGREEMENT.name: analysis.type_agreement,
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


def _judge_agreement(reading: Reading) -> pd.DataFrame:
    """Two judges of the same logs compared, on rule types and on labels."""
    pairs = (
        (FIRST_POLICY_LOGS, POLICY_LOGS, "rule_type"),
        (FIRST_OBSERVATION_LOGS, OBSERVATION_LOGS, "label"),
    )
    parts = []
    for first, newest, verdict in pairs:
        if {first.table.name, newest.table.name} <= set(reading.tables):
            tables = (reading.tables[first.table.name], reading.tables[newest.table.name])
            found = compare_judges(*tables, verdict)
            found.insert(0, "verdict", verdict)
            parts.append(found)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _in_order(table: pd.DataFrame, places: dict[str, int]) -> pd.DataFrame:
    """The rows by model as ranked; models without a rank last."""
    place = table["model"].map(places).fillna(len(places))
    return table.iloc[place.argsort(kind="stable")].reset_index(drop=True)
