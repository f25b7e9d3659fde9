"""From a log's header to the settings of its run: all that can change an answer."""

import hashlib
import json
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from inspect_ai.log import EvalLog


def generation_settings(header: EvalLog, solvers: Collection[str]) -> dict[str, Any]:
    """The settings of every family: temperature, solver, and all else that can change an answer.

    Args:
        header: Of the log.
        solvers: The task's own solvers, without the package's name.
    """
    temperature = header.plan.config.temperature
    return {
        "task": header.eval.task.rpartition("/")[2],
        "temperature": float("nan") if temperature is None else float(temperature),
        "solver": _solvers(header, solvers),
        "generation": _generation(header),
        "version": str(header.eval.task_version).partition("-")[0],
    }


def _solvers(header: EvalLog, task_solvers: Collection[str]) -> str:
    """The solvers in the place of the task's own or beside it, with what they were given.

    The arguments of one that `--solver` gave stand among the generation options.
    """
    given = _short(header.eval.solver or "")
    names = []
    for step in header.plan.steps:
        own = _short(step.solver) in task_solvers
        # Of the task's own arguments all but the system message have columns, or change nothing.
        params = {
            name: value
            for name, value in sorted((step.params or {}).items())
            if value is not None and (name == "system" or not own)
        }
        if _short(step.solver) == given or not (params or own):
            names.append("" if own else step.solver)
        elif params:
            shown = ", ".join(f"{name}={_brief(value)}" for name, value in params.items())
            names.append(f"{step.solver}({shown})")
    known = {"chain", *(_short(step.solver) for step in header.plan.steps)}
    return "+".join(filter(None, [*([] if given in known else [given]), *names]))


def _short(name: str) -> str:
    """A solver's name without its package, which Inspect states in some places only."""
    return name.rpartition("/")[2]


def _brief(value: Any) -> str:
    """A parameter in few characters; a long one by its beginning and a hash of the whole."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    if len(text) <= _LONG_VALUE:
        return repr(text) if isinstance(value, str) else text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{text[:_LONG_VALUE]!r}...{digest}"


_LONG_VALUE = 24

_SETTINGS_OF_THEIR_OWN = frozenset(
    (
        *("temperature", "seed", "response_schema", "cache", "batch", "max_tool_output"),
        *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout"),
        *("max_connections", "adaptive_connections"),
    )
)
"""Generation options that have a column of their own or do not change what a model answers."""


def _generation(header: EvalLog) -> str:
    """All else that can change an answer, such as the reasoning effort, as short text."""
    config = header.eval.model_generate_config.model_dump(exclude_none=True)
    config |= header.plan.config.model_dump(exclude_none=True)
    options = [f"{k}={v}" for k, v in sorted(config.items()) if k not in _SETTINGS_OF_THEIR_OWN]
    options += [f"-M {k}={v}" for k, v in sorted((header.eval.model_args or {}).items())]
    options += [f"-S {k}={v}" for k, v in sorted((header.eval.solver_args_passed or {}).items())]
    if not (header.eval.task_registry_name or header.eval.task).startswith("negation_evals/"):
        # Of our own tasks every argument that matters has a column.
        arguments = sorted((header.eval.task_args or {}).items())
        options += [f"-T {k}={_brief(v)}" for k, v in arguments if k not in _PARTS]
    if header.eval.model_base_url:
        options.append(f"at {_endpoint(header.eval.model_base_url)}")
    return " ".join(options)


_PARTS = frozenset(("domains", "categories"))
"""Arguments that say which part of an audit a run is: parts add up."""


def _endpoint(url: str) -> str:
    """An address without a user's name or password."""
    parts = urlsplit(url)
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")
