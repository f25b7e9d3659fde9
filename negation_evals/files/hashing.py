"""The SHA-256 of content and of files, as logs, reports and certificates record it."""

import hashlib
import json
from pathlib import Path
from typing import Any

from negation_evals.errors import DataError, first_line, printable
from negation_evals.files.locations import open_binary


def json_sha256(content: Any, *, compact: bool = False, ascii_only: bool = False) -> str:
    """SHA-256 of a value as canonical JSON, whose keys are sorted.

    The two options are there because a hash that a log holds must never change its value.

    Args:
        content: A value of plain types.
        compact: Without space between the tokens, as scenario sets and certificates are hashed.
        ascii_only: Other characters are escaped, as SNCA items and prompts are hashed. (NUBench
            items take neither option.)
    """
    text = json.dumps(
        content,
        sort_keys=True,
        ensure_ascii=ascii_only,
        separators=(",", ":") if compact else None,
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def file_sha256(location: str | Path) -> str:
    """SHA-256 of a file's bytes.

    Args:
        location: A path or an fsspec URL.

    Raises:
        DataError: the file cannot be read.
    """
    try:
        with open_binary(location) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type] # fsspec's files read as any other
    except Exception as error:
        place = printable(str(location))
        raise DataError(f"{place}: cannot be read: {first_line(error)}") from error
