"""The server process with a stub of llama.cpp."""

import importlib.util
import re
from pathlib import Path

import click
import pytest
from helpers.gguf import ask, build

from negation_evals.errors import DataError
from negation_evals.models.gguf import server as gguf
from negation_evals.models.gguf.server import ServerSettings

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


def test_a_file_that_is_no_model_ends_in_one_line(tmp_path: Path) -> None:
    if importlib.util.find_spec("xllamacpp") is None:  # an import would fail the test of none
        pytest.skip("xllamacpp is not installed")
    path = tmp_path / "text.gguf"
    path.write_text("not a model", encoding="utf-8")
    with pytest.raises(click.UsageError, match=r"cannot serve .*text\.gguf .*invalid magic"):
        ask(build(path))
