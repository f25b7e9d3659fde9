"""Statistics over Inspect logs: tables in, tables out; no model is called, nothing is printed.

The public names stand in `__init__.pyi`, for type checkers and for this module alike. Each is
imported when it is first used: pandas and statsmodels take a second to load.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_STUB: Final = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_MODULES: Final = {
    name.name: str(statement.module)
    for statement in _STUB.body
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}
"""The module of each public name."""

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
