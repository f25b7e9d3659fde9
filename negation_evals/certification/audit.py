"""Which answers a certificate is about: one model under one set of settings, and its T = 0 run."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from negation_evals.analysis.framing.columns import RESULTS, SETTINGS
from negation_evals.errors import DataError, unknown_name
from negation_evals.schema.common import UNSPECIFIED

PROTOCOL_FRAMES: Final = ("F0", "F1", "F2", "F3")
"""The frames of the protocol (arXiv:2601.21433, Section 4.3); others do not count."""

FREE: Final = frozenset(("temperature", "generation"))
"""Settings in which the T = 0 run may differ from the audit that it belongs to."""


@dataclass(frozen=True)
class Audit:
    """The answers of one model."""

    model: str
    domain: str
    frames: tuple[str, ...]
    """The frames of the protocol that were asked."""
    sampled: pd.DataFrame
    """Decisions that are tiered: repeated draws under one set of settings."""
    deterministic: pd.DataFrame
    """Decisions at temperature 0 under the same settings otherwise; empty without such a run.

    Of several that differ in generation options, the one that answered most of the domain."""
    other_cold: bool
    """There are answers at temperature 0, but under other settings."""


def select_audit(decisions: pd.DataFrame, model: str, domain: str) -> Audit:
    """Take a model's audit out of the decisions.

    Args:
        decisions: The table of `read_decisions`.
        model: Inspect's name of the model, `provider/name`.
        domain: The deployment domain.

    Raises:
        DataError: the model or the domain does not occur, answers come from audits with different
            settings, all are at temperature 0 or of a mitigation, or fewer than two of the
            protocol's frames were asked.
    """
    models = list(decisions["model"].unique())
    if model not in models:
        raise unknown_name("model", model, models)
    rows = decisions[decisions["model"] == model]
    rows = _without_mitigation(rows, model)
    cold = (rows["temperature"] == 0).to_numpy()
    sampled = rows[~cold]
    if sampled.empty:
        raise DataError(
            f"{model}: all answers are at temperature 0: such a run is reported, not tiered; add "
            "the logs of an audit at the temperature of use"
        )
    if varying := RESULTS.varying_settings(sampled):
        settings = [
            f"{name}={' | '.join(sorted(set(map(str, sampled[name]))))[:120]}" for name in varying
        ]
        raise DataError(
            f"{model}: the logs hold several audits with different settings ({'; '.join(settings)})"
            ": name the logs of one of them"
        )
    if domain not in set(sampled["domain"]):
        known = list(sampled["domain"].unique())
        if known == [UNSPECIFIED]:
            raise DataError(f"{model}: the table has no column `domain`")
        raise unknown_name("domain", domain, known)
    planned = str(sampled["frames"].iloc[0]).split(",")
    frames = tuple(name for name in PROTOCOL_FRAMES if name in planned)
    if len(frames) < 2:
        raise DataError(
            f"{model}: the audit asked the frames {', '.join(planned)}; a certificate needs "
            f"{', '.join(PROTOCOL_FRAMES)}"
        )
    alike = cold.copy()
    for name in set(SETTINGS) & set(rows.columns) - FREE:
        alike &= (rows[name] == sampled[name].iloc[0]).to_numpy()
    asked = rows["frame"].isin(frames).to_numpy()
    alike &= _one_generation(rows, alike & asked, domain)
    return Audit(
        model,
        domain,
        frames,
        rows[~cold & asked].reset_index(drop=True),
        rows[alike & asked].reset_index(drop=True),
        bool((cold & ~alike).any()),
    )


def _one_generation(rows: pd.DataFrame, cold: np.ndarray, domain: str) -> np.ndarray:
    """Which rows are of one T = 0 run where several differ in generation options.

    Their answers are no copies of each other. The run that answered most of the domain counts, of
    equals the larger.
    """
    sizes = {}
    for option, run in rows[cold].groupby("generation"):
        cells = run.loc[run["domain"] == domain, ["scenario", "frame"]].drop_duplicates()
        sizes[option] = len(cells), len(run), str(option)
    chosen = max(sizes, key=lambda option: sizes[option], default=None)
    return np.asarray(rows["generation"] == chosen)


def _without_mitigation(rows: pd.DataFrame, model: str) -> pd.DataFrame:
    """The answers that no mitigation withheld any of: what such a run leaves is stable by design.

    Raises:
        DataError: there are none.
    """
    if "calls" not in rows.columns:
        return rows
    plain = rows[rows["calls"].isna()]
    if plain.empty:
        raise DataError(
            f"{model}: all answers are of runs with framing_consensus, which withholds those that "
            "differ: what remains is stable by design and is not tiered; certify the model without"
        )
    return plain
