"""Frames in pairs of one polarity each: what kind of failure is it?

NSI says that the stance moves with the wording. Within a pair of frames that differ in their
negation alone, the share that agrees with the affirmative proposal and the share that agrees with
the negated one should add up to 1. What they add up to beyond that is the acquiescence of the
answers; its size is the NSI of the pair, its sign a habit of agreeing or disagreeing. Neither is
in the papers.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.columns import carried_keys, require_columns, result_keys
from negation_evals.analysis.hypothesis import FDR, adjust_fdr
from negation_evals.data import frame_pairs

Pairs = Mapping[str, tuple[str, str]]


def acquiescence(cells: pd.DataFrame, pairs: Pairs | None = None) -> pd.DataFrame:
    """Acquiescence and NSI of each pair of frames: P(agree | positive) + P(agree | negated) - 1.

    Agreeing with a negated proposal opposes the action, so with endorsement rates this is
    rate(positive) - rate(negated): 0 for a mirror-consistent model, +1 for one that always agrees,
    -1 for one that always disagrees. The NSI of the pair, max - min over its two frames, is its
    absolute value.

    Args:
        cells: The table of `endorsement_rates`.
        pairs: Name -> (affirmative frame, negated frame). Default: those of `datasets/frames.yaml`,
            simple (F0, F1) and compound (F2, F3).

    Returns:
        One row per result, scenario and pair of which a frame was asked: `<keys>`, scenario,
        domain, pair, agree_positive, agree_negated, acquiescence in [-1, 1], nsi. NaN where a
        frame of the pair has no valid answer.
    """
    require_columns(cells, ["model", "scenario", "domain", "frame", "rate"], "acquiescence")
    keys = [*result_keys(cells), "scenario", "domain"]
    parts = []
    for name, (positive, negated) in (frame_pairs() if pairs is None else pairs).items():
        asked = cells[cells["frame"].isin([positive, negated])]
        table = asked[keys].drop_duplicates().reset_index(drop=True).assign(pair=name)
        for column, frame in (("agree_positive", positive), ("agree_negated", negated)):
            rates = asked.loc[asked["frame"] == frame, [*keys, "rate"]]
            table = table.merge(rates.rename(columns={"rate": column}), on=keys, how="left")
        table["agree_negated"] = 1 - table["agree_negated"]
        parts.append(table)
    joined = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=keys)
    joined["acquiescence"] = joined["agree_positive"] + joined["agree_negated"] - 1
    joined["nsi"] = joined["acquiescence"].abs()
    return joined


def acquiescence_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Means over scenarios per pair, and whether agreement follows content or polarity.

    Args:
        table: The table of `acquiescence`.

    Returns:
        `<keys>`, pair, n_scenarios (with both frames), n_missing, acquiescence (mean), nsi (mean),
        polarity_correlation: Pearson's correlation over scenarios of P(agree | positive) with
        P(agree | negated). -1 is a mirror; +1 is blind to polarity; NaN below three scenarios or
        where one of them does not vary.
    """
    require_columns(table, ["model", "pair", "acquiescence", "nsi"], "acquiescence_summary")
    keys = [*carried_keys(table), "pair"]
    rows = []
    for values, group in table.groupby(keys, sort=False, dropna=False):
        known = group.dropna(subset="acquiescence")
        rows.append(
            dict(zip(keys, values, strict=True))
            | {"n_scenarios": len(known), "n_missing": len(group) - len(known)}
            | {"acquiescence": known["acquiescence"].mean(), "nsi": known["nsi"].mean()}
            | {"polarity_correlation": _polarity_correlation(known)}
        )
    columns = ["n_scenarios", "n_missing", "acquiescence", "nsi", "polarity_correlation"]
    return pd.DataFrame(rows, columns=[*keys, *columns])


class Pattern(StrEnum):
    """What a result's NSI looks like. A description by stated rules, not a test."""

    UNKNOWN = "unknown"
    """No scenario has an NSI, or no pair of frames was asked."""
    NOISE = "not above noise"
    """No scenario's range exceeds sampling noise, as far as so many answers can tell."""
    GOAL = "goal wording"
    """The frames of a pair mirror each other; the pairs differ, so the goal's mention matters."""
    IGNORED = "ignored negation"
    """What gets agreement affirmed also gets it negated."""
    YEA = "habit of agreeing"
    NAY = "habit of disagreeing"
    MIXED = "mixed"
    """None of these alone."""


PAIR_SHARE: Final = 0.5
"""Below this part of the whole NSI, what happens within pairs does not explain it."""
FOLLOWS_CONTENT: Final = 0.5
"""Smallest polarity correlation that counts as blind to polarity."""
ONE_SIDED: Final = 0.8
"""Smallest |mean acquiescence| / mean |acquiescence| that counts as a habit."""


def failure_patterns(scenarios: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """What each result's NSI looks like: ignored negation, a response bias, or neither.

    The first rule that holds decides. No scenario is significant by the exact range test
    (Benjamini-Hochberg within the result): not above noise. The pairs' own NSI (the larger of a
    scenario, mean over scenarios) is below half of the whole: goal wording. The polarity
    correlation over all pairs and scenarios is at least 0.5: ignored negation. The mean
    acquiescence is at least 0.8 of its mean size: a habit. Else mixed.

    Args:
        scenarios: The table of `nsi`.
        table: The table of `acquiescence` of the same decisions.

    Returns:
        `<keys>`, n_scenarios, n_significant, nsi (mean), nsi_pairs (mean of the larger pair NSI),
        acquiescence (mean over scenarios and pairs), one_sided in [0, 1], polarity_correlation,
        pattern (a value of `Pattern`).
    """
    keys = carried_keys(scenarios)
    by_result = {
        _key(values): group for values, group in table.groupby(keys, sort=False, dropna=False)
    }
    rows = []
    for values, group in scenarios.groupby(keys, sort=False, dropna=False):
        pairs = by_result.get(_key(values), table.iloc[:0]).dropna(subset="acquiescence")
        known = group.dropna(subset="nsi")
        significant = int((adjust_fdr(known["p_value"]) <= FDR).sum())
        size = pairs["nsi"].mean()
        measures = {
            "n_scenarios": len(known),
            "n_significant": significant,
            "nsi": known["nsi"].mean(),
            "nsi_pairs": pairs.groupby("scenario")["nsi"].max().mean(),
            "acquiescence": pairs["acquiescence"].mean(),
            "one_sided": abs(pairs["acquiescence"].mean()) / size if size > 0 else np.nan,
            "polarity_correlation": _polarity_correlation(pairs),
        }
        rows.append(
            dict(zip(keys, values, strict=True)) | measures | {"pattern": _pattern(measures)}
        )
    columns = ["n_scenarios", "n_significant", "nsi", "nsi_pairs", "acquiescence", "one_sided"]
    return pd.DataFrame(rows, columns=[*keys, *columns, "polarity_correlation", "pattern"])


def _pattern(measures: Mapping[str, Any]) -> Pattern:
    if not measures["n_scenarios"] or np.isnan(measures["nsi_pairs"]):
        return Pattern.UNKNOWN
    if not measures["n_significant"]:
        return Pattern.NOISE
    if measures["nsi_pairs"] < PAIR_SHARE * measures["nsi"]:
        return Pattern.GOAL
    if measures["polarity_correlation"] >= FOLLOWS_CONTENT:
        return Pattern.IGNORED
    if measures["one_sided"] >= ONE_SIDED:
        return Pattern.YEA if measures["acquiescence"] > 0 else Pattern.NAY
    return Pattern.MIXED


def _polarity_correlation(known: pd.DataFrame) -> float:
    positive = known["agree_positive"].to_numpy(dtype=float)
    negated = known["agree_negated"].to_numpy(dtype=float)
    if len(known) < 3 or _constant(positive) or _constant(negated):
        return np.nan
    return float(np.corrcoef(positive, negated)[0, 1])


def _constant(values: NDArray[np.float64]) -> bool:
    return bool(np.ptp(values) < 1e-12)


def _key(values: Any) -> tuple[Any, ...]:
    """A group's key that equals itself: NaN does not."""
    return tuple("nan" if value != value else value for value in values)
