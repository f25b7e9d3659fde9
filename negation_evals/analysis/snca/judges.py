"""Two judges of the same logs: `inspect score --action append` with another model role `judge`."""

from typing import Any, Final

import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.snca.rule_types import ALL_MODELS, judge_agreement

_SAMPLE: Final = ("log", "sample_uuid")


def compare_judges(first: pd.DataFrame, newest: pd.DataFrame, column: str) -> pd.DataFrame:
    """Do two judges give the same verdict on the same samples?

    Only samples about which both were asked count: what the phrases or the provider's filter
    decide is no verdict of a judge.

    Args:
        first: A table of `read_policies` or `read_observations` with `verdict="first"`.
        newest: The same with the newest verdicts.
        column: The verdict: `rule_type` or `label`.

    Returns:
        One row per model and pair of judges, and with several models one for all together (model
        "all models"): model, judge_a (the first), judge_b, and the columns of `judge_agreement`,
        in which n_unpaired counts samples on which only one of them gave a verdict.

    Raises:
        ValueError: a column is missing.
    """
    needed = [*_SAMPLE, "judge", column]
    for table in (first, newest):
        require_columns(table, ["model", *needed], "compare_judges")
    both = newest[["model", *needed]].merge(first[needed], on=list(_SAMPLE), suffixes=("_b", "_a"))
    asked = both["judge_a"].notna() & both["judge_b"].notna()
    both = both[asked & (both["judge_a"] != both["judge_b"]) & both["sample_uuid"].notna()]
    rows = []
    for judges, pair in both.groupby(["judge_a", "judge_b"], sort=True):
        groups: list[tuple[Any, pd.DataFrame]] = list(pair.groupby("model", sort=False))
        if len(groups) > 1:
            groups.append((ALL_MODELS, pair))
        for model, part in groups:
            a, b = (part.rename(columns={f"{column}_{side}": column}) for side in "ab")
            found = judge_agreement(a, b, on=_SAMPLE, column=column)
            names = dict(zip(("model", "judge_a", "judge_b"), (model, *judges), strict=True))
            rows.append(names | found.iloc[0].to_dict())
    columns = ["model", "judge_a", "judge_b"]
    columns += ["n", "n_agree", "agreement", "ci_low", "ci_high", "kappa", "n_unpaired"]
    table = pd.DataFrame(rows, columns=columns)
    counts = ["n", "n_agree", "n_unpaired"]
    return table.astype(dict.fromkeys(counts, "Int64"))
