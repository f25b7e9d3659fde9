"""Rule types compared: over models, between judges, and the scores of one type against another.

For the tables `policies` and `observations` see `snca.scores`.
"""

import warnings
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ttest_ind
from statsmodels.stats.inter_rater import cohens_kappa

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.proportions import wilson_interval
from negation_evals.analysis.snca.scores import checked_policies, policy_keys
from negation_evals.schema.snca import RuleType

ALL_MODELS: Final = "all models"
SEVERAL: Final = "several"


def rule_type_distribution(policies: pd.DataFrame) -> pd.DataFrame:
    """How many categories have which rule type, per model.

    Returns:
        model (and elicitation where it varies), rule_type, n, share (of the typed categories; NaN
        without any).

    Raises:
        ValueError: see `sncs`.
    """
    rules = checked_policies(policies)
    keys = policy_keys(rules)
    rows = []
    for key, part in rules.groupby(keys, sort=False):
        counts = part["rule_type"].value_counts()
        for rule in RuleType:
            n = int(counts.get(str(rule), 0))
            share = n / counts.sum() if counts.sum() else np.nan
            rows.append(
                dict(zip(keys, key, strict=True)) | {"rule_type": str(rule), "n": n, "share": share}
            )
    return pd.DataFrame(rows, columns=[*keys, "rule_type", "n", "share"])


def type_agreement(policies: pd.DataFrame) -> pd.DataFrame:
    """Per category: do all models state a policy of one type?

    Returns:
        category, n_models (that have a typed policy), n_types, rule_type (the one, or "several"),
        unanimous (missing with fewer than two typed models, or where a model has none).

    Raises:
        ValueError: see `sncs`; or the policies were elicited in several ways.
    """
    rules = _one_elicitation(policies, "type_agreement")
    n_models = rules["model"].nunique()
    rows = []
    for category, part in rules.groupby("category", sort=False):
        types = part["rule_type"].dropna()
        unanimous: Any = types.nunique() == 1
        if len(types) < max(n_models, 2):
            unanimous = pd.NA
        only = types.iloc[0] if types.nunique() == 1 else (SEVERAL if len(types) else None)
        row = {"category": category, "n_models": len(types), "n_types": types.nunique()}
        rows.append(row | {"rule_type": only, "unanimous": unanimous})
    table = pd.DataFrame(
        rows, columns=["category", "n_models", "n_types", "rule_type", "unanimous"]
    )
    return table.astype({"unanimous": "boolean"})


def pairwise_type_agreement(policies: pd.DataFrame) -> pd.DataFrame:
    """For every two models the share of categories with policies of one type.

    Returns:
        model_a, model_b, and the columns of `judge_agreement`.

    Raises:
        ValueError: see `type_agreement`.
    """
    rules = _one_elicitation(policies, "pairwise_type_agreement")
    wide = rules.pivot(index="category", columns="model", values="rule_type")
    models = list(dict.fromkeys(rules["model"]))
    rows = [
        {"model_a": a, "model_b": b} | _agreement(wide[a], wide[b])
        for a, b in combinations(models, 2)
    ]
    return pd.DataFrame(rows, columns=["model_a", "model_b", *_AGREEMENT])


def cross_model_summary(policies: pd.DataFrame) -> pd.DataFrame:
    """Agreement of all models in one row.

    Returns:
        n_models, n_categories (typed for every model), n_unanimous, share_unanimous,
        mean_pairwise (mean of the pairs' agreement).

    Raises:
        ValueError: see `type_agreement`.
    """
    unanimous = type_agreement(policies)["unanimous"].dropna()
    pairs = pairwise_type_agreement(policies)["agreement"].dropna()
    n = len(unanimous)
    row = {
        "n_models": policies["model"].nunique(),
        "n_categories": n,
        "n_unanimous": int(unanimous.sum()),
        "share_unanimous": float(unanimous.mean()) if n else np.nan,
        "mean_pairwise": float(pairs.mean()) if len(pairs) else np.nan,
    }
    return pd.DataFrame([row])


def judge_agreement(
    first: pd.DataFrame,
    second: pd.DataFrame,
    on: tuple[str, ...] = ("model", "category"),
    column: str = "rule_type",
) -> pd.DataFrame:
    """Do two judges give the same verdict on the same material?

    Args:
        first: A table of verdicts, such as policies, or observations with `on` the item and epoch.
        second: The same of another judge.
        on: What identifies a verdict.
        column: The verdict: `rule_type` or `label`.

    Returns:
        One row: n (verdicts that both gave), n_agree, agreement in [0, 1], ci_low, ci_high (Wilson
        95 %), kappa (Cohen's, in [-1, 1]; NaN where both judges know one verdict only), n_unpaired
        (verdicts that only one of them gave).

    Raises:
        ValueError: a column is missing, or a verdict occurs twice.
    """
    for table in (first, second):
        require_columns(table, [*on, column], "judge_agreement")
        if table.duplicated(list(on)).any():
            raise ValueError(f"judge_agreement: a verdict occurs twice for one of {', '.join(on)}")
    keys = list(on)
    both = first[[*keys, column]].merge(
        second[[*keys, column]], on=keys, how="outer", suffixes=("_a", "_b")
    )
    return pd.DataFrame([_agreement(both[f"{column}_a"], both[f"{column}_b"])], columns=_AGREEMENT)


def absolute_vs_conditional(scores: pd.DataFrame) -> pd.DataFrame:
    """Welch's t-test of the SNCS of Absolute against Conditional rules, categories as units.

    Args:
        scores: The table of `sncs`.

    Returns:
        One row per model, and with several models one for all together (model "all models", in
        which a category counts once per model): n_absolute, n_conditional, mean_absolute,
        mean_conditional, difference, ci_low, ci_high (95 %), t, df, p_value (two-sided). NaN with
        fewer than two categories on a side, or no variation on both.

    Raises:
        ValueError: a column is missing.
    """
    require_columns(scores, ["model", "rule_type", "sncs"], "absolute_vs_conditional")
    groups: list[tuple[Any, pd.DataFrame]] = list(scores.groupby("model", sort=False))
    if len(groups) > 1:
        groups.append((ALL_MODELS, scores))
    rows = []
    for model, part in groups:
        scored = part.dropna(subset="sncs")
        absolute, conditional = (
            scored.loc[scored["rule_type"] == rule, "sncs"].to_numpy(dtype=float)
            for rule in (RuleType.ABSOLUTE, RuleType.CONDITIONAL)
        )
        rows.append({"model": model} | _welch(absolute, conditional))
    return pd.DataFrame(rows)


_AGREEMENT: Final = ["n", "n_agree", "agreement", "ci_low", "ci_high", "kappa", "n_unpaired"]


def _agreement(first: pd.Series, second: pd.Series) -> dict[str, float]:
    paired = first.notna() & second.notna()
    a, b = first[paired].astype(str), second[paired].astype(str)
    n, n_agree = len(a), int((a.to_numpy() == b.to_numpy()).sum())
    unpaired = int((first.notna() ^ second.notna()).sum())
    if not n:
        return dict.fromkeys(_AGREEMENT, np.nan) | {"n": 0, "n_agree": 0, "n_unpaired": unpaired}
    low, high = wilson_interval(n_agree, n)
    verdicts = sorted(set(a) | set(b))
    kappa = np.nan
    if len(verdicts) > 1:
        table = pd.crosstab(a.to_numpy(), b.to_numpy()).reindex(
            index=verdicts, columns=verdicts, fill_value=0
        )
        kappa = float(cohens_kappa(table.to_numpy(), return_results=False))
    values = (n, n_agree, n_agree / n, float(low), float(high), kappa, unpaired)
    return dict(zip(_AGREEMENT, values, strict=True))


def _welch(a: NDArray[np.float64], b: NDArray[np.float64]) -> dict[str, float]:
    means = [float(side.mean()) if len(side) else np.nan for side in (a, b)]
    row = {
        "n_absolute": len(a),
        "n_conditional": len(b),
        "mean_absolute": means[0],
        "mean_conditional": means[1],
        "difference": means[0] - means[1],
    }
    names = ("ci_low", "ci_high", "t", "df", "p_value")
    if min(len(a), len(b)) < 2 or not (np.ptp(a) or np.ptp(b)):
        return row | dict.fromkeys(names, np.nan)
    with warnings.catch_warnings():
        # Where one side does not vary scipy fears for the precision of its variance, which is 0.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        test = ttest_ind(a, b, equal_var=False)
    interval = test.confidence_interval(0.95)
    values = (interval.low, interval.high, test.statistic, test.df, test.pvalue)
    return row | {name: float(value) for name, value in zip(names, values, strict=True)}


def _one_elicitation(policies: pd.DataFrame, function: str) -> pd.DataFrame:
    rules = checked_policies(policies)
    if len(policy_keys(rules)) > 1:
        raise ValueError(f"{function}: policies of several elicitations: choose one of them first")
    return rules
