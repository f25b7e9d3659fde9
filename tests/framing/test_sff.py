"""The task `sff`: seven fields, reasoning as a condition, and nothing else of its own."""

import json
import math

import click
import pytest
from helpers.framing import FRAMES
from inspect_ai import eval as run_eval
from inspect_ai import task_with
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from negation_evals import negation_framing, sff
from negation_evals.analysis import alignment, compliance, nsi, read_decisions
from negation_evals.framing.prompts import Questionnaire
from negation_evals.schema.framing import ALIGNMENT_FIELDS
from negation_evals.scorers.framing.read_decision import read_decision

APPENDIX_B1 = ["decision", "confidence", *ALIGNMENT_FIELDS, "reasoning"]
FULL = {
    "decision": "agree",
    "confidence": 70,
    "adherence_to_laws": 10,
    "adherence_to_social_ethics": 20,
    "objective_positive_consequences": 30,
    "objective_negative_consequences": 40,
    "reasoning": "It is right.",
}


def answering(text: str):
    """A model that gives the same answer to everything."""

    def answer(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("mock", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def run(text: str, tmp_path, **task_args):
    task = task_with(sff(domains="medical", **task_args), epochs=1)
    (log,) = run_eval(task, model=answering(text), log_dir=str(tmp_path))
    assert log.status == "success"
    return log


def test_prompt_has_tags_and_the_seven_fields_in_order() -> None:
    sample = sff().dataset[0]
    assert sample.id == "financial_1-F0"
    text = sample.input
    assert text.startswith("<SCENARIO>\nA repairman does a job")
    assert "\n</SCENARIO>\n\n<PROPOSAL>\nThey should rob the store" in text
    places = [text.index(f'"{name}":') for name in APPENDIX_B1]
    assert places == sorted(places)
    assert "think" not in text.lower()


def test_reasoning_comes_before_the_object_or_first_in_it() -> None:
    free = sff(reasoning=True).dataset[0].input
    assert free.index("think through") < free.index("end your reply with one JSON object")
    assert free.index('"decision":') < free.index('"reasoning":')
    asks = Questionnaire("sff", reasoning=True, structured=True)
    assert asks.fields == ("reasoning", *APPENDIX_B1[:-1])
    schema = asks.schema("agree_first").json_schema
    assert list(schema.properties) == list(asks.fields) == schema.required
    assert 'in the field "reasoning"' in asks.question("agree_first")
    assert list(
        Questionnaire("sff", structured=True).schema("agree_first").json_schema.properties
    ) == (APPENDIX_B1)


def test_condition_and_field_order_are_recorded() -> None:
    for reasoning, structured in ((False, False), (True, False), (True, True)):
        metadata = sff(reasoning=reasoning, structured=structured).metadata
        assert metadata["condition"] == ("reasoning" if reasoning else "standard")
        fields = metadata["fields"].split(",")
        assert set(fields) == set(APPENDIX_B1)
        assert (fields[0] == "reasoning") == (reasoning and structured)
    assert negation_framing().metadata["fields"] == "decision,confidence"


def test_all_fields_reach_the_log_and_the_table(tmp_path) -> None:
    log = run(json.dumps(FULL), tmp_path)
    score = log.samples[0].scores["decision"]
    assert score.answer == "agree"
    assert score.explanation == "It is right."
    assert {name: score.metadata[name] for name in ALIGNMENT_FIELDS} == {
        name: float(FULL[name]) for name in ALIGNMENT_FIELDS
    }
    table = read_decisions(log.location)
    assert set(table["task"]) == {"sff"}
    assert table[list(ALIGNMENT_FIELDS)].drop_duplicates().iloc[0].to_list() == [10, 20, 30, 40]
    assert list(nsi(table)["nsi"]) == [1.0, 1.0]
    means = alignment(table, "frame")
    assert len(means) == 4 * 4
    assert set(means["n"]) == {2}


@pytest.mark.parametrize(
    ("broken", "missing"),
    [
        ({"adherence_to_laws": "high"}, "adherence_to_laws"),
        ({"adherence_to_laws": 120}, "adherence_to_laws"),
        ({"objective_positive_consequences": True}, "objective_positive_consequences"),
        ({"objective_negative_consequences": None}, "objective_negative_consequences"),
        ({"confidence": "very"}, "confidence"),
        ({"reasoning": 3}, None),
    ],
)
def test_a_broken_field_costs_only_itself(broken, missing, tmp_path) -> None:
    table = read_decisions(run(json.dumps(FULL | broken), tmp_path).location)
    assert set(table["status"]) == {"valid"}
    for name in ("confidence", *ALIGNMENT_FIELDS):
        expected = math.nan if name == missing else FULL[name]
        assert table[name].to_list() == pytest.approx([expected] * len(table), nan_ok=True)


def test_numbers_are_read_like_the_confidence() -> None:
    answer = json.dumps(FULL | {"adherence_to_laws": "85%", "adherence_to_social_ethics": "40"})
    assert read_decision(answer).alignment["adherence_to_laws"] == 85
    assert read_decision(answer).alignment["adherence_to_social_ethics"] == 40
    twice = json.dumps(FULL) + "\n" + json.dumps(FULL | {"adherence_to_laws": 11})
    reading = read_decision(twice)
    assert reading.decision == "agree"
    assert reading.alignment["adherence_to_laws"] is None
    assert reading.alignment["adherence_to_social_ethics"] == 20
    assert read_decision('{"decision": "agree", "confidence": 1}').alignment == {}


def test_long_reasoning_does_not_cost_the_status(tmp_path) -> None:
    log = run(json.dumps(FULL | {"reasoning": "because " * 400}), tmp_path)
    table = read_decisions(log.location)
    assert set(table["status"]) == {"valid"}
    assert table["adherence_to_laws"].notna().all()


def test_conditions_are_never_pooled(audit, tmp_path) -> None:
    audit("mirror", task=sff, domains="medical")
    audit("naysayer", task=sff, domains="medical", reasoning=True)
    audit("naysayer", domains="medical")
    table = read_decisions(str(tmp_path / "logs"))
    assert set(table["condition"]) == {"standard", "reasoning"}
    assert set(table["task"]) == {"sff", "negation_framing"}
    by_condition = nsi(table).groupby(["model", "task", "condition"]).size()
    assert by_condition.to_list() == [2, 2, 2]


@pytest.mark.parametrize("structured", [False, True])
@pytest.mark.parametrize("reasoning", [False, True])
def test_balanced_order_ternary_and_retries_of_the_prompt(audit, structured, reasoning) -> None:
    log = audit(
        "mirror",
        task=sff,
        domains="medical",
        structured=structured,
        reasoning=reasoning,
        response="ternary",
        answer_order="balanced",
    )
    assert log.status == "success"
    first, second = (
        next(s for s in log.samples if s.id == "medical_1-F0" and s.epoch == epoch)
        for epoch in (1, 2)
    )
    assert "agree or disagree" in first.messages[0].text
    assert "disagree or agree" in second.messages[0].text
    assert set(compliance(read_decisions(log.location))["compliance"]) == {1.0}
    answer = json.loads(first.output.completion)
    assert set(answer) == set(APPENDIX_B1)


def test_wrong_reasoning_is_one_clean_line() -> None:
    with pytest.raises(click.UsageError, match="reasoning='yes' is not true or false"):
        sff(reasoning="yes")
    assert len(sff(frames="F0,F1").dataset) == 28
    assert [s.metadata["frame"] for s in sff().dataset[:4]] == list(FRAMES)
