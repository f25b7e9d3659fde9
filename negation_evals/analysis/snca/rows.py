"""Rows of the SNCA tables from sample summaries."""

from collections.abc import Mapping
from typing import Final, Literal

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.scorer import Score

from negation_evals.analysis.reading.reading import Notes
from negation_evals.analysis.reading.scores import scores_of
from negation_evals.schema.common import Status
from negation_evals.schema.snca import (
    MATCH_SCORER,
    PLAIN,
    POLICY_SCORER,
    REFUSAL_SCORER,
    Label,
    MatchScore,
    PolicyScore,
    RefusalScore,
    RuleType,
    SncaSample,
    SncaTask,
    elicitation_name,
)

Verdict = Literal["newest", "first"]
"""Which score of a log that `inspect score --action append` scored again by another judge."""


def score_of(scores: Mapping[str, Score] | None, name: str, verdict: Verdict) -> Score | None:
    """The score of a scorer that counts.

    The newest is the last that is a verdict: a second judge that could not be reached takes none
    away.
    """
    scores = scores or {}
    if verdict == "first" or len(scores) == 1:
        return scores.get(name)
    own = scores_of(scores, name)
    return next((score for score in own if _is_verdict(score)), own[0] if own else None)


def _is_verdict(score: Score) -> bool:
    if isinstance(score.value, float):
        return not np.isnan(score.value)
    return score.value in _TYPES | _LABELS


def _status(summary: EvalSampleSummary, score: Score | None, valid: bool) -> str:
    if score is None and summary.error:
        return str(Status.ERROR)
    return str(Status.VALID if valid else Status.UNSCORED)


_TYPES: Final = frozenset(map(str, RuleType))
_LABELS: Final = frozenset(map(str, Label))

_POLICY_MARKS: Final = (
    *("confidence", "judge", "truncated", "filtered", "q1", "q3_none", "q4", "regular_type"),
    "predicate",
)


def policy_rows(
    header: EvalLog,
    summaries: list[EvalSampleSummary],
    notes: Notes,
    *,
    verdict: Verdict = "newest",
) -> pd.DataFrame:
    """One row per category, with the type of its policy."""
    rows = []
    for summary in summaries:
        score = score_of(summary.scores, POLICY_SCORER, verdict)
        marks = (score.metadata if score is not None else None) or {}
        typed = score is not None and score.value in _TYPES
        row = {mark: marks.get(PolicyScore(mark)) for mark in _POLICY_MARKS}
        rows.append(
            row
            | {
                "category": str(summary.metadata.get(SncaSample.CATEGORY, summary.id)),
                "rule_type": score.value if score is not None and typed else None,
                "judge_type": score.answer if score is not None and typed else None,
                "status": _status(summary, score, typed),
                "reason": None if score is None else score.reason,
                "run_used": summary.metadata.get(SncaSample.RUN_USED),
                "epoch": summary.epoch,
                "sample_uuid": summary.uuid,
            }
        )
    table = pd.DataFrame(rows)
    table["confidence"] = pd.to_numeric(table["confidence"], errors="coerce")
    return table.assign(elicitation=elicitation_name(header.eval.metadata or {}))


_OBSERVATION_ROW: Final = (
    *("category", "source", "variant", "item_id", "kind", "epoch", "label", "status"),
    *("reason", "tier", "phrase", "filtered", "truncated", "judge", "sentence", "sample_uuid"),
)


def observation_rows(
    header: EvalLog,
    summaries: list[EvalSampleSummary],
    notes: Notes,
    *,
    verdict: Verdict = "newest",
) -> pd.DataFrame:
    """One row per item and epoch, with the label of the response."""
    rows = []
    for summary in summaries:
        metadata = summary.metadata
        score = score_of(summary.scores, REFUSAL_SCORER, verdict)
        marks = (score.metadata if score is not None else None) or {}
        valid = score is not None and score.value in _LABELS
        rows.append(
            (
                metadata.get(SncaSample.CATEGORY, ""),
                metadata.get(SncaSample.SOURCE),
                metadata.get(SncaSample.VARIANT),
                metadata.get(SncaSample.ITEM, summary.id),
                metadata.get(SncaSample.KIND),
                summary.epoch,
                score.value if score is not None and valid else None,
                _status(summary, score, valid),
                None if score is None else score.reason,
                marks.get(RefusalScore.STAGE),
                marks.get(RefusalScore.PHRASE),
                bool(marks.get(RefusalScore.FILTERED, False)),
                bool(marks.get(RefusalScore.TRUNCATED, False)),
                marks.get(RefusalScore.JUDGE),
                score.explanation if score is not None and valid else None,
                summary.uuid,
            )
        )
    settings = header.eval.metadata or {}
    named = (SncaTask.SHORT_REPLY, SncaTask.SHORT_CHARS, SncaTask.ESCALATE_CHARS)
    wording = str(settings.get(SncaTask.PROMPTS_HASH, ""))[:8]
    tiers = " ".join(f"{key}={settings.get(key)}" for key in named) + f" prompts={wording}"
    return pd.DataFrame(rows, columns=_OBSERVATION_ROW).assign(tiers=tiers)


def match_rows(
    header: EvalLog,
    summaries: list[EvalSampleSummary],
    notes: Notes,
    *,
    verdict: Verdict = "newest",
) -> pd.DataFrame:
    """One row per policy and benign item, with whether they match."""
    rows = []
    for summary in summaries:
        metadata = summary.metadata
        score = score_of(summary.scores, MATCH_SCORER, verdict)
        marks = (score.metadata if score is not None else None) or {}
        value = np.nan if score is None or not isinstance(score.value, float) else score.value
        rows.append(
            {
                "audited_model": metadata.get(SncaSample.AUDITED),
                "category": metadata.get(SncaSample.CATEGORY, ""),
                "elicitation": metadata.get(SncaSample.ELICITATION, PLAIN),
                "rule_type": metadata.get(SncaSample.RULE_TYPE),
                "source": metadata.get(SncaSample.SOURCE),
                "variant": metadata.get(SncaSample.VARIANT),
                "item_id": metadata.get(SncaSample.ITEM, summary.id),
                "matched": None if np.isnan(value) else bool(value),
                "by": marks.get(MatchScore.BY),
                "which": marks.get(MatchScore.WHICH),
                "status": _status(summary, score, not np.isnan(value)),
                "reason": None if score is None else score.reason,
                "judge": marks.get(MatchScore.JUDGE),
                "epoch": summary.epoch,
                "sample_uuid": summary.uuid,
            }
        )
    return pd.DataFrame(rows)
