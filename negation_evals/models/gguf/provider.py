"""The provider `gguf`: local GGUF files through llama.cpp."""

from pathlib import Path
from typing import Any

import anyio.to_thread
import click
import httpx
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from openai import APIConnectionError, BadRequestError

from negation_evals.errors import DataError
from negation_evals.models.gguf.fetch import known_model, model_path
from negation_evals.models.gguf.prompt_logprobs import prompt_logprobs
from negation_evals.models.gguf.sampling import request_config
from negation_evals.models.gguf.server import (
    ATTEMPTS,
    DEFAULT_CONTEXT,
    DEFAULT_PARALLEL,
    POOL,
    Connection,
    ServerSettings,
)

Result = ModelOutput | tuple[ModelOutput | Exception, ModelCall]
"""What a provider gives to Inspect."""


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
        """One answer of the model; starts its server if none runs.

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
                request = request_config(config, connection.exact)
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
        """As many as the server computes together."""
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
