"""Runs that differ in anything that can change an answer are results of their own."""

from pathlib import Path

import pytest
from helpers.reading import notes
from inspect_ai import Task, task, task_with
from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import get_model
from inspect_ai.solver import SolverSpec, system_message

from negation_evals import negation_framing, nubench
from negation_evals.analysis import read_choices, read_decisions


def run(wanted: Task, folder: Path, model: str = "simulated/mirror", **options: object) -> EvalLog:
    (log,) = run_eval(
        wanted, model=get_model(model, memoize=False), epochs=1, log_dir=str(folder), **options
    )
    return log


def legal(**options: object) -> Task:
    return task_with(negation_framing(domains="legal"), **options)


@task
def worded(message: str = "", domains: str = "legal") -> Task:
    """A user's own task around ours."""
    return negation_framing(domains=domains)


def test_system_messages_of_a_setup_are_settings(tmp_path: Path) -> None:
    for text in ("Be brief.", "Be thorough.", "x" * 100, "x" * 100 + "y"):
        run(legal(setup=system_message(text)), tmp_path)
    run(legal(), tmp_path)
    decisions = read_decisions(tmp_path)
    assert decisions["run"].nunique() == decisions["solver"].nunique() == 5
    assert "" in set(decisions["solver"])
    assert "system_message(template='Be brief.')" in set(decisions["solver"])
    assert notes(tmp_path).left_out == []


def test_a_step_beside_the_solver_is_a_setting_of_nubench(tmp_path: Path) -> None:
    task = nubench(dataset="builtin")
    run(task, tmp_path, "simulated/right", limit=4)
    run(task_with(nubench(dataset="builtin"), setup=system_message("Hm.")), tmp_path,
        "simulated/right", limit=4)  # fmt: skip
    assert read_choices(tmp_path)["solver"].nunique() == 2


def test_the_arguments_of_ones_own_task_are_settings_but_for_its_parts(tmp_path: Path) -> None:
    for arguments in ({"message": "a"}, {"message": "b"}, {"message": "a", "domains": "military"}):
        run(worded(**arguments), tmp_path)
    decisions = read_decisions(tmp_path)
    assert set(decisions["generation"].str.extract(r"(-T message=\S+)")[0]) == {
        "-T message='a'",
        "-T message='b'",
    }
    assert decisions["generation"].nunique() == 2
    assert decisions["domain"].nunique() == 2


def test_the_tasks_own_solver_by_name_is_no_other(tmp_path: Path) -> None:
    run(legal(), tmp_path / "a")
    run(legal(), tmp_path / "b", solver=SolverSpec("negation_evals/answer_proposal"))
    assert set(read_decisions([tmp_path / "a", tmp_path / "b"])["solver"]) == {""}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://one.example:8000/v1", "at one.example:8000/v1"),
        ("https://user:secret@two.example/", "at two.example"),
    ],
)
def test_the_endpoint_is_a_setting_without_its_password(
    tmp_path: Path, url: str, shown: str
) -> None:
    log = read_eval_log(run(legal(), tmp_path / "logs").location)
    other = log.model_copy(deep=True)
    other.eval.model_base_url = url
    other.eval.task_id = "another"
    write_eval_log(other, str(tmp_path / "other.eval"))
    decisions = read_decisions([tmp_path / "logs", tmp_path / "other.eval"])
    assert decisions["run"].nunique() == 2
    assert [text.endswith(shown) for text in decisions["generation"].unique()] == [False, True]
    assert not decisions["generation"].str.contains("secret").any()
