"""Verify a certificate: its hash, its logs' hashes, and every figure, computed again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from negation_evals.analysis.framing.tier_tables import TierThresholds
from negation_evals.analysis.reading.sources import Source, find_files
from negation_evals.certification.certificate import (
    SCHEMA_VERSION,
    Given,
    Terms,
    certify,
    content_hash,
)
from negation_evals.errors import DataError
from negation_evals.files.hashing import file_sha256
from negation_evals.files.strict import load_json

VERSIONS = frozenset(("negation_evals_version", "inspect_version", "content_sha256"))
"""What may differ where another version of the software recomputes a certificate."""

_OWN_KEYS = frozenset(("schema_version", "content_sha256"))
"""Of every version's certificate, and of no other file of ours."""

MOST_SHOWN = 5
"""So many differing figures are named."""


def load_certificate(path: Path) -> dict[str, Any]:
    """Read `certificate.json`.

    Raises:
        DataError: the file cannot be read, or is no certificate of this version.
    """
    try:
        content = load_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as a certificate: {reason}") from error
    if not isinstance(content, dict) or not content.keys() >= _OWN_KEYS:
        raise DataError(
            f"{path}: not a certificate: expected the certificate.json written by `certify`"
        )
    if content["schema_version"] != SCHEMA_VERSION:
        raise DataError(
            f"{path}: has schema version {content['schema_version']!r}, this version of "
            f"negation_evals reads {SCHEMA_VERSION!r}: verify it with the version it names, "
            f"{content.get('negation_evals_version')}"
        )
    return content


def verify_certificate(certificate: Mapping[str, Any], logs: list[Source]) -> list[str]:
    """What does not hold of a certificate; nothing if all does.

    Args:
        certificate: The content of `certificate.json`.
        logs: Files or folders that hold the logs that it names; others among them do not matter.

    Returns:
        One sentence for each fault: the content does not have its hash, a log is missing or was
        changed, a figure comes out differently.

    Raises:
        DataError: a file cannot be read.
    """
    faults = []
    if content_hash(certificate) != certificate.get("content_sha256"):
        faults.append("the certificate was changed after it was written: its hash does not match")
    try:
        named = {str(item["sha256"]): str(item["name"]) for item in certificate["logs"]}
        terms = Terms(
            certificate["model"],
            certificate["domain"],
            certificate["confidence"],
            certificate["require"],
            certificate["runs"],
        )
        thresholds = [TierThresholds.model_validate(row) for row in certificate["thresholds"]]
        generated = str(certificate["generated"])
        left_out = [dict(item) for item in certificate["left_out"]]
    except (KeyError, TypeError, ValueError, AttributeError, ValidationError) as error:
        reason = " ".join(str(error).split())[:120]
        return [*faults, f"the certificate lacks a part or it is malformed: {reason}"]
    found = {file_sha256(location): location for location in find_files(logs)}
    missing = [name for sha256, name in named.items() if sha256 not in found]
    faults += [f"{name}: not among the files given, or changed since" for name in missing]
    if missing:
        return faults
    names = {found[sha256]: name for sha256, name in named.items()}
    try:
        again = certify(list(names), terms, thresholds, Given(generated, left_out, names))
    except (DataError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        return [*faults, f"the certificate cannot be computed again: {reason}"]
    differing = _differences(certificate, json.loads(json.dumps(again)))
    shown = [f"{place}: {was!r} here, {now!r} computed again" for place, was, now in differing]
    if len(shown) > MOST_SHOWN:
        shown = [*shown[:MOST_SHOWN], f"and {len(shown) - MOST_SHOWN} more values differ"]
    return faults + shown


def _differences(was: Any, now: Any, place: str = "") -> list[tuple[str, Any, Any]]:
    """Every place at which two JSON values differ."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        keys = [key for key in {**was, **now} if place or key not in VERSIONS]
        return [
            item
            for key in keys
            for item in _differences(was.get(key), now.get(key), f"{place}.{key}".strip("."))
        ]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [
            item
            for number, pair in enumerate(zip(was, now, strict=True))
            for item in _differences(*pair, f"{place}[{number}]")
        ]
    # Not `!=` alone: True equals 1 in Python, and is another value in JSON.
    return [] if was == now and type(was) is type(now) else [(place, was, now)]
