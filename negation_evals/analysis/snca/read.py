"""From the logs of the SNCA tasks to the tables `policies`, `observations` and `matches`.

For their columns see `sncs` and `snca_labels`, and the lists below.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.scorer import Score

from negation_evals.analysis.reading.logs import LogFamily, Rows, read_family
from negation_evals.analysis.reading.model_patterns import ModelPattern
from negation_evals.analysis.reading.reading import ReadReport
from negation_evals.analysis.reading.runs import INTERNAL, Runs, settle_runs
from negation_evals.analysis.reading.scores import scores_of
from negation_evals.analysis.reading.settings import generation_settings
from negation_evals.analysis.reading.sources import Source
from negation_evals.analysis.snca import tables
from negation_evals.analysis.snca.read_table import (
    read_match_table,
    read_observation_table,
    read_policy_table,
)
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

_GENERATION: Final = ("task", "temperature", "solver", "generation", "version")
_MODEL: Final = ("origin", "size_tier")

POLICIES: Final = tables.POLICIES.names
OBSERVATIONS: Final = tables.OBSERVATIONS.names
MATCHES: Final = tables.MATCHES.names
"""Columns of the three tables; what a table of one's own does not have is missing."""


def read_policies(
    paths: Source | Iterable[Source],
    *,
    models: Sequence[ModelPattern] | None = None,
    verdict: Verdict = "newest",
) -> pd.DataFrame:
    """Read extraction logs into the table `policies`, one row per model, category and elicitation.

    Retries and repeated runs are settled as in `read_decisions`, with the largest run.

    Args:
        paths: Log files, folders, fsspec URLs, log objects, or tables (CSV, JSONL, Parquet) with at
            least model, category and rule_type.
        models: Patterns for origin and size tier; default `datasets/models.yaml`.
        verdict: Of a log that a second judge scored, the `newest` verdict or the `first`.

    Returns:
        The columns of `POLICIES`. elicitation is `plain` or `anchored`, with the wording where it
        is not the built-in one; confidence in [0, 100] or NaN. `attrs["report"]` is a dict with the
        fields of `ReadReport`.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    family = _family("extraction", verdict, _policy_rows, read_policy_table)
    settings = (*_GENERATION, "elicitation")
    sample = ("category", "elicitation")
    table = _read(paths, family, POLICIES, ("category",), sample, settings, None, models)
    # A category has one policy: of several epochs the first that was typed.
    keys = ["model", "category", *settings]
    ranked = table.assign(untyped=table["rule_type"].isna())
    ranked = ranked.sort_values(["untyped", "epoch"], kind="stable").drop_duplicates(keys)
    for log, rows in table.drop(index=ranked.index).groupby("log", sort=True):
        left = {"source": log, "rows": len(rows), "reason": "a further epoch of the same category"}
        table.attrs["report"]["left_out"].append(left)
    return table.loc[ranked.index.sort_values()].reset_index(drop=True)


def read_observations(
    paths: Source | Iterable[Source],
    *,
    models: Sequence[ModelPattern] | None = None,
    runs: Runs = "largest",
    verdict: Verdict = "newest",
) -> pd.DataFrame:
    """Read behaviour logs into the table `observations`, one row per item and epoch.

    Logs of different items add up. Retries and repeated runs are settled as in `read_decisions`.

    Args:
        paths: Log files, folders, fsspec URLs, log objects, or tables (CSV, JSONL, Parquet) with at
            least model, category, item_id, kind and label.
        models: Patterns for origin and size tier; default `datasets/models.yaml`.
        runs: `all` pools different runs with the same settings as further epochs.
        verdict: See `read_policies`.

    Returns:
        The columns of `OBSERVATIONS`. label is missing unless the status is valid; tier is 0 the
        provider's filter, 1 the phrases, 2 the judge; tiers are the settings of the first tier.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    family = _family("behavior", verdict, _observation_rows, read_observation_table)
    sample = ("source", "item_variant", "item_id")
    settings = (*_GENERATION, "tiers")
    return _read(paths, family, OBSERVATIONS, sample, sample, settings, runs, models)


def read_matches(
    paths: Source | Iterable[Source], *, models: Sequence[ModelPattern] | None = None
) -> pd.DataFrame:
    """Read matching logs into the table `matches`, one row per model, policy and benign item.

    Args:
        paths: Log files, folders, fsspec URLs, log objects, or tables (CSV, JSONL, Parquet) with at
            least model, item_id and matched.
        models: Patterns for origin and size tier; default `datasets/models.yaml`.

    Returns:
        The columns of `MATCHES`; model is the audited one, matched is missing unless the judge gave
        a verdict.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    family = _family("matching", "newest", _match_rows, read_match_table)
    sample = ("source", "item_variant", "item_id", "elicitation")
    return _read(paths, family, MATCHES, sample, sample, ("task",), None, models)


def _read(
    paths: Source | Iterable[Source],
    family: LogFamily,
    columns: tuple[str, ...],
    unit: tuple[str, ...],
    sample: tuple[str, ...],
    settings: tuple[str, ...],
    runs: Runs | None,
    models: Sequence[ModelPattern] | None,
) -> pd.DataFrame:
    report = ReadReport()
    rows = read_family(paths, family, report)
    if "audited_model" in rows.columns:
        # A matching run asks the judge alone; its rows are about another model.
        rows["model"] = rows["audited_model"].where(rows["audited_model"].notna(), rows["model"])
    for column in (*columns, *settings):
        if column not in rows.columns and column not in {*_MODEL, "variant"}:
            rows[column] = 1 if column == "epoch" else None
    # One run may be about several models, so a run is told apart by its model.
    rows["run"] = rows["run"].astype(str) + "#" + rows["model"].astype(str)
    rows = settle_runs(
        rows,
        report,
        unit=unit,
        sample=sample,
        settings=settings,
        runs=runs or "largest",
        models=models,
        poolable=runs is not None,
    )
    # A model's description has a column variant as well: here it is the item's.
    rows = rows.drop(columns=["variant", "family"]).rename(columns={"item_variant": "variant"})
    extra = [name for name in rows.columns if name not in (*columns, *INTERNAL, *_LOCAL)]
    table = rows[[*columns, *extra]].reset_index(drop=True)
    table.attrs["report"] = vars(report)
    return table


_LOCAL: Final = ("audited_model",)


def _family(phase: str, verdict: Verdict, rows: Any, read_table: Any) -> LogFamily:
    def owns(header: EvalLog) -> bool:
        return (header.eval.metadata or {}).get(SncaTask.PHASE) == phase

    def read(
        header: EvalLog, summaries: list[EvalSampleSummary], report: ReadReport
    ) -> pd.DataFrame:
        table: pd.DataFrame = rows(header, summaries, verdict)
        return table.assign(**generation_settings(header))

    reader: Rows = read
    return LogFamily(f"SNCA {phase}", owns, reader, read_table)


# --- rows from sample summaries ----------------------------------------------------------------


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


def _policy_rows(
    header: EvalLog, summaries: list[EvalSampleSummary], verdict: Verdict
) -> pd.DataFrame:
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
    *("category", "source", "item_variant", "item_id", "kind", "epoch", "label", "status"),
    *("reason", "tier", "phrase", "filtered", "truncated", "judge", "sentence", "sample_uuid"),
)


def _observation_rows(
    header: EvalLog, summaries: list[EvalSampleSummary], verdict: Verdict
) -> pd.DataFrame:
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
                marks.get(RefusalScore.TIER),
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


def _match_rows(
    header: EvalLog, summaries: list[EvalSampleSummary], verdict: Verdict
) -> pd.DataFrame:
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
                "item_variant": metadata.get(SncaSample.VARIANT),
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
