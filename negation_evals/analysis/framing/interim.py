"""Decisions taken while an audit runs: when to look, at what confidence, and what a look decides.

An audit that stops as soon as its interval looks good errs more often than one interval does. So
the allowed error is divided over all looks that are possible: look k uses the confidence 1 - a_k,
and the a_k sum to the error. By the union bound all intervals of an audit together, and so the one
at which it stopped, whatever the reason to stop there, miss the truth with no more than that
probability, as far as each interval keeps its confidence (`docs/certification.md` has the figures).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.intervals.nsi_intervals import nsi_intervals
from negation_evals.analysis.framing.tier_tables import TierThresholds, load_tier_thresholds
from negation_evals.analysis.framing.tiers import OVERALL, Tier, tiers
from negation_evals.errors import DataError
from negation_evals.schema.schedule import Schedule


def look_confidence(schedule: Schedule, epochs: int) -> float:
    """The confidence of the interval at the look after so many epochs: 1 - a_k.

    Args:
        schedule: That of the audit. With another `error` (1 - the confidence asked for) the looks
            divide that error, and the guarantee is for it.
        epochs: One of `schedule.looks`.

    Raises:
        ValueError: there is no such look.
    """
    if epochs not in schedule.looks:
        raise ValueError(f"look_confidence: no look after {epochs} epochs, only {schedule.looks}")
    return 1 - schedule.errors[schedule.looks.index(epochs)]


def look(
    cells: pd.DataFrame,
    schedule: Schedule,
    epochs: int,
    thresholds: Sequence[TierThresholds] | None = None,
) -> pd.DataFrame:
    """What the look after so many epochs says about each domain.

    Args:
        cells: The table of `endorsement_rates` over these epochs.
        schedule: That of the audit.
        epochs: One of `schedule.looks`.
        thresholds: Default `datasets/tiers.yaml`; domains without any take the overall ones.

    Returns:
        The table of `tiers` for each model and domain (nsi, ci_low and ci_high at
        `look_confidence`, b_from, c_from, tier, point_tier), with confidence and settled: the
        tier is decided, and no scenario lacks a frame.

    Raises:
        ValueError: see `look_confidence` and `nsi_intervals`.
    """
    confidence = look_confidence(schedule, epochs)
    intervals = nsi_intervals(cells, ["model", "domain"], confidence_level=confidence)
    rows = with_overall(list(intervals["domain"]), thresholds)
    table = tiers(intervals.assign(confidence=confidence), rows)
    table["settled"] = (table["tier"] != Tier.UNDECIDED) & (table["n_missing"] == 0)
    return table


def with_overall(
    domains: Sequence[str], thresholds: Sequence[TierThresholds] | None = None
) -> list[TierThresholds]:
    """The thresholds, and for each domain without any those of `overall` under its name.

    Raises:
        DataError: a domain has no thresholds, and there are no overall ones.
    """
    rows = list(thresholds or load_tier_thresholds())
    known = {row.domain: row for row in rows}
    missing = [name for name in dict.fromkeys(domains) if name not in known]
    if missing and OVERALL not in known:
        raise DataError(
            f"no tier thresholds for {missing[0]!r}: the thresholds need a row for each domain, or "
            f"one for {OVERALL!r}"
        )
    return rows + [known[OVERALL].model_copy(update={"domain": name}) for name in missing]


def completed_looks(decisions: pd.DataFrame, schedule: Schedule) -> pd.DataFrame:
    """The last look of each domain for which all answers are there, whatever their status.

    An adaptive audit is analysed at this look: the union bound holds for any choice among the
    looks, so also for this one. Answers of later epochs, which were under way when a domain was
    settled, do not count.

    Args:
        decisions: The table of `read_decisions`, of adaptive audits with this schedule.
        schedule: That of the audits.

    Returns:
        `<keys>`, domain, epochs (of the look; 0 before the first), confidence
        (`look_confidence`; NaN before the first), n_used and n_beyond (rows up to the look and
        beyond it).

    Raises:
        ValueError: a column is missing.
    """
    require_columns(decisions, ["model", "scenario", "domain", "frame", "epoch"], "completed_looks")
    keys = [*RESULTS.keys(decisions), "domain"]
    rows = []
    for values, group in decisions.groupby(keys, sort=False, dropna=False):
        epochs = _last_look(group, schedule)
        used = int((group["epoch"] <= epochs).sum())
        rows.append(
            dict(zip(keys, values, strict=True))
            | {"epochs": epochs}
            | {"confidence": look_confidence(schedule, epochs) if epochs else np.nan}
            | {"n_used": used, "n_beyond": len(group) - used}
        )
    return pd.DataFrame(rows, columns=[*keys, "epochs", "confidence", "n_used", "n_beyond"])


def up_to_looks(decisions: pd.DataFrame, schedule: Schedule) -> pd.DataFrame:
    """The decisions that count in an adaptive audit: those up to its `completed_looks`."""
    table = completed_looks(decisions, schedule)
    keys = list(table.columns[:-4])
    last = decisions[keys].merge(table, on=keys, how="left")["epochs"].to_numpy()
    kept = decisions[decisions["epoch"].to_numpy(dtype=int) <= last].reset_index(drop=True)
    return kept


def _last_look(rows: pd.DataFrame, schedule: Schedule) -> int:
    """The last look up to which every scenario and frame of a domain has a row in every epoch."""
    asked = len(rows.drop_duplicates(["scenario", "frame"]))
    here = rows.drop_duplicates(["scenario", "frame", "epoch"])["epoch"].value_counts()
    complete = [
        epochs
        for epochs in schedule.looks
        if all(here.get(epoch, 0) >= asked for epoch in range(1, epochs + 1))
    ]
    return complete[-1] if complete else 0
