"""The command line: what it prints, and how it ends when the input is wrong."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.cli import run
from inspect_ai.log import read_eval_log

from negation_evals.cli import main
from negation_evals.errors import DataError


def test_report_from_logs(audit, tmp_path) -> None:
    audit("naysayer", domains="legal")
    result = run("report", tmp_path / "logs", "--out", tmp_path / "report")
    assert result.exit_code == 0, result.output
    assert "simulated/naysayer" in result.output
    assert "1.00" in result.output
    assert max(map(len, result.output.splitlines())) <= 100 or str(tmp_path) in result.output
    assert (tmp_path / "report" / "report.html").is_file()


def test_models_file_overrides_origins(audit, tmp_path) -> None:
    audit("mirror", domains="legal", epochs=1)
    patterns = tmp_path / "models.yaml"
    patterns.write_text("models:\n  - {pattern: 'mirror', origin: LAB}\n", encoding="utf-8")
    result = run("report", tmp_path / "logs", "--out", tmp_path / "r", "--models", patterns)
    assert result.exit_code == 0, result.output
    results = json.loads((tmp_path / "r" / "results.json").read_text(encoding="utf-8"))
    assert results["tables"]["ranking"][0]["origin"] == "LAB"


def test_compare_two_audits(audit, tmp_path) -> None:
    audit("naysayer", domains="legal", log_dir=tmp_path / "old")
    audit("mirror", domains="legal", epochs=3, log_dir=tmp_path / "new")
    result = run("compare", tmp_path / "old", tmp_path / "new", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "simulated/mirror (B) minus simulated/naysayer (A)" in result.output
    assert "fewer answers alone raise NSI" in " ".join(result.output.split())
    content = json.loads((tmp_path / "out" / "comparison.json").read_text(encoding="utf-8"))
    first = content["comparison"][0]
    assert (first["measure"], first["value_a"], first["n_scenarios"]) == ("NSI", 1.0, 2)
    assert first["difference"] == pytest.approx(first["value_b"] - 1)
    assert (tmp_path / "out" / "comparison.csv").is_file()


def test_compare_without_anything_in_common_is_one_line(tmp_path) -> None:
    header = "model,scenario,frame,decision"
    for name, models in (("a", "mn"), ("b", "op")):
        rows = [f"{m},s,{f},agree" for m in models for f in ("F0", "F1")]
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    result = run("compare", tmp_path / "a.csv", tmp_path / "b.csv")
    assert result.exit_code == 2
    assert "nothing to compare" in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_models_with_too_few_valid_answers_are_left_out_and_named(audit, tmp_path) -> None:
    audit("mirror", domains="legal")
    audit("malformed", domains="legal", model_args={"share": 0.9})
    arguments = ["report", tmp_path / "logs", "--out", tmp_path / "r", "--min-compliance", 0.5]
    result = run(*arguments, "--published")
    assert result.exit_code == 0, result.output
    assert "Excluded for too few valid answers: 1." in result.output
    tables = json.loads((tmp_path / "r" / "results.json").read_text(encoding="utf-8"))["tables"]
    assert [row["model"] for row in tables["ranking"]] == ["simulated/mirror"]
    assert [row["model"] for row in tables["excluded"]] == ["simulated/malformed"]
    assert {row["model"] for row in tables["compliance"]} == {
        "simulated/mirror",
        "simulated/malformed",
    }
    assert {row["source"] for row in tables["published_domain_nsi"]} == {"2601.21433"}
    markdown = (tmp_path / "r" / "report.md").read_text(encoding="utf-8")
    assert "Excluded: simulated/malformed" in markdown
    again = run("report", tmp_path / "logs", "--out", tmp_path / "r")
    assert again.exit_code == 0
    assert not (tmp_path / "r" / "tables" / "published_nsi.csv").exists()


@pytest.mark.parametrize("case", ["empty", "corrupt", "nowhere", "models", "no logs", "runs"])
def test_wrong_input_is_one_line_and_exit_code_2(tmp_path: Path, case: str) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    corrupt = tmp_path / "corrupt.eval"
    corrupt.write_bytes(b"PK nothing")
    arguments, message = {
        "empty": ([empty], "no usable log of framing, NUBench or SNCA"),
        "corrupt": ([corrupt], "not a readable Inspect log"),
        "nowhere": ([tmp_path / "nowhere"], "no such file or folder"),
        "models": ([empty, "--models", tmp_path / "none.yaml"], "no such file"),
        "no logs": ([], "Missing argument"),
        "runs": ([empty, "--runs", "some"], "Invalid value for '--runs'"),
    }[case]
    result = run("report", *arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not (tmp_path / "out").exists()


def test_unknown_model_to_fetch() -> None:
    result = run("fetch-model", "smollm3")
    assert result.exit_code == 2
    assert "smollm2-135m" in result.output


INSPECT = Path(sys.executable).parent / "inspect"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("scenarios=nowhere", "neither a built-in set"),
        ("frames=F7", "unknown frame 'F7'"),
        ("scenarios={file}", "field 'goal_clause'"),
    ],
)
def test_inspect_ends_bad_task_arguments_in_one_line(
    tmp_path: Path, option: str, message: str
) -> None:
    scenario = {"id": "a", "domain": "b", "text": "c", "action_clause": "d"}
    file = tmp_path / "scenarios.json"
    file.write_text(json.dumps([scenario]), encoding="utf-8")
    result = subprocess.run(
        [
            INSPECT, "eval", "negation_evals/negation_framing", "--model", "simulated/mirror",
            "-T", option.format(file=file), "--log-dir", tmp_path / "logs",
        ],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env=os.environ | {"COLUMNS": "300"},
    )  # fmt: skip
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr + result.stdout


def test_inspect_score_from_another_folder(audit, tmp_path: Path) -> None:
    log = audit("malformed", domains="legal", epochs=2)
    expected = {s.name: {n: m.value for n, m in s.metrics.items()} for s in log.results.scores}
    scored = tmp_path / "scored.eval"
    shutil.copy(log.location, scored)
    for scorer, action in (("decision", "overwrite"), ("validity", "append")):
        subprocess.run(
            [
                INSPECT, "score", scored, "--scorer", f"negation_evals/{scorer}",
                "--action", action, "--overwrite",
            ],
            check=True, capture_output=True, cwd=tmp_path,
        )  # fmt: skip
    header = read_eval_log(str(scored), header_only=True)
    found = {s.name: {n: m.value for n, m in s.metrics.items()} for s in header.results.scores}
    assert found == expected


def test_what_ends_a_command_from_without_is_no_answer(monkeypatch, tmp_path) -> None:
    """A gate takes 1 for "does not hold"."""

    def ended(error: BaseException) -> int:
        def certify(*_: object) -> None:
            raise error

        monkeypatch.setattr("negation_evals.certification.certificate.certify", certify)
        arguments = ["certify", "logs", "--model", "m", "--domain", "legal", "--out", str(tmp_path)]
        return CliRunner().invoke(main, arguments).exit_code

    assert ended(KeyboardInterrupt()) == 130
    assert ended(DataError("no such")) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_ends_in_one_line() -> None:
    command = [str(INSPECT.with_name("negation-evals")), "check-scenarios", "extended"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert "the output cannot be written" in ended.stderr
    piped = subprocess.run(
        f"set -o pipefail; {' '.join(command)} | head -1", shell=True, executable="/bin/bash",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (piped.returncode, piped.stderr) == (141, "")
