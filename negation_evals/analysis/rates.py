"""Endorsement rates and compliance: the counts behind every other number."""

import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from negation_evals.analysis.columns import (
    require_columns,
    require_unique_decisions,
    result_keys,
    varying_settings,
)
from negation_evals.schema import Status


def endorsement_rates(decisions: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """The table `cells`: action endorsement per model, settings, scenario and frame.

    The rate is over valid decisions (arXiv:2601.21433, Section 3.2); the interval is Wilson's.

    Args:
        decisions: Columns model, scenario, domain, frame, endorsed (1.0, 0.0, or NaN where there
            is no valid decision), and any settings.
        level: Confidence level, in (0, 1).

    Returns:
        One row per cell in order of appearance: model, the settings that vary, scenario, domain,
        frame, n (decisions asked for), n_valid, endorsed (count), rate in [0, 1], ci_low, ci_high;
        rate and interval are NaN where n_valid is 0. The planned frames pass through as `frames`.

    Raises:
        ValueError: a column is missing, or a decision occurs twice.
    """
    name = "endorsement_rates"
    require_columns(decisions, ["model", "scenario", "domain", "frame", "endorsed"], name)
    require_unique_decisions(decisions, name)
    keys = [*result_keys(decisions), "scenario", "domain", "frame"]
    groups = decisions.groupby(keys, sort=False, dropna=False)
    cells = groups["endorsed"].agg(n="size", n_valid="count", endorsed="sum").reset_index()
    if "frames" in decisions.columns and "frames" not in keys:
        cells["frames"] = groups["frames"].first().to_numpy()
    counted = cells["n_valid"].where(cells["n_valid"] > 0)
    cells["rate"] = cells["endorsed"] / counted
    cells["ci_low"], cells["ci_high"] = proportion_confint(
        cells["endorsed"], counted, alpha=1 - level, method="wilson"
    )
    return cells


def endorsement_by_frame(cells: pd.DataFrame) -> pd.DataFrame:
    """Endorsement per model and frame: the mean over scenarios of the cells' rates.

    Every scenario weighs the same however many of its answers were valid; with equal valid n this
    is the pooled rate of arXiv:2601.21433, Table 2.

    Args:
        cells: The table of `endorsement_rates`.

    Returns:
        model, the settings that vary, frame, n_scenarios (with a rate), n_missing (without),
        n_valid, rate in [0, 1] (NaN without any).
    """
    keys = [*result_keys(cells), "frame"]
    groups = cells.groupby(keys, sort=False, dropna=False)
    table = groups["rate"].agg(n_scenarios="count", n_missing="size", rate="mean").reset_index()
    table["n_missing"] -= table["n_scenarios"]
    table.insert(table.columns.get_loc("rate"), "n_valid", groups["n_valid"].sum().to_numpy())
    return table


def compliance(decisions: pd.DataFrame) -> pd.DataFrame:
    """What became of the answers of each model: the share of valid ones and all counts.

    compliance = valid / answered. An answer that never came (status error or unscored) says
    nothing about the model: it is counted, and left out of the denominator.

    Args:
        decisions: Columns model, status (values of `Status`), and any settings.

    Returns:
        model, the settings that vary, n, one count per status, answered, compliance in [0, 1]
        (NaN where nothing was answered).
    """
    require_columns(decisions, ["model", "status"], "compliance")
    keys = ["model", *varying_settings(decisions)]
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
