"""Accuracy of NUBench choices (arXiv:2506.14397, Section 5.2)."""

import numpy as np
import pandas as pd

from negation_evals.analysis.common.confidence import error_per_side
from negation_evals.analysis.common.proportions import clustered_mean, clustered_wilson
from negation_evals.analysis.nubench.columns import _require_result, _results, choice_keys
from negation_evals.schema.common import Status


def choice_accuracy(choices: pd.DataFrame, *, confidence_level: float = 0.95) -> pd.DataFrame:
    """Accuracy by model and conditions: the mean over items of their share of right answers.

    The standard error is clustered on the Wikipedia page: with d_c the sum over the items of page
    c of (item's share - accuracy), N items and C pages, se = sqrt(C / (C - 1) * sum d_c^2) / N.
    The interval is Wilson's for the effective number of items, accuracy * (1 - accuracy) / se^2,
    or C where all answers are alike, with the quantile of t for C - 1 degrees of freedom: unlike
    accuracy -+ t * se it does not shrink to a point at 0 and 1.

    Args:
        choices: Columns model, item, page, n_options, status, correct, correct_per_token and the
            conditions; of `read_choices`.
        confidence_level: Of the interval, in (0, 1).

    Returns:
        The keys and: n_items, n_pages, n (scored answers), n_missing (samples without a score),
        accuracy in [0, 1], se, ci_low, ci_high (NaN with fewer than two pages), chance (the mean
        of 1 / options), violations (share of the scored answers that choose no option),
        accuracy_per_token (NaN unless likelihoods were taken).

    Raises:
        ValueError: a column is missing, or the confidence level is not between 0 and 1.
    """
    needed = ("item", "page", "n_options", "status", "correct", "correct_per_token")
    _require_result(choices, needed, "choice_accuracy")
    error_per_side(confidence_level, "choice_accuracy")
    rows = []
    for key, group in _results(choices):
        scored = group[group["correct"].notna()]
        items = scored.groupby(["page", "item"], sort=False).agg(
            share=("correct", "mean"), n_options=("n_options", "first")
        )
        mean, error, n_pages = clustered_mean(
            items["share"].to_numpy(), items.index.get_level_values("page").to_numpy()
        )
        low, high = clustered_wilson(mean, error, len(items), n_pages, confidence_level)
        rows.append(
            key
            | {
                "n_items": len(items),
                "n_pages": n_pages,
                "n": len(scored),
                "n_missing": len(group) - len(scored),
                "accuracy": mean,
                "se": error,
                "ci_low": low,
                "ci_high": high,
                "chance": (1 / items["n_options"]).mean() if len(items) else np.nan,
                "violations": _mean(scored["status"] != Status.VALID),
                "accuracy_per_token": _item_mean(scored, "correct_per_token"),
            }
        )
    columns = [
        *("n_items", "n_pages", "n", "n_missing", "accuracy", "se", "ci_low", "ci_high"),
        *("chance", "violations", "accuracy_per_token"),
    ]
    return pd.DataFrame(rows, columns=[*choice_keys(choices), *columns])


def choice_accuracy_over_seeds(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation of the accuracy over seeds, as the paper reports few-shot runs.

    Args:
        accuracy: The table of `choice_accuracy`.

    Returns:
        Its keys without the seed, and: n_seeds, accuracy (mean over seeds), sd (n - 1 in the
        denominator; NaN with one seed), accuracy_min, accuracy_max, n_items_min, n_items_max (of
        a seed), violations, chance, accuracy_per_token (means).
    """
    columns = list(accuracy.columns)
    keys = [name for name in columns[: columns.index("n_items")] if name != "seed"]
    return (
        accuracy.groupby(keys, sort=False, dropna=False)
        .agg(
            n_seeds=("seed", "nunique"),
            accuracy=("accuracy", "mean"),
            sd=("accuracy", "std"),
            accuracy_min=("accuracy", "min"),
            accuracy_max=("accuracy", "max"),
            n_items_min=("n_items", "min"),
            n_items_max=("n_items", "max"),
            violations=("violations", "mean"),
            chance=("chance", "mean"),
            accuracy_per_token=("accuracy_per_token", "mean"),
        )
        .reset_index()
    )


def _mean(values: pd.Series) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _item_mean(rows: pd.DataFrame, column: str) -> float:
    """The mean over items of their means."""
    stated = rows[rows[column].notna()]
    return _mean(stated.groupby("item")[column].mean())
