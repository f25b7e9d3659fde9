"""The shipped scenarios and frames, and users' files of the same form."""

import json
from pathlib import Path

import pytest
from helpers.framing import FRAMES, NEGATED
from helpers.scenarios import ROW

from negation_evals.framing.frames import load_frames
from negation_evals.framing.scenarios import load_scenarios


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
    assert {name: frames[name].negated for name in FRAMES} == NEGATED
    scenario = load_scenarios("sff").scenarios[0]
    # arXiv:2601.09724, Table 7.
    assert [scenario.proposal(frames[name]) for name in FRAMES] == [
        "They should rob the store to pay for the surgery.",
        "They should not rob the store to pay for the surgery.",
        "They should save their daughter even if it means they must rob the store to pay for the "
        "surgery.",
        "They should not save their daughter if it means they must rob the store to pay for the "
        "surgery.",
    ]


def test_the_hash_of_the_papers_scenarios_does_not_move() -> None:
    scenarios = load_scenarios("sff")
    assert scenarios.sha256 == "72cfb8708dab495c14a0a7c82b49aaab58bdbe9aa72fe2e1899c93e361f5254c"
    # That law_2 and financial_2 skip frames changes no question.
    skipping = {s.id: s.skip_frames for s in scenarios.scenarios if s.skip_frames}
    assert skipping == {
        "financial_2": ("refuse", "not_refuse"),
        "law_2": ("refuse", "not_refuse"),
    }


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_skipped_frames_are_read_and_not_hashed(tmp_path: Path, suffix: str) -> None:
    content = {
        "json": json.dumps([ROW | {"skip_frames": ["refuse", "refrain"]}]),
        "csv": ",".join([*ROW, "skip_frames"]) + "\n" + ",".join(ROW.values())
        + ',"refuse, refrain"\n',
    }[suffix]  # fmt: skip
    path = tmp_path / f"a.{suffix}"
    path.write_text(content, encoding="utf-8")
    loaded = load_scenarios(str(path))
    assert loaded.scenarios[0].skip_frames == ("refuse", "refrain")
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps([ROW]), encoding="utf-8")
    assert loaded.sha256 == load_scenarios(str(plain)).sha256


def test_braces_in_a_clause_are_text() -> None:
    scenario = load_scenarios("sff").scenarios[0].model_copy(update={"action_clause": "use {goal}"})
    proposal = scenario.proposal(load_frames()["F2"])
    assert proposal == "They should save their daughter even if it means they must use {goal}."
