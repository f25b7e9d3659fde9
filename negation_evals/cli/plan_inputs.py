"""What `negation-evals plan` needs to know of a task, a log and the prices."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost, get_model_info

import negation_evals
from negation_evals.analysis.framing.planning import (
    ANSWER_TOKENS,
    OTHER_TOKENS,
    PerCall,
    Plan,
    estimated_call,
)
from negation_evals.errors import DataError, unknown_name
from negation_evals.files.strict import load_yaml
from negation_evals.schema.framing import REASONING, SampleKey, TaskKey
from negation_evals.schema.schedule import Schedule


@dataclass(frozen=True)
class FramingDesign:
    """What the interval of a framing audit depends on."""

    domains: dict[str, int]
    """Scenarios of each domain."""
    negated: tuple[bool, ...]
    """Of each frame, whether it negates the action."""


def make_task(name: str, arguments: Sequence[str]) -> Task:
    """The task of a name, with or without the package's, and `-T` arguments.

    Raises:
        DataError: an unknown task or argument, or a value that is no YAML.
        click.UsageError: see the task.
    """
    tasks = {
        public: made
        for public in negation_evals.__all__
        if inspect.isfunction(made := getattr(negation_evals, public))
        and inspect.signature(made, eval_str=True).return_annotation is Task
    }
    short = name.removeprefix(f"{negation_evals.__name__}/")
    if short not in tasks:
        raise unknown_name("task", name, tasks)
    values = read_arguments(arguments)
    parameters = inspect.signature(tasks[short]).parameters
    for given in values:
        if given not in parameters:
            raise unknown_name(f"parameter of {short}", given, parameters)
    made = tasks[short](**values)
    assert isinstance(made, Task)
    return made


def read_arguments(arguments: Sequence[str]) -> dict[str, Any]:
    """Values of `-T` as Inspect reads them: YAML, and text with commas is a list.

    Raises:
        DataError: no `=`, or a value that is no YAML.
    """
    values = {}
    for argument in arguments:
        name, equals, raw = argument.partition("=")
        if not equals:
            raise DataError(f"-T {argument!r} is not of the form name=value")
        try:
            value = yaml.safe_load(raw)
        except yaml.YAMLError as error:
            raise DataError(f"-T {argument!r}: the value is not YAML") from error
        if isinstance(value, str) and "," in value:
            value = value.split(",")
        values[name.replace("-", "_")] = value
    return values


def make_plan(
    name: str,
    task: Task,
    model: str,
    epochs: int | None,
    limit: int | None,
    sample_log: str | None,
    prices: str | None,
) -> Plan:
    """What an audit takes, from its prompts or from a log.

    Raises:
        DataError: the model's name, the log or the file of prices is not usable.
    """
    provider, _, rest = model.partition("/")
    if not provider or not rest:
        raise DataError(f"--model {model!r} is not of the form provider/name")
    samples = _samples(task, limit)
    text = (task.metadata or {}).get(TaskKey.ADAPTIVE)
    call = (
        measured_call(sample_log, name)
        if sample_log
        else estimated_call([_characters(sample) for sample in samples], _answer_tokens(task))
    )
    if price := find_price(model, prices):
        usage = ModelUsage(
            input_tokens=round(1e6 * call.input_tokens),
            output_tokens=round(1e6 * call.output_tokens),
        )
        call = replace(call, dollars=compute_model_cost(price, usage) / 1e6)
    asked = (task.epochs if epochs is None else epochs) or 1
    return Plan(name, model, len(samples), asked, call, Schedule.read(text) if text else None)


def framing_design(task: Task, limit: int | None) -> FramingDesign | None:
    """Domains and frames of a framing task; None of another."""
    asked = [sample.metadata or {} for sample in _samples(task, limit)]
    if SampleKey.FRAME not in asked[0]:
        return None
    scenarios = {(row[SampleKey.DOMAIN], row[SampleKey.SCENARIO]) for row in asked}
    domains = dict.fromkeys((row[SampleKey.DOMAIN] for row in asked), 0)
    for domain, _ in scenarios:
        domains[domain] += 1
    frames = {row[SampleKey.FRAME]: bool(row[SampleKey.NEGATED]) for row in asked}
    if len(frames) < 2:
        raise DataError(f"--limit {limit} leaves one frame: NSI is a range over at least two")
    return FramingDesign(domains, tuple(frames.values()))


def measured_call(location: str, task: str) -> PerCall:
    """Tokens and time of a call, as a finished log of the task has them.

    Raises:
        DataError: no readable log, another task's, or one without finished samples and tokens.
    """
    try:
        log = read_eval_log(location, header_only=True)
    except Exception as error:
        raise DataError(f"--sample-log {location}: is not a readable log") from error
    short = task.rpartition("/")[2]
    if log.eval.task.rpartition("/")[2] != short:
        raise DataError(f"--sample-log {location}: is a log of {log.eval.task}, not of {short}")
    calls = log.results.completed_samples if log.results else 0
    usage = log.stats.model_usage.get(log.eval.model)
    if not calls or usage is None:
        raise DataError(f"--sample-log {location}: has no finished samples with their tokens")
    started, ended = log.stats.started_at, log.stats.completed_at
    seconds = None
    if started and ended:
        took = datetime.fromisoformat(ended) - datetime.fromisoformat(started)
        seconds = took.total_seconds() / calls
    return PerCall(
        usage.input_tokens / calls,
        usage.output_tokens / calls,
        f"Measured on {calls} answers of {log.eval.model} in {Path(location).name}.",
        seconds,
    )


def find_price(model: str, file: str | None) -> ModelCost | None:
    """The price of a model in a file of the user's, or in Inspect's data; None without any.

    Raises:
        DataError: the file is not of the form of Inspect's `--model-cost-config`.
    """
    if file is not None:
        try:
            prices = load_yaml(Path(file).read_text(encoding="utf-8"))
            known = {str(name): ModelCost(**price) for name, price in prices.items()}
        except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
            raise DataError(
                f"--model-cost-config {file}: is not a file of prices: expected, for each model, "
                f"{', '.join(ModelCost.model_fields)} in dollars per million tokens"
            ) from error
        if model in known:
            return known[model]
    info = get_model_info(model)
    return info.cost if info else None


def _samples(task: Task, limit: int | None) -> list[Sample]:
    return list(task.dataset)[:limit]


def _characters(sample: Sample) -> int:
    if isinstance(sample.input, str):
        return len(sample.input)
    return sum(len(message.text) for message in sample.input)


def _answer_tokens(task: Task) -> int:
    """By the form of the answer that a framing task asks for."""
    metadata = task.metadata or {}
    if TaskKey.FIELDS not in metadata:
        return OTHER_TOKENS
    if metadata.get(TaskKey.CONDITION) == REASONING:
        return ANSWER_TOKENS["sff with reasoning"]
    return ANSWER_TOKENS["sff" if REASONING in metadata[TaskKey.FIELDS] else "short"]
