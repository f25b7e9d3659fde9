"""Rows of a public data set: from the Hugging Face hub or from a local copy of the same layout.

Nothing is downloaded but by `load_rows`, and `datasets` is imported there: it is an extra (`hf`).
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from negation_evals.errors import DataError

_COMMIT = re.compile(r"@([0-9a-f]{40})(?:/|$)")
_WORTH_A_SECOND_TRY = re.compile(
    r"\b(?:429|50[0234])\b|too many requests|connection|timed? ?out", re.IGNORECASE
)

_NO_ACCESS = re.compile(
    r"\bgated|\b40[13]\b|unauthorized|forbidden|not accessible|cannot be accessed|datasetnotfound"
)


class HubError(DataError):
    """A data set could not be loaded.

    Args:
        message: What is wrong and what to do about it.
        kind: `gated_access`, `unsupported_script`, `unreachable`, or `other`.
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class HubRows:
    """The rows of one split."""

    rows: list[dict[str, Any]]
    revision: str | None
    """The commit that the hub resolved; None where nothing states one (a local copy)."""
    source: str
    """`hub`, `cache` (the hub did not answer, the local cache did) or `local`."""


def load_rows(dataset: str, config: str | None, split: str, revision: str | None = None) -> HubRows:
    """The rows of one split of a data set.

    Args:
        dataset: Name on the hub, `owner/name`, or a folder with the same layout: the files of a
            configuration in a folder of its name, called after their split.
        config: Name of the configuration; None for a set that has only one.
        split: Name of the split.
        revision: Commit, tag or branch on the hub; default its main branch.

    Raises:
        HubError: it is not there, not accessible, or not readable; says what to do.
    """
    try:
        import datasets
    except ImportError as error:
        raise HubError(
            f"{dataset}: loading it needs the extra hf: pip install 'negation_evals[hf]'", "other"
        ) from error

    local = Path(dataset).expanduser().is_dir()
    arguments: dict[str, Any] = {"split": split}
    if local:
        dataset = str(Path(dataset).expanduser())
        folder = config is not None and (Path(dataset) / config).is_dir()
        arguments |= {"data_dir": config} if folder else {"name": config}
    else:
        arguments |= {"name": config, "revision": revision}
    try:
        loaded = datasets.load_dataset(dataset, **arguments)
        source = "local" if local else "hub"
    except Exception as error:
        if local or not _WORTH_A_SECOND_TRY.search(f"{type(error).__name__} {error}"):
            raise explain(error, dataset) from error
        try:
            with _offline():
                loaded = datasets.load_dataset(dataset, **arguments)
            source = "cache"
        except Exception:
            raise explain(error, dataset) from error
    commits = {
        match[1]
        for name in (loaded.info.download_checksums or {})
        if (match := _COMMIT.search(str(name)))
    }
    commit = commits.pop() if len(commits) == 1 else None
    if not local and revision is not None and _is_commit(revision) and commit != revision:
        # `datasets` falls back to any cached copy when the hub does not answer.
        raise HubError(
            f"{dataset}: the data loaded are of commit {commit or 'unknown'}, not of revision="
            f"{revision}: try again when the hub answers, or give the path of a local copy",
            "unreachable",
        )
    return HubRows(loaded.to_list(), None if local else commit, source)


def _is_commit(revision: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{40}", revision) is not None


def explain(error: Exception, dataset: str) -> HubError:
    """What an error of the hub means for the user, who may see only that nothing was found.

    Args:
        error: The error of `datasets` or `huggingface_hub`.
        dataset: The data set that was asked for.
    """
    text = " ".join(str(error).split())
    low = f"{type(error).__name__} {text}".lower()
    first = text[:200]
    if Path(dataset).is_dir():
        return HubError(f"{dataset}: cannot be loaded: {first}", "other")
    if re.search(r"\bscripts?\b", low) and "support" in low:
        return HubError(
            f"{dataset}: this version of `datasets` does not run loading scripts: use a revision "
            "or a local copy with data files (CSV, JSONL, JSON, YAML or Parquet)",
            "unsupported_script",
        )
    if re.search(r"\brevision\b.*(?:exist|not found)", low):
        return HubError(f"{dataset}: there is no such revision: {first}", "other")
    if _NO_ACCESS.search(low):
        known = os.environ.get("HF_TOKEN")
        given = "the token in HF_TOKEN has no access" if known else "no token is set in HF_TOKEN"
        return HubError(
            f"{dataset}: not found or not accessible ({given}). If the data set is gated, accept "
            f"the terms at https://huggingface.co/datasets/{dataset}, make a read token at "
            "https://huggingface.co/settings/tokens, and set HF_TOKEN to it; or give the path of a "
            "local copy",
            "gated_access",
        )
    if _WORTH_A_SECOND_TRY.search(low) or "offline" in low:
        return HubError(
            f"{dataset}: the hub does not answer and the local cache does not hold it ({first}): "
            "try again later, or give the path of a local copy",
            "unreachable",
        )
    return HubError(f"{dataset}: cannot be loaded: {first}", "other")


@contextmanager
def _offline() -> Iterator[None]:
    """Let `datasets` use nothing but its cache.

    `DownloadConfig(local_files_only=True)` would not do: `load_dataset` of datasets 5.2 does not
    consult it, and asks the hub first.
    """
    import huggingface_hub.constants

    import datasets

    places = ((datasets.config, "HF_HUB_OFFLINE"), (huggingface_hub.constants, "HF_HUB_OFFLINE"))
    before = [getattr(module, name) for module, name in places]
    for module, name in places:
        setattr(module, name, True)
    try:
        yield
    finally:
        for (module, name), value in zip(places, before, strict=True):
            setattr(module, name, value)
