"""One setting changed and all else equal: temperature, reasoning, and other ablations."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from negation_evals.analysis.common.bootstrap import SIGN_FLIPS, sign_flip_p
from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.results import descriptions
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.schema.common import UNSPECIFIED
from negation_evals.schema.framing import STANDARD

BASELINES: Final = {"condition": STANDARD, "variant": STANDARD}
"""Which value the others are compared with; of temperatures it is the highest."""


def ablation_pairs(table: pd.DataFrame, setting: str) -> pd.DataFrame:
    """The same scenario under two values of one setting, all other settings equal.

    For `variant` (a model's own reasoning mode, from the models file) the unit is the model's
    family, whose two models need only agree in what groups models (`across_models`): a reasoning
    model often takes no temperature. For every other setting the unit is the model.

    Args:
        table: The table of `nsi`.
        setting: `temperature`, `condition`, `variant`, or another setting that the table carries.

    Returns:
        The unit (`model` or `family`), the other settings, setting, baseline, treatment (its two
        values as text), scenario, domain, nsi_baseline, nsi_treatment, change = treatment -
        baseline. A pair of which one side is missing has NaN there. No rows where the setting does
        not vary.
    """
    require_columns(table, ["model", "scenario", "domain", "nsi"], "ablation_pairs")
    unit = "family" if setting == "variant" else "model"
    others = [name for name in RESULTS.carried_settings(table) if name != setting]
    others = RESULTS.across_models(table, others) if setting == "variant" else others
    described = [name for name in descriptions(table) if name not in {setting, unit}]
    described = [] if setting == "variant" else described
    keys = [unit, *others, "scenario", "domain"]
    names = ["setting", "baseline", "treatment"]
    columns = [unit, *described, *others, *names, "scenario", "domain"]
    columns += ["nsi_baseline", "nsi_treatment", "change"]
    if setting not in table.columns or unit not in table.columns:
        return pd.DataFrame(columns=columns)
    # Several models of a family on one side count with their mean.
    means = table.groupby([*keys, setting], sort=False, dropna=False)["nsi"].mean().reset_index()
    baseline, *treatments = _levels(means, setting)
    parts = []
    for treatment in treatments:
        sides = [_at(means, setting, level) for level in (baseline, treatment)]
        pairs = sides[0].merge(sides[1], on=keys, how="outer", suffixes=("_baseline", "_treatment"))
        # A unit that has only one of the two is not part of this ablation.
        units = [unit, *others]
        paired = sides[0][units].drop_duplicates().merge(sides[1][units].drop_duplicates())
        pairs = pairs.merge(paired, on=units)
        parts.append(
            pairs.assign(setting=setting, baseline=str(baseline), treatment=str(treatment))
        )
    joined = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    if described and len(joined):
        joined = joined.merge(table[["model", *described]].drop_duplicates("model"), on="model")
    joined["change"] = joined["nsi_treatment"] - joined["nsi_baseline"]
    return joined.reindex(columns=columns)


def ablation_summary(pairs: pd.DataFrame, by: str | Sequence[str] = ()) -> pd.DataFrame:
    """Means of both sides, the change, and Wilcoxon's signed-rank test (arXiv:2601.09724, E.2).

    The papers print a change relative to the larger mean in one place and to the baseline in
    others; both are given. The test drops pairs without a change; it is exact up to 14 pairs, and
    without ties up to 50, else normal. Where no pair changes, W is 0 and p is 1.

    Args:
        pairs: The table of `ablation_pairs`.
        by: Columns to group by, such as `model`, `family` or `scenario`; default all pairs.

    Returns:
        setting, baseline, treatment, `by`, n_pairs, n_missing, mean_baseline, mean_treatment,
        change, relative_to_baseline, relative_to_treatment (NaN where that mean is 0), n_changed,
        w, p_value (NaN without pairs).
    """
    names = [by] if isinstance(by, str) else list(by)
    keys = ["setting", "baseline", "treatment", *names]
    require_columns(pairs, [*keys, "nsi_baseline", "nsi_treatment"], "ablation_summary")
    rows: list[dict[str, Any]] = []
    for values, group in pairs.groupby(keys, sort=False, dropna=False):
        known = group.dropna(subset=["nsi_baseline", "nsi_treatment"])
        before, after = known["nsi_baseline"].mean(), known["nsi_treatment"].mean()
        # Rounded, so that changes that are equal in fractions tie.
        changes = np.round((known["nsi_treatment"] - known["nsi_baseline"]).to_numpy(float), 12)
        w, p = _signed_rank(changes)
        rows.append(
            dict(zip(keys, values, strict=True))
            | {"n_pairs": len(known), "n_missing": len(group) - len(known)}
            | {"mean_baseline": before, "mean_treatment": after, "change": after - before}
            | {"relative_to_baseline": (after - before) / before if before > 0 else np.nan}
            | {"relative_to_treatment": (after - before) / after if after > 0 else np.nan}
            | {"n_changed": int(np.count_nonzero(changes)), "w": w, "p_value": p}
        )
    columns = [*keys, "n_pairs", "n_missing", "mean_baseline", "mean_treatment", "change"]
    columns += ["relative_to_baseline", "relative_to_treatment", "n_changed", "w", "p_value"]
    return pd.DataFrame(rows, columns=columns)


def _levels(means: pd.DataFrame, setting: str) -> list[Any]:
    """The values of a setting, the baseline first; what is not known is no value."""
    levels = [level for level in means[setting].dropna().unique() if level != UNSPECIFIED]
    ordered = sorted(levels, key=str)
    if setting == "temperature":
        ordered = sorted(levels, reverse=True)
    baseline = BASELINES.get(setting)
    if baseline in ordered:
        return [baseline, *(level for level in ordered if level != baseline)]
    if setting in BASELINES:
        return [baseline]
    return ordered or [None]


def _at(means: pd.DataFrame, setting: str, level: Any) -> pd.DataFrame:
    rows: pd.DataFrame = means[means[setting] == level]
    return rows.drop(columns=setting)


def _signed_rank(changes: NDArray[np.float64]) -> tuple[float, float]:
    """Wilcoxon's W, the smaller of the two rank sums, and its p-value; zeros left out.

    The signs are flipped here: `wilcoxon` with a `PermutationMethod` gives the same p, but takes
    about 0.4 s a test, 30 times as long.
    """
    if not len(changes):
        return np.nan, np.nan
    changed = changes[changes != 0]
    if not len(changed):
        return 0.0, 1.0
    ranks = rankdata(np.abs(changed)) * np.sign(changed)
    w = float(min(ranks[ranks > 0].sum(), -ranks[ranks < 0].sum()))
    if 2 ** len(ranks) <= SIGN_FLIPS:
        return w, sign_flip_p(ranks, np.random.default_rng(0))
    return w, float(wilcoxon(changed, method="auto").pvalue)
