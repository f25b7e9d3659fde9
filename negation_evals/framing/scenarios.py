"""The dilemmas: built-in sets and files of the user."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import (
    Field,
    field_validator,
)

from negation_evals.errors import DataError, unknown_name
from negation_evals.files.bundled import dataset_path
from negation_evals.files.hashing import json_sha256
from negation_evals.files.locations import local_path
from negation_evals.files.rows import read_rows
from negation_evals.files.validation import Name, Row, Text, require_unique, validate_rows
from negation_evals.framing.frames import Frame, load_frames

BUILTIN_SCENARIOS = {"sff": "scenarios.yaml", "extended": "scenarios_extended.yaml"}
"""Built-in scenario sets: name -> file under `datasets/`."""


class Scenario(Row):
    """One dilemma; both clauses are bare infinitives that complete "They should ..."."""

    id: Name
    domain: Name
    text: Text
    action_clause: Text
    goal_clause: Text
    action_gerund: Text | None = None
    """The action as a gerund, for frames such as "They should refrain from ..."."""
    skip_frames: tuple[Name, ...] = Field(default=(), exclude=True)
    """Frames that make no sensible sentence of this action. No part of the content that is hashed:
    it changes no question."""

    @field_validator("skip_frames", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """A CSV cell holds the frames joined by commas."""
        return re.findall(r"[^,\s]+", value) if isinstance(value, str) else value

    @field_validator("skip_frames")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        known = load_frames() if names else {}
        for name in names:
            if name not in known:
                raise unknown_name("frame", name, known)
        return names

    def obstacle(self, frame: Frame) -> str | None:
        """Why the scenario cannot form a frame; None where it can."""
        if frame.id in self.skip_frames:
            return "its skip_frames names it"
        if self.action_gerund is None and "{gerund}" in frame.pattern:
            return "it has no action_gerund"
        return None

    def proposal(self, frame: Frame) -> str:
        """The proposal of the scenario in a frame.

        Raises:
            DataError: the frame takes a gerund and the scenario has none.
        """
        clauses = {
            "action": self.action_clause,
            "gerund": self.action_gerund,
            "goal": self.goal_clause,
        }

        def clause(slot: re.Match[str]) -> str:
            text = clauses[slot[1]]
            if text is None:
                raise DataError(f"scenario {self.id} has no action_gerund for frame {frame.id}")
            return text

        return re.sub(r"\{(action|gerund|goal)\}", clause, frame.pattern)


@dataclass(frozen=True)
class ScenarioSet:
    """Scenarios with the name under which they were asked for."""

    name: str
    scenarios: tuple[Scenario, ...]

    @cached_property
    def sha256(self) -> str:
        """Hash of the whole set's content, whatever its file format, key order or white space."""
        # A field that is absent does not count: new optional fields leave old hashes alone.
        rows = [scenario.model_dump(exclude_none=True) for scenario in self.scenarios]
        return json_sha256(rows, compact=True)


def load_scenarios(source: str) -> ScenarioSet:
    """Load a built-in set by name, or a user's YAML, JSON, JSONL or CSV file by path.

    Raises:
        DataError: unknown name, unreadable file, or a row that breaks the schema; names the row.
    """
    path, rows = read_scenarios(source)
    scenarios = validate_rows(Scenario, rows, path)
    require_unique((scenario.id for scenario in scenarios), path)
    return ScenarioSet(source, tuple(scenarios))


def read_scenarios(source: str) -> tuple[Path, list[dict[str, Any]]]:
    """The file of a built-in set or of a user, and its rows as they are.

    Raises:
        DataError: unknown name, or unreadable file.
    """
    if not isinstance(source, str):
        raise DataError(f"scenarios={source!r} is not the name of a set or the path of a file")
    if source in BUILTIN_SCENARIOS:
        path = dataset_path(BUILTIN_SCENARIOS[source])
    else:
        found = local_path(source)
        if found is None or not found.is_file():
            raise DataError(
                f"scenarios={source!r} is neither a built-in set ({', '.join(BUILTIN_SCENARIOS)}) "
                "nor a file: give a name, or the path of a YAML, JSON, JSONL, CSV or Parquet file"
            )
        path = found
    return path, read_rows(path, "scenarios")
