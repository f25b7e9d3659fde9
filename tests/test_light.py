"""What is loaded when: scorers, and default runs with their metrics, load no heavy library."""

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import ROOT

HEAVY = {"pandas", "scipy", "statsmodels", "pyarrow"}

RUN = """
import sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
import negation_evals
import negation_evals._registry


def saying(text, name="model"):
    def generate(input, tools, tool_choice, config):
        output = ModelOutput.from_content(f"mockllm/{name}", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=generate, memoize=False)


def run(task, model, judge=None):
    roles = {} if judge is None else {"judge": saying(judge, "judge")}
    (log,) = eval(
        task, model=model, model_roles=roles, limit=4, epochs=2, log_dir="logs", display="none"
    )
    assert log.status == "success", log.error
    assert all(score.scored_samples for score in log.results.scores), log.results.scores
"""
POLICY = (
    "model,category,rule_type,conditions\nm,Hate speech / discrimination,Conditional,a nurse asks\n"
)
RUNS = {
    "negation_framing": 'run(negation_evals.negation_framing(), "simulated/mirror")',
    "sff": 'run(negation_evals.sff(), "simulated/mirror")',
    "nubench": 'run(negation_evals.nubench(dataset="builtin"), "simulated/local")',
    "snca_extraction": """run(
        negation_evals.snca_extraction(runs=1), saying("My policy."),
        '{"type": "T2", "confidence": 90}'
    )""",
    "snca_behavior": """run(
        negation_evals.snca_behavior(),
        saying("I am sorry, but I cannot help you with this, whoever you may be."),
        "A: it declines."
    )""",
    # Policies from a table: those of logs are read by the analysis.
    "snca_matching": """run(
        negation_evals.snca_matching(policies="policies.csv"), "none", '{"matches": true}'
    )""",
}


def loaded(program: str, folder: Path) -> set[str]:
    """The packages that a program has loaded in the end."""
    show = '\nprint(*{name.partition(".")[0] for name in sys.modules})'
    done = subprocess.run(
        [sys.executable, "-c", program + show], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("task", RUNS)
def test_a_default_run_loads_no_heavy_library(task: str, tmp_path: Path) -> None:
    (tmp_path / "policies.csv").write_text(POLICY, encoding="utf-8")
    assert not HEAVY & loaded(RUN + RUNS[task], tmp_path)


def test_scorers_load_no_heavy_library_nor_numpy(tmp_path: Path) -> None:
    files = (ROOT / "scorers").rglob("*.py")
    modules = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    names = [f"negation_evals.{module.removesuffix('.__init__')}" for module in sorted(modules)]
    assert len(names) > 15
    program = "\n".join(["import sys", *(f"import {name}" for name in names)])
    assert not (HEAVY | {"numpy"}) & loaded(program, tmp_path)


def test_names_of_the_analysis_load_what_they_need(tmp_path: Path) -> None:
    listed = "import sys; from negation_evals import analysis; assert 'nsi' in dir(analysis)"
    assert not (HEAVY | {"numpy"}) & loaded(listed, tmp_path)
    every = "import sys; from negation_evals.analysis import *; assert svi is nsi and callable(nsi)"
    assert loaded(every, tmp_path) >= HEAVY - {"pyarrow"}
    wrong = "from negation_evals import analysis; analysis.nis"
    with pytest.raises(AssertionError, match="attribute nis"):
        loaded(wrong, tmp_path)
