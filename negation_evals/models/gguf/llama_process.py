"""Serves one GGUF file until standard input ends: the process that `gguf.py` starts.

Standard input brings one line of JSON with the settings; standard output answers with one line,
the address of the OpenAI-compatible service. llama.cpp runs in a process of its own because it
cannot be stopped while it computes an answer, holds Python's lock while it loads a file, and
aborts the whole process on some of its errors. Run by path: it needs nothing of this package.
"""

import json
import os
import sys
from typing import Any


def common_params(settings: dict[str, Any]) -> Any:
    """The settings in llama.cpp's words.

    Args:
        settings: `path`, `context` (tokens for each slot), `threads` (None for all cores),
            `slots` (answers computed together) and `api_key`.
    """
    import xllamacpp

    path, slots = settings["path"], settings["slots"]
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {os.path.splitext(os.path.basename(path))[0]}
    params.n_ctx = settings["context"] * slots
    params.n_parallel = slots
    if settings["threads"] is not None:
        params.cpuparams.n_threads = settings["threads"]
    params.api_keys = [settings["api_key"]]
    params.verbosity = 1  # Errors alone, which explain why a file cannot be loaded.
    params.ui = False
    params.fit_params = False  # Else it may change the context to fit the memory.
    params.cache_ram_mib = 0  # Else it keeps up to 8 GB of past prompts.
    return params


def main() -> None:
    """Load, announce the address, and serve until the parent closes the pipe or dies."""
    import xllamacpp

    settings = json.loads(sys.stdin.readline())
    try:
        server = xllamacpp.Server(common_params(settings))
    except RuntimeError as error:
        sys.exit(str(error))
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # An orderly end would wait for answers that nobody wants any more.


if __name__ == "__main__":
    main()
