"""Tables and paths that several test files build on."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parent / "data"
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
            "frames": ",".join(FRAMES),
        }
        for scenario, endorsements in counts.items()
        for frame, endorsed in zip(FRAMES, endorsements, strict=True)
        for epoch in range(1, n + 1)
    ]
    return pd.DataFrame(rows)
