"""Results and their settings in a few words, the same wherever they are named."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

SHA256_DIGITS = 64


def result_labels(table: pd.DataFrame, settings: Sequence[str]) -> list[str]:
    """One short label per row: the model, and the settings that vary in brackets.

    Args:
        table: A table of results.
        settings: The columns to name.
    """
    details = settings_labels(table, settings)
    return [
        f"{model} ({detail})" if detail else str(model)
        for model, detail in zip(table["model"], details, strict=True)
    ]


def settings_labels(table: pd.DataFrame, settings: Sequence[str]) -> list[str]:
    """One label per row from the settings alone; empty where none varies."""
    settings = list(settings)
    rows = table[settings].to_dict("records") if settings else [{}] * len(table)
    return [", ".join(setting_label(name, row[name]) for name in settings) for row in rows]


def setting_label(name: str, value: Any) -> str:
    """One setting in a few characters, such as `T=0.7` or `structured`."""
    if pd.isna(value):
        return f"{'T' if name == 'temperature' else name.replace('_', ' ')} unset"
    if name == "temperature":
        return f"T={value:g}"
    if name == "structured":
        return "structured" if value else "free text"
    if name == "cot":
        return "step by step" if value else "answer alone"
    if name == "shots":
        return f"{value}-shot"
    if name == "seed":
        return f"seed {value}"
    if name == "solver":
        return f"solver {value or 'built in'}"
    if name == "data_hash":
        return f"data {value[:8] if len(value) == SHA256_DIGITS else value}"
    if name == "version":
        return f"version {value}"
    return str(value) or "defaults"
