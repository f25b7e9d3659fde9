"""The provider against a stub server."""

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import click
import pytest
from helpers.gguf import StubServer, ask, build
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model_info,
)

from negation_evals.framing.prompts import Questionnaire
from negation_evals.models.gguf import fetch
from negation_evals.models.gguf import server as gguf
from negation_evals.models.gguf.server import POOL, ServerSettings


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


def test_unknown_names_are_refused_before_the_run() -> None:
    with pytest.raises(click.UsageError, match="unknown model 'smollm3'"):
        build("smollm3")
    build("./there/is/no.gguf")  # A log may name a file that is on another machine.
