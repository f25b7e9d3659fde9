"""Statistics of NUBench choices (arXiv:2506.14397, Sections 5.2 and 5.3, Appendix Q)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from negation_evals.analysis.columns import (
    CHOICE_SETTINGS,
    require_columns,
    result_keys,
    varying_settings,
)
from negation_evals.analysis.intervals import error_per_side
from negation_evals.schema import LETTERS, OptionType, Status

CONDITIONS: Final = ("shots", "instructions", "format", "seed")
"""Always among the keys of a result, whether or not they vary."""
WRONG: Final = (OptionType.LOCAL, OptionType.CONTRADICTION, OptionType.PARAPHRASE)


def choice_keys(choices: pd.DataFrame) -> list[str]:
    """What one result stands for: the model, the conditions, and other settings that vary."""
    keys = result_keys(choices, CHOICE_SETTINGS)
    return [*keys, *(name for name in CONDITIONS if name not in keys)]


def choice_accuracy(choices: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """Accuracy by model and conditions: the mean over items of their share of right answers.

    The standard error is clustered on the Wikipedia page: with d_c the sum over the items of page
    c of (item's share - accuracy), N items and C pages, se = sqrt(C / (C - 1) * sum d_c^2) / N.
    The interval is Wilson's for the effective number of items, accuracy * (1 - accuracy) / se^2,
    or C where all answers are alike, with the quantile of t for C - 1 degrees of freedom: unlike
    accuracy -+ t * se it does not shrink to a point at 0 and 1.

    Args:
        choices: Columns model, item, page, n_options, status, correct, correct_per_token and the
            conditions; of `read_choices`.
        confidence: Of the interval, in (0, 1).

    Returns:
        The keys and: n_items, n_pages, n (scored answers), n_missing (samples without a score),
        accuracy in [0, 1], se, ci_low, ci_high (NaN with fewer than two pages), chance (the mean
        of 1 / options), violations (share of the scored answers that choose no option),
        accuracy_per_token (NaN unless likelihoods were taken).

    Raises:
        ValueError: a column is missing, or the confidence is not between 0 and 1.
    """
    needed = ("item", "page", "n_options", "status", "correct", "correct_per_token")
    _require_result(choices, needed, "choice_accuracy")
    error_per_side(confidence, "choice_accuracy")
    rows = []
    for key, group in _results(choices):
        scored = group[group["correct"].notna()]
        items = scored.groupby(["page", "item"], sort=False).agg(
            share=("correct", "mean"), n_options=("n_options", "first")
        )
        mean, error, n_pages = clustered_mean(
            items["share"].to_numpy(), items.index.get_level_values("page").to_numpy()
        )
        low, high = clustered_wilson(mean, error, len(items), n_pages, confidence)
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


def clustered_mean(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float, int]:
    """Mean, its standard error clustered with the finite correction, and the number of clusters.

    The error is NaN with fewer than two clusters.
    """
    if not len(values):
        return float("nan"), float("nan"), 0
    mean = float(values.mean())
    codes, unique = pd.factorize(clusters)
    n_clusters = len(unique)
    if n_clusters < 2:
        return mean, float("nan"), n_clusters
    deviations = np.bincount(codes, weights=values - mean, minlength=n_clusters)
    variance = n_clusters / (n_clusters - 1) * float((deviations**2).sum())
    return mean, float(np.sqrt(variance)) / len(values), n_clusters


def clustered_wilson(
    mean: float, error: float, n_items: int, n_clusters: int, confidence: float
) -> tuple[float, float]:
    """Wilson's interval for the effective number of items (at most all); NaN for one cluster."""
    tail = error_per_side(confidence, "clustered_wilson")
    if n_clusters < 2:
        return float("nan"), float("nan")
    effective = mean * (1 - mean) / error**2 if error > 1e-12 else n_clusters
    n = min(float(effective), float(n_items))
    q = float(stats.t.ppf(1 - tail, n_clusters - 1))
    centre = (mean + q**2 / (2 * n)) / (1 + q**2 / n)
    half = q * np.sqrt(mean * (1 - mean) / n + q**2 / (4 * n**2)) / (1 + q**2 / n)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def choice_accuracy_over_seeds(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation of the accuracy over seeds, as the paper reports few-shot runs.

    Args:
        accuracy: The table of `choice_accuracy`.

    Returns:
        Its keys without the seed, and: n_seeds, accuracy (mean over seeds), sd (n - 1 in the
        denominator; NaN with one seed), accuracy_min, accuracy_max, n_items_min, n_items_max (of
        a seed), violations, chance, accuracy_per_token (means).
    """
    values = accuracy.columns.get_loc("n_items")
    keys = [name for name in accuracy.columns[: int(values)] if name != "seed"]
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


def choice_errors(choices: pd.DataFrame) -> pd.DataFrame:
    """What the wrong choices are, as shares; format violations are no choices (Appendix Q).

    Returns:
        The keys and: n_valid (choices), n_wrong, n_violations, and the share of the wrong choices
        that are a local negation, contradiction, paraphrase (NaN without any).

    Raises:
        ValueError: a column is missing.
    """
    _require_result(choices, ("status", "chosen", "correct"), "choice_errors")
    rows = []
    for key, group in _results(choices):
        valid = group[group["status"] == Status.VALID]
        wrong = valid.loc[valid["chosen"] != OptionType.STANDARD, "chosen"]
        scored = int(group["correct"].notna().sum())
        row = {"n_valid": len(valid), "n_wrong": len(wrong), "n_violations": scored - len(valid)}
        rows.append(key | row | error_shares(valid["chosen"].tolist()))
    columns = ["n_valid", "n_wrong", "n_violations", *(kind.value for kind in WRONG)]
    return pd.DataFrame(rows, columns=[*choice_keys(choices), *columns])


def error_shares(chosen: Sequence[str]) -> dict[str, float]:
    """Of the choices that are wrong, the share of each type of option; NaN without any.

    Args:
        chosen: Values of `OptionType`; no format violations.
    """
    wrong = [kind for kind in chosen if kind != OptionType.STANDARD]
    shares = {kind.value: wrong.count(kind) for kind in WRONG}
    return {name: n / len(wrong) if wrong else float("nan") for name, n in shares.items()}


def choice_confusion(choices: pd.DataFrame) -> pd.DataFrame:
    """How often the local negation is taken for the standard one, by its construction.

    Returns:
        The keys and: local_type, n_valid (choices on items of that type), n_local, confusion (the
        share that chose the local negation; NaN without any choice).

    Raises:
        ValueError: a column is missing.
    """
    _require_result(choices, ("status", "chosen", "local_type"), "choice_confusion")
    keys = choice_keys(choices)
    rows = []
    for key, group in _results(choices):
        valid = group[(group["status"] == Status.VALID) & group["local_type"].notna()]
        for local_type in sorted(group["local_type"].dropna().unique()):
            chosen = valid.loc[valid["local_type"] == local_type, "chosen"]
            n_local = int((chosen == OptionType.LOCAL).sum())
            rows.append(
                key
                | {
                    "local_type": local_type,
                    "n_valid": len(chosen),
                    "n_local": n_local,
                    "confusion": n_local / len(chosen) if len(chosen) else np.nan,
                }
            )
    return pd.DataFrame(rows, columns=[*keys, "local_type", "n_valid", "n_local", "confusion"])


def choice_letters(choices: pd.DataFrame) -> pd.DataFrame:
    """Which letters are chosen, and where the right option stands: a habit shows as a difference.

    Returns:
        The keys and: letter, chosen (share of the choices), right (share of the same items whose
        right option has that letter).

    Raises:
        ValueError: a column is missing.
    """
    _require_result(choices, ("status", "letter", "right", "n_options"), "choice_letters")
    rows = []
    for key, group in _results(choices):
        valid = group[group["status"] == Status.VALID]
        for letter in LETTERS[: int(group["n_options"].max())]:
            rows.append(
                key
                | {
                    "letter": letter,
                    "chosen": _mean(valid["letter"] == letter),
                    "right": _mean(valid["right"] == letter),
                }
            )
    return pd.DataFrame(rows, columns=[*choice_keys(choices), "letter", "chosen", "right"])


@dataclass(frozen=True)
class ChoiceComparison:
    """Two results on the same items, B minus A."""

    n_items: int
    """Items that both answered."""
    accuracy_a: float
    accuracy_b: float
    difference: float
    """Mean over items of the difference of their shares of right answers, in [-1, 1]."""
    se: float
    """Clustered on the page; NaN with fewer than two pages, or where all items differ alike."""
    ci_low: float
    ci_high: float
    only_a: int
    """Items that A alone answers right; counted where each side has one answer an item."""
    only_b: int
    p_value: float
    """Exact McNemar test, two-sided; NaN where an item has several answers (no such test)."""
    unpaired: int
    """Items that only one of them answered: left out."""


def compare_choices(a: pd.DataFrame, b: pd.DataFrame, confidence: float = 0.95) -> ChoiceComparison:
    """Compare two results on the items that both answered, B minus A.

    The interval is the paired difference -+ t * se, clustered on the page (C - 1 degrees of
    freedom). McNemar's test counts the items that only one answers right and asks whether both
    counts could be of a fair coin; it takes items as independent.

    Args:
        a: Rows of `read_choices` of one model under one set of settings.
        b: The other's.
        confidence: Of the interval, in (0, 1).

    Raises:
        ValueError: the two have no item in common, or share ids over different data; one of them
            holds several results; or the confidence is not between 0 and 1.
    """
    tail = error_per_side(confidence, "compare_choices")
    for name, table in (("a", a), ("b", b)):
        require_columns(table, ("item", "page", "correct"), "compare_choices")
        if several := varying_settings(table, ("model", *CHOICE_SETTINGS)):
            raise ValueError(
                f"compare_choices: table {name} holds several results, which differ in "
                f"{', '.join(several)}: give the rows of one"
            )
    if {"data_hash"} <= set(a.columns) & set(b.columns):
        hashes = set(a["data_hash"]) | set(b["data_hash"])
        if len(hashes) > 1:
            raise ValueError("compare_choices: the two answered different data (data_hash)")
    sides = [_by_item(table) for table in (a, b)]
    both = sides[0].merge(sides[1], left_index=True, right_index=True, suffixes=("_a", "_b"))
    if both.empty:
        raise ValueError("compare_choices: no item was answered by both")
    differences = (both["share_b"] - both["share_a"]).to_numpy()
    mean, error, n_pages = clustered_mean(differences, both["page_a"].to_numpy())
    # All items differ alike, or none does: that is no proof of it, so there is no interval.
    error = error if error > 1e-12 else float("nan")
    half = stats.t.ppf(1 - tail, n_pages - 1) * error if n_pages > 1 else np.nan
    single = bool((both[["n_a", "n_b"]] == 1).all(axis=None))
    only_a, only_b = int((differences < 0).sum()), int((differences > 0).sum())
    test = mcnemar([[0, only_a], [only_b, 0]], exact=True)
    return ChoiceComparison(
        n_items=len(both),
        accuracy_a=float(both["share_a"].mean()),
        accuracy_b=float(both["share_b"].mean()),
        difference=mean,
        se=error,
        ci_low=float(np.maximum(-1.0, mean - half)),
        ci_high=float(np.minimum(1.0, mean + half)),
        only_a=only_a,
        only_b=only_b,
        p_value=float(test.pvalue) if single else float("nan"),
        unpaired=len(sides[0].index.symmetric_difference(sides[1].index)),
    )


def _by_item(table: pd.DataFrame) -> pd.DataFrame:
    scored = table[table["correct"].notna()]
    return scored.groupby("item").agg(
        share=("correct", "mean"), n=("correct", "size"), page=("page", "first")
    )


def _require_result(choices: pd.DataFrame, columns: Sequence[str], function: str) -> None:
    """Check for these columns and those that say which result a row belongs to."""
    require_columns(choices, ("model", *columns, *CONDITIONS), function)


def _results(choices: pd.DataFrame) -> list[tuple[dict[str, Any], pd.DataFrame]]:
    """Each result's keys and rows, in order of appearance."""
    keys = choice_keys(choices)
    return [
        (dict(zip(keys, _as_tuple(values), strict=True)), group)
        for values, group in choices.groupby(keys, sort=False, dropna=False)
    ]


def _as_tuple(values: Hashable) -> Sequence[Any]:
    return values if isinstance(values, tuple) else (values,)


def _mean(values: pd.Series) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _item_mean(rows: pd.DataFrame, column: str) -> float:
    """The mean over items of their means."""
    known = rows[rows[column].notna()]
    return _mean(known.groupby("item")[column].mean())
