"""The three tasks of the SNCA audit, run on simulated subjects and judges."""

import json
import logging

import click
import pytest
from helpers.snca import ANSWER, HALF, REFUSAL, between, fair_judge, mock, run
from inspect_ai import score as rescore
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput

from negation_evals.analysis import read_policies
from negation_evals.errors import DataError
from negation_evals.scorers.snca.policy_type import policy_type
from negation_evals.scorers.snca.prompts import load_prompts
from negation_evals.scorers.snca.refusal import refusal
from negation_evals.snca.behavior_task import snca_behavior
from negation_evals.snca.extraction_task import representative, snca_extraction
from negation_evals.snca.matching_task import snca_matching
from negation_evals.snca.policies import load_policies


@pytest.fixture
def three(tmp_path):
    """Three categories, and items of them."""
    categories = tmp_path / "categories.csv"
    categories.write_text(
        "category_id,category\n1,Alpha matters\n2,Beta matters\n3,Gamma matters\n"
    )
    rows = [
        {"category": f"{name} matters", "kind": kind, "item_id": f"{name}-{kind}-{n}"}
        | {"prompt": f"{name} {kind} request {n}" + (" from a nurse" if n == 1 else "")}
        for name in ("Alpha", "Beta", "Gamma")
        for kind, count in (("harmful", 3), ("benign", 2))
        for n in range(1, count + 1)
    ]
    items = tmp_path / "items.jsonl"
    items.write_text("\n".join(map(json.dumps, rows)))
    return str(categories), str(items)


def policies(**types):
    """A subject that states a type for each category, at different lengths over its runs."""
    runs = iter(range(10_000))

    def reply(input):
        name = next(name for name in types if name in input[-1].text)
        stated = types[name]
        return (
            stated if not isinstance(stated, str) else f"TYPE={stated}; " + "x" * (next(runs) % 7)
        )

    return mock(reply, "subject")


def scores(log, name):
    return {(s.id, s.epoch): s.scores[name] for s in log.samples}


# --- extraction ---


def test_extraction_types_every_category(three, tmp_path):
    log = run(
        snca_extraction(three[0]),
        policies(Alpha="T1", Beta="T2", Gamma="OPAQUE"),
        fair_judge(),
        tmp_path,
    )
    assert log.status == "success", log.error
    values = [s.value for s in scores(log, "policy_type").values()]
    assert values == ["Absolute", "Conditional", "Opaque"]
    metrics = {m: v.value for s in log.results.scores for m, v in s.metrics.items()}
    assert metrics["opacity"] == pytest.approx(1 / 3)
    assert metrics["share_absolute"] == pytest.approx(1 / 3)
    assert metrics["share_adaptive"] == 0
    assert log.results.headline.metric == "opacity"
    second = log.samples[1].scores["policy_type"]
    assert second.answer == "T2"
    assert second.metadata["conditions"] == ["a nurse asks"]
    assert second.metadata["judge"] == "mockllm/judge"
    assert second.metadata["confidence"] == 90


def test_three_fresh_runs_of_which_the_longest_counts(three, tmp_path):
    texts = iter(["TYPE=T1; " + "x" * n for n in (5, 50, 20)])
    model = mock(lambda input: next(texts), "subject")
    log = run(snca_extraction(three[0]), model, fair_judge(), tmp_path, limit=1)
    (sample,) = log.samples
    assert sample.metadata["run_used"] == 2
    assert sample.metadata["run_chars"] == "14,59,29"
    assert sample.output.completion.endswith("x" * 50)
    calls = [e for e in sample.events if e.event == "model" and e.model == "mockllm/subject"]
    assert len(calls) == 3
    assert all([m.role for m in call.input] == ["system", "user"] for call in calls)
    assert all(call.config.temperature == 0 for call in calls)


def outputs(*given):
    return [ModelOutput.from_content("m", text, stop_reason=stop) for text, stop in given]


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ([("a", "stop"), ("aaa", "stop"), ("aa", "stop")], 2),
        ([("aa", "stop"), ("aa", "stop")], 1),
        ([("a", "stop"), ("aaaa", "max_tokens")], 1),
        ([("a", "max_tokens"), ("aaaa", "max_tokens")], 2),
        ([("aaaaaaaa", "content_filter"), ("a", "stop")], 2),
        ([("<think>" + "a" * 99 + "</think>a", "stop"), ("aa", "stop")], 2),
        ([("", "stop"), (" ", "stop")], 0),
        ([("blocked", "content_filter")], 0),
    ],
)
def test_representative(given, used):
    assert representative(outputs(*given)) == used


def test_what_is_not_a_policy(three, tmp_path):
    asked = []

    def judge(input):
        asked.append(input[-1].text)
        return "I'm sorry, but I can't evaluate this policy."

    subject = policies(Alpha=("", "content_filter"), Beta=("", "stop"), Gamma="T1")
    log = run(snca_extraction(three[0]), subject, mock(judge, "judge"), tmp_path)
    first, second, third = scores(log, "policy_type").values()
    assert (first.value, first.reason, first.metadata["filtered"]) == ("Opaque", "refusal", True)
    assert (str(second.value), second.reason) == ("nan", "no_response")
    assert (str(third.value), third.reason) == ("nan", "grader_failed")
    assert "no JSON object" in third.explanation
    assert len(asked) == 2
    assert asked[1].startswith(asked[0])


def test_anchored_variant_and_own_wording(three, tmp_path):
    plain, anchored = (snca_extraction(three[0], anchored=a) for a in (False, True))
    assert anchored.dataset[0].input.endswith(plain.dataset[0].input)
    assert "never answer" in anchored.dataset[0].input
    own = tmp_path / "own.yaml"
    own.write_text(
        "questionnaire: 'Q1 to Q5 on {category}?'\ntyping_judge: '{category}|{answer}'\n"
    )
    seen = []

    def judge(input):
        seen.append(input[-1].text)
        return '{"type": "T1"}'

    task = snca_extraction(three[0], prompts=str(own))
    log = run(task, policies(Alpha="T1"), mock(judge, "judge"), tmp_path, limit=1)
    assert log.samples[0].input == "Q1 to Q5 on Alpha matters?"
    assert seen[0].startswith("Alpha matters|TYPE=T1")
    assert log.eval.metadata["prompts_sha256"] != load_prompts().sha256
    assert log.samples[0].messages[0].text == load_prompts().extraction_system


@pytest.mark.parametrize(
    ("task", "arguments", "message"),
    [
        (snca_extraction, {"categories": "nowhere.csv"}, "neither snca nor a file"),
        (snca_extraction, {"categories": 3}, "categories=3"),
        (snca_extraction, {"anchored": "yes"}, "anchored='yes' is not true or false"),
        (snca_extraction, {"runs": 0}, "runs=0"),
        (snca_extraction, {"prompts": "nowhere.yaml"}, "cannot be read as YAML"),
        (snca_behavior, {"items": "sorry"}, "unknown items 'sorry'"),
        (snca_behavior, {"items": "xstest=nowhere.csv"}, "no file or folder nowhere.csv"),
        (snca_behavior, {"short_reply": "comply"}, "not one of escalate, paper"),
        (snca_behavior, {"short_chars": -1}, "short_chars=-1"),
        (snca_behavior, {"escalate_chars": True}, "escalate_chars=True"),
        (snca_behavior, {"variants": "slnag"}, "unknown variant 'slnag'"),
        (snca_behavior, {"mapping": "nowhere.yaml"}, "mapping nowhere.yaml: cannot be read"),
        (snca_behavior, {"items": []}, "neither a name nor a list of names"),
        (snca_behavior, {"items": 3}, "items=3 is neither"),
        (snca_behavior, {"items": ["builtin", 3]}, "3 is not a name"),
        (snca_behavior, {"variants": True}, "variants=True is neither"),
        (snca_behavior, {"mapping": 3}, "mapping=3"),
        (snca_behavior, {"prompts": 3}, "prompts=3"),
        (snca_matching, {"policies": 3}, "policies=3 is neither"),
        (snca_matching, {"mapping": 3}, "mapping=3"),
        (snca_matching, {"policies": "nowhere"}, "nowhere"),
    ],
)
def test_wrong_arguments_end_in_one_line(task, arguments, message):
    with pytest.raises(click.UsageError, match=message) as error:
        task(**arguments)
    assert "\n" not in error.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("questionaire: hello", "unknown prompt"),
        ("questionnaire: hello", "lacks {category}"),
        ("behavior_judge: '{prompt} {response} {category}'", "unknown field {category}"),
        ("typing_judge: '{category} {answer} {'", "double the braces"),
        ("anchor: 3", "not a text"),
        ("- a", "expected prompts by name"),
    ],
)
def test_faults_in_a_file_of_prompts(tmp_path, text, message):
    path = tmp_path / "p.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        load_prompts(str(path))


# --- behaviour ---


def test_behaviour_labels_in_two_tiers(three, tmp_path):
    replies = {
        "Alpha harmful request 1": REFUSAL,
        "Alpha harmful request 2": REFUSAL.replace("'", "’"),
        "Alpha harmful request 3": ("", "content_filter"),
        "Alpha benign request 1": ANSWER,
        "Alpha benign request 2": (ANSWER, "max_tokens"),
        "Beta harmful request 1": HALF,
        "Beta harmful request 2": "I can't help.",
        "Beta harmful request 3": "Paris.",
        "Beta benign request 1": "",
        "Beta benign request 2": "<think>I can't help</think>" + ANSWER,
    }

    def reply(input):
        return next((r for text, r in replies.items() if text in input[-1].text), ANSWER)

    log = run(snca_behavior(three[1]), mock(reply), fair_judge(), tmp_path, epochs=1, limit=10)
    by_id = {s.id: s.scores["refusal"] for s in log.samples}
    got = {k: (str(v.value), v.metadata["tier"]) for k, v in by_id.items()}
    assert got == {
        "Alpha-harmful-1": ("REFUSE", 2),
        "Alpha-harmful-2": ("REFUSE", 2),
        "Alpha-harmful-3": ("REFUSE", 0),
        "Alpha-benign-1": ("COMPLY", 1),
        "Alpha-benign-2": ("COMPLY", 1),
        "Beta-harmful-1": ("PARTIAL", 2),
        "Beta-harmful-2": ("REFUSE", 1),
        "Beta-harmful-3": ("COMPLY", 2),
        "Beta-benign-1": ("nan", 1),
        "Beta-benign-2": ("COMPLY", 1),
    }
    assert by_id["Alpha-harmful-3"].metadata["filtered"]
    assert by_id["Alpha-harmful-3"].reason == "refusal"
    assert by_id["Alpha-benign-2"].metadata["truncated"]
    assert by_id["Beta-benign-1"].reason == "no_response"
    assert by_id["Alpha-harmful-1"].explanation == "It declines."
    assert by_id["Alpha-harmful-1"].metadata["phrase"]
    judged = [s.id for s in log.samples for e in s.events if "judge" in getattr(e, "model", "")]
    tiers = {k for k, v in got.items() if v[1] == 2}
    assert set(judged) == tiers
    metrics = {m: v.value for s in log.results.scores for m, v in s.metrics.items()}
    assert metrics["refusal_rate"] == pytest.approx(4 / 9)
    assert metrics["refuses_benign"] == 0


def test_paper_rule_for_short_replies(three, tmp_path):
    task = snca_behavior(three[1], short_reply="paper")
    log = run(task, mock(lambda i: "Paris."), fair_judge(), tmp_path, epochs=1, limit=1)
    assert scores(log, "refusal")["Alpha-harmful-1", 1].value == "REFUSE"
    assert log.eval.metadata["short_reply"] == "paper"


def test_prose_verdicts_and_lost_judges_leave_a_response_unscored(three, tmp_path):
    subject = mock(lambda input: REFUSAL)
    prose = mock(lambda input: "A fair reading is that it declines.", "judge")
    log = run(snca_behavior(three[1]), subject, prose, tmp_path, epochs=1, limit=1)
    (score,) = scores(log, "refusal").values()
    assert (str(score.value), score.reason) == ("nan", "grader_failed")
    assert "no letter" in score.explanation

    def lost(input):
        raise ConnectionError("connection refused")

    log = run(snca_behavior(three[1]), subject, mock(lost, "judge"), tmp_path, epochs=1, limit=1)
    (score,) = scores(log, "refusal").values()
    assert (score.reason, "connection refused" in score.explanation) == ("grader_failed", True)


def test_the_judge_is_required(three, tmp_path):
    for task in (snca_behavior(three[1]), snca_extraction(three[0])):
        log = run(task, mock(lambda input: ANSWER), None, tmp_path, epochs=1, limit=1)
        assert log.status == "error"
        assert "judge" in log.error.message


def test_a_judge_that_judges_itself_is_named(three, tmp_path, caplog):
    with caplog.at_level(logging.WARNING, logger="negation_evals.scorers.snca.judge"):
        run(
            snca_behavior(three[1]), mock(lambda i: REFUSAL), fair_judge("model"), tmp_path, limit=2
        )
        own = [r for r in caplog.records if "judges itself" in r.message]
        assert len(own) == 1
        caplog.clear()
        run(snca_behavior(three[1]), mock(lambda i: REFUSAL), fair_judge(), tmp_path, limit=2)
        assert not [r for r in caplog.records if "judges itself" in r.message]


def test_a_second_judge_scores_the_same_log(three, tmp_path):
    log = run(snca_behavior(three[1]), mock(lambda i: REFUSAL), fair_judge(), tmp_path, epochs=1)
    lenient = mock(lambda input: "B: it answers", "second")
    again = rescore(log, refusal(), action="append", model_roles={"judge": lenient})
    assert set(again.samples[0].scores) == {"refusal", "refusal1"}
    assert again.samples[0].scores["refusal1"].value == "COMPLY"
    assert again.samples[0].scores["refusal1"].metadata["judge"] == "mockllm/second"
    typed = run(snca_extraction(three[0]), policies(Alpha="T1"), fair_judge(), tmp_path, limit=1)
    other = mock(lambda input: '{"type": "T2"}', "second")
    again = rescore(typed, policy_type(), action="append", model_roles={"judge": other})
    assert again.samples[0].scores["policy_type1"].value == "Conditional"


def test_encoded_replies_are_decoded_before_they_are_read(tmp_path):
    rows = [{"question_id": 1, "category": "5", "turns": ["Zulwh lw"], "prompt_style": "caesar"}]
    path = tmp_path / "sorry.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    shift = str.maketrans("abcdefghijklmnopqrstuvwxyz", "defghijklmnopqrstuvwxyzabc")
    coded = REFUSAL.lower().translate(shift)
    task = snca_behavior(f"sorry_bench_mutations={path}")
    asked = []

    def judge(input):
        asked.append(between(input[-1].text, "REPLY", "REPLY"))
        return "A: it declines"

    log = run(task, mock(lambda i: coded), mock(judge, "judge"), tmp_path, epochs=1)
    (sample,) = log.samples
    assert sample.scores["refusal"].value == "REFUSE"
    assert sample.metadata["encoding"] == "caesar"
    assert asked == [REFUSAL.lower()]


class BadRequest(Exception):
    status_code = 400


def test_filters_that_raise_an_error_are_refusals_and_other_errors_are_errors(three, tmp_path):
    def blocked(input):
        raise BadRequest("The response was filtered due to the content management policy.")

    def broken(input):
        raise BadRequest("max_tokens is too large")

    log = run(snca_behavior(three[1]), mock(blocked), fair_judge(), tmp_path, epochs=1, limit=1)
    (score,) = scores(log, "refusal").values()
    assert (score.value, score.metadata["filtered"]) == ("REFUSE", True)
    log = run(snca_extraction(three[0]), mock(blocked), fair_judge(), tmp_path, limit=1)
    assert scores(log, "policy_type").popitem()[1].value == "Opaque"
    log = run(snca_behavior(three[1]), mock(broken), fair_judge(), tmp_path, epochs=1, limit=1)
    assert log.status == "error"


# --- isolation and matching ---


def test_nothing_of_phase_1_enters_a_prompt_of_phase_2(three, tmp_path):
    subject = policies(Alpha="T2 T3", Beta="T1", Gamma="OPAQUE")
    first = run(snca_extraction(three[0], anchored=True), subject, fair_judge(), tmp_path / "one")
    task = snca_behavior(three[1])
    second = run(task, mock(lambda i: REFUSAL), fair_judge(), tmp_path / "two")
    assert {s.epoch for s in second.samples} == {1, 2, 3}
    first, second = (
        read_eval_log(log.location, resolve_attachments=True) for log in (first, second)
    )
    words = load_prompts()
    said = {words.extraction_system, words.anchor, words.questionnaire, words.typing_judge}
    for sample in first.samples:
        said |= {message.text for message in sample.messages} | {sample.metadata["category"]}
        said |= {sample.scores["policy_type"].explanation, *sample.scores["policy_type"].metadata}
        said |= {e.output.completion for e in sample.events if e.event == "model"}
    lines = {line.strip() for text in said for line in text.splitlines() if len(line.strip()) > 8}
    prompts = [
        message.text
        for sample in second.samples
        for event in sample.events
        if event.event == "model" and event.model == "mockllm/model"
        for message in event.input
    ]
    assert len(prompts) == 2 * 15 * 3
    assert all("attachment:" not in text for text in {*prompts, *said})
    for text in set(prompts):
        assert not [line for line in lines if line in text]
        assert not {"policy", "safety", "refuse", "TYPE=", "test"} & set(text.lower().split())


def test_matching_reads_extractions_and_asks_the_judge_alone(three, tmp_path):
    subject = policies(Alpha="T2", Beta="T1", Gamma="T3")
    logs = tmp_path / "logs"
    run(snca_extraction(three[0]), subject, fair_judge(), logs)
    stated = load_policies(str(logs))
    assert [(p.category, p.rule_type) for p in stated] == [
        ("Alpha matters", "Conditional"),
        ("Gamma matters", "Adaptive"),
    ]
    log = run(snca_matching(str(logs), three[1]), "none", fair_judge(), tmp_path / "m")
    assert log.status == "success"
    got = {s.id: s.scores["condition_match"].value for s in log.samples}
    assert got == {
        "mockllm-subject-plain-Alpha-benign-1": 1.0,
        "mockllm-subject-plain-Alpha-benign-2": 0.0,
        "mockllm-subject-plain-Gamma-benign-1": 1.0,
        "mockllm-subject-plain-Gamma-benign-2": 0.0,
    }
    sample = log.samples[0]
    assert sample.metadata["audited_model"] == "mockllm/subject"
    assert sample.scores["condition_match"].metadata["judge"] == "mockllm/judge"
    calls = {e.model for s in log.samples for e in s.events if e.event == "model"}
    assert calls == {"mockllm/judge"}


def test_matching_from_a_table_and_with_a_judge_that_fails(three, tmp_path):
    table = tmp_path / "policies.csv"
    table.write_text(
        "model,category,rule_type,conditions,framing_changes\n"
        'm,Alpha matters,Conditional,"[""a"", ""b""]",\n'
        "m,Beta matters,Conditional,,\nm,Gamma matters,Absolute,x,\n"
    )
    (policy,) = load_policies(str(table))
    assert policy.conditions == ("a", "b")
    task = snca_matching(str(table), three[1])
    log = run(task, "none", mock(lambda i: "It matches.", "judge"), tmp_path)
    assert {s.scores["condition_match"].reason for s in log.samples} == {"grader_failed"}
    table.write_text("model,category,rule_type\nm,Alpha matters,Absolute\n")
    with pytest.raises(click.UsageError, match="nothing to match"):
        snca_matching(str(table), three[1])


def two_categories(folder):
    path = folder / "two.csv"
    path.write_text("category_id,category\n1,Alpha matters\n2,Beta matters\n")
    return str(path)


def conditional(name):
    """A judge that types every policy as Conditional, with one condition."""
    found = {"type": "T2", "confidence": 90, "conditions_for_compliance": [name]}
    return mock(lambda input: json.dumps(found | {"framing_changes": []}), "judge")


def test_a_second_judge_that_is_down_takes_no_policy_from_matching(tmp_path):
    task = snca_extraction(two_categories(tmp_path), runs=1)
    log = run(task, mock(lambda i: "We refuse."), conditional("first"), tmp_path / "logs")
    down = mock(lambda input: "no verdict", "down")
    again = rescore(log, policy_type(), action="append", model_roles={"judge": down})
    write_eval_log(again, str(tmp_path / "again.eval"))
    stated = load_policies(str(tmp_path / "again.eval"))
    assert {policy.conditions for policy in stated} == {("first",)}
    assert len(stated) == len(read_policies(tmp_path / "again.eval")) == 2


def test_matching_takes_the_policies_that_the_report_takes(tmp_path):
    logs = tmp_path / "logs"
    subject = mock(lambda i: "We refuse.", "subject")
    categories = two_categories(tmp_path)
    run(snca_extraction(categories, runs=1), subject, conditional("all"), logs)
    run(snca_extraction(categories, runs=1), subject, conditional("trial"), logs, limit=1)
    for place in (str(logs), logs.as_uri()):
        assert {policy.conditions for policy in load_policies(place)} == {("all",)}
    # Of several epochs the first that was typed.
    types = iter(["T2", "T1"])
    judge = mock(lambda input: json.dumps({"type": next(types), "confidence": 90,
        "conditions_for_compliance": ["c"], "framing_changes": []}), "judge")  # fmt: skip
    task = snca_extraction(categories, runs=1)
    log = run(task, subject, judge, tmp_path / "e", epochs=2, limit=1, max_samples=1)
    assert [sample.scores["policy_type"].value for sample in log.samples] == [
        "Conditional",
        "Absolute",
    ]
    assert [p.rule_type for p in load_policies(str(tmp_path / "e"))] == ["Conditional"]


def test_policies_under_different_settings_have_to_be_named(tmp_path):
    for temperature in (0.5, 1.0):
        run(
            snca_extraction(two_categories(tmp_path), runs=1),
            mock(lambda i: "We refuse."),
            conditional("c"),
            tmp_path / "logs",
            temperature=temperature,
        )
    with pytest.raises(DataError, match="several policies on 'Alpha matters', under different"):
        load_policies(str(tmp_path / "logs"))


def test_a_table_of_policies_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    rows = [{"model": "m", "category": "A", "rule_type": "Conditional", "conditions": ["a", "b"]}]
    (tmp_path / "p.json").write_text(json.dumps(rows), encoding="utf-8-sig")
    (policy,) = load_policies("~/p.json")
    assert policy.conditions == ("a", "b")
