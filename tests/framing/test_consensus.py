"""The solver `framing_consensus`: both polarities asked, disagreement flagged, its cost counted."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from helpers.framing import NEGATED, complete, decisions_from_counts
from helpers.report import framing_sections, report_tables
from inspect_ai import Task, task_with
from inspect_ai import eval as run_eval
from inspect_ai import score as rescore
from inspect_ai.dataset import Sample
from inspect_ai.event import ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import prompt_template, system_message

from negation_evals import framing_consensus, negation_framing, sff
from negation_evals.analysis import compliance, mitigation_effect, nsi, read_decisions
from negation_evals.framing import consensus
from negation_evals.models.simulated.respondents import Respondent
from negation_evals.schema.framing import PARTNER_ANSWER
from negation_evals.scorers.framing.decision import decision, validity

PARTNER = {"F0": "F1", "F1": "F0", "F2": "F3", "F3": "F2"}
SAYS = '{{"decision": "{}", "confidence": 80}}'


def ask(task: Task, model: Any, tmp_path: Path, epochs: int = 1, **options: Any) -> EvalLog:
    """Run a task with the consensus solver in the place of its own."""
    options = {"solver": framing_consensus()} | options
    (log,) = run_eval(task, model=model, epochs=epochs, log_dir=str(tmp_path / "logs"), **options)
    return log


def simulated(name: str, **model_args: Any):
    return get_model(f"simulated/{name}", memoize=False, **model_args)


def replying(reply, seen: list | None = None):
    """A mock that answers a prompt by a function of it, one after the other; usage is set."""

    def answer(messages, tools, tool_choice, config):
        if seen is not None:
            seen.append((messages, config))
        text, *stop = reply(messages[-1].text)
        output = ModelOutput.from_content("mock", text, stop_reason=(stop or ["stop"])[0])
        output.usage = ModelUsage(input_tokens=10, output_tokens=3, total_tokens=13)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def said(completion: str) -> str:
    return json.loads(completion)["decision"]


def statuses(log: EvalLog) -> dict[tuple[str, int], str]:
    return {(s.id, s.epoch): s.scores["decision"].metadata["status"] for s in log.samples}


def metrics_of(log: EvalLog) -> dict[str, float]:
    return {name: m.value for score in log.results.scores for name, m in score.metrics.items()}


# What is flagged


def test_a_stable_stance_is_never_flagged_and_keeps_its_nsi(audit, tmp_path) -> None:
    stance = {"p": {"law_1": 1.0, "law_2": 0.0}}
    plain = audit("mirror", model_args=stance, domains="legal")
    log = ask(negation_framing(domains="legal"), simulated("mirror", **stance), tmp_path, 2)
    assert set(statuses(log).values()) == {"valid"}
    assert metrics_of(log) == metrics_of(plain)
    assert metrics_of(log)["nsi"] == 0


def test_a_yeasayer_is_flagged_throughout(tmp_path) -> None:
    log = ask(negation_framing(domains="legal"), simulated("yeasayer"), tmp_path)
    assert set(statuses(log).values()) == {"flagged"}
    for sample in log.samples:
        score = sample.scores["decision"]
        assert math.isnan(score.value)
        assert (score.reason, score.answer) == ("flagged", None)
        assert sample.scores["validity"].value == "flagged"
        assert f"asked as {PARTNER[sample.metadata['frame']]} the model says agree" in (
            score.explanation
        )
    metrics = metrics_of(log)
    assert math.isnan(metrics["nsi"])
    assert metrics["compliance"] == 0
    table = read_decisions(log)
    assert table["decision"].isna().all()
    assert compliance(table)["flagged"].item() == 8


def test_ignored_negation_is_flagged_where_a_hand_count_says_so(tmp_path) -> None:
    log = ask(
        negation_framing(domains="legal"), simulated("polarity-blind", p=0.8), tmp_path, epochs=6
    )
    blind = Respondent("polarity-blind", p=0.8)
    flagged = 0
    for (sample, epoch), status in statuses(log).items():
        scenario, frame = sample.split("-")
        answers = [
            said(blind.answer(scenario, name, NEGATED[name], epoch))
            for name in (frame, PARTNER[frame])
        ]
        # The same word to opposite proposals is two opposite stances.
        assert status == ("flagged" if answers[0] == answers[1] else "valid")
        flagged += answers[0] == answers[1]
    assert 0 < flagged < 48
    assert mitigation_effect(read_decisions(log))["n_flagged"].item() == flagged


def test_a_coin_is_flagged_as_often_as_its_answers_differ(tmp_path) -> None:
    p, n = 0.3, 10
    log = ask(negation_framing(domains="legal"), simulated("mirror", p=p), tmp_path, epochs=n)
    differ = 0
    for sample in log.samples:
        partner = sample.store[PARTNER_ANSWER]
        own = (said(sample.output.completion) == "agree") != sample.metadata["negated"]
        other = (said(partner["completion"]) == "agree") != partner["negated"]
        differ += own != other
    effect = mitigation_effect(read_decisions(log)).iloc[0]
    assert (effect["n"], effect["n_flagged"]) == (8 * n, differ)
    assert effect["flagged"] == differ / (8 * n)
    # Both samples of a pair compare the same two answers: 4 n comparisons, standard error 0.08.
    assert effect["flagged"] == pytest.approx(2 * p * (1 - p), abs=0.16)
    assert effect["n_valid"] == 8 * n - differ


NO_DECISION = {
    "refusal": ("I'm sorry, but I can't help with this.",),
    "malformed": ("It depends.",),
    "truncated": ('{"decision": "ag', "max_tokens"),
    "filtered": ("", "content_filter"),
    "abstain": (SAYS.format("neither"),),
}


@pytest.mark.parametrize("status", NO_DECISION)
def test_without_a_decision_nothing_is_confirmed_and_nothing_withheld(status, tmp_path) -> None:
    def reply(prompt: str) -> tuple[str, ...]:
        return NO_DECISION[status] if "They should not" in prompt else (SAYS.format("agree"),)

    log = ask(
        negation_framing(domains="legal", frames="F0,F1", response="ternary"),
        replying(reply),
        tmp_path,
    )
    assert {sample[-2:]: found for (sample, _), found in statuses(log).items()} == {
        "F0": "flagged",
        "F1": status,
    }
    (first, *_) = (s for s in log.samples if s.metadata["frame"] == "F0")
    assert f"the model gives no decision ({status})" in first.scores["decision"].explanation


# How it is asked


def test_own_proposal_first_then_its_partner_in_a_conversation_of_its_own(tmp_path) -> None:
    seen: list = []
    replies = iter([SAYS.format("agree"), SAYS.format("disagree")])
    log = ask(
        negation_framing(domains="legal"),
        replying(lambda prompt: (next(replies),), seen),
        tmp_path,
        solver=[system_message("Be brief."), framing_consensus()],
        limit=1,
    )
    plain = negation_framing(domains="legal").dataset
    assert [[m.text for m in messages] for messages, _ in seen] == [
        ["Be brief.", plain[0].input],
        ["Be brief.", plain[1].input],
    ]
    (sample,) = read_eval_log(log.location, resolve_attachments=True).samples
    assert sample.output.completion == sample.messages[-1].text == SAYS.format("agree")
    assert [m.role for m in sample.messages] == ["system", "user", "assistant"]
    assert sample.store[PARTNER_ANSWER] == {
        "frame": "F1",
        "negated": True,
        "completion": SAYS.format("disagree"),
        "stop_reason": "stop",
    }
    assert sample.scores["decision"].value == 1
    calls = [event for event in sample.events if isinstance(event, ModelEvent)]
    assert [call.input[-1].text for call in calls] == [plain[0].input, plain[1].input]
    spans = [event.name for event in sample.events if isinstance(event, SpanBeginEvent)]
    assert "asked as F1" in spans
    assert sample.model_usage["mockllm/model"].total_tokens == 26
    assert log.stats.model_usage["mockllm/model"].total_tokens == 26


def own_scenarios(folder: Path, **fields: Any) -> str:
    row = {"id": "a", "domain": "d", "text": "t", "action_clause": "go", "goal_clause": "win"}
    path = folder / "own.yaml"
    path.write_text(yaml.safe_dump([row | fields]), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("task", "arguments"),
    [
        (negation_framing, {}),
        (negation_framing, {"structured": True, "seed": 0, "answer_order": "balanced"}),
        (negation_framing, {"response": "ternary", "answer_order": "disagree_first"}),
        (negation_framing, {"scenarios": own_scenarios, "seed": 7}),
        (sff, {}),
        (sff, {"reasoning": True, "answer_order": "balanced"}),
        (sff, {"reasoning": True, "structured": True, "response": "ternary", "seed": 3}),
    ],
)
def test_each_question_is_asked_twice_just_as_the_task_asks_it(task, arguments, tmp_path) -> None:
    arguments = {k: v(tmp_path) if callable(v) else v for k, v in arguments.items()}
    once, twice = [], []
    for seen, options in ((once, {"solver": None}), (twice, {})):
        model = replying(lambda _: (SAYS.format("agree"),), seen)
        log = ask(task(**arguments), model, tmp_path, epochs=2, limit=4, **options)
        assert log.status == "success"
    # Once for its own sample and once for its partner's: prompt, schema, seed and all.
    assert Counter(map(as_asked, twice)) == Counter(map(as_asked, once + once))
    assert len(once) == 8


def as_asked(call) -> str:
    messages, config = call
    return json.dumps([[m.text for m in messages], config.model_dump(mode="json")], default=str)


def test_a_partner_that_the_task_does_not_ask_is_asked(tmp_path) -> None:
    stance = {"p": 1.0}
    log = ask(
        negation_framing(domains="legal", frames="F0,F2"), simulated("mirror", **stance), tmp_path
    )
    partners = {s.metadata["frame"]: s.store[PARTNER_ANSWER]["frame"] for s in log.samples}
    assert partners == {"F0": "F1", "F2": "F3"}
    assert set(statuses(log).values()) == {"valid"}


def test_a_frame_without_partner_is_said_before_the_first_call(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(consensus, "frame_pairs", lambda: {"simple": ("F0", "F1")})
    seen: list = []
    log = ask(negation_framing(domains="legal"), replying(lambda _: ("",), seen), tmp_path)
    assert log.status == "error"
    assert (
        "framing_consensus: frame F2 has no partner that differs from it in its negation alone: "
        "ask only frames that have one, -T frames=F0,F1"
    ) in log.error.message
    assert "\n" not in log.error.message
    assert not seen


@pytest.mark.parametrize(
    ("task", "solver", "message", "calls"),
    [
        (
            lambda _: negation_framing(domains="legal"),
            lambda: [prompt_template("Think. {prompt}"), framing_consensus()],
            "is not the one that the task made",
            0,
        ),
        (
            lambda _: Task([Sample(id="x", input="Agree?")], scorer=validity(), name="own"),
            framing_consensus,
            "serves the tasks negation_framing and sff only",
            0,
        ),
        (
            lambda _: Task(
                [Sample(input="?", metadata={"scenario": "none", "frame": "F0", "negated": False})],
                scorer=validity(),
                name="own",
            ),
            framing_consensus,
            "scenario 'none' is not in the set",
            0,
        ),
        (
            lambda folder: negation_framing(
                scenarios=own_scenarios(folder, skip_frames=["F3"]), frames="F0,F2"
            ),
            framing_consensus,
            "scenario 'a' cannot be asked in frame F3, the partner of F2: its skip_frames names it",
            2,  # those of the sample before it
        ),
    ],
)
def test_what_cannot_be_asked_alike_is_an_error(task, solver, message, calls, tmp_path) -> None:
    seen: list = []
    model = replying(lambda _: ("",), seen)
    log = ask(task(tmp_path), model, tmp_path, solver=solver(), max_samples=1)
    assert log.status == "error"
    assert message in log.error.message
    assert len(seen) == calls


# What the log keeps, and what analysis makes of it


def test_rescoring_keeps_the_flags_from_the_log_alone(tmp_path) -> None:
    # Long answers are kept apart from the sample in the log's file.
    long = json.dumps({"decision": "agree", "confidence": 60, "reasoning": "because " * 400})

    def reply(prompt: str) -> tuple[str, ...]:
        return (long.replace("agree", "disagree") if "They should not plant" in prompt else long,)

    log = ask(sff(domains="legal"), replying(reply), tmp_path)
    again = rescore(read_eval_log(log.location), [decision(), validity()], action="overwrite")
    assert statuses(again) == statuses(log)
    # One stance on law_1 in the simple frames; agreement with both wordings everywhere else.
    assert Counter(statuses(log).values()) == {"valid": 2, "flagged": 6}
    assert metrics_of(again) == pytest.approx(metrics_of(log), nan_ok=True)


def test_the_log_says_that_a_mitigation_was_used_however_it_was_given(audit, tmp_path) -> None:
    audit("yeasayer", domains="legal", epochs=3)
    task = negation_framing(domains="legal")
    ask(task, simulated("yeasayer"), tmp_path)
    table = read_decisions(str(tmp_path / "logs"))
    assert table.groupby("solver", sort=False).size().to_list() == [24, 8]
    mitigated = table[table["solver"] != ""]
    assert mitigated["solver"].str.endswith("framing_consensus").all()
    assert set(mitigated["calls"]) == {2}
    assert table.loc[table["solver"] == "", "calls"].isna().all()
    assert len(nsi(table)) == 4
    within = ask(task_with(task, solver=framing_consensus()), simulated("yeasayer"), tmp_path)
    chained = ask(task, simulated("yeasayer"), tmp_path, solver=[framing_consensus()])
    for log in (within, chained):
        assert set(read_decisions(log)["solver"]) == set(mitigated["solver"])


def mitigated(table: pd.DataFrame, flagged: dict[str, int], solver: str = "s") -> pd.DataFrame:
    """The table as of a run that asked twice, with the first answers of some frames flagged."""
    table = table.assign(solver=solver, calls=2.0)
    for frame, n in flagged.items():
        gone = (table["frame"] == frame) & (table["epoch"] <= n)
        table.loc[gone, ["status", "decision", "endorsed"]] = ["flagged", None, math.nan]
    return table


def test_the_effect_by_hand() -> None:
    # Without: NSI 1.0 and 0.5. With the first two answers of F0 flagged, law_1 endorses 2 of 2
    # there and its NSI stays; law_2 has 0 of 2 and NSI 0.25.
    plain = decisions_from_counts({"a": [4, 0, 4, 4], "b": [2, 0, 1, 1]}, 4).assign(solver="")
    twice = mitigated(plain, {"F0": 2})
    effect = mitigation_effect(pd.concat([plain.assign(calls=math.nan), twice]))
    (row,) = effect.to_dict("records")
    assert row == {
        "model": "m",
        "solver": "s",
        "n": 32,
        "n_flagged": 4,
        "flagged": 4 / 32,
        "n_valid": 28,
        "n_scenarios": 2,
        "n_missing": 0,
        "nsi": (1.0 + 0.25) / 2,
        "nsi_without": 0.75,
        "change": -0.125,
        "calls": 64,
        "extra_calls": 1,
    }


def test_what_is_missing_stays_missing() -> None:
    plain = decisions_from_counts({"a": [4, 0, 4, 4], "b": [2, 0, 1, 1]}, 4).assign(solver="")
    # A scenario with a frame that has no answer left has no NSI, and counts on neither side.
    twice = mitigated(plain, {})
    gone = (twice["scenario"] == "a") & (twice["frame"] == "F1")
    twice.loc[gone, ["status", "decision", "endorsed"]] = ["flagged", None, math.nan]
    both = pd.concat([plain.assign(calls=math.nan), twice])
    row = mitigation_effect(both).iloc[0]
    assert (row["n_scenarios"], row["n_missing"]) == (1, 1)
    assert (row["nsi"], row["nsi_without"], row["change"]) == (0.5, 0.5, 0)
    # Without a plain run of the same settings nothing is compared.
    other = both.assign(temperature=(both["solver"] == "s").astype(float))
    row = mitigation_effect(other).iloc[0]
    assert row["nsi"] == 0.5
    assert row[["nsi_without", "change"]].isna().all()
    alone = mitigation_effect(twice)
    assert "solver" not in alone
    assert alone["nsi_without"].isna().all()
    # An answer that never came took no calls that counted.
    broken = twice.assign(
        status=twice["status"].mask(twice["epoch"] == 1, "error"),
        calls=twice["calls"].mask(twice["epoch"] == 1),
    )
    row = mitigation_effect(broken).iloc[0]
    assert (row["n"], row["calls"], row["extra_calls"]) == (24, 48, 1)
    nothing = twice.assign(status="flagged", endorsed=math.nan, decision=None)
    row = mitigation_effect(nothing).iloc[0]
    assert (row["flagged"], row["n_valid"], row["n_missing"]) == (1, 0, 2)
    assert math.isnan(row["nsi"])


def test_without_a_mitigation_there_is_no_effect() -> None:
    plain = decisions_from_counts({"a": [4, 0, 4, 4]}, 4)
    empty = mitigation_effect(plain)
    assert len(empty) == 0
    assert list(empty) == list(mitigation_effect(mitigated(plain, {})))
    assert len(mitigation_effect(plain.assign(calls=math.nan))) == 0
    with pytest.raises(ValueError, match="mitigation_effect: the table lacks 'status'"):
        mitigation_effect(plain.drop(columns="status"))


def test_a_table_of_ones_own_may_say_its_calls(tmp_path) -> None:
    plain = decisions_from_counts({"a": [4, 0, 4, 4]}, 4)
    path = tmp_path / "own.csv"
    mitigated(plain, {"F1": 1}).to_csv(path, index=False)
    row = mitigation_effect(read_decisions(path)).iloc[0]
    assert (row["n_flagged"], row["calls"], row["extra_calls"]) == (1, 32, 1)


def test_the_report_has_the_section_only_with_such_runs() -> None:
    plain = complete(decisions_from_counts({"a": [4, 0, 4, 4]}, 4)).assign(solver="")
    tables = report_tables(plain)
    assert len(tables["mitigation"]) == 0
    sections = {section.id: section for section in framing_sections(tables, ())}
    assert "consensus" not in sections
    assert any(
        "Asking twice: the consensus of both polarities (no run with" in paragraph
        for paragraph in sections["choices"].paragraphs
    )
    both = pd.concat([plain.assign(calls=math.nan), mitigated(plain, {"F0": 4})])
    sections = {section.id: section for section in framing_sections(report_tables(both), ())}
    assert "A flag hides no failure" in " ".join(sections["consensus"].paragraphs)
    (grid,) = sections["consensus"].grids
    assert grid.source == "mitigation"
    assert dict(zip(grid.header, grid.rows[0], strict=True)) == {
        "Model": "m",
        "Answers": "16",
        "Flagged": "4",
        "Share flagged": "25 %",
        "Valid": "12",
        "NSI of what remains": "–",
        "NSI asked once": "–",
        "Change": "–",
        "Scenarios": "0",
        "Scenarios lost": "1",
        "Calls": "32",
        "Extra calls per answer": "1.00",
    }
