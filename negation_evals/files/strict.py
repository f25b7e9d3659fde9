"""Read YAML and JSON in which a key that occurs twice is a fault: else the later one would win."""

import json
from typing import Any

import yaml
from yaml.constructor import ConstructorError


def load_json(text: str) -> Any:
    """A JSON value.

    Raises:
        ValueError: it is none, or a key occurs twice in one object.
    """
    return json.loads(text, object_pairs_hook=_unique)


def load_yaml(text: str) -> Any:
    """A YAML value of plain types.

    Raises:
        yaml.YAMLError: it is none, or a key occurs twice in one mapping.
    """
    return yaml.load(text, _UniqueKeys)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return found


class _UniqueKeys(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping; keys are compared as they are written."""
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # An error of the loader's own.
            if (written := (key.tag, key.value)) in seen:
                words = f"the key {key.value!r} occurs twice"
                raise ConstructorError(None, None, words, key.start_mark)
            seen.add(written)
        return super().construct_mapping(node, deep)
