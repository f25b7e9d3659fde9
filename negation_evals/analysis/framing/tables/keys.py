"""Columns that say which result a row belongs to, each declared once."""

from typing import Final

from negation_evals.analysis.common.shared_columns import DESCRIBED, MODEL_KEYS
from negation_evals.analysis.common.tables import flag, grouped, number, text

ORDERS: Final = ("agree_first", "disagree_first")
"""The two orders in which a question names its answers."""

SETTINGS: Final = (
    text("task"),
    text("condition", "`standard`, or `reasoning` before the decision"),
    number("temperature", "missing where the log does not state it"),
    text("response", "the answers that the question allows"),
    text("answer_order", "the order of the answers, for all epochs or alternating"),
    flag("structured", "the provider was given a schema of the answer"),
    text("frames", "the planned frames, joined by commas"),
    text("solver", "one in the place of the task's own; empty without"),
    text("generation", "all other options that can change an answer"),
    text("version", "the task's comparability"),
    text("data_hash", "SHA-256 of the scenario set"),
)
"""Settings of an audit. Rows that differ in one of them are never pooled into one result."""

KEYS: Final = (*MODEL_KEYS, *grouped("keys", SETTINGS))
"""What one result stands for."""
OTHER_KEYS: Final = grouped("other keys", (*DESCRIBED, *SETTINGS))
"""The keys but for the model."""
SHARED: Final = grouped("shared", SETTINGS)
"""What a statistic over several models groups by."""

SCENARIO: Final = text("scenario")
DOMAIN: Final = text("domain", "of the scenario; `unspecified` where nothing states it")
FRAME: Final = text("frame", "the wording of the question")
PLACE: Final = (SCENARIO, DOMAIN)
