"""YAML and JSON in which no key occurs twice."""

import yaml

from negation_evals.files.bundled import dataset_path
from negation_evals.files.strict import load_json, load_yaml


def test_strict_yaml_reads_what_plain_yaml_does() -> None:
    for path in sorted(dataset_path("tiers.yaml").parent.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        assert load_yaml(text) == yaml.safe_load(text)
    assert load_yaml("a: &x {k: 1}\nb: {<<: *x, k: 2}\n") == {"a": {"k": 1}, "b": {"k": 2}}
    assert load_json('{"a": {"k": 1}, "b": {"k": 2}}') == {"a": {"k": 1}, "b": {"k": 2}}
