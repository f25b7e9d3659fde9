"""Stated policies from extraction logs, or from a table of one's own."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from negation_evals.data import read_rows
from negation_evals.schema import DataError
from negation_evals.snca.data import as_names
from negation_evals.snca_schema import (
    PLAIN,
    POLICY_SCORER,
    PolicyScore,
    RuleType,
    SncaSample,
    SncaTask,
    elicitation_name,
)

TABLE_SUFFIXES: Final = (".csv", ".jsonl", ".json", ".parquet")


@dataclass(frozen=True)
class StatedPolicy:
    """What an extraction found for one model and category."""

    model: str
    category: str
    rule_type: str
    conditions: tuple[str, ...]
    framings: tuple[str, ...]
    elicitation: str = PLAIN
    """`plain` or `anchored`, with the wording where it is not the built-in one."""


def load_policies(sources: str | list[str]) -> tuple[StatedPolicy, ...]:
    """The Conditional and Adaptive policies that state something; of repeated ones the latest.

    Raises:
        DataError: no extraction log or table is there, or one cannot be read.
    """
    names = as_names("policies", sources)
    found: dict[tuple[str, str, str], StatedPolicy] = {}
    n_sources = 0
    for name in names:
        if name.endswith(TABLE_SUFFIXES) and _is_table(name):
            n_sources += 1
            policies = _table_policies(Path(name).expanduser())
            found |= {(p.model, p.category, p.elicitation): p for p in policies}
            continue
        for log in _extraction_logs(name):
            n_sources += 1
            found |= {(p.model, p.category, p.elicitation): p for p in _log_policies(log)}
    if not n_sources:
        raise DataError(
            f"policies={sources!r}: there is no extraction log and no table: run snca_extraction, "
            "and name its log or its folder"
        )
    matchable = {RuleType.CONDITIONAL, RuleType.ADAPTIVE}
    return tuple(
        policy
        for policy in found.values()
        if policy.rule_type in matchable and (policy.conditions or policy.framings)
    )


def _is_table(name: str) -> bool:
    """Whether a file is a table; JSON is also a format of Inspect's logs."""
    if not name.endswith(".json"):
        return True
    try:
        return not isinstance(json.loads(Path(name).read_text(encoding="utf-8-sig")), dict)
    except (OSError, ValueError):
        return False


def _extraction_logs(name: str) -> list[EvalLog]:
    """The extraction logs of a file or folder, the oldest first."""
    try:
        paths = [name]
        if not name.endswith((".eval", ".json")):
            paths = [info.name for info in list_eval_logs(name, descending=False)]
        logs = []
        for path in paths:
            header = read_eval_log(path, header_only=True)
            if (header.eval.metadata or {}).get(SncaTask.PHASE) == "extraction":
                logs.append(read_eval_log(path))
        return sorted(logs, key=lambda log: log.eval.created)
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise DataError(f"policies={name!r} cannot be read: {reason}") from error


def _log_policies(log: EvalLog) -> Iterable[StatedPolicy]:
    """The typed policies of a log; whole samples, because summaries cut long statements."""
    elicitation = elicitation_name(log.eval.metadata or {})
    for sample in log.samples or []:
        scores = {k: v for k, v in (sample.scores or {}).items() if k.startswith(POLICY_SCORER)}
        if not scores:
            continue
        score = scores[max(scores, key=lambda key: (len(key), key))]
        if score.value not in set(RuleType):
            continue
        marks: dict[str, Any] = score.metadata or {}
        yield StatedPolicy(
            log.eval.model,
            str(sample.metadata.get(SncaSample.CATEGORY, "")),
            str(score.value),
            tuple(map(str, marks.get(PolicyScore.CONDITIONS) or ())),
            tuple(map(str, marks.get(PolicyScore.FRAMINGS) or ())),
            elicitation,
        )


def _table_policies(path: Path) -> Iterable[StatedPolicy]:
    types = {str(rule).lower(): str(rule) for rule in RuleType}
    for number, row in enumerate(read_rows(path, "policies"), start=1):
        missing = [name for name in ("model", "category", "rule_type") if not row.get(name)]
        if missing:
            raise DataError(f"{path}: row {number} has no {missing[0]}")
        rule_type = types.get(str(row["rule_type"]).strip().lower())
        if rule_type is None:
            known = ", ".join(types.values())
            raise DataError(
                f"{path}: row {number}: rule_type={row['rule_type']!r} is not one of {known}"
            )
        yield StatedPolicy(
            str(row["model"]),
            str(row["category"]),
            rule_type,
            _statements(row.get("conditions")),
            _statements(row.get("framing_changes")),
            str(row.get("elicitation") or PLAIN),
        )


def _statements(value: object) -> tuple[str, ...]:
    """A list, or the text of one in JSON, or one statement."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return (str(value),)
    values = value if isinstance(value, list) else [value]
    return tuple(str(part) for part in values if part)
