"""Imports run one way: each part may import those that stand below it, and no private Inspect."""

import ast
from pathlib import Path

from helpers.paths import ROOT

GROUND = {"schema", "errors", "files", "task_arguments", "_version"}
FAMILIES = {"framing", "nubench", "snca"}
TASKS = FAMILIES | {"models"}
MAY_IMPORT = {
    **dict.fromkeys(GROUND, GROUND),
    "scorers": GROUND | {"scorers", "analysis.common.formulas"},
    "schema": {"schema", "errors"},
    **dict.fromkeys(TASKS, GROUND | TASKS | {"scorers"}),
    "analysis": GROUND | {"framing.frames", "analysis"},
    "report": GROUND | {"framing.frames", "analysis", "report"},
    "certification": GROUND | {"analysis", "report", "certification"},
    "cli": GROUND | TASKS | {"analysis", "report", "certification", "cli", "__init__"},
    "__init__": {"_version"} | TASKS,
    "_registry": TASKS | {"scorers"},
}
BY_NEED = {part: {"analysis"} for part in ("framing", "snca")}
"""Interim looks and stated policies use the analysis, imported where they run."""
LOADED_BY_NEED = {"framing/adaptive/domain.py"}
"""A module that only an adaptive run imports."""


def imports(path: Path, top: bool) -> set[str]:
    """Modules that a file imports: at its top, or within its functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = set(tree.body) if top else set(ast.walk(tree)) - set(tree.body)
    plain = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
    return plain | {str(n.module) for n in nodes if isinstance(n, ast.ImportFrom)}


def part_of(path: Path) -> str:
    place = path.relative_to(ROOT).with_suffix("").parts
    return place[0] if place[0] == "scorers" else place[1]


FILES = [*(ROOT / "negation_evals").rglob("*.py"), *(ROOT / "scorers").rglob("*.py")]


def test_imports_run_one_way() -> None:
    for path in FILES:
        part = part_of(path)
        for top in (True, False):
            by_need = not top or any(map(str(path).endswith, LOADED_BY_NEED))
            allowed = MAY_IMPORT[part] | (BY_NEED.get(part, set()) if by_need else set())
            for name in imports(path, top):
                package, _, module = name.partition(".")
                assert not (package == "inspect_ai" and "._" in name), f"{path}: {name}"
                if package == "negation_evals":
                    target = module or "__init__"
                    assert {target, target.split(".")[0]} & allowed, f"{path}: {name}"
