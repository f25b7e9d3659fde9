"""Scores that were edited or appended, and outputs that are none: what counts is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.reading import notes
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai import score as rescore
from inspect_ai.log import EvalLog, ProvenanceData, edit_score, read_eval_log, write_eval_log
from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import ScoreEdit

from negation_evals import negation_framing, nubench
from negation_evals.analysis import choice_accuracy, nsi, read_choices, read_decisions
from negation_evals.analysis.framing.read import DECISION_LOGS
from negation_evals.analysis.nubench.read import CHOICE_LOGS
from negation_evals.analysis.reading.kinds import LogKind
from negation_evals.scorers.nubench.choice import negation_choice

WHO = ProvenanceData(author="reviewer", reason="looked at it")


def edited(log: EvalLog, scorer: str, path: Path, **edit: Any) -> Path:
    """A copy of a log with the same edit to every score."""
    log = read_eval_log(log.location)
    for sample in log.samples or []:
        change = ScoreEdit(provenance=WHO, **edit)
        edit_score(log, sample.id, scorer, change, epoch=sample.epoch, recompute_metrics=False)
    write_eval_log(log, str(path))
    return path


def warnings(log: Any, kind: LogKind = DECISION_LOGS) -> str:
    return " ".join(notes(log, kind).warnings)


@pytest.fixture
def yeasayer(audit: Callable[..., EvalLog]) -> EvalLog:
    """It agrees always: NSI 1."""
    return audit("yeasayer", domains="legal", epochs=1)


def test_an_edited_value_counts(yeasayer: EvalLog, tmp_path: Path) -> None:
    path = edited(yeasayer, "decision", tmp_path / "edited.eval", value=0.0)
    decisions = read_decisions(path)
    assert set(decisions["endorsed"]) == {0.0}
    assert nsi(decisions)["nsi"].tolist() == [0.0, 0.0]
    opposes = decisions["decision"].map({"agree": False, "disagree": True})
    assert (opposes != decisions["negated"]).all()
    assert "4 scores whose value contradicts their answer" in warnings(path)
    assert "contradicts" not in warnings(yeasayer)


@pytest.mark.parametrize("value", [float("nan"), 0.5, "C"])
def test_a_value_that_endorses_nothing_leaves_no_decision(
    yeasayer: EvalLog, tmp_path: Path, value: float | str
) -> None:
    decisions = read_decisions(edited(yeasayer, "decision", tmp_path / "e.eval", value=value))
    assert set(decisions["status"]) == {"unscored"}
    assert decisions["endorsed"].isna().all()
    assert decisions["decision"].isna().all()
    assert "8 scores with an unknown status or a value that is neither" in warnings(
        edited(yeasayer, "decision", tmp_path / "e.eval", value=value)
    )


def test_an_unknown_answer_does_not_reverse_the_value(yeasayer: EvalLog, tmp_path: Path) -> None:
    decisions = read_decisions(edited(yeasayer, "decision", tmp_path / "e.eval", answer="nonsense"))
    assert nsi(decisions)["nsi"].tolist() == [1.0, 1.0]
    assert set(decisions["decision"]) == {"agree"}
    assert "8 scores whose value contradicts their answer" in warnings(
        edited(yeasayer, "decision", tmp_path / "e.eval", answer="nonsense")
    )


def test_an_unknown_status_is_counted_as_unscored(yeasayer: EvalLog, tmp_path: Path) -> None:
    path = edited(yeasayer, "decision", tmp_path / "e.eval", metadata={"status": "bogus"})
    decisions = read_decisions(path)
    assert set(decisions["status"]) == {"unscored"}
    assert "unknown status" in warnings(path)


def run_nubench(folder: Path) -> EvalLog:
    model = get_model("simulated/right", memoize=False)
    (log,) = run_eval(nubench(dataset="builtin"), model=model, limit=8, log_dir=str(folder))
    return log


def test_an_edited_choice_counts(tmp_path: Path) -> None:
    path = edited(run_nubench(tmp_path), "negation_choice", tmp_path / "e.eval", value="I")
    choices = read_choices(path)
    assert choice_accuracy(choices)["accuracy"].tolist() == [0.0]
    assert choices["chosen"].isna().all()
    assert "8 scores whose value contradicts" in warnings(path, CHOICE_LOGS)


@pytest.mark.parametrize(
    "edit", [{"value": float("nan")}, {"value": "maybe"}, {"metadata": {"status": "bogus"}}]
)
def test_a_withdrawn_choice_is_unscored_and_not_wrong(tmp_path: Path, edit: dict) -> None:
    choices = read_choices(
        edited(run_nubench(tmp_path), "negation_choice", tmp_path / "e.eval", **edit)
    )
    assert set(choices["status"]) == {"unscored"}
    assert choices["correct"].isna().all()
    assert choices["chosen"].isna().all()
    assert "8 scores with an unknown status or a value that is neither C nor I" in warnings(
        edited(run_nubench(tmp_path), "negation_choice", tmp_path / "e.eval", **edit), CHOICE_LOGS
    )


def test_the_newest_of_appended_choices_counts(tmp_path: Path) -> None:
    log = read_eval_log(run_nubench(tmp_path).location)
    for sample in log.samples or []:
        sample.output = ModelOutput.from_content("m", "A")
    again = rescore(log, negation_choice(), action="append", display="none")
    first = [s.scores["negation_choice"].value for s in again.samples or []]
    second = [s.scores["negation_choice1"].value for s in again.samples or []]
    assert first.count("C") == 8
    write_eval_log(again, str(tmp_path / "again.eval"))
    choices = read_choices(tmp_path / "again.eval")
    assert choices["correct"].sum() == second.count("C") < 8


@pytest.mark.parametrize("task", [negation_framing, nubench])
def test_a_limit_met_before_any_reply_leaves_no_answer(
    tmp_path: Path, task: Callable[..., Task]
) -> None:
    part = {"domains": "legal"} if task is negation_framing else {"dataset": "builtin"}
    respondent = "simulated/mirror" if task is negation_framing else "simulated/right"
    model = get_model(respondent, memoize=False)
    (log,) = run_eval(
        task(**part), model=model, epochs=1, limit=4, token_limit=5, log_dir=str(tmp_path)
    )
    assert log.status == "success"
    rows = read_decisions(log) if task is negation_framing else read_choices(log)
    assert set(rows["status"]) == {"unscored"}
    assert rows["endorsed" if task is negation_framing else "correct"].isna().all()


@modelapi(name="caller")
class Caller(ModelAPI):
    """It calls a tool that nobody offered, however often it is asked."""

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        return ModelOutput.for_tool_call("caller", "search", {"query": "x"})


@pytest.mark.parametrize("task", [negation_framing, nubench])
def test_a_call_of_a_tool_ends_the_sample(tmp_path: Path, task: Callable[..., Task]) -> None:
    part = {"domains": "legal"} if task is negation_framing else {"dataset": "builtin"}
    (log,) = run_eval(
        task(**part), model=get_model("caller/x", memoize=False), epochs=1, limit=4,
        log_dir=str(tmp_path),
    )  # fmt: skip
    assert log.status == "success"
    assert {len(sample.messages) for sample in log.samples or []} == {2}
    rows = read_decisions(log) if task is negation_framing else read_choices(log)
    assert set(rows["status"]) == {"malformed"}
