"""The arrows of the design: data flow one way, and only the readers of the analysis know logs."""

import ast
from pathlib import Path

import negation_evals

PACKAGE = Path(negation_evals.__file__).parent
SCORERS = PACKAGE.parent / "scorers"
if not SCORERS.is_dir():
    SCORERS = PACKAGE / "scorers"

ALLOWED = {
    "schema": set(),
    "_version": set(),
    "data": {"schema", "strict"},
    "hub": {"schema"},
    "arguments": {"schema"},
    "scenario_check": {"schema", "data"},
    "snca_schema": set(),
    "strict": set(),
    "wording": {"schema", "snca_schema", "strict", "data"},
    "analysis": {"schema", "snca_schema", "data", "strict", "analysis"},
    "scorers": {"schema", "snca_schema", "data", "wording", "analysis", "scorers"},
    "planning": {"schema", "data", "analysis"},
    "framing": {"schema", "data", "arguments", "analysis", "scorers", "framing", "_version"},
    "nubench": {
        *("schema", "data", "hub", "arguments", "models", "scorers", "nubench", "_version"),
    },
    "snca": {
        *("schema", "snca_schema", "strict", "data", "hub", "arguments", "wording", "scorers"),
        "analysis",
        "snca",
        "_version",
    },
    "models": {"schema", "models"},
    "report": {"schema", "snca_schema", "data", "analysis", "report", "_version"},
    "certification": {
        *("schema", "strict", "data", "analysis", "report", "certification", "_version"),
    },
    "cli": {
        *("schema", "data", "analysis", "report", "certification", "models", "framing", "nubench"),
        *("scenario_check", "planning", "strict", "cli", "_version"),
    },
    "__init__": {"framing", "nubench", "snca", "_version"},
    "_registry": {"framing", "nubench", "snca", "models", "scorers"},
}
"""Which parts each part may import."""


def modules() -> list[tuple[str, Path]]:
    own = [
        (path.relative_to(PACKAGE).parts[0].removesuffix(".py"), path)
        for path in PACKAGE.rglob("*.py")
        if "scorers" not in path.relative_to(PACKAGE).parts
    ]
    return own + [("scorers", path) for path in SCORERS.rglob("*.py")]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def test_imports_follow_the_arrows() -> None:
    found = modules()
    assert {part for part, _ in found} == set(ALLOWED)
    for part, path in found:
        for name in imported(path):
            if name == "negation_evals" or name.startswith("negation_evals."):
                target = name.split(".")[1] if "." in name else ""
                if target == "" or target not in {p for p, _ in found}:
                    target = "framing"  # the package itself exports the tasks
                assert target in ALLOWED[part], f"{path} imports {name}"


READS_LOGS = {
    *("provenance.py", "sources.py", "logs.py", "choice_logs.py", "snca_logs.py"),
    *("snca_judges.py", "scores.py", "settings.py"),
}
"""The modules of the analysis that know Inspect's logs."""


def test_only_the_readers_know_inspect_in_analysis_and_report() -> None:
    for part, path in modules():
        if part in {"analysis", "report", "data", "schema"} and path.name not in READS_LOGS:
            assert not any(n.startswith("inspect_ai") for n in imported(path)), path


def test_no_private_inspect_modules() -> None:
    for _, path in modules():
        for name in imported(path):
            private = name.startswith("inspect_ai") and any(
                part.startswith("_") for part in name.split(".")
            )
            assert not private, f"{path} imports {name}"
