"""Shared fixtures: audits of simulated respondents."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import helpers.installed  # noqa: F401 (tests see the installed package)
import pytest
from helpers.nubench import Run
from hypothesis import settings
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai._util import registry
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelAPI, get_model

import negation_evals._registry  # noqa: F401 (registers the providers)
from negation_evals import negation_framing, nubench

# Machines are shared and noisy: a slow example is no fault. Examples are the same in every run.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def _quiet_inspect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")


Audit = Callable[..., EvalLog]


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Run a framing task on a simulated respondent, by default into `tmp_path / "logs"`."""

    def run(
        respondent: str = "mirror",
        *,
        model_args: dict[str, Any] | None = None,
        epochs: int = 2,
        log_dir: Path | None = None,
        limit: int | None = None,
        temperature: float | None = None,
        max_samples: int | None = None,
        task: Callable[..., Task] = negation_framing,
        **task_args: Any,
    ) -> EvalLog:
        options: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
        (log,) = run_eval(
            task(**task_args),
            model=get_model(f"simulated/{respondent}", memoize=False, **(model_args or {})),
            epochs=epochs,
            limit=limit,
            max_samples=max_samples,
            log_dir=str(log_dir or tmp_path / "logs"),
            **options,
        )
        return log

    return run


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect's registry as it was: a retry loads tasks again and registers what it loaded."""
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))


@pytest.fixture
def run_nubench(tmp_path: Path) -> Run:
    def evaluate(name: str, task: dict[str, Any] | None = None, **model_args: Any) -> EvalLog:
        (log,) = run_eval(
            nubench("builtin", **task or {}),
            model=get_model(f"simulated/{name}", memoize=False, **model_args),
            log_dir=str(tmp_path / "logs"),
            display="none",
        )
        assert log.status == "success"
        return log

    return evaluate


@pytest.fixture
def count_tokens_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mock model counts tokens with an encoding that it downloads."""

    async def words(self: ModelAPI, text: str) -> int:
        return len(text.split())

    monkeypatch.setattr(ModelAPI, "count_text_tokens", words)
