"""Stated policies from extraction logs, or from a table of one's own."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import read_eval_log

from negation_evals.errors import DataError, NothingFoundError
from negation_evals.files.rows import is_table, read_rows
from negation_evals.schema.snca import PLAIN, POLICY_SCORER, PolicyScore, RuleType
from negation_evals.snca.load import as_names


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
    """The Conditional and Adaptive policies that state something.

    Of several in logs the one that `read_policies` takes, so that a match is of the policy that is
    scored; one in a table replaces those of logs and of tables named before it.

    Raises:
        DataError: no extraction log or table is there, one cannot be read, or logs hold several
            policies of one model and category under different settings.
    """
    # As text: a path would take one of the slashes from an address.
    names = [os.path.expanduser(name) for name in as_names("policies", sources)]
    tables = [name for name in names if is_table(name)]
    logs = [name for name in names if name not in tables]
    found: dict[tuple[str, str, str], StatedPolicy] = {}
    for policy in _log_policies(logs, sources) if logs else ():
        if (key := _key(policy)) in found:
            raise DataError(
                f"policies={sources!r}: {policy.model} has several policies on "
                f"{policy.category!r}, under different settings: name the log of one of them"
            )
        found[key] = policy
    for table in tables:
        found |= {_key(policy): policy for policy in _table_policies(Path(table))}
    matchable = {RuleType.CONDITIONAL, RuleType.ADAPTIVE}
    return tuple(
        policy
        for policy in found.values()
        if policy.rule_type in matchable and (policy.conditions or policy.framings)
    )


def _key(policy: StatedPolicy) -> tuple[str, str, str]:
    return policy.model, policy.category, policy.elicitation


def _log_policies(names: Sequence[str], given: object) -> Iterable[StatedPolicy]:
    """The typed policies of logs; from whole samples, because summaries cut long statements."""
    from negation_evals.analysis.snca.read import read_policies
    from negation_evals.analysis.snca.rows import score_of

    try:
        policies = read_policies(names)
    except NothingFoundError as error:
        raise DataError(
            f"policies={given!r}: there is no extraction log and no table: run snca_extraction, "
            f"and name its log or its folder ({error})"
        ) from error
    except DataError as error:
        raise DataError(f"policies={given!r} cannot be read: {error}") from error
    typed = policies.dropna(subset="rule_type")
    for log, rows in typed.groupby("log", sort=False):
        samples = {sample.uuid: sample for sample in read_eval_log(str(log)).samples or []}
        for row in rows.to_dict("records"):
            score = score_of(samples[row["sample_uuid"]].scores, POLICY_SCORER, "newest")
            marks: dict[str, Any] = (score.metadata if score is not None else None) or {}
            yield StatedPolicy(
                row["model"],
                row["category"],
                row["rule_type"],
                tuple(map(str, marks.get(PolicyScore.CONDITIONS) or ())),
                tuple(map(str, marks.get(PolicyScore.FRAMINGS) or ())),
                row["elicitation"],
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
