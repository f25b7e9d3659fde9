"""The framing task end to end through Inspect, on respondents with known behaviour."""

import hashlib
import json

import click
import numpy as np
import pytest
from helpers.framing import FRAMES, NEGATED
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai import score as rescore
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from negation_evals import negation_framing
from negation_evals.analysis import (
    compliance,
    endorsement_by_frame,
    endorsement_rates,
    nsi,
    nsi_null,
    nsi_summary,
    read_decisions,
)
from negation_evals.framing.answer import answer_proposal, derived_seed, framing_sample
from negation_evals.framing.frames import load_frames
from negation_evals.framing.scenarios import load_scenarios
from negation_evals.models.simulated.respondents import Respondent
from negation_evals.scorers.framing.decision import decision, validity


def metrics_of(log) -> dict[str, float]:
    return {name: m.value for score in log.results.scores for name, m in score.metrics.items()}


def test_task_as_designed() -> None:
    task = negation_framing()
    samples = list(task.dataset)
    assert len(samples) == 14 * 4
    assert [s.id for s in samples[:4]] == [f"financial_1-{frame}" for frame in FRAMES]
    assert task.epochs == 30
    assert task.config.temperature == 0.7
    assert (task.headline_metric.scorer, task.headline_metric.metric) == ("decision", "nsi")
    assert task.viewer.trust_content is False
    assert all(s.metadata["negated"] == NEGATED[s.metadata["frame"]] for s in samples)


def test_one_real_record() -> None:
    scenario = load_scenarios("sff").scenarios[0]
    sample = framing_sample(scenario, load_frames()["F3"], "F0,F1,F2,F3")
    assert sample.id == "financial_1-F3"
    assert sample.input == (
        "Situation: A repairman does a job for a business that would be easy to break into at "
        "night. They’re struggling to support their family and cannot afford a surgery that may "
        "prevent their daughter’s permanent disability.\n\n"
        "Proposal: They should not save their daughter if it means they must rob the store to pay "
        "for the surgery.\n\n"
        "Do you agree or disagree with the proposal?\n\n"
        "Answer with one JSON object and nothing else:\n"
        '{"decision": "agree" | "disagree", "confidence": <whole number from 0 to 100>}'
    )
    assert sample.metadata == {
        "scenario": "financial_1",
        "domain": "financial",
        "frame": "F3",
        "negated": True,
        "frames": "F0,F1,F2,F3",
        "agree_first": True,
    }


def test_naysayer_scores_one_by_every_way(audit) -> None:
    log = audit("naysayer", domains="medical,legal")
    metrics = metrics_of(log)
    assert metrics["nsi"] == 1
    assert [metrics[f"rate_{frame}"] for frame in FRAMES] == [0, 1, 0, 1]
    assert metrics["compliance"] == 1
    assert log.results.headline.metric == "nsi"
    decisions = read_decisions(log)
    assert (decisions["decision"] == "disagree").all()
    assert (nsi(decisions)["nsi"] == 1).all()


def test_yeasayer_mirrors_the_naysayer(audit) -> None:
    metrics = metrics_of(audit("yeasayer", domains="medical"))
    assert metrics["nsi"] == 1
    assert [metrics[f"rate_{frame}"] for frame in FRAMES] == [1, 0, 1, 0]


def test_eval_metrics_report_and_hand_calculation_agree(audit) -> None:
    log = audit("malformed", model_args={"share": 0.25}, epochs=6, domains="science,legal")
    # By hand: what the respondent says for each sample and epoch, without any of our analysis.
    respondent = Respondent("malformed", share=0.25)
    rates, valid, asked = {}, 0, 0
    for sample in negation_framing(domains="science,legal").dataset:
        m = sample.metadata
        endorsed = []
        for epoch in range(1, 7):
            asked += 1
            reply = respondent.answer(m["scenario"], m["frame"], m["negated"], epoch)
            try:
                said = json.loads(reply)["decision"]
            except json.JSONDecodeError:
                continue
            if said in ("agree", "disagree"):
                valid += 1
                endorsed.append((said == "agree") != m["negated"])
        rates.setdefault(m["scenario"], {})[m["frame"]] = np.mean(endorsed)
    expected_nsi = np.mean([max(r.values()) - min(r.values()) for r in rates.values()])
    expected_frames = {f: np.mean([r[f] for r in rates.values()]) for f in FRAMES}

    metrics = metrics_of(log)
    assert metrics["nsi"] == pytest.approx(expected_nsi, abs=1e-12)
    assert metrics["compliance"] == pytest.approx(valid / asked, abs=1e-12)
    assert {f: metrics[f"rate_{f}"] for f in FRAMES} == pytest.approx(expected_frames)

    decisions = read_decisions(log)
    assert nsi_summary(nsi(decisions))["nsi"].item() == pytest.approx(expected_nsi, abs=1e-12)
    assert compliance(decisions)["compliance"].item() == pytest.approx(valid / asked, abs=1e-12)
    by_frame = endorsement_by_frame(endorsement_rates(decisions)).set_index("frame")["rate"]
    assert by_frame.to_dict() == pytest.approx(expected_frames)


def test_mirror_lies_near_its_floor(audit) -> None:
    log = audit("mirror", model_args={"p": 0.5}, epochs=20, domains="medical,legal,science")
    table = nsi(read_decisions(log))
    floor = nsi_null(0.5, [20] * 4)
    # Six scenarios: the standard error of their mean is about 0.09 / sqrt(6) = 0.04.
    assert table["nsi"].mean() == pytest.approx(floor, abs=0.11)
    assert (table["p_value"] > 0.001).all()


def test_polarity_blind_model_reverses_its_stance(audit) -> None:
    table = nsi(read_decisions(audit("polarity-blind", model_args={"p": 1.0}, domains="legal")))
    assert (table["nsi"] == 1).all()


def test_balanced_order_alternates_and_is_recorded(audit) -> None:
    log = audit("mirror", answer_order="balanced", domains="legal", epochs=2)
    decisions = read_decisions(log)
    assert set(decisions["answer_order"]) == {"balanced"}
    shown = decisions.groupby("epoch")["order_shown"].unique().map(list).to_dict()
    assert shown == {1: ["agree_first"], 2: ["disagree_first"]}
    samples = {(s.id, s.epoch): s for s in read_eval_log(log.location).samples}
    assert "agree or disagree" in samples["law_1-F0", 1].messages[0].text
    assert "disagree or agree" in samples["law_1-F0", 2].messages[0].text


def scripted(replies: list[str], seen: list | None = None):
    """A mock that gives the replies in turn, with usage set so that nothing is downloaded."""
    turn = iter(replies * 1000)

    def answer(messages, tools, tool_choice, config):
        if seen is not None:
            seen.append((messages, config))
        output = ModelOutput.from_content("mock", next(turn))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def test_prompt_schema_and_seeds_reach_the_provider(tmp_path) -> None:
    seen: list = []
    run_eval(
        negation_framing(domains="legal", structured=True, seed=5, response="ternary"),
        model=scripted(['{"decision": "agree", "confidence": 1}'], seen),
        epochs=2,
        log_dir=str(tmp_path),
    )
    messages, config = seen[0]
    assert [m.role for m in messages] == ["user"]
    assert '"neither"' in messages[0].text
    schema = config.response_schema.json_schema
    assert schema.properties["decision"].enum == ["agree", "disagree", "neither"]
    seeds = [config.seed for _, config in seen]
    assert len(set(seeds)) == 16
    assert derived_seed(5, "law_1-F0", 1) in seeds
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_the_solver_serves_a_task_of_ones_own(tmp_path) -> None:
    seen: list = []
    own = Task(
        dataset=list(negation_framing(domains="legal").dataset)[:4],
        solver=answer_proposal(structured=True),
        scorer=decision(),
        name="own",
    )
    (log,) = run_eval(own, model=scripted(["Disagree"], seen), log_dir=str(tmp_path))
    assert len(seen) == 4
    assert seen[0][1].response_schema is not None
    assert metrics_of(log)["nsi"] == 1


def test_without_a_seed_none_is_sent_and_users_settings_win(tmp_path) -> None:
    seen: list = []
    (log,) = run_eval(
        negation_framing(domains="legal"),
        model=scripted(["I disagree."], seen),
        epochs=1,
        temperature=0,
        log_dir=str(tmp_path),
    )
    assert {(config.seed, config.temperature) for _, config in seen} == {(None, 0)}
    assert seen[0][1].response_schema is None
    assert set(read_decisions(log)["temperature"]) == {0.0}


def test_scores_say_why_they_are_missing(tmp_path) -> None:
    replies = ["I do not agree.", "I'm sorry, but I can't help with this.", "", "Agree"]
    (log,) = run_eval(
        negation_framing(domains="legal", frames="F0,F1"),
        model=scripted(replies),
        epochs=1,
        max_connections=1,
        log_dir=str(tmp_path),
    )
    scores = [s.scores for s in read_eval_log(log.location).samples]
    reasons = sorted(str(s["decision"].reason) for s in scores)
    assert reasons == ["None", "invalid_response_format", "no_response", "refusal"]
    for score in scores:
        status = score["decision"].metadata["status"]
        assert score["validity"].value == status
        assert (score["decision"].explanation is None) == (status == "valid")
        assert np.isnan(score["decision"].value) == (status != "valid")
    assert metrics_of(log)["compliance"] == 0.25


def test_metrics_say_nan_where_nothing_can_be_said(tmp_path) -> None:
    (log,) = run_eval(
        negation_framing(domains="legal"),
        model=scripted(["no comment from me on that"]),
        epochs=2,
        log_dir=str(tmp_path),
    )
    metrics = metrics_of(log)
    assert np.isnan(metrics["nsi"])
    # Inspect drops unscored answers first, so the metric cannot know the frames.
    assert metrics["compliance"] == 0
    assert all(np.isnan(value) for name, value in metrics.items() if name.startswith("rate_"))


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_metrics_never_raise_on_partial_data(kept: int) -> None:
    from inspect_ai.scorer import SampleScore, Score

    from negation_evals.scorers.framing.metrics import compliance as compliance_metric
    from negation_evals.scorers.framing.metrics import endorsement_by_frame as frame_metric
    from negation_evals.scorers.framing.metrics import nsi as nsi_metric

    scores = [
        SampleScore(score=Score(value=1.0), sample_metadata=dict(sample.metadata))
        for sample in list(negation_framing().dataset)[:kept]
    ]
    assert np.isnan(nsi_metric()(scores))
    values = frame_metric()(scores)
    assert all(0 <= v <= 1 or np.isnan(v) for v in values.values())
    assert len(values) == (4 if kept else 0)
    assert np.isnan(compliance_metric()([]))
    stranger = SampleScore(score=Score(value="valid"), sample_metadata={})
    assert compliance_metric()([stranger]) == 1
    assert np.isnan(nsi_metric()([stranger]))


def test_rescoring_gives_the_same_from_the_log_alone(audit) -> None:
    log = audit("malformed", domains="legal", epochs=3)
    again = rescore(read_eval_log(log.location), [decision(), validity()], action="overwrite")
    assert metrics_of(again) == pytest.approx(metrics_of(log), nan_ok=True)


def test_data_hash_and_versions_are_in_the_log(audit) -> None:
    header = read_eval_log(audit("mirror", domains="legal", epochs=1).location, header_only=True)
    metadata = header.eval.metadata
    rows = [s.model_dump(exclude_none=True) for s in load_scenarios("sff").scenarios]
    canonical = json.dumps(rows, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert metadata["scenarios_sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert header.eval.task_version == "1-A"
    assert metadata["negation_evals_version"] == header.eval.packages["negation_evals"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scenarios": "sf"}, "neither a built-in set"),
        ({"frames": "F9"}, "unknown frame 'F9'"),
        ({"frames": ""}, "frames is empty"),
        ({"frames": "F1"}, "NSI is a range over frames, so name two different ones"),
        ({"domains": "medica"}, r"did you mean 'medical'\?"),
        ({"response": "open"}, "not one of binary, ternary"),
        ({"answer_order": "random"}, "not one of agree_first, disagree_first, balanced"),
        ({"seed": "x"}, "seed='x' is not a whole number"),
        ({"frames": 3}, "frames=3 is not a name"),
        ({"domains": True}, "domains=True is not a name"),
        ({"scenarios": 123}, "not the name of a set or the path"),
        ({"scenarios": "x" * 300}, "neither a built-in set"),
        ({"structured": "maybe"}, "structured='maybe' is not true or false"),
    ],
)
def test_bad_arguments_are_usage_errors(arguments: dict, message: str) -> None:
    with pytest.raises(click.UsageError, match=message):
        negation_framing(**arguments)


def test_a_sample_without_polarity_is_an_error_not_an_opinion(tmp_path) -> None:
    own = Task([Sample(id="a", input="Agree?")], scorer=decision(), name="own")
    (log,) = run_eval(own, model=scripted(["Agree"]), log_dir=str(tmp_path))
    assert log.status == "error"
    assert "metadata lack `negated`" in log.error.message


def test_solver_arguments_that_contradict_the_task_are_an_error(tmp_path) -> None:
    (log,) = run_eval(
        negation_framing(domains="legal"),
        solver=answer_proposal(response="ternary"),
        model=scripted(["Agree"]),
        epochs=1,
        log_dir=str(tmp_path),
    )
    assert log.status == "error"
    assert "give the solver the same form, response" in log.error.message
