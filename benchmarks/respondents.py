"""26 simulated respondents centred on the endorsement rates of arXiv:2601.09724, Table 8.

Models, origins and compliance are those of the paper's Tables 1 and 11, the rates by origin and
frame those of Table 8. How the rates spread over scenarios and models is ours.
"""

import numpy as np
import pandas as pd

from negation_evals.files.bundled import dataset_path
from negation_evals.framing.scenarios import load_scenarios
from negation_evals.framing.select import DEFAULT_FRAMES, select_frames
from negation_evals.models.simulated.respondents import Respondent
from negation_evals.scorers.framing.read_decision import read_decision

SOURCE = "2601.09724"
EXCLUDED = {"rnj-1-8b": "OSS", "qwen3-235b-thinking": "CN", "gemini-3-pro-preview": "US"}
EXCLUDED_COMPLIANCE = {
    "rnj-1-8b": 0.6607,
    "qwen3-235b-thinking": 0.6202,
    "gemini-3-pro-preview": 0.0226,
}
"""The three models of Table 11 that the paper left out."""

SPREAD = 1.2
"""SD over scenarios of the logit of a rate."""
MODEL_SD = 0.06
"""SD over models of a rate."""


def published_respondents(epsilon: float = 0.02) -> dict[str, Respondent]:
    """The respondents by model name; rates are kept `epsilon` away from 0 and 1."""
    rates = pd.read_csv(dataset_path("published_endorsement.csv"), dtype={"source": str})
    rates = rates[rates["source"] == SOURCE].set_index(["origin", "frame"])["rate"]
    models = pd.read_csv(dataset_path("published_nsi.csv"), dtype={"source": str})
    models = models[models["source"] == SOURCE]
    audited = dict(zip(models["model"], models["origin"], strict=True)) | EXCLUDED
    compliance = dict(zip(models["model"], models["compliance"], strict=True))
    compliance |= EXCLUDED_COMPLIANCE
    generator = np.random.default_rng(0)
    respondents = {}
    for number, (model, origin) in enumerate(audited.items()):
        shifts = generator.normal(0, MODEL_SD, len(rates.loc[origin]))
        shifted = np.clip(rates.loc[origin] + shifts, epsilon, 1 - epsilon)
        respondents[f"simulated/{model}"] = Respondent(
            "framed",
            p=shifted.to_dict(),
            share=round(1 - float(compliance[model]), 4),
            spread=SPREAD,
            seed=number,
        )
    return respondents


def published_decisions(epochs: int = 30) -> pd.DataFrame:
    """What an audit of the respondents gives, as a table of one's own (no log is written)."""
    frames = {frame.id: frame for frame in select_frames(DEFAULT_FRAMES)}
    rows = []
    for model, respondent in published_respondents().items():
        for scenario in load_scenarios("sff").scenarios:
            for frame in frames.values():
                asked = {"scenario": scenario.id, "domain": scenario.domain, "frame": frame.id}
                for epoch in range(1, epochs + 1):
                    text = respondent.answer(scenario.id, frame.id, frame.negated, epoch)
                    reading = read_decision(text)
                    answer = {
                        "epoch": epoch,
                        "status": str(reading.status),
                        "decision": reading.decision,
                        "confidence": reading.confidence,
                    }
                    rows.append({"model": model, "negated": frame.negated} | asked | answer)
    return pd.DataFrame(rows).assign(frames=",".join(frames))
