"""Two audits compared: is a new checkpoint, prompt or setting better than the old one?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd

from negation_evals.analysis.common.bootstrap import RESAMPLES, Seed, mean_interval, sign_flip_p
from negation_evals.analysis.common.labels import result_labels, setting_label
from negation_evals.analysis.common.multiplicity import adjust_holm
from negation_evals.analysis.common.results import as_key, within_models
from negation_evals.analysis.framing.columns import SETTINGS, expected_frames
from negation_evals.analysis.framing.nsi import nsi
from negation_evals.analysis.framing.rates import endorsement_rates

NSI: Final = "NSI"

FLOORS_APART: Final = 0.05
"""From here on the floors of two results differ enough to matter."""


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
    *,
    confidence_level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Seed = 0,
) -> Comparison:
    """Compare the results of two audits: B minus A, per pair of results.

    If one side has a single result, it is compared with every result of the other; otherwise
    results pair by model and by the settings that vary within some model of either audit. NSI is
    compared over the frames that both results were asked. Scenarios without a value on both sides
    are left out and counted. The interval resamples scenarios (percentile bootstrap on the paired
    differences); the test flips their signs, so it asks whether the differences are symmetric about
    0; it is exact up to 14 scenarios. Holm's correction runs over the pairs of results, for each
    measure apart.

    Sampling noise raises NSI, the more the fewer answers there are, so differences between audits
    of unequal n are biased: the floors stand beside the values, and a warning says where they
    differ.

    Args:
        a: Decisions of the first audit (`read_decisions`).
        b: Decisions of the second.
        confidence_level: Of the interval, in (0, 1).
        resamples: Bootstrap resamples.
        rng: Seed or generator.

    Returns:
        A `Comparison`. Its table has the columns result_a, result_b, measure ("NSI", or
        "endorse F0" and so on), n_scenarios, n_left_out (scenarios of either side without a
        value on both), value_a, value_b, floor_a, floor_b (of NSI), difference, ci_low, ci_high,
        p_value, p_adjusted. With one scenario, interval and test are NaN.
    """
    generator = np.random.default_rng(rng)
    settings = _pairing_settings(a, b)
    side_a, side_b = _results(a, settings), _results(b, settings)
    scored = cache(_Result.nsi)
    pairs, unpaired = _pair(side_a, side_b)
    rows: list[dict[str, Any]] = []
    warnings: list[str] = []
    for left, right in pairs:
        shared = tuple(frame for frame in left.frames if frame in right.frames)
        named = {"result_a": left.label, "result_b": right.label}
        scores = scored(left, shared), scored(right, shared)
        measures = {NSI: (scores[0]["nsi"], scores[1]["nsi"])}
        measures |= {f"endorse {f}": (left.rates[f], right.rates[f]) for f in sorted(shared)}
        for measure, (before, after) in measures.items():
            change = _difference(before, after, confidence_level, resamples, generator)
            rows.append(named | {"measure": measure} | change | _floors(measure, scores))
        warnings += _warnings(left, right, shared, scores)
    columns = ["result_a", "result_b", "measure", "n_scenarios", "n_left_out", "value_a", "value_b"]
    columns += ["floor_a", "floor_b", "difference", "ci_low", "ci_high", "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    by_measure = table.groupby("measure", sort=False)["p_value"]
    table["p_adjusted"] = by_measure.transform(adjust_holm)
    return Comparison(table, tuple(unpaired), tuple(warnings))


@dataclass(frozen=True, eq=False)
class _Result:
    """One model under one set of settings."""

    label: str
    key: tuple[Any, ...]
    decisions: pd.DataFrame
    frames: list[str]
    """Those planned."""
    rates: dict[str, pd.Series]
    """Endorsement rate of each frame by scenario; NaN where there is none."""
    settings: dict[str, Any]

    def nsi(self, frames: tuple[str, ...]) -> pd.DataFrame:
        """NSI and its floor by scenario, over these frames."""
        table = nsi(self.decisions, frames)
        return table.set_index("scenario")[["nsi", "nsi_null"]]


def _pairing_settings(a: pd.DataFrame, b: pd.DataFrame) -> list[str]:
    """The settings that tell the results of some model apart in either audit.

    One that only differs between the audits, or between models, does not: it may be what is
    compared.
    """
    told = {name for side in (a, b) for name in within_models(side, SETTINGS)}
    return [name for name in SETTINGS if name in told]


def _results(decisions: pd.DataFrame, settings: list[str]) -> list[_Result]:
    """The results of one audit, with the values of these settings as their keys."""
    missing = [name for name in settings if name not in decisions.columns]
    decisions = decisions.assign(**dict.fromkeys(missing, None))
    keys = ["model", *settings]
    results = []
    for values, group in decisions.groupby(keys, sort=False, dropna=False):
        first = group.iloc[:1]
        cells = endorsement_rates(group)
        frames = expected_frames(group)
        by_scenario = cells.set_index("scenario")
        results.append(
            _Result(
                label=result_labels(first, settings)[0],
                key=as_key(values),
                decisions=group,
                frames=frames,
                rates={f: by_scenario.loc[by_scenario["frame"] == f, "rate"] for f in frames},
                settings={name: first[name].iloc[0] for name in SETTINGS if name in group.columns},
            )
        )
    return results


def _pair(
    side_a: Sequence[_Result], side_b: Sequence[_Result]
) -> tuple[list[tuple[_Result, _Result]], list[str]]:
    if len(side_a) == 1 or len(side_b) == 1:
        return [(left, right) for left in side_a for right in side_b], []
    partners = {right.key: right for right in side_b}
    pairs = [(left, partners.pop(left.key)) for left in side_a if left.key in partners]
    paired = {id(result) for pair in pairs for result in pair}
    unpaired = [f"A: {r.label}" for r in side_a if id(r) not in paired]
    unpaired += [f"B: {r.label}" for r in side_b if id(r) not in paired]
    return pairs, unpaired


def _difference(
    before: pd.Series,
    after: pd.Series,
    confidence_level: float,
    resamples: int,
    generator: np.random.Generator,
) -> dict[str, float]:
    """Means over the scenarios that have a value on both sides, and how they differ."""
    both = pd.concat([before, after], axis=1, keys=["a", "b"], sort=False)
    known = both.dropna()
    a, b = known["a"].to_numpy(dtype=float), known["b"].to_numpy(dtype=float)
    change = b - a
    low, high = mean_interval(
        change, confidence_level=confidence_level, resamples=resamples, generator=generator
    )
    return {
        "n_scenarios": len(known),
        "n_left_out": len(both) - len(known),
        "value_a": a.mean() if len(a) else np.nan,
        "value_b": b.mean() if len(b) else np.nan,
        "difference": change.mean() if len(change) else np.nan,
        "ci_low": low,
        "ci_high": high,
        "p_value": sign_flip_p(np.round(change, 12), generator) if len(change) > 1 else np.nan,
    }


def _floors(measure: str, scores: Sequence[pd.DataFrame]) -> dict[str, float]:
    """Mean floors of NSI over the scenarios compared."""
    floors = pd.concat([table["nsi_null"] for table in scores], axis=1, keys=["a", "b"]).dropna()
    if measure != NSI or floors.empty:
        return {"floor_a": np.nan, "floor_b": np.nan}
    return {"floor_a": floors["a"].mean(), "floor_b": floors["b"].mean()}


def _warnings(
    left: _Result, right: _Result, shared: tuple[str, ...], scores: Sequence[pd.DataFrame]
) -> list[str]:
    """What makes the difference of two results hard to read."""
    warnings = []
    if set(left.frames) != set(right.frames):
        warnings.append(
            f"{left.label} was asked in {','.join(left.frames)}, {right.label} in "
            f"{','.join(right.frames)}: "
            + (
                f"NSI is compared over {','.join(shared)} alone"
                if len(shared) > 1
                else "with fewer than two frames in common there is no NSI to compare"
            )
        )
    floors = _floors(NSI, scores)
    if abs(floors["floor_a"] - floors["floor_b"]) >= FLOORS_APART:
        warnings.append(
            f"without any framing effect an NSI of {floors['floor_a']:.2f} would be expected of "
            f"{left.label} (A) and of {floors['floor_b']:.2f} of {right.label} (B), since fewer "
            "answers alone raise NSI, and so do rates near one half: read the difference beside "
            "the floors"
        )
    different = [
        f"{name.replace('_', ' ')} ({' and '.join(values)})"
        for name in left.settings
        if name in right.settings and name != "frames"
        for values in [[setting_label(name, r.settings[name]) for r in (left, right)]]
        if values[0] != values[1]
    ]
    if different:
        warnings.append(f"{left.label} and {right.label} differ in {', '.join(different)}")
    return warnings
