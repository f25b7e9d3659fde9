"""Endorsement rates and compliance: the counts behind every other number."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from negation_evals.analysis.common.bootstrap import RESAMPLES, Seed, ratio_interval
from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.common.proportions import wilson_interval
from negation_evals.analysis.framing.columns import RESULTS, require_unique_decisions
from negation_evals.schema.common import Status

UNPARSED: Final = (
    Status.MALFORMED,
    Status.TRUNCATED,
    Status.REFUSAL,
    Status.FILTERED,
    Status.FLAGGED,
)
"""Answers that came and hold no decision, abstentions apart."""


def endorsement_rates(decisions: pd.DataFrame, *, confidence_level: float = 0.95) -> pd.DataFrame:
    """The table `cells`: action endorsement per model, settings, scenario and frame.

    The rate is over valid decisions (arXiv:2601.21433, Section 3.2); the interval is Wilson's.

    Args:
        decisions: Columns model, scenario, domain, frame, endorsed (1.0, 0.0, or NaN where there
            is no valid decision), and any of status, the settings, and the model's descriptions.
        confidence_level: Of the interval, in (0, 1).

    Returns:
        One row per cell in order of appearance: `<keys>` (model, its descriptions, the settings
        that vary), scenario, domain, frame, n (decisions asked for), n_valid, n_abstain,
        n_unparsed (any other answer without a decision), endorsed (count), rate in [0, 1],
        ci_low, ci_high; rate and interval are NaN where n_valid is 0. The planned frames pass
        through as `frames`, and `deterministic` as it is; where it is true there is no interval.

    Raises:
        ValueError: a column is missing, or a decision occurs twice.
    """
    name = "endorsement_rates"
    require_columns(decisions, ["model", "scenario", "domain", "frame", "endorsed"], name)
    require_unique_decisions(decisions, name)
    keys = [*RESULTS.keys(decisions), "scenario", "domain", "frame"]
    counted = decisions[[*keys, "endorsed"]].assign(n_abstain=0, n_unparsed=0)
    if "status" in decisions.columns:
        counted["n_abstain"] = (decisions["status"] == Status.ABSTAIN).astype(int)
        counted["n_unparsed"] = decisions["status"].isin(UNPARSED).astype(int)
    groups = counted.groupby(keys, sort=False, dropna=False)
    cells = groups.agg(
        n=("endorsed", "size"),
        n_valid=("endorsed", "count"),
        n_abstain=("n_abstain", "sum"),
        n_unparsed=("n_unparsed", "sum"),
        endorsed=("endorsed", "sum"),
    ).reset_index()
    for name in ("frames", "deterministic"):
        if name in decisions.columns and name not in keys:
            values = decisions.groupby(keys, sort=False, dropna=False)[name]
            cells[name] = values.first().to_numpy()
    valid = cells["n_valid"].where(cells["n_valid"] > 0)
    cells["rate"] = cells["endorsed"] / valid
    cells["ci_low"], cells["ci_high"] = wilson_interval(
        cells["endorsed"], cells["n_valid"], confidence_level
    )
    if "deterministic" in cells.columns:
        cells.loc[cells["deterministic"].astype(bool), ["ci_low", "ci_high"]] = np.nan
    return cells


def endorsement_by_frame(cells: pd.DataFrame) -> pd.DataFrame:
    """Endorsement per model and frame: the mean over scenarios of the cells' rates.

    Every scenario weighs the same however many of its answers were valid; with equal valid n this
    is the pooled rate of arXiv:2601.21433, Table 2.

    Args:
        cells: The table of `endorsement_rates`.

    Returns:
        `<keys>`, frame, n_scenarios (with a rate), n_missing (of the result's scenarios, without
        one), n_valid, rate in [0, 1] (NaN without any).
    """
    keys = RESULTS.keys(cells)
    groups = cells.groupby([*keys, "frame"], sort=False, dropna=False)
    table = groups.agg(
        n_scenarios=("rate", "count"), n_valid=("n_valid", "sum"), rate=("rate", "mean")
    ).reset_index()
    scenarios = cells.groupby(keys, sort=False, dropna=False)["scenario"].nunique()
    n_asked = table[keys].merge(scenarios.reset_index(), on=keys, how="left")["scenario"]
    table.insert(len(keys) + 2, "n_missing", n_asked.to_numpy() - table["n_scenarios"])
    return table


def endorsement_by_group(
    cells: pd.DataFrame,
    by: str | Sequence[str] = "origin",
    *,
    confidence_level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Endorsement per group of models and frame (arXiv:2601.09724, Tables 2 and 8, Figure 3).

    The mean over all cells of the group. The interval resamples scenarios (percentile bootstrap):
    the models of a group are the ones audited, the scenarios stand for more of their kind. By
    ["origin", "scenario"] these are Tables 5 to 7 of arXiv:2601.21433, without an interval.

    Args:
        cells: The table of `endorsement_rates`.
        by: Columns to group by, such as origin, size_tier or condition.
        confidence_level: Of the interval, in (0, 1).
        resamples: Bootstrap resamples.
        rng: Seed or generator.

    Returns:
        The settings that group models (`across_models`), `by`, frame, n_models, n_cells (with a
        rate), rate, ci_low, ci_high (NaN with one scenario).

    Raises:
        ValueError: a column is missing.
    """
    names = [by] if isinstance(by, str) else list(by)
    needed = [*names, "model", "scenario", "frame", "rate"]
    require_columns(cells, needed, "endorsement_by_group")
    settings = RESULTS.across_models(cells, RESULTS.varying_settings(cells))
    keys = [*(name for name in settings if name not in names), *names, "frame"]
    groups = cells.dropna(subset="rate").groupby(keys, sort=False, dropna=False)
    table = groups.agg(
        n_models=("model", "nunique"), n_cells=("rate", "size"), rate=("rate", "mean")
    )
    table[["ci_low", "ci_high"]] = np.nan
    if "scenario" not in names:
        generator = np.random.default_rng(rng)
        for place, (_, group) in enumerate(groups):
            cases = group.groupby("scenario", sort=False)["rate"].agg(["sum", "count"])
            table.iloc[place, -2:] = ratio_interval(
                cases["sum"],
                cases["count"],
                confidence_level=confidence_level,
                resamples=resamples,
                generator=generator,
            )
    return table.reset_index()


def polarity_swing(
    by_frame: pd.DataFrame, positive: str = "F0", negated: str = "F3"
) -> pd.DataFrame:
    """Relative polarity swing (rate in F3 - rate in F0) / rate in F0 (arXiv:2601.09724, Table 3).

    Args:
        by_frame: A table of rates by frame: `endorsement_by_frame` or `endorsement_by_group`.
        positive: The frame that is the base.
        negated: The frame compared with it.

    Returns:
        The other key columns, rate_positive, rate_negated, swing (1.44 is +144 %; NaN where a rate
        is missing or the base is 0).
    """
    require_columns(by_frame, ["frame", "rate"], "polarity_swing")
    counts = {"frame", "rate", "n_scenarios", "n_missing", "n_valid", "n_models", "n_cells"}
    keys = [name for name in by_frame.columns if name not in counts | {"ci_low", "ci_high"}]
    table = by_frame[keys].drop_duplicates().reset_index(drop=True)
    for column, frame in (("rate_positive", positive), ("rate_negated", negated)):
        rates = by_frame.loc[by_frame["frame"] == frame, [*keys, "rate"]]
        table = table.merge(rates.rename(columns={"rate": column}), on=keys, how="left")
    base = table["rate_positive"].where(table["rate_positive"] > 0)
    table["swing"] = (table["rate_negated"] - base) / base
    return table


def outcomes_by_frame(cells: pd.DataFrame) -> pd.DataFrame:
    """What became of the answers in each frame: shares of all decisions asked for.

    Args:
        cells: The table of `endorsement_rates`.

    Returns:
        `<keys>`, frame, n, and the shares endorse, oppose, abstain, unparsed (malformed,
        truncated, refused, filtered, flagged), unanswered (errors, unscored), which add up to 1.
    """
    keys = [*RESULTS.keys(cells), "frame"]
    names = ["n", "n_valid", "n_abstain", "n_unparsed", "endorsed"]
    counts = cells.groupby(keys, sort=False, dropna=False)[names].sum().reset_index()
    table = counts[[*keys, "n"]].copy()
    table["endorse"] = counts["endorsed"] / counts["n"]
    table["oppose"] = (counts["n_valid"] - counts["endorsed"]) / counts["n"]
    table["abstain"] = counts["n_abstain"] / counts["n"]
    table["unparsed"] = counts["n_unparsed"] / counts["n"]
    answered = counts["n_valid"] + counts["n_abstain"] + counts["n_unparsed"]
    table["unanswered"] = (counts["n"] - answered) / counts["n"]
    return table


def compliance(decisions: pd.DataFrame) -> pd.DataFrame:
    """What became of the answers of each model: the share of valid ones and all counts.

    compliance = valid / answered. An answer that never came (status error or unscored) says
    nothing about the model: it is counted, and left out of the denominator.

    Args:
        decisions: Columns model, status (values of `Status`), and any settings.

    Returns:
        `<keys>`, n, one count per status, answered, compliance in [0, 1]
        (NaN where nothing was answered).
    """
    require_columns(decisions, ["model", "status"], "compliance")
    keys = RESULTS.keys(decisions)
    statuses = [str(status) for status in Status]
    counts = decisions[keys].copy()
    for status in statuses:
        counts[status] = (decisions["status"] == status).astype(int)
    table = counts.groupby(keys, sort=False, dropna=False)[statuses].sum().reset_index()
    table.insert(len(keys), "n", table[statuses].sum(axis=1))
    answered = table["n"] - table[Status.ERROR] - table[Status.UNSCORED]
    table["answered"] = answered
    table["compliance"] = table[Status.VALID] / answered.where(answered > 0)
    return table


def exclude_models(
    decisions: pd.DataFrame, min_compliance: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Leave out results with too few valid answers (arXiv:2601.09724, Section 3.9).

    Args:
        decisions: Columns model, status, and any settings.
        min_compliance: Smallest share of valid answers that stays, in [0, 1]; a result in which
            nothing was answered goes at any threshold above 0.

    Returns:
        The decisions that stay, and the rows of `compliance` that go.

    Raises:
        ValueError: the threshold is out of range.
    """
    if not 0 <= min_compliance <= 1:
        raise ValueError(f"min_compliance={min_compliance!r} is not a share in [0, 1]")
    table = compliance(decisions)
    too_few = table["compliance"].fillna(0.0) < min_compliance
    keys = [name for name in table.columns if name in RESULTS.keys(decisions)]
    marked = decisions[keys].merge(table.loc[~too_few, keys], on=keys, how="left", indicator=True)
    kept = decisions[(marked["_merge"] == "both").to_numpy()]
    return kept.reset_index(drop=True), table[too_few].reset_index(drop=True)
