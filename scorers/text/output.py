"""How a model's output ended, also where there is none."""

from typing import Final

from inspect_ai.model import ModelOutput

NO_OUTPUT: Final = "no_output"
"""A limit was met before any answer, or the provider gave none."""


def stop_reason(output: ModelOutput) -> str:
    """Inspect's stop reason, or `NO_OUTPUT`: Inspect scores samples that met a limit, too."""
    return str(output.stop_reason) if output.choices else NO_OUTPUT


NO_REPLY: Final = "There is no reply: a limit was met before it, or the provider gave none."
