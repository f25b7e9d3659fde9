"""Files that take their places together: none is replaced before all are complete."""

from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write files into a folder, which is made if need be.

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
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(0, f"{name} is a folder")
            partial[path] = path.with_name(f".{path.name}.{uuid4().hex}.part")
            data = content.encode("utf-8") if isinstance(content, str) else content
            partial[path].write_bytes(data)
        for path, written in partial.items():
            written.replace(path)
    finally:
        for written in partial.values():
            written.unlink(missing_ok=True)
