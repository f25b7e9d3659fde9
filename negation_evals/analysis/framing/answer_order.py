"""Does it matter which answer the question names first?"""

from typing import Any

import numpy as np
import pandas as pd

from negation_evals.analysis.common.bootstrap import RESAMPLES, Seed, mean_interval
from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.schema.framing import Decision


def answer_order_effect(
    decisions: pd.DataFrame,
    *,
    confidence_level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Seed = 0,
) -> pd.DataFrame:
    """P(agree) when the question names agree first, minus when it names disagree first.

    With `answer_order=balanced` the order alternates over epochs, so both come from the same run.
    Per scenario the difference of the two shares, then the mean over scenarios; a positive value
    favours what is named first. The interval resamples scenarios (percentile bootstrap).

    Args:
        decisions: Columns model, scenario, frame, decision, endorsed, order_shown, any settings.
        confidence_level: Of the interval, in (0, 1).
        resamples: Bootstrap resamples.
        rng: Seed or generator.

    Returns:
        `<keys>`, frame ("all" for the mean over frames), n_scenarios (with valid answers in both
        orders), agree_first, disagree_first (P(agree) under each order), difference, ci_low,
        ci_high. Only results in which both orders were shown.
    """
    needed = ["model", "scenario", "frame", "decision", "endorsed", "order_shown"]
    require_columns(decisions, needed, "answer_order_effect")
    keys = RESULTS.keys(decisions)
    columns = ["n_scenarios", "agree_first", "disagree_first", "difference", "ci_low", "ci_high"]
    columns = [*keys, "frame", *columns]
    if decisions["order_shown"].nunique() < 2:
        return pd.DataFrame(columns=columns)
    valid = decisions[decisions["endorsed"].notna() & decisions["order_shown"].notna()]
    valid = valid.assign(agrees=(valid["decision"] == Decision.AGREE).astype(float))
    question = [*keys, "scenario", "frame"]
    # Two groupings joined: a pivot would build every combination of the keys' values.
    agree_first, disagree_first = (
        valid[valid["order_shown"] == order]
        .groupby(question, dropna=False)["agrees"]
        .mean()
        .rename(order)
        .reset_index()
        for order in ("agree_first", "disagree_first")
    )
    cells = agree_first.merge(disagree_first, on=question)
    generator = np.random.default_rng(rng)
    rows: list[dict[str, Any]] = []
    for values, group in cells.groupby(keys, sort=False, dropna=False):
        result = dict(zip(keys, values, strict=True))
        frames: list[tuple[Any, pd.DataFrame]] = [("all", group)]
        for frame, part in [*frames, *group.groupby("frame", sort=True)]:
            means = part.groupby("scenario")[["agree_first", "disagree_first"]].mean()
            difference = (means["agree_first"] - means["disagree_first"]).to_numpy(dtype=float)
            low, high = mean_interval(
                difference,
                confidence_level=confidence_level,
                resamples=resamples,
                generator=generator,
            )
            rows.append(
                result
                | {"frame": frame, "n_scenarios": len(means)}
                | means.mean().to_dict()
                | {"difference": difference.mean(), "ci_low": low, "ci_high": high}
            )
    return pd.DataFrame(rows, columns=columns)
