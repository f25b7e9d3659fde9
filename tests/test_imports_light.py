"""What Inspect imports at every command stays light: modules are counted, not seconds."""

import json
import subprocess
import sys

import pytest

HEAVY = (
    *("numpy", "pandas", "scipy", "statsmodels", "matplotlib", "pyarrow", "jinja2"),
    *("openai", "anthropic", "xllamacpp", "datasets"),
)


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize("module", ["negation_evals", "negation_evals._registry"])
def test_the_package_loads_nothing_heavy(module: str) -> None:
    assert loaded_by(f"import {module}").isdisjoint(HEAVY)


def test_the_readers_of_files_load_parquet_when_they_read_it() -> None:
    assert loaded_by("import negation_evals.files.rows").isdisjoint({"pandas", "pyarrow"})
