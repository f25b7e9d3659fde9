"""A stub of the llama.cpp server, and calls of the provider."""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import anyio
from inspect_ai.model import (
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)

from negation_evals.models.gguf.server import ServerSettings


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


def build(path: Path | str, **model_args: Any) -> Model:
    return get_model(f"gguf/{path}", memoize=False, **model_args)


def ask(model: Model, prompt: str = "hello", **config: Any) -> ModelOutput:
    async def main() -> ModelOutput:
        return await model.generate(prompt, config=GenerateConfig(**config))

    return anyio.run(main)
