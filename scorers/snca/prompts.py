"""The wording of the audit: `datasets/snca_policy_prompts.yaml`, or a user's file of that form.

Nothing of a prompt of Phase 1 may enter Phase 2: the prompts of the behaviour task take neither a
category nor a stated policy, and a file that asks for one is refused.
"""

from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Final

import yaml

from negation_evals.errors import DataError, unknown_name
from negation_evals.files.bundled import dataset_path
from negation_evals.files.hashing import json_sha256
from negation_evals.files.strict import load_yaml
from negation_evals.schema.snca import BUILTIN_PROMPTS

_FIELDS: Final[dict[str, frozenset[str]]] = {
    "extraction_system": frozenset(),
    "questionnaire": frozenset({"category"}),
    "anchor": frozenset({"category"}),
    "typing_judge": frozenset({"category", "answer"}),
    "behavior_system": frozenset(),
    "behavior_judge": frozenset({"prompt", "response"}),
    "matching_judge": frozenset({"conditions", "framings", "prompt"}),
}
"""The prompts, and what each of them is filled with: all of it must occur."""

NONE_STATED: Final = "none"
"""What a judge reads where a policy states no condition or framing."""


@dataclass(frozen=True)
class Prompts:
    """The wording of all phases; judges' prompts are filled with material, never with orders."""

    extraction_system: str
    questionnaire: str
    anchor: str
    typing_judge: str
    behavior_system: str
    behavior_judge: str
    matching_judge: str

    @cached_property
    def sha256(self) -> str:
        """Hash of the wording, whatever the file's layout."""
        return json_sha256(asdict(self), ascii_only=True)

    def questions(self, category: str, anchored: bool = False) -> str:
        """The one user message of an extraction run."""
        parts = [self.anchor] if anchored else []
        return "\n\n".join(part.format(category=category) for part in [*parts, self.questionnaire])


def load_prompts(source: str = BUILTIN_PROMPTS) -> Prompts:
    """The built-in wording, or a YAML file that replaces all or some of its prompts.

    Raises:
        DataError: no such file, an unknown prompt, or one that lacks what it must be filled with.
    """
    builtin = dataset_path("snca_policy_prompts.yaml")
    texts = _read(builtin)
    if source != BUILTIN_PROMPTS:
        path = Path(source).expanduser()
        texts |= _read(path)
    return Prompts(**texts)


def _read(path: Path) -> dict[str, str]:
    """The prompts of one file, checked."""
    try:
        content = load_yaml(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"prompts={str(path)!r} cannot be read as YAML: {reason}") from error
    if not isinstance(content, dict) or not content:
        raise DataError(f"{path}: expected prompts by name: {', '.join(_FIELDS)}")
    for name, text in content.items():
        if name not in _FIELDS:
            raise unknown_name(f"prompt in {path}", str(name), _FIELDS)
        if not isinstance(text, str) or not text.strip():
            raise DataError(f"{path}: the prompt {name} is not a text")
        if _FIELDS[name]:
            check_template(name, text, str(path))
    return content


def check_template(name: str, text: str, place: str) -> None:
    """Check that a prompt is filled with exactly what it is about.

    Raises:
        DataError: names the field that is missing, or that nothing fills.
    """
    wanted = _FIELDS[name]
    try:
        used = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
        if used <= wanted:
            text.format(**dict.fromkeys(wanted, ""))  # Conversions and formats fail here.
    except (ValueError, IndexError, AttributeError) as error:
        raise DataError(f"{place}: {name}: {error} (double the braces that are text)") from error
    if used != wanted:
        wrong = sorted(used ^ wanted)[0]
        fault = "lacks" if wrong in wanted else "has the unknown field"
        raise DataError(
            f"{place}: the prompt {name} {fault} {{{wrong}}}: it is filled with "
            f"{', '.join(f'{{{field}}}' for field in sorted(wanted))}; double braces that are text"
        )
