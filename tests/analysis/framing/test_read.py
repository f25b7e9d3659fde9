"""From logs to decisions: which rows count, and that nothing goes without a word."""

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.framing import FRAMES
from helpers.paths import DATA
from helpers.reading import notes
from inspect_ai import Task, eval_retry
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from negation_evals import negation_framing
from negation_evals.analysis import endorsement_rates, nsi, read_decisions
from negation_evals.errors import DataError
from negation_evals.models.simulated.respondents import Respondent

CASES = {
    c["id"]: c
    for c in map(json.loads, (DATA / "parser_cases.jsonl").open(encoding="utf-8"))
    if c["kind"] == "log"
}


def foreign_log(folder: Path) -> EvalLog:
    """A log of a task that is none of ours."""

    def answer(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("mock", "hello")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = run_eval(
        Task([Sample(input="hi", target="hello")], name="other"), model=model, log_dir=str(folder)
    )
    return log


def cut(log: EvalLog, keep: int, status: str, path: Path, **changes: object) -> Path:
    """A copy of a log with its first samples only."""
    copy = read_eval_log(log.location).model_copy(deep=True)
    copy.samples = copy.samples[:keep]
    copy.status = status
    copy.eval = copy.eval.model_copy(update=changes)
    planned = copy.eval.dataset.sample_ids
    write_eval_log(copy, str(path))
    assert read_eval_log(str(path), header_only=True).eval.dataset.sample_ids == planned
    return path


def test_cancelled_log_contributes_with_a_warning(audit, tmp_path) -> None:
    full = audit("mirror", domains="legal", epochs=5)  # 8 samples x 5 epochs = 40
    expected = CASES["log-001"]["expected"]
    path = cut(full, 12, "cancelled", tmp_path / "cancelled.eval")
    decisions = read_decisions(path)
    assert len(decisions) == expected["rows"]
    (warning,) = [w for w in notes(path).warnings if "cancelled" in w]
    assert "12 of 40 planned samples finished: not a complete run" in warning


def test_foreign_file_is_named_and_skipped(audit, tmp_path) -> None:
    audit("mirror", domains="legal", epochs=1)
    logs = tmp_path / "logs"
    (logs / "logs.json").write_text('{"run1.eval": {}}', encoding="utf-8")
    (logs / "notes.txt").write_text("text", encoding="utf-8")
    decisions = read_decisions(logs)
    assert len(decisions) == 8
    left_out = {Path(item["source"]).name for item in notes(logs).left_out}
    assert left_out == {"logs.json", "notes.txt"}


def test_later_valid_row_of_a_retry_wins(audit, tmp_path) -> None:
    case = CASES["log-003"]
    full = read_eval_log(audit("yeasayer", domains="legal", frames="F0,F1", epochs=1).location)
    for number, described in enumerate(case["context"]["logs"]):
        log = full.model_copy(deep=True)
        log.eval = log.eval.model_copy(
            update={
                "created": f"2026-01-01T{described['created']}:00+00:00",
                "eval_id": str(number),
            }
        )
        log.status = described["status"]
        log.samples = [s for s in log.samples if s.id.startswith("law_1")]
        for sample, (_, frame, _, status, decision) in zip(
            log.samples, described["rows"], strict=True
        ):
            assert sample.metadata["frame"] == frame
            if status == "error":
                sample.scores = None
            else:
                sample.scores["decision"].answer = decision
                sample.scores["decision"].value = float((decision == "agree") != (frame == "F1"))
        write_eval_log(log, str(tmp_path / f"retry{number}.eval"))
    decisions = read_decisions([tmp_path / "retry1.eval", tmp_path / "retry0.eval"])
    assert len(decisions) == case["expected"]["rows"]
    found = decisions.set_index("frame")["decision"].to_dict()
    assert found == case["expected"]["decisions"]
    dropped = [
        i
        for i in notes([tmp_path / "retry1.eval", tmp_path / "retry0.eval"]).left_out
        if "superseded" in i["reason"]
    ]
    assert sum(item["rows"] for item in dropped) == case["expected"]["dropped"]


def test_a_valid_row_is_not_replaced_by_a_later_failure(audit, tmp_path) -> None:
    full = read_eval_log(audit("yeasayer", domains="legal", frames="F0,F1", epochs=1).location)
    for number in range(2):
        log = full.model_copy(deep=True)
        log.eval = log.eval.model_copy(update={"created": f"2026-01-0{number + 1}T00:00:00+00:00"})
        if number == 1:
            log.samples[0].scores = None
        write_eval_log(log, str(tmp_path / f"{number}.eval"))
    decisions = read_decisions([tmp_path / "0.eval", tmp_path / "1.eval"])
    assert len(decisions) == 4
    assert decisions["endorsed"].notna().all()


def test_trial_run_does_not_beat_the_full_run(audit) -> None:
    full = audit("mirror", domains="legal", epochs=5)
    trial = audit("mirror", domains="legal", epochs=1, limit=1)
    decisions = read_decisions([full, trial])
    assert len(decisions) == CASES["log-004"]["expected"]["rows"]
    assert set(decisions["run"]) == {full.eval.task_id}
    (item,) = notes([full, trial]).left_out
    assert (item["source"], item["rows"]) == (trial.location, 1)
    pooled = read_decisions([full, trial], runs="all")
    assert len(pooled) == 41
    cell = pooled[(pooled["scenario"] == "law_1") & (pooled["frame"] == "F0")]
    assert sorted(cell["epoch"]) == [1, 2, 3, 4, 5, 6]


def test_of_equal_runs_the_latest_counts(audit) -> None:
    first, second = (audit("noisy", domains="legal", epochs=1) for _ in range(2))
    second.eval.created = "2100-01-01T00:00:00+00:00"
    assert set(read_decisions([second, first])["run"]) == {second.eval.task_id}


def test_samples_without_a_score_are_missing_not_disagreement(audit, tmp_path) -> None:
    log = read_eval_log(audit("yeasayer", domains="legal", frames="F0,F2", epochs=5).location)
    for sample in log.samples[:2]:
        sample.scores = None
    write_eval_log(log, str(tmp_path / "some.eval"))
    decisions = read_decisions(tmp_path / "some.eval")
    expected = CASES["log-007"]["expected"]
    assert len(decisions) == expected["rows"]
    assert decisions["endorsed"].notna().sum() == expected["n_valid"]
    assert (decisions["status"] == "unscored").sum() == 2
    assert any("2 samples have no score" in w for w in notes(tmp_path / "some.eval").warnings)


def test_header_only_log_object_is_read_from_its_file(audit) -> None:
    log = audit("mirror", domains="legal", epochs=5)
    header = read_eval_log(log.location, header_only=True)
    assert header.samples is None
    assert len(read_decisions(header)) == CASES["log-008"]["expected"]["rows"]
    in_memory = read_eval_log(log.location)
    pd.testing.assert_frame_equal(read_decisions(header), read_decisions(in_memory))


def test_folder_without_usable_log_says_what_was_found(tmp_path) -> None:
    (tmp_path / "readme.md").write_text("text", encoding="utf-8")
    foreign_log(tmp_path)
    with pytest.raises(DataError, match=r"readme\.md.*not an Inspect log|another task: other"):
        read_decisions(tmp_path)


@pytest.mark.parametrize("out", ["logs", "logs/report"])
def test_a_report_among_the_logs_is_one_thing_that_is_no_log(audit, tmp_path, out) -> None:
    audit("mirror", domains="legal", epochs=2)
    assert not notes(tmp_path / "logs").left_out
    for name in ("report.html", "report.md", "results.json", "tables/nsi.csv", "figures/a.svg"):
        (tmp_path / out / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / out / name).write_text("{}", encoding="utf-8")
    again = read_decisions(tmp_path / "logs")
    assert len(again) == 2 * 4 * 2
    (item,) = notes(tmp_path / "logs").left_out
    assert item["source"] == str(tmp_path / out)
    assert "report or certificate of this package" in item["reason"]


def test_log_of_another_task_is_skipped_by_name(audit, tmp_path) -> None:
    audit("mirror", domains="legal,medical,science", epochs=1)  # 24 samples
    other = foreign_log(tmp_path / "logs")
    decisions = read_decisions(tmp_path / "logs")
    assert len(decisions) == CASES["log-010"]["expected"]["rows"]
    (item,) = notes(tmp_path / "logs").left_out
    assert Path(item["source"]).name == Path(other.location).name
    assert item["reason"] == "log of another task: other"


def test_mixed_folder(audit, tmp_path) -> None:
    """Two models, an old duplicate, a cancelled log, a foreign log, a text and a corrupt file."""
    mirror = audit("mirror", domains="legal", epochs=2)
    naysayer = audit("naysayer", domains="legal", epochs=2)
    logs = tmp_path / "logs"
    shutil.copy(mirror.location, logs / "old-copy.eval")
    cut(
        naysayer, 3, "cancelled", logs / "cancelled.eval",
        model="simulated/yeasayer", task_id="third",
    )  # fmt: skip
    other = foreign_log(logs)
    (logs / "notes.txt").write_text("text", encoding="utf-8")
    (logs / "broken.eval").write_bytes(b"PK\x03\x04 not a log")
    decisions = read_decisions(logs)
    rows = decisions.groupby("model").size().to_dict()
    assert rows == {"simulated/mirror": 16, "simulated/naysayer": 16, "simulated/yeasayer": 3}
    report = notes(logs)
    left_out = {Path(item["source"]).name: item["rows"] for item in report.left_out}
    copies = {Path(mirror.location).name, "old-copy.eval"}
    assert left_out.keys() - copies == {"notes.txt", "broken.eval", Path(other.location).name}
    assert sum(left_out.get(name, 0) for name in copies) == 16
    assert sum(source["used"] for source in report.sources) == len(decisions)
    assert any("3 of 16 planned" in warning for warning in report.warnings)


def test_corrupt_file_named_by_itself_is_an_error(tmp_path) -> None:
    path = tmp_path / "broken.eval"
    path.write_bytes(b"not a zip")
    with pytest.raises(DataError, match=r"broken\.eval: not a readable Inspect log"):
        read_decisions(path)
    with pytest.raises(DataError, match="there is no such file or folder"):
        read_decisions(tmp_path / "nowhere")
    with pytest.raises(DataError, match="no log was named"):
        read_decisions([])


@pytest.mark.usefixtures("own_registry")
def test_killed_run_resumed_by_retry_reports_as_if_not_killed(audit, tmp_path, monkeypatch) -> None:
    """A provider that dies half-way leaves an error log; `eval-retry` completes the run."""
    answer = Respondent.answer
    calls = itertools.count()

    def dying(self, *asked):
        if next(calls) >= 6:
            raise RuntimeError("connection lost")
        return answer(self, *asked)

    killed = tmp_path / "killed"
    with monkeypatch.context() as patch:
        patch.setattr(Respondent, "answer", dying)
        first = audit("mirror", domains="legal", epochs=2, log_dir=killed, max_samples=1)
    assert first.status == "error"
    partial = read_decisions(first.location)
    assert (partial["status"] == "valid").sum() == 6
    (second,) = eval_retry(first, log_dir=str(killed))
    assert second.status == "success"
    assert len(list_eval_logs(str(killed))) == 2
    whole = audit("mirror", domains="legal", epochs=2, log_dir=tmp_path / "whole")
    resumed, expected = read_decisions(killed), read_decisions(whole)
    key = ["scenario", "frame", "epoch"]
    columns = [*key, "status", "decision", "endorsed", "confidence"]
    pd.testing.assert_frame_equal(
        resumed[columns].sort_values(key, ignore_index=True),
        expected[columns].sort_values(key, ignore_index=True),
    )
    pd.testing.assert_frame_equal(nsi(resumed), nsi(expected))


def test_scenario_data_of_different_content_are_kept_apart(audit, tmp_path) -> None:
    scenarios = tmp_path / "mine.json"
    row = {
        "id": "law_1",
        "domain": "legal",
        "text": "Another text.",
        "action_clause": "wait",
        "goal_clause": "rest",
    }
    scenarios.write_text(json.dumps([row]), encoding="utf-8")
    audit("mirror", domains="legal", epochs=2)
    audit("mirror", scenarios=str(scenarios), epochs=2)
    logs = tmp_path / "logs"
    apart = read_decisions(logs)
    assert apart["data_hash"].nunique() == 2
    assert sorted(endorsement_rates(apart).groupby("data_hash").size()) == [4, 8]
    assert any("different content" in w for w in notes(logs).warnings)
    together = read_decisions(logs, pool_data=True, runs="all")
    assert len(together) == 16 + 8
    cells = endorsement_rates(together).set_index(["scenario", "frame"])
    assert cells.loc[("law_1", "F0"), "n"] == 4


def test_temperatures_are_results_of_their_own(audit, tmp_path) -> None:
    audit("mirror", domains="legal", epochs=2)
    audit("mirror", domains="legal", epochs=1, temperature=0)
    table = nsi(read_decisions(tmp_path / "logs"))
    assert sorted(table["temperature"].unique()) == [0.0, 0.7]
    assert len(table) == 4


def test_missing_frame_of_a_limited_run_is_flagged(audit) -> None:
    decisions = read_decisions(audit("mirror", domains="legal", epochs=1, limit=6))
    assert any(
        "law_2-F2, law_2-F3" in w
        for w in notes(audit("mirror", domains="legal", epochs=1, limit=6)).warnings
    )
    table = nsi(decisions).set_index("scenario")
    assert table.loc["law_2", "missing_frames"] == "F2,F3"
    assert pd.isna(table.loc["law_2", "nsi"])


def test_repeated_answers_and_a_constant_seed_are_noticed(audit, tmp_path) -> None:
    def same(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("mock", '{"decision": "agree"}')
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    (log,) = run_eval(
        negation_framing(domains="legal"),
        model=get_model("mockllm/model", custom_outputs=same, memoize=False),
        epochs=3,
        seed=7,
        log_dir=str(tmp_path),
    )
    warnings = " ".join(notes(log).warnings)
    assert "one seed (7) in every epoch" in warnings
    assert "the same in all epochs" in warnings
    varied = notes(audit("mirror", domains="legal", epochs=3)).warnings
    assert varied == []


def test_tables_of_ones_own(tmp_path) -> None:
    rows = "model,scenario,frame,decision\n" + "".join(
        f"m,s,{frame},{decision}\n"
        for frame in ("F0", "F1", "F2", "F3")
        for decision in ("Agree", "disagree", "dunno")
    )
    path = tmp_path / "mine.csv"
    path.write_text(rows, encoding="utf-8")
    decisions = read_decisions(path)
    assert len(decisions) == 12
    assert decisions["status"].value_counts().to_dict() == {"valid": 8, "malformed": 4}
    first = decisions[decisions["frame"] == "F1"].iloc[0]
    assert (first["negated"], first["endorsed"], first["epoch"]) == (True, 0.0, 1)
    decisions.to_parquet(tmp_path / "again.parquet")
    again = read_decisions(tmp_path / "again.parquet")
    assert again["endorsed"].equals(decisions["endorsed"])


def test_space_around_names_and_a_byte_order_mark_are_no_part_of_a_table(tmp_path) -> None:
    cells = [f" m ,s , {frame},agree " for frame in ("F0", "F1", "F2", "F3")]
    (tmp_path / "mine.csv").write_text(
        "\n".join(["model, scenario,frame ,decision,note", *(f"{cell}, " for cell in cells)]),
        encoding="utf-8-sig",
    )
    row = {"model": "m ", "scenario": "s", "frame": "F0", "decision": "agree"}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row), encoding="utf-8-sig")
    pd.DataFrame(
        [row | {"frame": f, "decision": d} for f in FRAMES for d in ("agree", " agree")]
    ).astype("category").to_parquet(tmp_path / "mine.parquet")
    assert nsi(read_decisions(tmp_path / "mine.parquet"))["nsi"].tolist() == [1.0]
    decisions = read_decisions(tmp_path / "mine.csv")
    assert nsi(decisions)["nsi"].tolist() == [1.0]
    assert decisions["note"].isna().all()
    assert read_decisions(tmp_path / "mine.jsonl")["model"].tolist() == ["m"]


def test_polarity_as_text_and_names_as_numbers(tmp_path) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [
        {"model": 7, "scenario": 1, "frame": "X", "decision": "agree", "negated": "false"},
        {"model": 7, "scenario": 1, "frame": "Y", "decision": "agree", "negated": "True "},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    decisions = read_decisions(path)
    assert decisions["endorsed"].tolist() == [1.0, 0.0]
    assert decisions["model"].tolist() == ["7", "7"]
    assert nsi(decisions)["nsi"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,scenario,decision\nm,s,agree\n", "lacks 'frame'"),
        ("model,scenario,frame,decision\nm,s,F9,agree\n", "frame 'F9' is not built in"),
        ("model,scenario,frame,decision\n", "no rows"),
        ("", "the file is empty"),
        ("model;scenario;frame;decision\nm;s;F0;agree\n", "seems to use semicolons"),
        ("model,scenario,frame,decision\nm,s,F0,True\n", "decision holds 'true' and nowhere agree"),
        (
            "model,scenario,frame,decision,status\nm,s,F0,agree,malformed\n",
            "row 1 has status malformed and decision agree",
        ),
        (
            "model,scenario,frame,decision,order_shown\nm,s,F0,agree,Agree first\n",
            "order_shown='Agree first' is not one of agree_first, disagree_first",
        ),
        ("model,scenario,frame,decision,epoch\nm,s,F0,agree,1e30\n", "whole number from 1"),
        (
            "model,scenario,frame,decision,origin\nm,s,F0,agree,US\nm,s,F1,agree,CN\n",
            "m: origin is US and CN",
        ),
        (
            "model,scenario,frame,decision, model\nm,s,F0,agree,n\n",
            "the column 'model' occurs twice",
        ),
        (
            "model,scenario,frame,decision\nm,s,F0,agree,n\n",
            "line 2 has more cells than the header",
        ),
        ('model,scenario,frame,decision\n"m,s,F0,agree\nm,s,F1,agree\n', "cannot be read as csv"),
        (
            "model,scenario,frame,decision,epoch\nm,s,F0,agree,1\nm,s,F0,disagree,1\n",
            "2 rows share a model, scenario, frame and epoch",
        ),
        (
            "model,scenario,frame,decision,status\nm,s,F0,agree,fine\n",
            "row 1: status='fine' is not one of valid",
        ),
        (
            "model,scenario,frame,decision,negated\nm,s,F0,agree,perhaps\n",
            "row 1: negated='perhaps' is not true or false",
        ),
        ("model,scenario,frame,decision\n,s,F0,agree\n", "row 1 has no model"),
        ("model,scenario,frame,decision,epoch\nm,s,F0,agree,0\n", "whole number from 1"),
        (
            "model,scenario,frame,decision,domain\nm,s,F0,agree,a\nm,s,F1,agree,b\n",
            "scenario 's' has more than one domain",
        ),
        (
            "model,scenario,frame,decision,negated\nm,s,F1,agree,false\n",
            "negated=False for frame 'F1', but the built-in frame",
        ),
        (
            "model,scenario,frame,decision,negated\nm,s,X,agree,0\nm,t,X,agree,1\n",
            "frame 'X' is negated in some rows and not in others",
        ),
        (
            "model,scenario,frame,decision,endorsed\nm,s,F1,agree,1\n",
            "row 1 says endorsed=1, but agree with negated=True gives 0",
        ),
    ],
)
def test_faulty_tables_name_their_fault(tmp_path, text: str, message: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_decisions(path)


def test_a_cancelled_run_does_not_beat_a_finished_audit(audit, tmp_path) -> None:
    full = audit("mirror", domains="legal", epochs=5)
    cancelled = cut(
        full, 3, "cancelled", tmp_path / "later.eval",
        task_id="later", created="2100-01-01T00:00:00+00:00",
    )  # fmt: skip
    decisions = read_decisions([full, cancelled])
    assert set(decisions["run"]) == {full.eval.task_id}
    assert len(decisions) == 40


def test_an_audit_split_by_domain_adds_up(audit, tmp_path) -> None:
    audit("mirror", domains="legal", epochs=2)
    audit("mirror", domains="medical", epochs=2)
    decisions = read_decisions(tmp_path / "logs")
    assert decisions.groupby("domain").size().to_dict() == {"legal": 16, "medical": 16}
    assert notes(tmp_path / "logs").left_out == []


def test_other_generation_settings_and_versions_are_results_of_their_own(audit, tmp_path) -> None:
    low = audit("mirror", model_args={"p": 0.1}, domains="legal", epochs=1)
    high = audit("mirror", model_args={"p": 0.9}, domains="legal", epochs=1)
    table = endorsement_rates(read_decisions([low, high], runs="all"))
    assert table["generation"].nunique() == 2
    assert (table["n"] == 1).all()
    newer = cut(low, 8, "success", tmp_path / "v2.eval", task_version="2-A", task_id="v2")
    assert read_decisions([low, newer], runs="all")["version"].nunique() == 2


def test_a_completed_retry_leaves_no_warning(audit, tmp_path) -> None:
    full = audit("mirror", domains="legal", epochs=1)
    cut(full, 3, "error", tmp_path / "logs" / "first.eval", created="2000-01-01T00:00:00+00:00")
    decisions = read_decisions(tmp_path / "logs")
    assert len(decisions) == 8
    assert notes(tmp_path / "logs").warnings == []


def test_the_newest_of_appended_scores_counts(audit, tmp_path) -> None:
    log = read_eval_log(audit("yeasayer", domains="legal", frames="F0,F2", epochs=1).location)
    for sample in log.samples:
        again = sample.scores["decision"].model_copy(update={"answer": "disagree", "value": 0.0})
        sample.scores["decision1"] = again
    write_eval_log(log, str(tmp_path / "appended.eval"))
    assert set(read_decisions(tmp_path / "appended.eval")["decision"]) == {"disagree"}


def test_decisions_survive_a_round_trip_through_files(audit, tmp_path) -> None:
    log = audit("malformed", domains="legal", epochs=3)
    decisions = read_decisions(log)
    decisions.to_csv(tmp_path / "a.csv", index=False)
    decisions.to_json(tmp_path / "b.jsonl", orient="records", lines=True)
    decisions.to_parquet(tmp_path / "c.parquet")
    for name in ("a.csv", "b.jsonl", "c.parquet"):
        both = read_decisions([log, tmp_path / name])
        # One result: every setting reads back as it was, so the two are runs of the same.
        assert len(nsi(both)) == 2, name
        again = read_decisions(tmp_path / name)
        assert again["endorsed"].tolist() == pytest.approx(decisions["endorsed"], nan_ok=True)


def test_names_stay_text(tmp_path) -> None:
    path = tmp_path / "mine.csv"
    rows = [
        f"m,{scenario},{frame},agree" for scenario in ("01", "1", "NA") for frame in ("F0", "F1")
    ]
    path.write_text("model,scenario,frame,decision\n" + "\n".join(rows), encoding="utf-8")
    assert list(read_decisions(path)["scenario"].unique()) == ["01", "1", "NA"]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [("temperature", "warm", "is not a number"), ("structured", "never", "not true or false")],
)
def test_settings_of_a_table_are_checked(tmp_path, column: str, value: str, message: str) -> None:
    path = tmp_path / "mine.csv"
    text = f"model,scenario,frame,decision,{column}\nm,s,F0,agree,{value}\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_decisions(path)


def test_the_same_table_twice_counts_once(tmp_path, monkeypatch) -> None:
    (tmp_path / "mine.csv").write_text(
        "model,scenario,frame,decision\nm,s,F0,agree\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert len(read_decisions(["mine.csv", "./mine.csv"], runs="all")) == 1


def test_a_model_without_a_frame_misses_it(tmp_path) -> None:
    path = tmp_path / "mine.csv"
    rows = ["model,scenario,frame,decision,confidence"]
    rows += [f"{m},s,{f},agree,900" for m in "ab" for f in ("F0", "F1", "F2", "F3")]
    path.write_text("\n".join(rows[:-1]), encoding="utf-8")
    decisions = read_decisions(path)
    assert set(decisions["frames"]) == {"F0,F1,F2,F3"}
    assert decisions["confidence"].isna().all()
    values = nsi(decisions).set_index("model")
    assert values.loc["a", "nsi"] == 1.0
    assert np.isnan(values.loc["b", "nsi"])
    assert values.loc["b", "missing_frames"] == "F3"
    assert "b: no row for s-F3" in " ".join(notes(path).warnings)


def test_rows_stand_as_asked_whatever_finished_first(audit) -> None:
    log = audit("mirror", domains="legal", epochs=2)
    log = read_eval_log(log.location)
    log.samples.reverse()
    frames = read_decisions(log)[["scenario", "frame", "epoch"]].itertuples(index=False, name=None)
    scenarios = dict.fromkeys(s.metadata["scenario"] for s in reversed(log.samples))
    expected = [(s, f, e) for s in sorted(scenarios) for f in FRAMES for e in (1, 2)]
    assert list(frames) == expected


def test_cancelled_samples_are_not_counted_as_finished(audit, tmp_path) -> None:
    full = audit("mirror", domains="legal", epochs=1)
    stopped = read_eval_log(str(cut(full, 3, "cancelled", tmp_path / "stopped.eval")))
    for sample in stopped.samples[1:]:
        sample.error = EvalError(message="cancelled", traceback="", traceback_ansi="")
        sample.scores = {}
    warnings = " ".join(notes(stopped).warnings)
    assert "status cancelled, 1 of 8 planned samples finished" in warnings


def test_a_later_run_with_failures_does_not_displace_a_complete_one(audit) -> None:
    first, second = (audit("mirror", domains="legal", epochs=1) for _ in range(2))
    second = read_eval_log(second.location)
    second.eval.created = "2100-01-01T00:00:00+00:00"
    for sample in second.samples[:4]:
        sample.error = EvalError(message="no answer", traceback="", traceback_ansi="")
        sample.scores = {}
    assert second.status == "success"
    decisions = read_decisions([first, second])
    assert set(decisions["run"]) == {first.eval.task_id}
    alone = read_decisions(second)
    assert (len(alone), notes(second).sources[0]["used"]) == (8, 4)
    assert "failed" not in alone.columns


def test_pooled_tables_agree_on_a_scenarios_domain(tmp_path) -> None:
    rows = "".join(f"m,s,{frame},agree,{{}}\n" for frame in FRAMES)
    for name, domain in (("a", "legal"), ("b", "")):
        text = "model,scenario,frame,decision,domain\n" + rows.format(*[domain] * 4)
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(
        DataError, match=r"'s' is of the domain legal in .*a.csv and unspecified in"
    ):
        read_decisions(paths, runs="all")
    assert len(read_decisions(paths)) == 4


@pytest.mark.parametrize("suffix", [".CSV", ".json", ".JSON", ".yaml", ".yml", ".JSONL"])
def test_a_table_is_read_whatever_its_format_and_the_case_of_its_ending(
    tmp_path: Path, suffix: str
) -> None:
    rows = [
        {"model": "m", "scenario": "s", "frame": frame, "decision": "agree"}
        for frame in ("F0", "F1")
    ]
    text = {
        ".csv": "model,scenario,frame,decision\nm,s,F0,agree\nm,s,F1,agree\n",
        ".jsonl": "\n".join(map(json.dumps, rows)),
    }.get(suffix.lower(), json.dumps(rows))
    path = tmp_path / f"table{suffix}"
    path.write_text(text, encoding="utf-8")
    assert read_decisions(path)["endorsed"].tolist() == [1.0, 0.0]
