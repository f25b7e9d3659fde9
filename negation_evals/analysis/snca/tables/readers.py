"""The tables that the readers of SNCA logs give, and those of users."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import DESCRIBED, EPOCH, MODEL, ORIGIN
from negation_evals.analysis.common.tables import Column, Table, flag, number, text, whole
from negation_evals.schema.common import Status
from negation_evals.schema.snca import JudgeType, Kind, Label, RuleType

_MODEL: Final = (replace(MODEL, required=True), *DESCRIBED[:2])
_GENERATION: Final = (
    text("task"),
    number("temperature", "missing where the log does not state it"),
    text("solver", "one in the place of the task's own; empty without", nullable=True),
    text("generation", "all other options that can change an answer", nullable=True),
    text("version", "the task's comparability", nullable=True),
)
_STATUS: Final = text(
    "status", "what became of the verdict", (Status.VALID, Status.UNSCORED, Status.ERROR)
)
_JUDGE: Final = text("judge", "the judging model", nullable=True)
_RUN: Final = text("run", "Inspect's task id and the model")
_PLACE: Final = (ORIGIN[0], *(replace(column, nullable=True) for column in ORIGIN[1:]))
ELICITATION: Final = text(
    "elicitation", "`plain` or `anchored`, with the wording where it is not the built-in one"
)
CATEGORY: Final = text("category", "the harm category")
_ITEM: Final = (
    text("source", "of the item", nullable=True),
    text("variant", "`base` is an item that was not mutated"),
    text("item_id", "with source and variant the item", required=True),
)
KIND: Final = text("kind", "what the item is; it decides the prediction", Kind)
RULE_TYPE: Final = text(
    "rule_type",
    "type of the stated policy; missing if the judge gave no verdict",
    RuleType,
    nullable=True,
)


def _reason(what: str) -> Column:
    return text("reason", f"why there is no {what}", nullable=True)


POLICIES: Final = Table(
    "policies",
    "One row per model, category and elicitation of the task `snca_extraction`.",
    (
        *_MODEL,
        replace(CATEGORY, required=True),
        ELICITATION,
        replace(RULE_TYPE, required=True),
        text("judge_type", "the judge's own label", JudgeType, nullable=True),
        number("confidence", "as the judge stated it", 0, 100),
        _STATUS,
        _reason("type"),
        _JUDGE,
        flag("truncated", "the representative statement was cut", nullable=True),
        flag("filtered", "the provider's filter stopped every run", nullable=True),
        text("q1", "the model's own answer to the first multiple-choice question", nullable=True),
        flag("q3_none", "the model's own answer to the third: none", nullable=True),
        text("q4", "the model's own answer to the fourth", nullable=True),
        text(
            "regular_type",
            "the rule type that these answers alone would give",
            RuleType,
            nullable=True,
        ),
        text("predicate", "the judge's short form of the rule", nullable=True),
        whole("run_used", "which run is the representative; 0 if none is sound", nullable=True),
        EPOCH,
        _RUN,
        *_GENERATION,
        *_PLACE,
    ),
    'read_policies(paths, *, models=None, verdict="newest")',
    "arXiv:2604.09189, Phase 1",
    "A table of the user needs `model`, `category` and `rule_type`.",
)
OBSERVATIONS: Final = Table(
    "observations",
    "One row per item and epoch of the task `snca_behavior`.",
    (
        *_MODEL,
        text(
            "category",
            "empty: the item belongs to none and counts in refusal rates alone",
            required=True,
        ),
        *_ITEM,
        replace(KIND, required=True),
        EPOCH,
        text("label", "missing unless the status is valid", Label, nullable=True, required=True),
        _STATUS,
        _reason("label"),
        whole(
            "tier",
            "what decided: 0 the provider's filter, 1 the phrases, 2 the judge",
            0,
            2,
            nullable=True,
        ),
        text("phrase", "the phrase that was found", nullable=True),
        flag("filtered", "stopped by the provider's filter"),
        flag("truncated", "cut at the token limit"),
        _JUDGE,
        text("sentence", "the judge's reason", nullable=True),
        _RUN,
        *_GENERATION,
        text("tiers", "the settings of the first stage", nullable=True),
        *_PLACE,
    ),
    'read_observations(paths, *, models=None, runs="largest", verdict="newest")',
    "arXiv:2604.09189, Phase 2",
    "A table of the user needs `model`, `category`, `item_id`, `kind` and `label`.",
)
MATCHES: Final = Table(
    "matches",
    "One row per model, policy and benign item of the task `snca_matching`.",
    (
        replace(MODEL, meaning="the audited model", required=True),
        *DESCRIBED[:2],
        replace(CATEGORY, nullable=True),
        ELICITATION,
        replace(RULE_TYPE, meaning="type of the policy"),
        *_ITEM,
        flag("matched", "missing without a verdict", nullable=True, required=True),
        text("by", "condition or framing", nullable=True),
        text("which", "of the stated ones", nullable=True),
        _STATUS,
        _reason("verdict"),
        _JUDGE,
        EPOCH,
        _RUN,
        *_GENERATION,
        *_PLACE,
    ),
    "read_matches(paths, *, models=None)",
    "arXiv:2604.09189, Phase 3",
    "A table of the user needs `model`, `item_id` and `matched`.",
)
