"""What kind of failure a model's answers look like."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

import numpy as np
import pandas as pd

from negation_evals.analysis.common.multiplicity import FDR, adjust_fdr
from negation_evals.analysis.common.results import as_key, row_keys
from negation_evals.analysis.framing.acquiescence import (
    _copies,
    _polarity_correlation,
)
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.framing.frames import frame_pairs


class Pattern(StrEnum):
    """What a result's NSI looks like. A description by stated rules, not a test."""

    UNKNOWN = "unknown"
    """No scenario has an NSI, no pair of frames was asked, or too few answers to test."""
    NOISE = "not above noise"
    """All scenarios together differ between frames by no more than sampling noise."""
    GOAL = "goal wording"
    """The frames of a pair mirror each other, simple and compound ones differ: the goal matters."""
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
GOAL_PAIRS: Final = ("simple", "compound")
"""They differ in the mention of the goal; other frames differ from them in other ways."""
ONE_SIDED: Final = 0.8
"""Smallest |mean acquiescence| / mean |acquiescence| that counts as a habit."""


def failure_patterns(
    scenarios: pd.DataFrame, table: pd.DataFrame, effect: pd.DataFrame
) -> pd.DataFrame:
    """What each result's NSI looks like: ignored negation, a response bias, or neither.

    All measures are over the scenarios that have an NSI. The first rule that holds decides:

    1. No scenario has an NSI, none of them has both frames of a pair, or there are so few answers
       that none could be told from noise (`framing_effect`: not tested): unknown.
    2. The test of all scenarios together finds nothing (p > 0.05): not above noise. Copies of one
       answer carry no noise (`repeatability`): there any NSI above 0 is above it.
    3. The pairs' own NSI (the larger of a scenario, mean over scenarios) is below half of the
       whole: goal wording, if the highest and the lowest frame of every scenario are of the simple
       or the compound pair, else mixed.
    4. The polarity correlation is at least 0.5: ignored negation. It is taken within pairs, each
       centred on its own means, over the pairs that have a correlation (`acquiescence_summary`):
       a difference between the pairs says nothing about polarity.
    5. The mean acquiescence is at least 0.8 of its mean size: a habit, however weak. Else mixed.

    Args:
        scenarios: The table of `nsi`.
        table: The table of `acquiescence` of the same decisions.
        effect: The table of `framing_effect` of the same decisions.

    Returns:
        `<keys>`, n_scenarios, n_significant (by the exact range test of `nsi`, Benjamini-Hochberg
        within the result; of copies, those with an NSI above 0), p_value (of `framing_effect`),
        nsi (mean), nsi_pairs (mean of the larger pair NSI), acquiescence (mean over scenarios and
        pairs), one_sided in [0, 1], polarity_correlation, pattern (a value of `Pattern`).
    """
    keys = RESULTS.carried_keys(scenarios)
    by_result = _by_result(table.dropna(subset="acquiescence"), keys)
    tests = dict(zip(row_keys(effect, keys), effect.to_dict("records"), strict=True))
    every_pair = frame_pairs()
    about_goal = {frame for name in GOAL_PAIRS for frame in every_pair[name]}
    rows = []
    for key, group in _by_result(scenarios, keys).items():
        known = group.dropna(subset="nsi")
        pairs = by_result.get(key, table.iloc[:0])
        pairs = pairs[pairs["scenario"].isin(known["scenario"])]
        size = pairs["nsi"].mean()
        measures = {
            "n_scenarios": len(known),
            "n_significant": _significant(known),
            "p_value": tests[key]["p_value"],
            "nsi": known["nsi"].mean(),
            "nsi_pairs": pairs.groupby("scenario")["nsi"].max().mean(),
            "acquiescence": pairs["acquiescence"].mean(),
            "one_sided": abs(pairs["acquiescence"].mean()) / size if size > 0 else np.nan,
            "polarity_correlation": _polarity_correlation(pairs),
        }
        if _copies(known):
            above = known["nsi"].max() > 0
        else:
            above = measures["p_value"] <= FDR if tests[key]["tested"] else None
        between = Pattern.GOAL if _extremes(known) <= about_goal else Pattern.MIXED
        pattern = _pattern(measures, above, between)
        rows.append(group[keys].iloc[0].to_dict() | measures | {"pattern": pattern})
    columns = ["n_scenarios", "n_significant", "p_value", "nsi", "nsi_pairs", "acquiescence"]
    columns += ["one_sided", "polarity_correlation", "pattern"]
    return pd.DataFrame(rows, columns=[*keys, *columns])


def _by_result(table: pd.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], pd.DataFrame]:
    """The rows of each result."""
    groups = table.groupby(list(keys), sort=False, dropna=False)
    return {as_key(values): rows for values, rows in groups}


def _significant(known: pd.DataFrame) -> int:
    """How many scenarios differ from an invariant model by more than noise."""
    if _copies(known):
        return int((known["nsi"] > 0).sum())
    return int((adjust_fdr(known["p_value"]) <= FDR).sum())


def _extremes(known: pd.DataFrame) -> set[str]:
    """The frames that are the highest or the lowest of a scenario."""
    return set(known["frame_max"]) | set(known["frame_min"])


def _pattern(measures: Mapping[str, Any], above: bool | None, between_pairs: Pattern) -> Pattern:
    """The first rule that holds; `above` says whether noise is exceeded, None if nobody knows."""
    if above is None or np.isnan(measures["nsi_pairs"]):
        return Pattern.UNKNOWN
    if not above:
        return Pattern.NOISE
    if measures["nsi_pairs"] < PAIR_SHARE * measures["nsi"]:
        return between_pairs
    if measures["polarity_correlation"] >= FOLLOWS_CONTENT:
        return Pattern.IGNORED
    if measures["one_sided"] >= ONE_SIDED:
        return Pattern.YEA if measures["acquiescence"] > 0 else Pattern.NAY
    return Pattern.MIXED
