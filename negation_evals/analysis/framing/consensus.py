"""What asking twice costs and what it leaves: the solver `framing_consensus` beside a plain run."""

import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.nsi import nsi_values
from negation_evals.analysis.framing.rates import compliance, endorsement_rates
from negation_evals.schema.common import Status


def mitigation_effect(decisions: pd.DataFrame) -> pd.DataFrame:
    """Answers withheld by a consensus of both polarities, NSI of what remains, and extra calls.

    The mitigation of arXiv:2601.21433, Section 4.3. A flag hides no failure: it marks an answer
    that needs a human. Within a pair of frames that were both asked, NSI of what remains is low by
    construction, whatever the model, since only answers that agree in both are left.

    Args:
        decisions: The table of `read_decisions`. A result is mitigated where `calls` is known: the
            plain solver does not state it. The result without is the one of the same model and
            settings, all but the solver, with the task's own solver.

    Returns:
        One row per mitigated result: `<keys>`, n (answers; what never came is none), n_flagged,
        flagged (share of the answers), n_valid, n_scenarios (with an NSI of what remains),
        n_missing (scenarios without: a frame has no valid answer left), nsi (mean over scenarios),
        nsi_without (of the same scenarios without the mitigation), change (nsi - nsi_without, both
        over the scenarios that have both), calls (made for the answers), extra_calls (per answer,
        beyond the one that it takes anyway). NaN where there is nothing to say it by. No rows
        where no result is mitigated.

    Raises:
        ValueError: a column is missing.
    """
    needed = ["model", "scenario", "domain", "frame", "status", "endorsed"]
    require_columns(decisions, needed, "mitigation_effect")
    keys = RESULTS.keys(decisions)
    columns = [*keys, "n", "n_flagged", "flagged", "n_valid", "n_scenarios", "n_missing"]
    columns += ["nsi", "nsi_without", "change", "calls", "extra_calls"]
    if "calls" not in decisions.columns or decisions["calls"].isna().all():
        return pd.DataFrame(columns=columns)

    made = decisions.assign(calls=pd.to_numeric(decisions["calls"], errors="coerce"))
    made["calls"] = made["calls"].where(~made["status"].isin([Status.ERROR, Status.UNSCORED]))
    table = made.groupby(keys, sort=False, dropna=False)["calls"].agg(["sum", "mean", "count"])
    table = table[table["count"] > 0].reset_index()
    table["calls"], table["extra_calls"] = table["sum"], table["mean"] - 1

    answers = compliance(decisions)
    answers["n"], answers["n_flagged"] = answers["answered"], answers[Status.FLAGGED]
    answers["n_valid"] = answers[Status.VALID]
    answers["flagged"] = answers["n_flagged"] / answers["n"].where(answers["n"] > 0)
    table = table.merge(answers[[*keys, "n", "n_flagged", "flagged", "n_valid"]], on=keys)
    return table.merge(_remaining_nsi(decisions, table[keys]), on=keys)[columns]


def _remaining_nsi(decisions: pd.DataFrame, mitigated: pd.DataFrame) -> pd.DataFrame:
    """NSI of the mitigated results over their scenarios, and of the same ones without."""
    keys = list(mitigated.columns)
    values = nsi_values(endorsement_rates(decisions))
    remaining = values.merge(mitigated, on=keys)
    remaining["nsi_without"] = float("nan")
    if "solver" in keys:
        shared = [*(name for name in keys if name != "solver"), "scenario", "domain"]
        plain = values.loc[values["solver"] == "", [*shared, "nsi"]]
        plain = plain.rename(columns={"nsi": "nsi_without"})
        remaining = remaining.drop(columns="nsi_without").merge(plain, on=shared, how="left")
    remaining["change"] = remaining["nsi"] - remaining["nsi_without"]
    remaining["nsi_without"] = remaining["nsi_without"].where(remaining["change"].notna())
    groups = remaining.groupby(keys, sort=False, dropna=False)
    summary = groups[["nsi", "nsi_without", "change"]].mean()
    summary["n_scenarios"] = groups["nsi"].count()
    summary["n_missing"] = groups["nsi"].size() - summary["n_scenarios"]
    return summary.reset_index()
