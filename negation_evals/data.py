"""Find, load and validate what lies under `datasets/`, and files of the same form from users."""

import csv
import fnmatch
import hashlib
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from negation_evals.schema import UNSPECIFIED, DataError
from negation_evals.strict import load_json, load_yaml

BUILTIN_SCENARIOS = {"sff": "scenarios.yaml", "extended": "scenarios_extended.yaml"}
"""Built-in scenario sets: name -> file under `datasets/`."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+$")]
"""A name that is safe in a sample id, a file name and a `-T` list."""


class Row(BaseModel):
    """A row of a data file: unknown fields are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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


class Frame(Row):
    """One wording of a proposal (arXiv:2601.21433, Section 3.1)."""

    id: Name
    pattern: Text
    """Sentence with `{action}` or `{gerund}` and, where it is compound, `{goal}`."""
    negated: bool
    """Agreeing with the proposal opposes the action."""
    pair: Name | None = None
    """The frames of one pair differ in their negation alone."""

    def obstacle(self, scenario: Scenario) -> str | None:
        """Why the scenario cannot form this frame; None where it can."""
        if self.id in scenario.skip_frames:
            return "its skip_frames names it"
        if scenario.action_gerund is None and "{gerund}" in self.pattern:
            return "it has no action_gerund"
        return None

    def proposal(self, scenario: Scenario) -> str:
        """The proposal of a scenario in this frame.

        Raises:
            DataError: the frame takes a gerund and the scenario has none.
        """
        clauses = {
            "action": scenario.action_clause,
            "gerund": scenario.action_gerund,
            "goal": scenario.goal_clause,
        }

        def clause(slot: re.Match[str]) -> str:
            text = clauses[slot[1]]
            if text is None:
                raise DataError(f"scenario {scenario.id} has no action_gerund for frame {self.id}")
            return text

        return re.sub(r"\{(action|gerund|goal)\}", clause, self.pattern)


class ModelPattern(Row):
    """Origin and size tier of the models whose name matches a glob."""

    pattern: Text
    origin: Text
    size_tier: Text = UNSPECIFIED
    family: Text | None = None
    """Models of one family that differ in their reasoning mode; default the model by itself."""
    variant: Text = UNSPECIFIED
    """`standard` or `reasoning`, where a family has both."""


class TierThresholds(Row):
    """The lowest NSI of tiers B and C in one domain (arXiv:2601.21433v1, Tables 8 and 9)."""

    domain: Name
    b_from: float
    c_from: float

    @model_validator(mode="after")
    def _in_order(self) -> "TierThresholds":
        if not 0 < self.b_from <= self.c_from <= 1:
            raise ValueError("thresholds must satisfy 0 < b_from <= c_from <= 1")
        return self


class AdjacentDomains(Row):
    """The domains whose scenarios count as adjacent to one, and why."""

    domain: Name
    to: tuple[Name, ...]
    reason: Text


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
        canonical = json.dumps(rows, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


def dataset_path(name: str) -> Path:
    """The data file `name`: beside the code in a wheel, else in the checkout's `datasets/`.

    A path, not a resource: in an editable install `negation_evals.datasets` cannot be imported.
    """
    package = Path(__file__).parent
    for folder in (package / "datasets", package.parent / "datasets"):
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"data file {name} is missing from this installation: reinstall negation_evals")


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


def load_frames() -> dict[str, Frame]:
    """All frames by id, in the file's order."""
    path = dataset_path("frames.yaml")
    return {frame.id: frame for frame in validate_rows(Frame, read_rows(path, "frames"), path)}


def frame_pairs() -> dict[str, tuple[str, str]]:
    """The pairs of frames that differ in their negation alone: name -> (affirmative, negated).

    NSI over one pair is `nsi(decisions, frames=frame_pairs()["simple"])`; `nsi_intervals` takes
    `frames` as well.
    """
    frames = [frame for frame in load_frames().values() if frame.pair is not None]
    negated = {frame.pair: frame.id for frame in frames if frame.negated}
    return {
        str(frame.pair): (frame.id, negated[frame.pair])
        for frame in frames
        if not frame.negated and frame.pair in negated
    }


def load_model_patterns(path: Path | None = None) -> tuple[ModelPattern, ...]:
    """The patterns of `datasets/models.yaml`, or of a user's file of the same form."""
    path = path or dataset_path("models.yaml")
    return tuple(validate_rows(ModelPattern, read_rows(path, "models"), path))


def load_tier_thresholds(path: Path | None = None) -> tuple[TierThresholds, ...]:
    """The thresholds of `datasets/tiers.yaml`, or of a user's file of the same form.

    Raises:
        DataError: the file cannot be read, a row breaks the schema, or a domain occurs twice.
    """
    path = path or dataset_path("tiers.yaml")
    rows = validate_rows(TierThresholds, read_rows(path, "thresholds"), path)
    require_unique((row.domain for row in rows), path)
    return tuple(rows)


def load_adjacent_domains() -> dict[str, tuple[str, ...]]:
    """Domain -> its adjacent domains."""
    path = dataset_path("adjacent_domains.yaml")
    rows = validate_rows(AdjacentDomains, read_rows(path, "adjacent"), path)
    return {row.domain: row.to for row in rows}


def describe_model(model: str, patterns: Iterable[ModelPattern]) -> ModelPattern:
    """The first pattern that matches a model's name, else one that says `unspecified`.

    Args:
        model: Inspect's model name, `provider/name`; the provider does not take part.
        patterns: In order of precedence.
    """
    name = model.lower().partition("/")[2] or model.lower()
    for pattern in patterns:
        if fnmatch.fnmatchcase(name, pattern.pattern.lower()):
            return pattern
    return ModelPattern(pattern=model or "?", origin=UNSPECIFIED)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> DataError:
    """The error for a name that is not among the known ones, with the nearest of them."""
    known = list(known)
    near = get_close_matches(name, known, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return DataError(f"unknown {kind} {name!r}{hint}: known are {', '.join(known)}")


def local_path(name: str) -> Path | None:
    """The file or folder of this name; None without one."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError):  # a name that is too long; the home of nobody
        return None


def read_rows(path: Path, key: str, *, keep_empty: bool = False) -> list[dict[str, Any]]:
    """Rows of a data file: a list, or an object that holds the list under `key`.

    Args:
        path: YAML, JSON, JSONL, CSV or Parquet.
        key: Of the list.
        keep_empty: An empty CSV cell and a null in Parquet are None, and no absent fields.

    Raises:
        DataError: the file cannot be read, or holds something else.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            return _filled(_parquet_rows(path), keep_empty)
        text = path.read_text(encoding="utf-8-sig")
        if suffix == ".csv":
            return _filled(_csv_rows(text, path), keep_empty)
        if suffix == ".jsonl":
            content: Any = _json_lines(text)
        elif suffix == ".json":
            content = load_json(text)
        elif suffix in {".yaml", ".yml"}:
            content = load_yaml(text)
        else:
            raise DataError(f"{path}: unknown type; use .yaml, .json, .jsonl, .csv or .parquet")
    except DataError:
        raise
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    except (OSError, ValueError, RecursionError, yaml.YAMLError, csv.Error) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as {suffix.lstrip('.')}: {reason}") from error
    rows = content.get(key) if isinstance(content, dict) else content
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{path}: expected a list of objects, or an object with the list {key!r}")
    return rows


def _json_lines(text: str) -> list[Any]:
    """One JSON value a line; blank lines are none."""
    values = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(load_json(line))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    return values


def _parquet_rows(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    if not rows:
        raise DataError(f"{path}: the table has no rows")
    return rows


def _filled(rows: list[dict[str, Any]], keep_empty: bool) -> list[dict[str, Any]]:
    """The rows, unless asked for without their empty cells."""
    if keep_empty:
        return rows
    return [{name: cell for name, cell in row.items() if cell is not None} for row in rows]


def _csv_rows(text: str, path: Path) -> list[dict[str, Any]]:
    """Rows of a CSV text; an empty cell is None."""
    reader = csv.DictReader(io.StringIO(text, newline=""))
    header = list(reader.fieldnames or ())
    for separator, name in ((";", ";"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise DataError(
                f"{path}: columns are separated by commas; this file seems to use {name}"
            )
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise DataError(f"{path}: the column {twice!r} occurs twice")
    rows: list[dict[str, Any]] = []
    for row in reader:
        if None in row:
            raise DataError(f"{path}: line {reader.line_num} has more cells than the header")
        rows.append({name: cell or None for name, cell in row.items()})
    if not rows:
        raise DataError(f"{path}: expected a header line and at least one row")
    return rows


RowT = TypeVar("RowT", bound=Row)


def validate_rows(row_type: type[RowT], rows: list[dict[str, Any]], path: Path | str) -> list[RowT]:
    """Check every row; the first fault is named with its place, the field and what is wanted.

    Raises:
        DataError: a row breaks the schema.
    """
    fields = ", ".join(row_type.model_fields)
    checked: list[RowT] = []
    for number, row in enumerate(rows, start=1):
        valid, faults = validate_row(row_type, row)
        if valid is None:
            name = f" ({row['id']!r})" if "id" in row else f" (has {', '.join(map(repr, row))})"
            raise DataError(
                f"{path}: row {number}{name}: {faults[0]}; a row has the fields {fields}"
            )
        checked.append(valid)
    return checked


def validate_row(row_type: type[RowT], row: dict[str, Any]) -> tuple[RowT | None, list[str]]:
    """The row as the given type; or None, and each wrong field with what is wanted."""
    try:
        return row_type.model_validate(row), []
    except ValidationError as error:
        return None, [
            _place(fault["loc"]) + fault["msg"].removeprefix("Value error, ")
            for fault in error.errors()
        ]


def _place(location: tuple[int | str, ...]) -> str:
    """The field of a fault; one of the whole row has none."""
    return f"field {'.'.join(map(str, location))!r}: " if location else ""


def require_unique(ids: Iterable[str], path: Path | str) -> None:
    """Check that no id occurs twice: results are keyed by id.

    Raises:
        DataError: names the first that does.
    """
    seen: set[str] = set()
    for identifier in ids:
        if identifier in seen:
            raise DataError(f"{path}: the id {identifier!r} occurs twice; ids must be unique")
        seen.add(identifier)
