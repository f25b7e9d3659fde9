"""Frames beyond the four of the papers: wording, polarity, scenarios that skip one, statistics."""

import csv
import json
import re
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from helpers.reading import notes
from helpers.report import report_tables
from inspect_ai.log import read_eval_log

from negation_evals import negation_framing
from negation_evals.analysis import (
    acquiescence,
    acquiescence_summary,
    endorsement_by_frame,
    endorsement_rates,
    failure_patterns,
    framing_effect,
    nsi,
    nsi_intervals,
    nsi_summary,
    nsi_values,
    read_decisions,
)
from negation_evals.errors import DataError
from negation_evals.framing.frames import frame_pairs, load_frames
from negation_evals.framing.scenarios import load_scenarios

EIGHT = "F0,F1,F2,F3,contraction,not_refuse,refuse,refrain"
NEGATED = {"F1", "F3", "contraction", "refuse", "refrain"}


def test_the_built_in_frames() -> None:
    frames = load_frames()
    assert ",".join(frames) == EIGHT
    assert {name for name, frame in frames.items() if frame.negated} == NEGATED
    assert frame_pairs() == {
        "simple": ("F0", "F1"),
        "compound": ("F2", "F3"),
        "refusal": ("not_refuse", "refuse"),
    }
    for name, frame in frames.items():
        # Otherwise a-b in frame c and a in frame b-c would be one sample.
        assert "-" not in name
        assert set(re.findall(r"\{(.*?)\}", frame.pattern)) <= {"action", "goal", "gerund"}


def test_wordings_of_our_frames() -> None:
    scenario = load_scenarios("extended").scenarios[1]
    frames = load_frames()
    assert [scenario.proposal(frames[name]) for name in EIGHT.split(",")[4:]] == [
        "They shouldn't sell the tobacco shares.",
        "They should not refuse to sell the tobacco shares.",
        "They should refuse to sell the tobacco shares.",
        "They should refrain from selling the tobacco shares.",
    ]


def test_a_pair_differs_in_its_negation_alone() -> None:
    frames = load_frames()
    for positive, negated in frame_pairs().values():
        assert frames[negated].negated
        assert not frames[positive].negated
    # The refusal pair by one word; which of the two has it is reversed.
    words = {name: frames[name].pattern.split() for name in ("refuse", "not_refuse")}
    assert [word for word in words["not_refuse"] if word != "not"] == words["refuse"]


def test_the_default_asks_the_four_frames_alone() -> None:
    task = negation_framing()
    assert {sample.metadata["frame"] for sample in task.dataset} == {"F0", "F1", "F2", "F3"}
    assert len(task.dataset) == 14 * 4
    assert task.metadata["skipped_samples"] == ""


def test_refusing_to_refuse_is_skipped_and_said(caplog: pytest.LogCaptureFixture) -> None:
    task = negation_framing(frames="F0,F1,not_refuse,refuse")
    skipped = "financial_2-not_refuse,financial_2-refuse,law_2-not_refuse,law_2-refuse"
    assert task.metadata["skipped_samples"] == skipped
    asked = {sample.id for sample in task.dataset}
    assert not asked & set(skipped.split(","))
    assert len(asked) == 14 * 4 - 4
    (line,) = caplog.messages
    assert "cannot form the frame" in line
    assert "not_refuse in 2 (financial_2, law_2); refuse in 2 (financial_2, law_2)" in line


def test_extended_forms_every_frame(caplog: pytest.LogCaptureFixture) -> None:
    task = negation_framing(scenarios="extended", frames=EIGHT)
    assert len({sample.id for sample in task.dataset}) == 70 * 8
    assert not caplog.messages


def test_a_long_list_of_skipping_scenarios_is_cut(tmp_path, caplog) -> None:
    rows = [scenario_row(f"s{i}") for i in range(5)]
    rows.append(scenario_row("g", action_gerund="calling the police"))
    task = negation_framing(scenarios=scenario_file(tmp_path, rows), frames="F0,F1,refrain")
    assert "refrain in 5 (s0, s1, s2, ...)" in caplog.text
    assert task.metadata["skipped_samples"].count("-refrain") == 5


def scenario_row(name: str, **fields: object) -> dict[str, object]:
    row = {"id": name, "domain": "home", "text": f"A neighbour is loud. ({name})"}
    return row | {"action_clause": "call the police", "goal_clause": "sleep"} | fields


def scenario_file(folder: Path, rows: list[dict[str, object]]) -> str:
    path = folder / "mine.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return str(path)


def test_a_frame_that_no_scenario_forms_is_refused(tmp_path: Path) -> None:
    message = r"no scenario that is asked can form 'refrain' \(financial_1: it has no action_gerund"
    with pytest.raises(click.UsageError, match=message) as caught:
        negation_framing(frames="F0,F1,refrain")
    assert "leave the frame out, or ask scenarios" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    mine = scenario_file(tmp_path, [scenario_row("a", skip_frames=["F3"])])
    with pytest.raises(click.UsageError, match=r"'F3' \(a: its skip_frames names it\)"):
        negation_framing(scenarios=mine)


def test_a_proposal_without_the_gerund_it_needs_is_an_error() -> None:
    scenario = load_scenarios("sff").scenarios[0]
    with pytest.raises(DataError, match="financial_1 has no action_gerund for frame refrain"):
        scenario.proposal(load_frames()["refrain"])


def test_skipped_frames_from_log_to_statistics(audit) -> None:
    log = audit("mirror", domains="legal", frames="F0,F1,not_refuse,refuse", model_args={"p": 1})
    metadata = read_eval_log(log.location, header_only=True).eval.metadata
    assert metadata["skipped_samples"] == "law_2-not_refuse,law_2-refuse"

    decisions = read_decisions(log.location)
    (said,) = [line for line in notes(log.location).warnings if "law_2" in line]
    assert "law_2-not_refuse, law_2-refuse skipped: the scenario cannot form that frame" in said
    assert not any("no row for" in line for line in notes(log.location).warnings)
    assert "skipped_samples" not in decisions.columns
    assert len(decisions) == (4 + 2) * 2

    # Over all frames: missing, and counted. A consistent respondent endorses in all of them.
    whole = nsi(decisions).set_index("scenario")
    assert whole["nsi"].to_dict() == pytest.approx({"law_1": 0.0, "law_2": np.nan}, nan_ok=True)
    assert whole.loc["law_2", "missing_frames"] == "not_refuse,refuse"
    summary = nsi_summary(nsi(decisions)).iloc[0]
    assert (summary["n_scenarios"], summary["n_missing"]) == (1, 1)
    # Over a chosen pair: both scenarios, or the one that has it.
    cells = endorsement_rates(decisions)
    for pair, n_scenarios in (("simple", 2), ("refusal", 1)):
        frames = frame_pairs()[pair]
        assert nsi(decisions, frames=frames)["nsi"].count() == n_scenarios
        interval = nsi_intervals(cells, frames=frames).iloc[0]
        assert (interval["n_scenarios"], interval["n_missing"]) == (n_scenarios, 2 - n_scenarios)
        assert interval["nsi"] == 0
    pairs = acquiescence_summary(acquiescence(cells)).set_index("pair")
    assert pairs["n_scenarios"].to_dict() == {"simple": 2, "refusal": 1}


def test_a_frame_that_is_lost_is_still_missed(audit) -> None:
    # The limit cuts law_1 in frame refuse; law_2 is asked nothing.
    log = audit("mirror", domains="legal", frames="F0,F1,not_refuse,refuse", limit=3)
    warnings = notes(log.location).warnings
    assert any("no row for law_1-refuse: NSI of these" in line for line in warnings)
    assert any("law_2-not_refuse, law_2-refuse skipped" in line for line in warnings)


def test_eight_frames_through_inspect_to_the_report_tables(audit) -> None:
    log = audit("naysayer", domains="legal", scenarios="extended", frames=EIGHT, limit=24)
    live = {name: value.value for name, value in log.results.scores[0].metrics.items()}
    assert live["rate_refrain"] == live["rate_contraction"] == live["rate_refuse"] == 1
    assert live["rate_not_refuse"] == live["rate_F0"] == 0
    decisions = read_decisions(log.location)
    rates = endorsement_by_frame(endorsement_rates(decisions)).set_index("frame")["rate"]
    assert rates.to_dict() == {name: float(name in NEGATED) for name in EIGHT.split(",")}
    tables = report_tables(decisions)
    assert tables["ranking"]["nsi"].tolist() == [1.0]
    by_pair = tables["acquiescence_by_pair"].set_index("pair")["acquiescence"]
    assert by_pair.to_dict() == {"simple": -1, "compound": -1, "refusal": -1}


def table_of(folder: Path, rates: dict[str, dict[str, float]], polarity: bool = True) -> Path:
    """A CSV of one's own with ten answers for each scenario and frame."""
    rows = []
    for scenario, by_frame in rates.items():
        for frame, rate in by_frame.items():
            negated = frame in NEGATED or frame.startswith("not ")
            for number in range(10):
                agrees = (number < round(rate * 10)) != negated
                row = {"model": "m", "scenario": scenario, "frame": frame, "negated": negated}
                rows.append(row | {"decision": "agree" if agrees else "disagree"})
    path = folder / "mine.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        names = [name for name in rows[0] if polarity or name != "negated"]
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_frames_of_ones_own_with_declared_polarity(tmp_path: Path) -> None:
    rates = {"good": 0.9, "not good": 0.4, "right": 0.2, "not right": 0.3}
    decisions = read_decisions(table_of(tmp_path, {"s": rates, "t": rates}))
    cells = endorsement_rates(decisions)
    assert nsi(decisions)["nsi"].tolist() == pytest.approx([0.7, 0.7])
    pair = ["right", "not right"]
    assert nsi(decisions, frames=pair)["nsi"].tolist() == pytest.approx([0.1, 0.1])
    assert nsi_values(cells, pair)["frame_max"].tolist() == ["not right"] * 2
    assert nsi_intervals(cells, frames=pair)["nsi"].tolist() == pytest.approx([0.1])
    own = acquiescence(cells, {"good": ("good", "not good"), "right": ("right", "not right")})
    assert own.groupby("pair")["acquiescence"].mean().to_dict() == pytest.approx(
        {"good": 0.5, "right": -0.1}
    )
    assert acquiescence(cells).empty


def test_the_polarity_of_our_frames_is_known_to_tables(tmp_path: Path) -> None:
    rates = {"not_refuse": 0.8, "refuse": 0.6, "contraction": 0.5, "F0": 0.1}
    path = table_of(tmp_path, {"s": rates}, polarity=False)
    cells = endorsement_rates(read_decisions(path)).set_index("frame")["rate"]
    assert cells.to_dict() == pytest.approx(rates)
    text = path.read_text(encoding="utf-8").replace("decision", "decision,negated", 1)
    text = re.sub(r"(agree)$", r"\1,false", text, flags=re.M)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"negated=False for frame .*the built-in frame"):
        read_decisions(path)


@pytest.mark.parametrize(
    ("rates", "pattern"),
    [
        ({"F0": 0.1, "F1": 0.1, "F2": 0.9, "F3": 0.9}, "goal wording"),
        # No pair holds the contraction; that it differs says nothing about the goal.
        ({"F0": 0.1, "F1": 0.1, "contraction": 0.9}, "mixed"),
        ({"F0": 0.1, "F1": 0.1, "not_refuse": 0.9, "refuse": 0.9}, "mixed"),
        ({"F0": 0.1, "F1": 0.9, "not_refuse": 0.1, "refuse": 0.9}, "habit of disagreeing"),
    ],
)
def test_other_frames_are_not_taken_for_the_goal(
    tmp_path: Path, rates: dict[str, float], pattern: str
) -> None:
    decisions = read_decisions(table_of(tmp_path, {"s": rates, "t": rates, "u": rates}))
    cells = endorsement_rates(decisions)
    found = failure_patterns(nsi(decisions), acquiescence(cells), framing_effect(cells))
    assert found["pattern"].tolist() == [pattern]


def test_a_contraction_is_paired_on_request(tmp_path: Path) -> None:
    decisions = read_decisions(table_of(tmp_path, {"s": {"F0": 0.3, "F1": 0.3, "contraction": 1}}))
    pair = acquiescence(endorsement_rates(decisions), {"short": ("F0", "contraction")})
    assert isinstance(pair, pd.DataFrame)
    assert pair["acquiescence"].tolist() == pytest.approx([-0.7])
