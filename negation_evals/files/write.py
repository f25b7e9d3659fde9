"""Files that take their places only when they are complete."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write files into a folder, which is created if it does not exist; all of them, or none.

    Args:
        folder: Where to.
        contents: By path within the folder; text is written as UTF-8 with its own line ends.

    Raises:
        OSError: one cannot be written; what was there before is left as it was.
    """
    partial: dict[Path, Path] = {}
    try:
        for name, content in contents.items():
            path = folder / name
            if path.is_dir():
                raise IsADirectoryError(0, f"{name} is a folder")
            partial[path] = _partial(path)
            data = content.encode("utf-8") if isinstance(content, str) else content
            partial[path].write_bytes(data)
        for path, written in partial.items():
            written.replace(path)
    finally:
        for written in partial.values():
            written.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` in one step if the block succeeds, else none.

    Raises:
        OSError: it cannot be written; what was there before is left as it was.
    """
    partial = _partial(path)
    try:
        with partial.open("xb") as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _partial(path: Path) -> Path:
    """Where a file is written first: next to its place, in a folder that exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(f".{path.name}.{uuid4().hex}.part")
