"""What a log file is: its content's hash, and what its header says of how it came about."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from inspect_ai.log import EvalLog, read_eval_log

from negation_evals.errors import DataError, first_line, printable
from negation_evals.files.hashing import file_sha256
from negation_evals.files.rows import is_table
from negation_evals.schema.framing import TaskKey


def log_facts(locations: Iterable[str]) -> list[dict[str, Any]]:
    """For each file: its name and hash and, of a log, what its header says.

    Returns:
        One dict per file with name, sha256, kind (`log` or `table`), and of a log task, status,
        created and completed (ISO times), inspect_version, package_version, scenarios (the set's
        name), scenarios_sha256, epochs, adaptive (the schedule of its looks), part (the options
        that chose some of its samples, or None), config (the generation options) and model_args.
        No path: a log may move.

    Raises:
        DataError: a file cannot be read.
    """
    return [_facts(location) for location in locations]


def _facts(location: str) -> dict[str, Any]:
    name = PurePosixPath(printable(location).replace("\\", "/")).name
    facts: dict[str, Any] = {"name": name, "sha256": file_sha256(location)}
    if is_table(location):
        return facts | {"kind": "table"}
    try:
        header = read_eval_log(location, header_only=True)
    except Exception as error:
        raise DataError(f"{printable(location)}: cannot be read: {first_line(error)}") from error
    return facts | {"kind": "log"} | _header_facts(header)


def _header_facts(header: EvalLog) -> dict[str, Any]:
    spec, metadata = header.eval, header.eval.metadata or {}
    config = spec.model_generate_config.model_dump(exclude_none=True, mode="json")
    config |= header.plan.config.model_dump(exclude_none=True, mode="json")
    return {
        "task": spec.task.rpartition("/")[2],
        "status": header.status,
        "created": spec.created,
        "completed": header.stats.completed_at or None,
        "inspect_version": spec.packages.get("inspect_ai"),
        "package_version": metadata.get(TaskKey.PACKAGE_VERSION),
        "scenarios": metadata.get(TaskKey.SCENARIOS),
        "scenarios_sha256": metadata.get(TaskKey.DATA_HASH),
        "epochs": spec.config.epochs or 1,
        "adaptive": metadata.get(TaskKey.ADAPTIVE),
        "part": _part(header),
        "config": config,
        "model_args": {str(k): str(v) for k, v in (spec.model_args or {}).items()},
    }


def _part(header: EvalLog) -> str | None:
    """What made a run ask only some of its task's samples, as text."""
    config = header.eval.config
    chosen = {"limit": config.limit, "sample_id": config.sample_id}
    named = [f"--{k.replace('_', '-')} {v}" for k, v in chosen.items() if v is not None]
    return " ".join(named) or None
