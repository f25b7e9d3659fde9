"""Pairs of frames that differ in their negation alone: agreeing with both."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.framing.frames import frame_pairs

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
    keys = [*RESULTS.keys(cells), "scenario", "domain"]
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
    keys = [*RESULTS.carried_keys(table), "pair"]
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


def _copies(known: pd.DataFrame) -> bool:
    """Whether a result's repeated answers are copies of one."""
    return (
        "deterministic" in known.columns and len(known) > 0 and bool(known["deterministic"].all())
    )


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
