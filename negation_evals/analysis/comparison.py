"""Two audits compared: is a new checkpoint, prompt or setting better than the old one?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from negation_evals.analysis.columns import SETTINGS, carried_settings
from negation_evals.analysis.hypothesis import adjust_holm
from negation_evals.analysis.nsi import nsi
from negation_evals.analysis.rates import endorsement_rates
from negation_evals.analysis.resampling import RESAMPLES, Seed, ratio_interval, sign_flip_p

NSI: Final = "NSI"


@dataclass(frozen=True)
class Comparison:
    """Two audits, paired on scenario and frame."""

    table: pd.DataFrame
    """See `compare_audits`."""
    unpaired: tuple[str, ...]
    """What has no partner, in words."""
    warnings: tuple[str, ...]
    """What makes a difference hard to read, in words."""


def compare_audits(
    a: pd.DataFrame,
    b: pd.DataFrame,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Seed = 0,
) -> Comparison:
    """Compare the results of two audits: B minus A, per pair of results.

    If one side has a single result, it is compared with every result of the other; otherwise
    results pair by model and by the settings that vary within both audits. Scenarios that only one
    side has are left out and counted. The interval resamples scenarios (percentile bootstrap on
    the paired differences); the test flips their signs, so it asks whether the differences are
    symmetric about 0; it is exact up to 14 scenarios. Holm's correction runs over the pairs of
    results, for each measure apart.

    Sampling noise raises NSI, the more the fewer answers there are, so differences between audits
    of unequal n are biased: the floors stand beside the values, and a warning says so.

    Args:
        a: Decisions of the first audit (`read_decisions`).
        b: Decisions of the second.
        level: Confidence level, in (0, 1).
        resamples: Bootstrap resamples.
        rng: Seed or generator.

    Returns:
        A `Comparison`. Its table has the columns result_a, result_b, measure ("NSI", or
        "endorse F0" and so on), n_scenarios, n_left_out, value_a, value_b, floor_a, floor_b
        (of NSI), difference, ci_low, ci_high, p_value, p_adjusted. With one scenario, interval and
        test are NaN.
    """
    generator = np.random.default_rng(rng)
    side_a, side_b = _results(a), _results(b)
    pairs, unpaired = _pair(side_a, side_b)
    rows: list[dict[str, Any]] = []
    warnings: list[str] = []
    for left, right in pairs:
        named = {"result_a": left.label, "result_b": right.label}
        for measure in left.measures:
            if measure in right.measures:
                difference = _difference(left, right, measure, level, resamples, generator)
                rows.append(named | {"measure": measure} | difference)
        warnings += _warnings(left, right)
    columns = ["result_a", "result_b", "measure", "n_scenarios", "n_left_out", "value_a", "value_b"]
    columns += ["floor_a", "floor_b", "difference", "ci_low", "ci_high", "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    by_measure = table.groupby("measure", sort=False)["p_value"]
    table["p_adjusted"] = by_measure.transform(adjust_holm)
    return Comparison(table, tuple(unpaired), tuple(warnings))


@dataclass(frozen=True)
class _Result:
    """One model under one set of settings: values by scenario."""

    label: str
    key: tuple[Any, ...]
    measures: dict[str, pd.Series]
    """NSI, and the endorsement rate of each frame, by scenario; missing values left out."""
    floors: pd.Series
    n_min: int
    settings: dict[str, Any]


def _results(decisions: pd.DataFrame) -> list[_Result]:
    scenarios = nsi(decisions)
    cells = endorsement_rates(decisions)
    settings = carried_settings(scenarios)
    known = [name for name in SETTINGS if name in decisions.columns]
    results = []
    for values, group in scenarios.groupby(["model", *settings], sort=False, dropna=False):
        key = dict(zip(["model", *settings], values, strict=True))
        rates = _rows(cells, key)
        measures = {NSI: group.set_index("scenario")["nsi"].dropna()}
        for frame, part in rates.groupby("frame", sort=True):
            measures[f"endorse {frame}"] = part.set_index("scenario")["rate"].dropna()
        details = ", ".join(f"{name}={value}" for name, value in key.items() if name != "model")
        first = _rows(decisions, key).iloc[0]
        results.append(
            _Result(
                label=f"{key['model']} ({details})" if details else str(key["model"]),
                key=values,
                measures=measures,
                floors=group.set_index("scenario")["nsi_null"],
                n_min=int(group["n_min"].min()),
                settings={name: first[name] for name in known},
            )
        )
    return results


def _rows(table: pd.DataFrame, key: dict[str, Any]) -> pd.DataFrame:
    chosen = np.ones(len(table), dtype=bool)
    for name, value in key.items():
        chosen &= (table[name].isna() if pd.isna(value) else table[name] == value).to_numpy()
    return table[chosen]


def _pair(
    side_a: Sequence[_Result], side_b: Sequence[_Result]
) -> tuple[list[tuple[_Result, _Result]], list[str]]:
    if len(side_a) == 1 or len(side_b) == 1:
        return [(left, right) for left in side_a for right in side_b], []
    partners = {_comparable(right.key): right for right in side_b}
    pairs = [
        (left, partners.pop(_comparable(left.key)))
        for left in side_a
        if _comparable(left.key) in partners
    ]
    paired = {id(result) for pair in pairs for result in pair}
    unpaired = [f"A: {r.label}" for r in side_a if id(r) not in paired]
    unpaired += [f"B: {r.label}" for r in side_b if id(r) not in paired]
    return pairs, unpaired


def _comparable(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple("unset" if pd.isna(value) else value for value in key)


def _difference(
    left: _Result,
    right: _Result,
    measure: str,
    level: float,
    resamples: int,
    generator: np.random.Generator,
) -> dict[str, float]:
    one, other = left.measures[measure], right.measures[measure]
    shared = one.index.intersection(other.index, sort=False)
    a, b = one[shared].to_numpy(dtype=float), other[shared].to_numpy(dtype=float)
    change = b - a
    low, high = ratio_interval(change, np.ones(len(change)), level, resamples, generator)
    floors = [np.nan, np.nan]
    if measure == NSI and len(shared):
        floors = [left.floors[shared].mean(), right.floors[shared].mean()]
    return {
        "n_scenarios": len(shared),
        "n_left_out": len(one.index.union(other.index)) - len(shared),
        "value_a": a.mean() if len(a) else np.nan,
        "value_b": b.mean() if len(b) else np.nan,
        "floor_a": floors[0],
        "floor_b": floors[1],
        "difference": change.mean() if len(change) else np.nan,
        "ci_low": low,
        "ci_high": high,
        "p_value": sign_flip_p(np.round(change, 12), generator) if len(change) > 1 else np.nan,
    }


def _warnings(left: _Result, right: _Result) -> list[str]:
    warnings = []
    if left.n_min != right.n_min:
        warnings.append(
            f"{left.label} has at least {left.n_min} valid answers in a cell, {right.label} "
            f"{right.n_min}: fewer answers alone raise NSI, so compare the floors, too"
        )
    different = [
        f"{name} {_shown(left.settings[name])} and {_shown(right.settings[name])}"
        for name in left.settings
        if name in right.settings
        and left.settings[name] != right.settings[name]
        and not (pd.isna(left.settings[name]) and pd.isna(right.settings[name]))
    ]
    if different:
        warnings.append(f"{left.label} and {right.label} differ in {', '.join(different)}")
    return warnings


def _shown(value: Any) -> str:
    """A setting in a sentence: hashes are cut, what is empty or unset is called so."""
    if pd.isna(value) or value == "":
        return "unset"
    return f"{value:.12}" if isinstance(value, str) and len(value) == 64 else str(value)
