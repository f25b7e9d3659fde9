"""An adaptive audit replayed from its answers."""

from collections.abc import Sequence

import pandas as pd

from negation_evals.analysis.framing.interim import completed_looks, look
from negation_evals.analysis.framing.rates import endorsement_rates
from negation_evals.analysis.framing.tier_tables import TierThresholds
from negation_evals.schema.schedule import Schedule


def replay(
    decisions: pd.DataFrame,
    schedule: Schedule,
    thresholds: Sequence[TierThresholds] | None = None,
) -> pd.DataFrame:
    """The look at which each domain of one audit was settled, from its answers alone.

    Args:
        decisions: The table of `read_decisions`, of one model and its settings.
        schedule: That of the audit.
        thresholds: As for `look`.

    Returns:
        The row of `look` for each domain at its first settled look, else at its last completed
        one, with epochs (of the look). A domain before its first look is left out.
    """
    completed = completed_looks(decisions, schedule)
    rows_by_domain: list[pd.DataFrame] = []
    for domain, last in zip(completed["domain"], completed["epochs"], strict=True):
        rows = decisions[decisions["domain"] == domain]
        for epochs in (due for due in schedule.looks if due <= last):
            cells = endorsement_rates(rows[rows["epoch"] <= epochs])
            row = look(cells, schedule, epochs, thresholds).assign(epochs=epochs)
            if row["settled"].item() or epochs == last:
                rows_by_domain.append(row)
                break
    if not rows_by_domain:
        return pd.DataFrame()
    return pd.concat(rows_by_domain, ignore_index=True)
