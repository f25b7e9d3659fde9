"""Columns that tables of several families have, each declared once."""

from typing import Final

from negation_evals.analysis.common.columns import DESCRIPTIONS
from negation_evals.analysis.common.tables import Column, grouped, share, text, whole

MOST_EPOCHS: Final = 1_000_000
"""A larger epoch in a table is no epoch, and larger numbers would overflow."""

MODEL: Final = text("model", "Inspect's name of the model, `provider/name`")

_MEANINGS: Final = (
    "from `datasets/models.yaml` or `--models`; `unspecified` where no pattern matches",
    "size class of the model, from the same file",
    "models that are one system with its reasoning mode on or off; by default the model itself",
    "the mode: `standard`, `reasoning`, and by default `unspecified`",
)
DESCRIBED: Final = tuple(map(text, DESCRIPTIONS, _MEANINGS))
"""What the models file says about a model."""
MODEL_KEYS: Final = (*grouped("keys", (MODEL,), varies=False), *grouped("keys", DESCRIBED))

EPOCH: Final = whole(
    "epoch", "repetition; epochs of pooled runs are numbered on", low=1, high=MOST_EPOCHS
)
ORIGIN: Final = (
    text("log", "where the row comes from"),
    text("sample_uuid", "the sample in that log", nullable=True),
)


def interval(meaning: str, low: str = "ci_low", high: str = "ci_high") -> tuple[Column, Column]:
    """The limits of the interval of a share."""
    return share(low, meaning), share(high, "the upper limit")


WILSON: Final = interval("Wilson's interval, 95 %")
P_VALUE: Final = share("p_value")
"""A p-value whose test the table's source names."""
