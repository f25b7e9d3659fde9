"""Modules stay within 300 lines, and functions within 60 but for those with a reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

from helpers.paths import ROOT

MODULE, FUNCTION = 300, 60
LONG = {
    "certify": "each field of a certificate once, in the order of the file",
    "framing_tables": "a line for each table of the report",
    "tests": "prose and two tables of one section",
}
"""Functions that are longer, and why. A docstring does not count."""


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a file with its lines, without its docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            documented = ast.get_docstring(node) is not None
            docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
            yield node.name, (node.end_lineno or 0) - node.lineno + 1 - docstring


def test_modules_and_functions_are_small() -> None:
    longer = set()
    for folder in ("negation_evals", "scorers"):
        for path in (ROOT / folder).rglob("*.py"):
            lines = path.read_text(encoding="utf-8").count("\n")
            assert lines <= MODULE, f"{path}: {lines} lines"
            longer |= {name for name, lines in functions(path) if lines > FUNCTION}
    assert longer == set(LONG)
