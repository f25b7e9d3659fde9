"""Users' files in every format, and what is wrong with them."""

import json
from pathlib import Path

import pytest
import yaml
from helpers.scenarios import ROW

from negation_evals.analysis.framing.tier_tables import load_tier_thresholds
from negation_evals.errors import DataError
from negation_evals.framing.scenarios import load_scenarios


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
        ("a.json", json.dumps([ROW, ROW | {"id": "b", "skip_frames": ["refus"]}]),
         r"row 2 \('b'\): field 'skip_frames': .*unknown frame 'refus' \(did you mean 'refuse'"),
        ("a.json", json.dumps([ROW | {"skip_frames": 3}]), "field 'skip_frames'"),
        ("a.json", "[", "cannot be read as json"),
        ("a.json", "[]", "the table has no rows"),
        ("a.json", '{"rows": []}', "the list 'scenarios'"),
        ("a.json", "3", "expected a list of objects"),
        ("a.yaml", "scenarios: [a: b: c", "cannot be read as yaml"),
        ("a.yaml", "- {id: a, text: 2024-13-45}", "cannot be read as yaml"),
        ("a.json", "[" * 100_000, "cannot be read as json"),
        ("a.csv", "id,domain\na,b,c\n", "more cells than the header"),
        ("a.csv", "id,domain\n", "the table has no rows"),
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


def test_line_separators_within_a_text_are_text(tmp_path: Path) -> None:
    row = ROW | {"text": "One\u2028line."}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    assert load_scenarios(str(path)).scenarios[0].text == "One\u2028line."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.yaml", "- {domain: legal, b_from: 0.1, c_from: 0.9, b_from: 0.5}\n", "b_from"),
        ("t.yaml", "thresholds: []\nthresholds: []\n", "thresholds"),
        ("t.json", '[{"domain": "legal", "domain": "medical"}]', "domain"),
        ("t.jsonl", '{"domain": "legal", "domain": "medical"}\n', "domain"),
        ("t.csv", "domain,b_from,b_from\nlegal,0.1,0.2\n", "b_from"),
    ],
)
def test_a_name_that_occurs_twice_is_a_fault(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=f"t\\..*{message}' occurs twice"):
        load_tier_thresholds(path)
