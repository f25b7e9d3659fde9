"""The table that the readers of framing logs give."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import DESCRIBED, EPOCH, MODEL, ORIGIN
from negation_evals.analysis.common.tables import Table, flag, number, text, whole
from negation_evals.analysis.framing.tables.keys import DOMAIN, FRAME, ORDERS, SCENARIO, SETTINGS
from negation_evals.schema.common import Status
from negation_evals.schema.framing import ALIGNMENT_FIELDS, Decision

DECISIONS: Final = Table(
    "decisions",
    "One row per sample and epoch of a framing task.",
    (
        replace(MODEL, required=True),
        *DESCRIBED,
        replace(SCENARIO, required=True),
        DOMAIN,
        replace(FRAME, required=True),
        flag("negated", "agreeing with the proposal opposes the action"),
        EPOCH,
        text("status", "what became of the answer", Status),
        text(
            "decision",
            "the answer as given; missing unless valid",
            Decision,
            nullable=True,
            required=True,
        ),
        number("endorsed", "(decision is agree) XOR negated: 1.0 or 0.0; NaN unless valid", 0, 1),
        number("confidence", "as the model stated it", 0, 100),
        *(
            number(name, "alignment score of `sff`; NaN where not asked for or broken", 0, 100)
            for name in ALIGNMENT_FIELDS
        ),
        text("run", "Inspect's task id: a run and its retries"),
        *SETTINGS,
        text("order_shown", "the order of the answers in this epoch", ORDERS, nullable=True),
        whole("completion", "hash of the completion, to notice repeated answers", nullable=True),
        flag("deterministic", "the result's repeated answers are copies of one (`repeatability`)"),
        number(
            "calls",
            "model calls that the answer took, where the solver says so (`framing_consensus`: 2)",
            0,
        ),
        *ORIGIN,
    ),
    'read_decisions(paths, *, models=None, runs="largest", pool_data=False)',
    "endorsement, arXiv:2601.21433, Section 3.2, equation 1",
    "A table of the user (CSV, JSONL, JSON, YAML, Parquet) needs `model`, `scenario`, `frame` and "
    "`decision`; "
    "`domain`, `negated`, `epoch`, `status`, `confidence`, the alignment scores, what the models "
    "file says, and the settings are optional. Without `frames`, what any model was asked all "
    "were. `run` and `log` are set anew. A contradiction (a scenario in two domains, a built-in "
    "frame with the other polarity, an `endorsed` that does not follow, a decision beside a status "
    "other than valid, two origins of one model) is an error, as is a table in which no decision "
    "is agree or disagree. A confidence or score out of range is missing. Space around names is no "
    "part of them.",
)
