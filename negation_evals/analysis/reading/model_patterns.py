"""What `datasets/models.yaml` says of a model, found by its name."""

import fnmatch
from collections.abc import Iterable
from pathlib import Path

from negation_evals.files.bundled import dataset_path
from negation_evals.files.rows import read_rows
from negation_evals.files.validation import Row, Text, validate_rows
from negation_evals.schema.common import UNSPECIFIED


class ModelPattern(Row):
    """Origin and size tier of the models whose name matches a glob."""

    pattern: Text
    origin: Text
    size_tier: Text = UNSPECIFIED
    family: Text | None = None
    """Models of one family that differ in their reasoning mode; default the model by itself."""
    variant: Text = UNSPECIFIED
    """`standard` or `reasoning`, where a family has both."""


def load_model_patterns(path: Path | None = None) -> tuple[ModelPattern, ...]:
    """The patterns of `datasets/models.yaml`, or of a user's file of the same form."""
    path = path or dataset_path("models.yaml")
    return tuple(validate_rows(ModelPattern, read_rows(path, "models"), path))


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
