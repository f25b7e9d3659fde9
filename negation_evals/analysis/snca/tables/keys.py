"""Columns that say what a row is about, each declared once."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import (
    MODEL,
)
from negation_evals.analysis.common.tables import (
    grouped,
    text,
)
from negation_evals.analysis.snca.tables.readers import (
    ELICITATION,
)

VARIES: Final = replace(ELICITATION, varies=True)

KEYS: Final = (
    *grouped("result", (MODEL,), varies=False),
    *grouped("result", (ELICITATION,)),
)
"""What one result stands for."""

MODEL_OR_ALL: Final = replace(MODEL, meaning="or `all models`")

SOURCE: Final = text("source", "of the item")

VARIANT: Final = text("variant", "`base` is an item that was not mutated")
