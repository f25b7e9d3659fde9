"""Likelihoods from a stub of vLLM."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.nubench import ITEMS, Run, metrics
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.model import get_model

from negation_evals.analysis import (
    choice_accuracy,
    read_choices,
)
from negation_evals.nubench.likelihood import score_candidates
from negation_evals.nubench.prompts import shown_order
from negation_evals.nubench.task import nubench
from negation_evals.schema.nubench import LETTERS


def test_a_provider_without_prompt_log_probabilities_is_refused_before_the_first_call(
    run_nubench: Run, tmp_path: Path
) -> None:
    (log,) = run_eval(
        Task(dataset=nubench("builtin").dataset, solver=score_candidates()),
        model=get_model("simulated/right", memoize=False),
        limit=2,
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "error"
    assert log.error is not None
    assert "gguf/, vllm-completions/, openai-api-completions/" in log.error.message
    assert not log.stats.model_usage


def word_logprobs(prompt: str) -> list[Any]:
    """As vLLM reports them: none for the first token, then minus a word's length over ten."""
    words = re.findall(r" ?[^ ]+", prompt)
    entries = [
        {str(i): {"decoded_token": word, "logprob": -len(word) / 10, "rank": 1}}
        for i, word in enumerate(words)
    ]
    return [None, *entries[1:]]


class VLLMStub(BaseHTTPRequestHandler):
    """Speaks the part of vLLM's protocol that brings prompt log probabilities."""

    knows = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/completions"
        assert (body["prompt_logprobs"], body["max_tokens"]) == (1, 1)
        choice = {"index": 0, "text": "", "finish_reason": "length", "logprobs": None}
        if self.knows:
            choice["prompt_logprobs"] = word_logprobs(body["prompt"])
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {"id": "1", "object": "text_completion", "created": 1, "model": "stub"}
        payload = json.dumps(reply | {"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def vllm_address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), VLLMStub)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("provider", ["vllm-completions", "openai-api-completions/stub"])
def test_completions_are_scored_with_known_numbers(
    provider: str, vllm_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = get_model(f"{provider}/tiny", base_url=vllm_address, api_key="x", memoize=False)
    arguments = {"limit": 5, "log_dir": str(tmp_path / "logs"), "display": "none"}
    (log,) = run_eval(nubench("builtin", format="completion", shots=1), model=model, **arguments)
    assert log.status == "success"
    assert log.samples is not None
    for sample, item in zip(log.samples, ITEMS, strict=False):
        texts = [item.options[kind] for kind in shown_order(item, 1234)]
        words = [text.split() for text in texts]
        # Each word carries the space before it.
        totals = [-sum(len(word) + 1 for word in option) / 10 for option in words]
        got = sample.metadata["likelihoods"]
        assert [one["total"] for one in got] == pytest.approx(totals)
        assert [one["tokens"] for one in got] == [len(option) for option in words]
        assert sample.scores is not None
        assert sample.scores["negation_choice"].answer == LETTERS[int(np.argmax(totals))]
    choices = read_choices(log)
    row = choice_accuracy(choices).iloc[0]
    assert row["accuracy_per_token"] == choices["correct_per_token"].mean()
    assert metrics(log)["accuracy_norm"] == row["accuracy_per_token"]
    monkeypatch.setattr(VLLMStub, "knows", False)
    (log,) = run_eval(nubench("builtin", format="completion"), model=model, **arguments)
    assert log.error is not None
    assert "gave no prompt log probabilities" in log.error.message
