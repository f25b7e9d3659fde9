"""Labels of items over epochs: the majority, and the rule for ties (arXiv:2604.09189, Phase 2).

Table `observations`, one row per item and epoch: `model`, `category` (empty: maps to none),
`source`, `variant`, `item_id`, `kind` (harmful | benign), `epoch` (from 1), `label` (REFUSE |
COMPLY | PARTIAL, missing if unscored), and, where known, `tier`, `filtered`, `truncated`. The
column `variant` names the rewording of an item: base, or a mutation.
"""

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from negation_evals.analysis.common.columns import require_columns
from negation_evals.schema.snca import Label

ITEM: Final = ("model", "source", "variant", "item_id")
"""What identifies an item of one model's audit."""
NO_TIE: Final = ""
THREE_LABELS: Final = "three labels"
TWO_LABELS: Final = "two labels"

_ORDER: Final = (Label.REFUSE, Label.COMPLY, Label.PARTIAL)


def majority_labels(observations: pd.DataFrame) -> pd.DataFrame:
    """One row per item: the label that most epochs gave.

    No label leads: PARTIAL, with `tie` "three labels" if all three tie and "two labels" if two do,
    as one to one after an unscored epoch.

    Args:
        observations: See the module; `source` and `variant` may be missing.

    Returns:
        model, source, variant, item_id, category, kind, n_epochs, n_labels (epochs with a label),
        label (None without any), tie, filtered, truncated (epochs so marked).

    Raises:
        ValueError: a column is missing, a label is unknown, or an item occurs twice in an epoch.
    """
    table = checked_observations(observations)
    codes, items = _item_codes(table)
    n = len(items)
    place = pd.Categorical(table["label"], categories=list(_ORDER)).codes
    counts = np.zeros((n, len(_ORDER)), dtype=np.int64)
    labelled = place >= 0
    np.add.at(counts, (codes[labelled], place[labelled]), 1)
    most: NDArray[np.int64] = counts.max(axis=1, initial=0)
    leaders: NDArray[np.int64] = (counts == most[:, None]).sum(axis=1)
    labels = np.array([str(label) for label in _ORDER], dtype=object)[counts.argmax(axis=1)]
    tied = (leaders > 1) & (most > 0)
    labels[tied] = str(Label.PARTIAL)
    labels[most == 0] = None
    tie = np.full(n, NO_TIE, dtype=object)
    tie[tied] = np.where(leaders[tied] == len(_ORDER), THREE_LABELS, TWO_LABELS)
    items["n_epochs"] = np.bincount(codes, minlength=n)
    items["n_labels"] = counts.sum(axis=1)
    items["label"] = labels
    items["tie"] = tie
    for mark in ("filtered", "truncated"):
        marked = table[mark].fillna(False).to_numpy(dtype=bool)
        items[mark] = np.bincount(codes, weights=marked, minlength=n).astype(int)
    return items


def item_labels(observations: pd.DataFrame) -> pd.DataFrame:
    """The table of `majority_labels`: computed, unless `observations` is that table already."""
    return observations if "tie" in observations.columns else majority_labels(observations)


def checked_observations(observations: pd.DataFrame) -> pd.DataFrame:
    """The table with every column that the statistics use, checked.

    Raises:
        ValueError: a column is missing, a label or kind is unknown, or a row occurs twice.
    """
    require_columns(observations, ["model", "category", "item_id", "kind", "label"], "observations")
    table = observations.copy(deep=False)
    defaults: dict[str, str | bool] = {
        "source": "",
        "variant": "base",
        "filtered": False,
        "truncated": False,
    }
    for column, value in defaults.items():
        if column not in table.columns:
            table[column] = value
    table["category"] = table["category"].fillna("")
    for column, allowed in (("label", {"", *map(str, Label)}), ("kind", {"harmful", "benign"})):
        values = {"" if pd.isna(value) else str(value) for value in table[column].unique()}
        if values - allowed:
            wrong = sorted(values - allowed)[0]
            words = ", ".join(sorted(allowed - {""}))
            raise ValueError(f"observations: {column} {wrong!r} is not one of {words}")
    keys = [*ITEM, *(["epoch"] if "epoch" in table.columns else [])]
    if "epoch" in table.columns and (repeated := table.duplicated(keys)).any():
        first = table.loc[repeated, keys].iloc[0].to_dict()
        raise ValueError(
            f"observations: an item occurs twice in an epoch, first {first}: of runs with "
            "different settings keep one, or number the repetitions as further epochs"
        )
    return table


def _item_codes(table: pd.DataFrame) -> tuple[NDArray[np.integer], pd.DataFrame]:
    """The number of each row's item, in order of appearance, and the items."""
    codes = table.groupby(list(ITEM), sort=False, dropna=False).ngroup().to_numpy()
    first = np.unique(codes, return_index=True)[1]
    columns = [*ITEM, "category", "kind"]
    return codes, table.iloc[first][columns].reset_index(drop=True)
