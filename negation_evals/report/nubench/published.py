"""Published accuracies of NUBench."""

from negation_evals.report.framing.published import _read


def human_accuracy() -> dict[str, float]:
    """Accuracy of the paper's readers on NUBench: mean, low and high, in [0, 1]."""
    row = _read("published_nubench_humans.csv").iloc[0]
    return {name: float(row[name]) for name in ("mean", "low", "high")}
