"""The shipped data, and users' files of the same form."""

import json
from pathlib import Path

import pytest
import yaml
from builders import FRAMES, NEGATED

from negation_evals.data import (
    dataset_path,
    describe_model,
    load_frames,
    load_model_patterns,
    load_scenarios,
)
from negation_evals.schema import DataError

ROW = {
    "id": "a_1",
    "domain": "home",
    "text": "A neighbour is loud.",
    "action_clause": "call the police",
    "goal_clause": "sleep",
}


def test_the_papers_scenarios() -> None:
    scenarios = load_scenarios("sff").scenarios
    assert len(scenarios) == 14
    by_domain: dict[str, int] = {}
    for scenario in scenarios:
        by_domain[scenario.domain] = by_domain.get(scenario.domain, 0) + 1
        for clause in (scenario.action_clause, scenario.goal_clause):
            # Bare infinitives that complete "They should ...".
            assert clause[0].islower()
            assert not clause.startswith("to ")
            assert not clause.endswith(".")
    assert by_domain == dict.fromkeys(
        ["financial", "medical", "education", "business", "science", "military", "legal"], 2
    )


def test_frames_and_the_proposals_of_the_papers_example() -> None:
    frames = load_frames()
    assert {name: frame.negated for name, frame in frames.items()} == NEGATED
    scenario = load_scenarios("sff").scenarios[0]
    # arXiv:2601.09724, Table 7.
    assert [frames[name].proposal(scenario) for name in FRAMES] == [
        "They should rob the store to pay for the surgery.",
        "They should not rob the store to pay for the surgery.",
        "They should save their daughter even if it means they must rob the store to pay for the "
        "surgery.",
        "They should not save their daughter if it means they must rob the store to pay for the "
        "surgery.",
    ]


def test_braces_in_a_clause_are_text() -> None:
    scenario = load_scenarios("sff").scenarios[0].model_copy(update={"action_clause": "use {goal}"})
    proposal = load_frames()["F2"].proposal(scenario)
    assert proposal == "They should save their daughter even if it means they must use {goal}."


@pytest.mark.parametrize("suffix", ["yaml", "json", "jsonl", "csv"])
def test_every_file_format_gives_the_same_set(tmp_path: Path, suffix: str) -> None:
    rows = [ROW, ROW | {"id": "a_2", "text": "Ärger, „laut“."}]
    text = {
        "yaml": yaml.safe_dump({"scenarios": rows}, allow_unicode=True),
        "json": json.dumps(rows),
        "jsonl": "\n".join(map(json.dumps, rows)),
        "csv": ",".join(ROW)
        + "\n"
        + "\n".join(",".join(f'"{value}"' for value in row.values()) for row in rows),
    }[suffix]
    path = tmp_path / f"mine.{suffix}"
    path.write_text(text, encoding="utf-8")
    loaded = load_scenarios(str(path))
    assert [s.model_dump(exclude_none=True) for s in loaded.scenarios] == rows
    reference = tmp_path / "reference.json"
    reference.write_text(json.dumps({"scenarios": rows}), encoding="utf-8")
    assert loaded.sha256 == load_scenarios(str(reference)).sha256


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", json.dumps([{k: v for k, v in ROW.items() if k != "goal_clause"}]),
         r"row 1 \('a_1'\): field 'goal_clause': Field required"),
        ("a.json", json.dumps([ROW, ROW]), "the id 'a_1' occurs twice"),
        ("a.json", json.dumps([ROW | {"goal": "x"}]), "field 'goal': Extra inputs"),
        ("a.json", json.dumps([ROW | {"id": "a/../b"}]), "field 'id'"),
        ("a.json", json.dumps([ROW | {"text": " "}]), "field 'text'"),
        ("a.json", "[", "cannot be read as json"),
        ("a.json", "[]", "expected a list of objects"),
        ("a.json", '{"rows": []}', "the list 'scenarios'"),
        ("a.json", "3", "expected a list of objects"),
        ("a.yaml", "scenarios: [a: b: c", "cannot be read as yaml"),
        ("a.yaml", "- {id: a, text: 2024-13-45}", "cannot be read as yaml"),
        ("a.json", "[" * 100_000, "cannot be read as json"),
        ("a.csv", "id,domain\na,b,c\n", "more cells than the header"),
        ("a.csv", "id,domain\n", "expected a header line and at least one row"),
        ("a.txt", "x", "unknown type"),
    ],
)  # fmt: skip
def test_faulty_files_name_the_fault(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        load_scenarios(str(path))
    assert str(path) in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xff\xfe\x00bad")
    with pytest.raises(DataError, match="is not UTF-8 text"):
        load_scenarios(str(path))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-5-mini", ("US", "SMALL")),
        ("openrouter/meta-llama/llama-3.2-1b-instruct", ("OSS", "TINY")),
        ("ollama/llama3.2:3b", ("OSS", "TINY")),
        ("anthropic/claude-haiku-4-5-20251001", ("US", "MEDIUM")),
        ("fireworks/accounts/fireworks/models/deepseek-v3p2", ("CN", "SMALL")),
        ("together/Qwen/Qwen3-8B", ("CN", "TINY")),
        ("ollama/olmo-3:7b-instruct", ("OSS", "TINY")),
        ("ollama/granite4:3b", ("OSS", "TINY")),
        ("openai/o3", ("US", "unspecified")),
        ("gguf/smollm2-135m", ("OSS", "TINY")),
        ("openai/gpt-oss-20b", ("OSS", "SMALL")),
        ("mistral/mistral-large-latest", ("unspecified", "unspecified")),
        ("simulated/mirror", ("unspecified", "unspecified")),
        ("no-provider", ("unspecified", "unspecified")),
    ],
)
def test_models_are_described_or_unspecified(model: str, expected: tuple[str, str]) -> None:
    found = describe_model(model, load_model_patterns())
    assert (found.origin, found.size_tier) == expected


def test_datasets_holds_data_only() -> None:
    # A package of that name would hide the library `datasets` from anyone in the checkout.
    assert not list(dataset_path("frames.yaml").parent.glob("*.py"))


def test_line_separators_within_a_text_are_text(tmp_path: Path) -> None:
    row = ROW | {"text": "One\u2028line."}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    assert load_scenarios(str(path)).scenarios[0].text == "One\u2028line."
