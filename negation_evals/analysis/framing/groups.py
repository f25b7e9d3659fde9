"""Groups of models compared: Kruskal-Wallis, pairwise Mann-Whitney, and their effect sizes."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kruskal, mannwhitneyu

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.multiplicity import adjust_holm
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.schema.common import UNSPECIFIED

REST = "all others"
"""Name of the second group when one group is compared with all the others together."""

DECIMALS = 12
"""Values are rounded so far before ranking: means that are equal must tie."""


def compare_groups(table: pd.DataFrame, by: str = "origin", value: str = "nsi") -> pd.DataFrame:
    """Kruskal-Wallis over groups of models (arXiv:2601.09724, Section 4.2 and Appendix C.1).

    The groups must hold different models, as origins do. Of the same models under two conditions
    the test knows nothing: compare those in pairs, with `ablation_summary`.

    H is corrected for ties; epsilon squared = (H - k + 1) / (N - k). Where all values are equal,
    H is 0/0 in the formula; the groups do not differ, so H is 0 and p is 1.

    Args:
        table: One row per result, such as `nsi_summary(..., by="model")`.
        by: The column that names the groups. Models of group `unspecified` are left out.
        value: The column compared.

    Returns:
        One row per combination of the other settings that group models (`across_models`): these
        settings, by, n_groups, n, n_left_out (group unspecified or value missing), h, df, p_value,
        epsilon_squared. With fewer than two groups the statistics are NaN; epsilon squared also
        where every group has one model.

    Raises:
        ValueError: the table lacks a column.
    """
    rows = []
    for settings, groups, left_out in _split(table, by, value):
        n, k = sum(map(len, groups.values())), len(groups)
        h, p = _kruskal(list(groups.values()))
        rows.append(
            settings
            | {"by": by, "n_groups": k, "n": n, "n_left_out": left_out, "h": h}
            | {"df": k - 1 if k > 1 else np.nan, "p_value": p}
            | {"epsilon_squared": (h - k + 1) / (n - k) if n > k else np.nan}
        )
    columns = ["by", "n_groups", "n", "n_left_out", "h", "df", "p_value", "epsilon_squared"]
    return pd.DataFrame(rows, columns=[*_others(table, by), *columns])


def compare_group_pairs(
    table: pd.DataFrame, by: str = "origin", value: str = "nsi"
) -> pd.DataFrame:
    """Every two groups, and with more than two each against all others (arXiv:2601.09724, C.2).

    Mann-Whitney's test is exact where no values tie and one of the groups has at most 8 models,
    else normal with the corrections for ties and continuity. Cliff's delta = 2 U / (n_a n_b) - 1
    = P(a > b) - P(a < b), in [-1, 1].

    Args:
        table: See `compare_groups`.
        by: See `compare_groups`.
        value: See `compare_groups`.

    Returns:
        The other settings that group models (`across_models`), by, group_a, group_b (or "all
        others"), n_a, n_b, median_a, median_b, u (of group a), p_value, p_adjusted (Holm over the
        pairs, and apart over the groups against all others), cliffs_delta.

    Raises:
        ValueError: the table lacks a column.
    """
    rows: list[dict[str, Any]] = []
    for settings, groups, _ in _split(table, by, value):
        pairs = [(a, b, groups[a], groups[b]) for a, b in combinations(groups, 2)]
        rests = []
        if len(groups) > 2:
            for name, values in groups.items():
                others = [groups[other] for other in groups if other != name]
                rests.append((name, REST, values, np.concatenate(others)))
        for family in (pairs, rests):
            tests = [_pair(*pair) for pair in family]
            if tests:
                adjusted = adjust_holm([test["p_value"] for test in tests])
                rows += [
                    settings | {"by": by} | test | {"p_adjusted": float(p)}
                    for test, p in zip(tests, adjusted, strict=True)
                ]
    columns = ["by", "group_a", "group_b", "n_a", "n_b", "median_a", "median_b", "u", "p_value"]
    columns += ["p_adjusted", "cliffs_delta"]
    return pd.DataFrame(rows, columns=[*_others(table, by), *columns])


Split = list[tuple[dict[str, Any], dict[str, NDArray[np.float64]], int]]


def _split(table: pd.DataFrame, by: str, value: str) -> Split:
    """Per combination of the other settings: these, the values by group, and how many are out."""
    require_columns(table, ["model", by, value], "compare_groups")
    settings = _others(table, by)
    parts = []
    for key, part in table.groupby(settings or (lambda _: 0), sort=False, dropna=False):
        known = part[part[value].notna() & (part[by] != UNSPECIFIED)]
        groups = {
            str(name): np.round(group[value].to_numpy(dtype=float), DECIMALS)
            for name, group in known.groupby(by, sort=True)
        }
        named = dict(zip(settings, key, strict=True)) if settings else {}
        parts.append((named, groups, len(part) - len(known)))
    return parts


def _others(table: pd.DataFrame, by: str) -> list[str]:
    return [
        name for name in RESULTS.across_models(table, RESULTS.carried_settings(table)) if name != by
    ]


def _kruskal(groups: list[NDArray[np.float64]]) -> tuple[float, float]:
    if len(groups) < 2:
        return np.nan, np.nan
    if len(np.unique(np.concatenate(groups))) == 1:
        return 0.0, 1.0
    result = kruskal(*groups)
    return float(result.statistic), float(result.pvalue)


def _pair(
    name_a: str, name_b: str, a: NDArray[np.float64], b: NDArray[np.float64]
) -> dict[str, Any]:
    test = mannwhitneyu(a, b, alternative="two-sided", method="auto")
    tied = len(np.unique(np.concatenate([a, b]))) == 1
    return {
        "group_a": name_a,
        "group_b": name_b,
        "n_a": len(a),
        "n_b": len(b),
        "median_a": float(np.median(a)),
        "median_b": float(np.median(b)),
        "u": float(test.statistic),
        "p_value": 1.0 if tied else float(test.pvalue),
        "cliffs_delta": float(2 * test.statistic / (len(a) * len(b)) - 1),
    }
