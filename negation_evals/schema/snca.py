"""The vocabulary of the SNCA audit (arXiv:2604.09189). Imports nothing of ours.

What one part writes into a log and another reads has its name here: rule types, labels, and the
keys of sample, score and task metadata.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final


class RuleType(StrEnum):
    """Type of a stated policy (arXiv:2604.09189, Phase 1)."""

    ABSOLUTE = "Absolute"
    """Refuses everything of the category."""
    CONDITIONAL = "Conditional"
    """Refuses unless a stated condition holds."""
    ADAPTIVE = "Adaptive"
    """What it does changes with the framing of the request."""
    OPAQUE = "Opaque"
    """Too vague to predict from, or no policy was described."""


class JudgeType(StrEnum):
    """The labels among which the typing judge chooses."""

    T1 = "T1"
    T2 = "T2"
    T3 = "T3"
    T2_T3 = "T2 T3"
    OPAQUE = "OPAQUE"


RULE_TYPES: Final = {
    JudgeType.T1: RuleType.ABSOLUTE,
    JudgeType.T2: RuleType.CONDITIONAL,
    JudgeType.T3: RuleType.ADAPTIVE,
    JudgeType.T2_T3: RuleType.ADAPTIVE,
    JudgeType.OPAQUE: RuleType.OPAQUE,
}
"""The rule type that each of the judge's labels stands for."""


class Label(StrEnum):
    """What a response does with the request."""

    REFUSE = "REFUSE"
    COMPLY = "COMPLY"
    PARTIAL = "PARTIAL"


UNPREDICTABLE: Final = "UNPREDICTABLE"
"""The prediction where a stated policy says nothing about an item."""

VIOLATIONS: Final = {
    RuleType.ABSOLUTE: "Abs-Comply",
    RuleType.CONDITIONAL: "Cond-Leak",
    RuleType.ADAPTIVE: "Frame-Mismatch",
}
"""Name of a prediction that failed, by rule type."""


class Kind(StrEnum):
    """What an item is; it decides the prediction, whatever the source."""

    HARMFUL = "harmful"
    BENIGN = "benign"


BASE: Final = "base"
"""The variant of an item that was not mutated."""


class SncaSample(StrEnum):
    """Keys of `Sample.metadata` in the SNCA tasks."""

    CATEGORY = "category"
    """Name of the harm category; empty for an item that maps to none."""
    SOURCE = "source"
    VARIANT = "variant"
    ITEM = "item_id"
    KIND = "kind"
    ENCODING = "encoding"
    """The cipher in which the request is written; absent for plain text."""
    RUN_USED = "run_used"
    """Which run of the extraction is the representative, counted from 1; 0 if none is sound."""
    RUN_CHARS = "run_chars"
    """Lengths of all runs in characters, without reasoning, joined by commas."""
    RUN_STOPS = "run_stops"
    """Stop reasons of all runs, joined by commas."""
    AUDITED = "audited_model"
    """The model whose policy an item is matched with."""
    RULE_TYPE = "rule_type"
    ELICITATION = "elicitation"
    """How the policy that an item is matched with was elicited."""


class PolicyScore(StrEnum):
    """Keys of `Score.metadata` of the scorer `policy_type`."""

    STATUS = "status"
    JUDGE = "judge"
    CONFIDENCE = "confidence"
    CONDITIONS = "conditions"
    """Stated conditions for compliance, a list; cut in sample summaries if long."""
    FRAMINGS = "framing_changes"
    PREDICATE = "predicate"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    Q1 = "q1"
    Q3_NONE = "q3_none"
    Q4 = "q4"
    REGULAR_TYPE = "regular_type"
    """The rule type that the multiple-choice answers alone would give."""


class RefusalScore(StrEnum):
    """Keys of `Score.metadata` of the scorer `refusal`."""

    STAGE = "tier"
    """0 the provider's filter, 1 the phrases, 2 the judge."""
    PHRASE = "phrase"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    JUDGE = "judge"


class MatchScore(StrEnum):
    """Keys of `Score.metadata` of the scorer `condition_match`."""

    JUDGE = "judge"
    BY = "by"
    WHICH = "which"


class SncaTask(StrEnum):
    """Keys of `Task.metadata`, which Inspect keeps in the log's header."""

    PACKAGE_VERSION = "negation_evals_version"
    PHASE = "snca_phase"
    """extraction, behavior or matching: how readers know a log of this family."""
    DATA = "snca_data"
    DATA_HASH = "snca_data_sha256"
    PROMPTS = "prompts"
    PROMPTS_HASH = "prompts_sha256"
    ANCHORED = "anchored"
    RUNS = "runs"
    SHORT_REPLY = "short_reply"
    SHORT_CHARS = "short_chars"
    ESCALATE_CHARS = "escalate_chars"
    REVISIONS = "revisions"
    """Data sets of the hub with the commit that was read."""
    LEFT_OUT = "left_out"
    """Rows of the data that were skipped, with the reason and their number."""


SOLVERS: Final = ("state_policy", "answer_request", "match_item")
"""The tasks' own solvers, which another may take the place of, or stand beside."""
POLICY_SCORER: Final = "policy_type"
REFUSAL_SCORER: Final = "refusal"
MATCH_SCORER: Final = "condition_match"
JUDGE_ROLE: Final = "judge"

BUILTIN_PROMPTS: Final = "snca"
PLAIN: Final = "plain"
ANCHORED: Final = "anchored"


def elicitation_name(metadata: Mapping[str, Any]) -> str:
    """How the policies of a log were elicited: with anchors or without, and by whose wording.

    Args:
        metadata: The task's metadata in the header of an extraction log.
    """
    how = ANCHORED if metadata.get(SncaTask.ANCHORED) else PLAIN
    wording = metadata.get(SncaTask.PROMPTS, BUILTIN_PROMPTS)
    if wording == BUILTIN_PROMPTS:
        return how
    return f"{how}, {wording} {str(metadata.get(SncaTask.PROMPTS_HASH))[:8]}"
