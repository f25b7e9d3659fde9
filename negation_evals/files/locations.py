"""Where files lie: paths, and the addresses that fsspec opens."""

from pathlib import Path, PurePosixPath
from typing import IO, Any

import fsspec


def local_path(name: str) -> Path | None:
    """The file or folder of this name; None without one."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError):  # a name that is too long; the home of nobody
        return None


def suffix_of(location: str | Path) -> str:
    """The ending of a file's name in lower case, such as `.csv`."""
    return PurePosixPath(str(location)).suffix.lower()


def open_binary(location: str | Path) -> IO[bytes]:
    """Open a path, or an address such as `s3://bucket/name`, to read its bytes."""
    if "://" not in str(location):
        return Path(location).expanduser().open("rb")
    opened: Any = fsspec.open(str(location), "rb").open()
    file: IO[bytes] = opened
    return file
