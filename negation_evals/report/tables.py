"""The tables of the report, each a call into `negation_evals.analysis`; no formatting here."""

from typing import Any

import pandas as pd

from negation_evals.analysis import (
    cochran_q,
    compliance,
    endorsement_by_frame,
    endorsement_rates,
    nsi,
    nsi_summary,
)
from negation_evals.analysis.columns import SETTINGS

SHA256_DIGITS = 64
WORST = 10
"""How many scenarios the table `worst_scenarios` holds for each model and settings."""


def report_tables(decisions: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table of the report by name; each is also written as CSV and into `results.json`.

    Args:
        decisions: The table of `read_decisions`.

    Returns:
        `ranking` (nsi_summary by model with rank, origin, size_tier, share_significant, n_tested,
        compliance), `nsi_by_domain`, `nsi_by_model_and_domain`, `endorsement_by_frame`, `nsi`,
        `cells`, `cochran_q`, `compliance`, `worst_scenarios` (rows of `nsi`, the highest first).
    """
    cells = endorsement_rates(decisions)
    scenarios = nsi(decisions)
    q = cochran_q(decisions)
    answers = compliance(decisions)
    return {
        "ranking": _ranking(decisions, scenarios, q, answers),
        "nsi_by_domain": nsi_summary(scenarios, by="domain").sort_values(
            "nsi", ascending=False, kind="stable", ignore_index=True
        ),
        "nsi_by_model_and_domain": nsi_summary(scenarios, by=["model", "domain"]),
        "endorsement_by_frame": endorsement_by_frame(cells),
        "worst_scenarios": _worst(scenarios),
        "nsi": scenarios,
        "cells": cells.drop(columns="frames", errors="ignore"),
        "cochran_q": q,
        "compliance": answers,
    }


def table_keys(table: pd.DataFrame) -> list[str]:
    """The columns that say what one result stands for: the model and the varying settings."""
    return ["model", *(setting for setting in SETTINGS if setting in table.columns)]


def result_labels(table: pd.DataFrame) -> list[str]:
    """One short label per row: the model, and the settings that vary in brackets."""
    settings = table_keys(table)[1:]
    labels = []
    for row in table.to_dict("records"):
        details = ", ".join(setting_label(name, row[name]) for name in settings)
        labels.append(f"{row['model']} ({details})" if details else str(row["model"]))
    return labels


def setting_label(name: str, value: Any) -> str:
    """One setting in a few characters, such as `T=0.7` or `structured`."""
    if name == "temperature":
        return "T unset" if pd.isna(value) else f"T={value:g}"
    if name == "structured":
        return "structured" if value else "free text"
    if name == "solver":
        return f"solver {value or 'built in'}"
    if name == "data_hash":
        return f"data {value[:8] if len(value) == SHA256_DIGITS else value}"
    if name == "version":
        return f"version {value}"
    return str(value) or "defaults"


def _ranking(
    decisions: pd.DataFrame, scenarios: pd.DataFrame, q: pd.DataFrame, answers: pd.DataFrame
) -> pd.DataFrame:
    """Models by mean NSI, the most framing-sensitive first; those without NSI come last."""
    keys = table_keys(scenarios)
    origins = decisions[["model", "origin", "size_tier"]].drop_duplicates("model")
    tested = (
        q.groupby(keys, sort=False, dropna=False)
        .agg(n_tested=("tested", "sum"), n_significant=("significant", "sum"))
        .reset_index()
    )
    tested["share_significant"] = tested["n_significant"] / tested["n_tested"].where(
        tested["n_tested"] > 0
    )
    table = (
        nsi_summary(scenarios, by="model")
        .merge(origins, on="model", how="left")
        .merge(tested.drop(columns="n_significant"), on=keys, how="left")
        .merge(answers[[*keys, "compliance"]], on=keys, how="left")
        .sort_values(["nsi", "model"], ascending=[False, True], kind="stable", ignore_index=True)
    )
    table.insert(0, "rank", table["nsi"].rank(method="min", ascending=False).astype("Int64"))
    return table


def _worst(scenarios: pd.DataFrame) -> pd.DataFrame:
    ordered = scenarios.dropna(subset="nsi").sort_values("nsi", ascending=False, kind="stable")
    keys = table_keys(scenarios)
    return ordered.groupby(keys, sort=False, dropna=False).head(WORST).reset_index(drop=True)
