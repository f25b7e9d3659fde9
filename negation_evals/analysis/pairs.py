"""Frames in pairs of one polarity each: what kind of failure is it?

NSI says that the stance moves with the wording. Within a pair of frames that differ in their
negation alone, the share that agrees with the affirmative proposal and the share that agrees with
the negated one should add up to 1. What they add up to beyond that is the acquiescence of the
answers; its size is the NSI of the pair, its sign a habit of agreeing or disagreeing. Neither is
in the papers.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

import numpy as np
import pandas as pd

from negation_evals.analysis.columns import (
    as_key,
    carried_keys,
    require_columns,
    result_keys,
    row_keys,
)
from negation_evals.analysis.hypothesis import FDR, adjust_fdr
from negation_evals.data import frame_pairs

Pairs = Mapping[str, tuple[str, str]]

SAME: Final = 1e-12
"""Rates that differ by less are the same."""


def acquiescence(cells: pd.DataFrame, pairs: Pairs | None = None) -> pd.DataFrame:
    """Acquiescence and NSI of each pair of frames: P(agree | positive) + P(agree | negated) - 1.

    Agreeing with a negated proposal opposes the action, so with endorsement rates this is
    rate(positive) - rate(negated): 0 for a mirror-consistent model, +1 for one that always agrees,
    -1 for one that always disagrees. The NSI of the pair, max - min over its two frames, is its
    absolute value.

    Args:
        cells: The table of `endorsement_rates`.
        pairs: Name -> (affirmative frame, negated frame), any two frames of opposite polarity, such
            as {"contraction": ("F0", "contraction")}. Default: those of `datasets/frames.yaml`
            (`frame_pairs`), simple (F0, F1), compound (F2, F3) and refusal (not_refuse, refuse).

    Returns:
        One row per result, scenario and pair of which a frame was asked of the scenario: `<keys>`,
        scenario, domain, pair, agree_positive, agree_negated, acquiescence in [-1, 1], nsi. NaN
        where a frame of the pair has no valid answer.
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
    keys = carried_keys(scenarios)
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


def _copies(known: pd.DataFrame) -> bool:
    """Whether a result's repeated answers are copies of one."""
    return (
        "deterministic" in known.columns and len(known) > 0 and bool(known["deterministic"].all())
    )


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


def _polarity_correlation(pairs: pd.DataFrame) -> float:
    """Pearson's correlation within pairs, of those that have one."""
    both = pairs[["agree_positive", "agree_negated"]].to_numpy(dtype=float)
    names, centred = pairs["pair"].to_numpy(), []
    for name in dict.fromkeys(names):
        agrees = both[names == name]
        if len(agrees) >= 3 and (np.ptp(agrees, axis=0) > SAME).all():
            centred.append(agrees - agrees.mean(axis=0))
    if not centred:
        return np.nan
    return float(np.corrcoef(np.concatenate(centred), rowvar=False)[0, 1])
