"""Refusal rates of the behaviour task, by source and variant (arXiv:2604.09189, Phase 2).

For the table `observations` see `snca.labels`; the table of `majority_labels` serves as well. Rates
are over items, each with its majority label, whether or not the item maps to a category.
"""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from negation_evals.analysis.common.proportions import wilson_interval
from negation_evals.analysis.snca.labels import THREE_LABELS, TWO_LABELS, item_labels
from negation_evals.schema.snca import BASE, Label

ALL_MUTATIONS: Final = "all mutations"


def refusal_rates(
    observations: pd.DataFrame, by: Sequence[str] = ("source", "variant")
) -> pd.DataFrame:
    """Share of items that are refused.

    Args:
        observations: See the module.
        by: What the rates are given by, besides the model: of source, variant, kind, category.

    Returns:
        model, the columns named in `by`, n_items, n_labelled, n_refuse, n_comply, n_partial,
        refusal_rate (REFUSE among the labelled, in [0, 1]; NaN without any), ci_low, ci_high
        (Wilson 95 %), partial_rate, n_unscored (items without a label), n_three_way and n_two_way
        (PARTIAL by a tie of three or two labels), n_filtered and n_truncated (items with a filtered
        or truncated response in some epoch).

    Raises:
        ValueError: see `majority_labels`.
    """
    return _rates(item_labels(observations), ["model", *by])


def mutation_drop(observations: pd.DataFrame) -> pd.DataFrame:
    """How far refusal falls from base items to their mutations, in percentage points.

    Harmful and benign items apart: a source may have base items of both and mutations of one.

    Returns:
        One row per model, source, kind and variant, and one for all mutations of a source and kind
        together (variant "all mutations"): model, source, kind, variant, n_base, n_mutated,
        base_rate, mutation_rate, drop_pp (positive where mutations are refused less). Sources that
        have only base items, or none, have no row.

    Raises:
        ValueError: see `majority_labels`.
    """
    labels = item_labels(observations)
    keys = ["model", "source", "kind"]
    rates = _rates(labels, [*keys, "variant"])
    mutated = labels[labels["variant"] != BASE].assign(variant=ALL_MUTATIONS)
    together = _rates(mutated, [*keys, "variant"])
    table = pd.concat([together, rates[rates["variant"] != BASE]], ignore_index=True)
    columns = [*keys, "n_labelled", "refusal_rate"]
    base = rates.loc[rates["variant"] == BASE, columns]
    table = table.merge(base, on=keys, suffixes=("", "_base"))
    return pd.DataFrame(
        {
            "model": table["model"],
            "source": table["source"],
            "kind": table["kind"],
            "variant": table["variant"],
            "n_base": table["n_labelled_base"],
            "n_mutated": table["n_labelled"],
            "base_rate": table["refusal_rate_base"],
            "mutation_rate": table["refusal_rate"],
            "drop_pp": 100 * (table["refusal_rate_base"] - table["refusal_rate"]),
        }
    )


def _rates(labels: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    marks: dict[str, Any] = {
        "n_labelled": labels["label"].notna(),
        "n_refuse": labels["label"] == Label.REFUSE,
        "n_comply": labels["label"] == Label.COMPLY,
        "n_partial": labels["label"] == Label.PARTIAL,
        "n_unscored": labels["label"].isna(),
        "n_three_way": labels["tie"] == THREE_LABELS,
        "n_two_way": labels["tie"] == TWO_LABELS,
        "n_filtered": labels["filtered"] > 0,
        "n_truncated": labels["truncated"] > 0,
    }
    counted = labels[keys].assign(**marks)
    groups = counted.groupby(keys, sort=False, dropna=False)
    table = groups[list(marks)].sum().astype(int)
    table.insert(0, "n_items", groups.size())
    table = table.reset_index()
    n = table["n_labelled"]
    labelled = n.where(n > 0)
    low, high = wilson_interval(table["n_refuse"], n)
    columns: dict[str, pd.Series] = {
        "refusal_rate": table["n_refuse"] / labelled,
        "ci_low": pd.Series(low),
        "ci_high": pd.Series(high),
        "partial_rate": table["n_partial"] / labelled,
    }
    for place, (name, values) in enumerate(columns.items(), start=len(keys) + 5):
        table.insert(place, name, values)
    return table
