"""Model provider `gguf`: a GGUF file that llama.cpp runs inside this process.

`gguf/smollm2-135m` is a model that `negation-evals fetch-model` has fetched; `gguf//path/to/file`
and `gguf/./file.gguf` are files of the user's. Nothing is started before the first answer is
asked for: then a server listens on a free loopback port, one in a process for each file and
arguments. Inspect's own client for OpenAI-compatible services talks to it. The server, a process
of its own (`llama_server.py` says why), stops when Inspect's run ends, when the last model that
uses it is closed, or with this process, however that ends.

What repeats and what does not: llama.cpp computes other log-probabilities (by up to 0.4 in a small
quantised model) when answers are computed together or reuse the prompt of an earlier one. A
request that asks for repetition, by temperature 0 or by a seed, is therefore answered one at a
time, without the prompt cache, by a server with one slot: on one machine it gets the same answer
in each run, to the last bit. All others are answered `n_parallel` at a time, about twice as fast,
and each is a new draw.

With `prompt_logprobs` a request is a single message that is sent as it stands, without the chat
template, and its answer holds the log probabilities of the prompt (`forced.py` says how).
"""

import atexit
import functools
import importlib.util
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final
from weakref import WeakSet

import anyio.to_thread
import click
import httpx
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from openai import APIConnectionError, BadRequestError, DefaultAsyncHttpxClient

from negation_evals.models.fetch import known_model, model_path
from negation_evals.models.forced import prompt_logprobs
from negation_evals.schema import DataError

DEFAULT_CONTEXT: Final = 4096
"""Tokens of prompt and answer together, for each answer."""
DEFAULT_PARALLEL: Final = 4
"""Answers at a time."""
ATTEMPTS: Final = 3
"""On a machine with much other work llama.cpp sometimes drops a connection and lives on."""

_ERROR_PREFIX: Final = re.compile(r"^\S+ E ")
"""How llama.cpp begins the line of an error: time and level."""

Result = ModelOutput | tuple[ModelOutput | Exception, ModelCall]
"""What a provider gives to Inspect."""


def require_llama() -> None:
    """Check that llama.cpp is there, before anything is fetched or started.

    Raises:
        DataError: it is not installed; says how.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise DataError(
            "models of gguf/ need xllamacpp: pip install 'negation_evals[local]' (in a checkout: "
            "pip install -e '.[local]')"
        )


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """All that makes a server what it is: equal settings share one."""

    path: str
    """The GGUF file."""
    context: int
    """Tokens for each slot."""
    threads: int | None
    """Threads that compute; None leaves it to llama.cpp, which takes one for each core."""
    slots: int
    """Answers that are computed together."""


class Server:
    """A llama.cpp server in a process of its own, which ends with this one.

    Args:
        settings: What to serve. Construction blocks until the server answers.

    Raises:
        DataError: xllamacpp is not installed, or llama.cpp cannot serve the file.
    """

    def __init__(self, settings: ServerSettings) -> None:
        require_llama()
        self.api_key = secrets.token_hex()
        """Its password, so that nobody else on this machine is answered."""
        self._errors: IO[str] = tempfile.TemporaryFile(  # noqa: SIM115 (closed by stop)
            "w+", encoding="utf-8", errors="replace"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("llama_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            # Threads that wait by spinning make it ten times slower on a machine with other work.
            env={"OMP_WAIT_POLICY": "passive"} | os.environ,
            start_new_session=True,  # Ctrl-C is for Inspect, which ends the run in good order.
        )
        address = self._ask(json.dumps(asdict(settings) | {"api_key": self.api_key}))
        if not address:
            reason = self._reason()
            self.stop()
            raise DataError(
                f"llama.cpp cannot serve {settings.path} with n_ctx={settings.context} and "
                f"n_parallel={settings.slots}: {reason}"
            )
        self.base_url = f"{address}/v1"
        """Address of its OpenAI-compatible service."""

    def _ask(self, line: str) -> str:
        """Write one line to the process and read one; empty if it has ended instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(line, file=self._process.stdin, flush=True)
        except BrokenPipeError:
            return ""
        return self._process.stdout.readline().strip()

    def _reason(self) -> str:
        """Why it did not start: the first error that llama.cpp reported, or Python's last line."""
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors if line.strip()]
        reported = [line for line in lines if _ERROR_PREFIX.match(line)]
        return _ERROR_PREFIX.sub("", (reported or lines[-1:] or ["it gives no reason"])[0])

    def exit_code(self) -> int | None:
        """How the process ended; None while it runs."""
        return self._process.poll()

    def death(self) -> str | None:
        """How and why the process ended; None while it runs.

        A connection breaks a moment before the process is gone, so this waits a little.
        """
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return None
        return f"exit code {code}: {self._reason()}"

    def stop(self) -> None:
        """End the process, whatever it is doing: the end of its input tells it."""
        try:
            self._process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._errors.close()


class Connection:
    """A running server, Inspect's client for it, and who uses it."""

    def __init__(self, settings: ServerSettings) -> None:
        self.server = Server(settings)
        self.exact = settings.slots == 1
        """Is an answer the same whatever was asked before and beside it?"""
        self.turns = anyio.CapacityLimiter(settings.slots)
        """Answers wait here and not in the server, so that Inspect counts it as waiting."""
        self.users: WeakSet[ModelAPI] = WeakSet()
        # inspect-evals-lint: ignore[get_model_location] -- a provider that delegates to another
        self.api = get_model(
            f"openai-api/gguf/{Path(settings.path).stem}",
            base_url=self.server.base_url,
            api_key=self.server.api_key,
            memoize=False,
            max_retries=0,
            # Loopback goes through no proxy; a slow machine is no error; and no connection stays
            # open, because the event loop that it belongs to can end before the server does.
            http_client=DefaultAsyncHttpxClient(
                trust_env=False, timeout=None, headers={"Connection": "close"}
            ),
        ).api


class ServerPool:
    """The servers of this process, one for each settings, started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connections: dict[ServerSettings, Connection] = {}

    def __bool__(self) -> bool:
        """Does any server run?"""
        return bool(self._connections)

    def connect(self, settings: ServerSettings, user: ModelAPI) -> Connection:
        """The connection for these settings; blocks while a server starts."""
        with self._lock:
            connection = self._connections.get(settings)
            if connection is not None and connection.server.exit_code() is not None:
                self._connections.pop(settings).server.stop()
                connection = None
            if connection is None:
                _stop_with_runs_and_process()
                connection = self._connections[settings] = Connection(settings)
            connection.users.add(user)
            return connection

    def release(self, user: ModelAPI) -> None:
        """Stop the servers that nobody but this user uses."""
        with self._lock:
            for settings, connection in list(self._connections.items()):
                connection.users.discard(user)
                if not connection.users:
                    del self._connections[settings]
                    connection.server.stop()

    def stop(self) -> None:
        """Stop all servers; a later request starts its own again."""
        with self._lock:
            while self._connections:
                self._connections.popitem()[1].server.stop()


POOL: Final = ServerPool()


class StopServers(Hooks):
    """Stops the servers when Inspect's run ends: Inspect itself never closes a model."""

    def enabled(self) -> bool:
        """Only while a server runs."""
        return bool(POOL)

    async def on_run_end(self, data: RunEnd) -> None:
        """Stop them in a thread, because it takes a moment."""
        await anyio.to_thread.run_sync(POOL.stop)


@functools.cache
def _stop_with_runs_and_process() -> None:
    """Arrange once that servers stop.

    Not on import: of a hook that is registered when Inspect starts, it tells everybody who has
    this package installed, at each command.
    """
    hooks(name="gguf_servers", description="Stops the servers of gguf/ models.")(StopServers)
    atexit.register(POOL.stop)


class GGUFAPI(ModelAPI):
    """Inspect's model provider `gguf`.

    Args:
        model_name: Name of a fetched model, or path of a GGUF file.
        base_url: Not used.
        api_key: Not used.
        config: Generation config.
        n_ctx: Tokens of prompt and answer together, for each answer.
        n_threads: Threads that compute. Default: one for each core.
        n_parallel: Answers at a time, but for those with temperature 0 or a seed: always one.
        model_args: Unknown arguments, which are refused.

    Raises:
        click.UsageError: An argument is unknown or out of range. Neither the file nor the server
            is touched: Inspect builds providers only to ask for their name.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (the signature Inspect calls)
        n_ctx: Any = DEFAULT_CONTEXT,
        n_threads: Any = None,
        n_parallel: Any = DEFAULT_PARALLEL,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_args:
            raise click.UsageError(
                f"gguf: unknown -M {min(model_args)!r}: known are n_ctx, n_threads, n_parallel"
            )
        if not _is_path(model_name):
            try:
                known_model(model_name)
            except DataError as error:
                raise click.UsageError(f"gguf/{model_name}: {error}") from None
        self.n_ctx = _at_least(256, "n_ctx", n_ctx)
        self.n_threads = None if n_threads is None else _at_least(1, "n_threads", n_threads)
        self.n_parallel = _at_least(1, "n_parallel", n_parallel)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> Result:
        """One answer of the model; starts its server if need be.

        Raises:
            click.UsageError: The model cannot be served, or the prompt is longer than the
                context. (The error has a message of one line, which Inspect's log keeps.)
        """
        try:
            connection = await anyio.to_thread.run_sync(POOL.connect, self._settings(config), self)
        except DataError as error:
            known = not _is_path(self.model_name)
            remedy = f"; `negation-evals fetch-model {self.model_name}` checks and mends the file"
            raise click.UsageError(f"{error}{remedy if known else ''}") from None
        async with connection.turns:
            result = await self._ask(connection, input, tools, tool_choice, config)
        self._check_context(result)
        return result

    async def _ask(
        self,
        connection: Connection,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> Result:
        """One answer; asked for again where a living server dropped the connection."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                if config.prompt_logprobs is not None:
                    server = connection.server
                    return await prompt_logprobs(server.base_url, server.api_key, input)
                request = _request(config, connection.exact)
                return await connection.api.generate(input, tools, tool_choice, request)
            except (APIConnectionError, httpx.TransportError) as error:
                death = await anyio.to_thread.run_sync(connection.server.death)
                if death is not None:
                    raise click.UsageError(
                        f"gguf/{self.model_name}: llama.cpp ended while it answered ({death}); if "
                        "memory is short, lower -M n_ctx or -M n_parallel"
                    ) from error
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def max_connections(self) -> int:
        """More would only wait."""
        return self.n_parallel

    def connection_key(self) -> str:
        """Each model has slots of its own."""
        return self.model_name

    async def aclose(self) -> None:
        """Stop the servers that only this model uses."""
        await anyio.to_thread.run_sync(self.close)

    def close(self) -> None:
        """Stop the servers that only this model uses."""
        POOL.release(self)

    def _settings(self, config: GenerateConfig) -> ServerSettings:
        """The server for a request: one slot where the answer is to be repeatable."""
        repeatable = config.temperature == 0 or config.seed is not None
        repeatable = repeatable or config.prompt_logprobs is not None
        slots = 1 if repeatable else self.n_parallel
        path = str(find_file(self.model_name))
        return ServerSettings(path, self.n_ctx, self.n_threads, slots)

    def _check_context(self, result: Result) -> None:
        """Say in one line that a prompt is too long."""
        error = result[0] if isinstance(result, tuple) else result
        if isinstance(error, BadRequestError) and error.type == "exceed_context_size_error":
            body: Any = error.body
            remedy = (
                f"raise -M n_ctx={self.n_ctx} or shorten the prompt"
                if body["n_ctx"] >= self.n_ctx
                else "the model takes no more, shorten the prompt"
            )
            raise click.UsageError(
                f"gguf/{self.model_name}: the prompt has {body['n_prompt_tokens']} tokens and the "
                f"context holds {body['n_ctx']}: {remedy}"
            )


@modelapi(name="gguf")
def gguf() -> type[ModelAPI]:
    """The provider, under the name that Inspect finds it by."""
    return GGUFAPI


def find_file(model_name: str) -> Path:
    """The GGUF file that a model name stands for.

    A name with a slash or the ending `.gguf` is a path; any other is a fetched model.

    Raises:
        DataError: There is no such file, or the model is unknown or has not been fetched.
    """
    if not _is_path(model_name):
        return model_path(model_name)
    path = Path(model_name).expanduser().resolve()
    if not path.is_file():
        raise DataError(
            f"gguf/{model_name}: there is no file {path}; write gguf//absolute/path.gguf or "
            "gguf/./relative/path.gguf"
        )
    return path


def _is_path(model_name: str) -> bool:
    return "/" in model_name or model_name.endswith(".gguf")


def _at_least(least: int, name: str, value: Any) -> int:
    """The value of a -M argument, if it is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise click.UsageError(f"gguf: -M {name}={value!r} is not a whole number >= {least}")
    return value


def _request(config: GenerateConfig, exact: bool) -> GenerateConfig:
    """The config with what llama.cpp needs to be told; `extra_body` of the user's wins.

    Sampling is plain, as with models behind an API: llama.cpp by itself would leave out what is
    not among the 40 likeliest tokens, in the upper 95 % of probability and at least 5 % as likely
    as the likeliest, so that a decision of 4 % never came. The response schema is sent whole;
    Inspect's client leaves out the bounds of numbers and lengths.
    """
    extra: dict[str, Any] = {
        "cache_prompt": not exact,
        "top_k": config.top_k or 0,
        "min_p": 0.0,
    }
    if config.response_schema is not None:
        schema = config.response_schema
        extra["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": schema.name,
                "schema": schema.json_schema.model_dump(exclude_none=True),
            },
        }
    return config.model_copy(
        update={
            "top_p": 1.0 if config.top_p is None else config.top_p,
            "extra_body": extra | (config.extra_body or {}),
        }
    )
