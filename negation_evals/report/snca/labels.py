"""Names of SNCA results."""

import pandas as pd

from negation_evals.analysis.common.labels import result_labels


def audit_labels(table: pd.DataFrame) -> list[str]:
    """One label per row: the model, and how its policy was elicited where that varies.

    The column `variant` of these tables is the item's and names no result.
    """
    return result_labels(table, [name for name in ("elicitation",) if name in table.columns])
