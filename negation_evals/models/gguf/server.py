"""A llama.cpp server: one for each process, file and settings."""

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
from typing import IO, Final
from weakref import WeakSet

import anyio.to_thread
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.model import ModelAPI, get_model
from openai import DefaultAsyncHttpxClient

from negation_evals.errors import DataError

DEFAULT_CONTEXT: Final = 4096
"""Tokens of prompt and answer together, for each answer."""
DEFAULT_PARALLEL: Final = 4
"""Answers at a time."""
ATTEMPTS: Final = 3
"""On a machine with much other work llama.cpp sometimes drops a connection and lives on."""

_ERROR_PREFIX: Final = re.compile(r"^\S+ E ")
"""How llama.cpp begins the line of an error: time and level."""


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
            [sys.executable, "-P", str(Path(__file__).with_name("llama_process.py"))],
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
        """Whether any server runs."""
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
