"""Do repeated answers repeat? At temperature 0 they may be copies of one answer, not draws."""

import pandas as pd

from negation_evals.analysis.common.columns import require_columns
from negation_evals.analysis.framing.columns import RESULTS


def repeatability(decisions: pd.DataFrame) -> pd.DataFrame:
    """Whether each result's repeated answers to the same question are the same.

    Args:
        decisions: Columns model, scenario, frame, decision, and any of completion (the hash of an
            answer's text), temperature and the settings.

    Returns:
        `<keys>`, n_cells, n_repeated (cells with two answers or more), n_identical (of these, the
        cells whose answers are all the same: the texts to the letter or, where no text is known,
        the decisions), deterministic: the temperature is 0, at least half of the cells
        are repeated, and all that are repeated are identical.

    Raises:
        ValueError: a column is missing.
    """
    require_columns(decisions, ["model", "scenario", "frame", "decision"], "repeatability")
    keys = RESULTS.keys(decisions)
    answers = decisions[[*keys, "scenario", "frame"]].assign(answer=decisions["decision"], cold=0.0)
    if "completion" in decisions.columns:
        answers["answer"] = decisions["completion"].where(
            decisions["completion"].notna(), decisions["decision"]
        )
    # A temperature that is not stated may be anything.
    answers["cold"] = (decisions["temperature"] == 0) if "temperature" in decisions.columns else 0.0
    cells = answers.groupby([*keys, "scenario", "frame"], sort=False, dropna=False)
    counts = cells.agg(
        n=("answer", "count"), different=("answer", "nunique"), cold=("cold", "min")
    ).reset_index()
    counts["n_repeated"] = counts["n"] > 1
    counts["n_identical"] = counts["n_repeated"] & (counts["different"] == 1)
    table = (
        counts.groupby(keys, sort=False, dropna=False)
        .agg(
            n_cells=("n", "size"),
            n_repeated=("n_repeated", "sum"),
            n_identical=("n_identical", "sum"),
            cold=("cold", "min"),
        )
        .reset_index()
    )
    # A few repeated cells say nothing of the others.
    enough = 2 * table["n_repeated"] >= table["n_cells"]
    repeats = enough & (table["n_identical"] == table["n_repeated"])
    table["deterministic"] = repeats & (table.pop("cold") > 0)
    return table


def mark_deterministic(decisions: pd.DataFrame) -> pd.DataFrame:
    """The table `decisions` with the column `deterministic` of `repeatability`.

    Such answers carry no sampling noise, however many there are: the statistics state their values
    without floor, test and interval.
    """
    cold = decisions["temperature"] == 0
    if not cold.any():
        return decisions.assign(deterministic=False)
    table = repeatability(decisions)
    keys = RESULTS.keys(decisions)
    marked = decisions[keys].merge(table[[*keys, "deterministic"]], on=keys, how="left")
    return decisions.assign(deterministic=marked["deterministic"].to_numpy(dtype=bool))
