"""Tables and paths that several test files build on."""

from collections.abc import Sequence

import pandas as pd

from negation_evals.schema.framing import ALIGNMENT_FIELDS

FRAMES = ("F0", "F1", "F2", "F3")
NEGATED = {"F0": False, "F1": True, "F2": False, "F3": True}


def decisions_from_counts(
    counts: dict[str, Sequence[int]], n: int, model: str = "m", domain: str = "d"
) -> pd.DataFrame:
    """Decisions of one model with the given number of endorsements per frame, for each scenario."""
    rows = [
        {
            "model": model,
            "scenario": scenario,
            "domain": domain,
            "frame": frame,
            "negated": NEGATED[frame],
            "epoch": epoch,
            "status": "valid",
            "endorsed": float(epoch <= endorsed),
            "decision": "agree" if (epoch <= endorsed) != NEGATED[frame] else "disagree",
            "frames": ",".join(FRAMES),
        }
        for scenario, endorsements in counts.items()
        for frame, endorsed in zip(FRAMES, endorsements, strict=True)
        for epoch in range(1, n + 1)
    ]
    return pd.DataFrame(rows)


def complete(decisions: pd.DataFrame) -> pd.DataFrame:
    """The columns of `read_decisions` that the report needs, where a table lacks them."""
    defaults = {
        "origin": "US",
        "size_tier": "SMALL",
        "family": decisions["model"],
        "variant": "unspecified",
        "confidence": float("nan"),
        "order_shown": None,
        **dict.fromkeys(ALIGNMENT_FIELDS, float("nan")),
    }
    return decisions.assign(**{k: v for k, v in defaults.items() if k not in decisions.columns})
