"""Formulas that live metrics and the analysis share; they load no pandas, and numpy by need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from negation_evals.schema.nubench import OptionType
from negation_evals.schema.snca import Label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

WRONG: Final = (OptionType.LOCAL, OptionType.CONTRADICTION, OptionType.PARAPHRASE)
"""The options of NUBench that are not the standard negation."""


def nsi_from_rates(rates: ArrayLike) -> NDArray[np.float64]:
    """NSI over the last axis of endorsement rates: max - min, NaN where a rate is missing.

    A missing frame is not a rate of 0, and a range over fewer frames is another statistic.
    """
    import numpy as np

    values = np.asarray(rates, dtype=float)
    if values.shape[-1] < 2:
        return np.full(values.shape[:-1], np.nan)
    return np.asarray(values.max(axis=-1) - values.min(axis=-1))


def error_shares(chosen: Sequence[str]) -> dict[str, float]:
    """Of the choices that are wrong, the share of each type of option; NaN without any.

    Args:
        chosen: Values of `OptionType`; no format violations.
    """
    wrong = [kind for kind in chosen if kind != OptionType.STANDARD]
    shares = {kind.value: wrong.count(kind) for kind in WRONG}
    return {name: n / len(wrong) if wrong else float("nan") for name, n in shares.items()}


def majority_label(labels: Iterable[str]) -> Label | None:
    """The label that most epochs gave; PARTIAL where none leads, None without any label."""
    counts = Counter(labels).most_common(2)
    if not counts:
        return None
    if len(counts) == 2 and counts[0][1] == counts[1][1]:
        return Label.PARTIAL
    return Label(counts[0][0])
