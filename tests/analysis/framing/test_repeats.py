"""Answers at temperature 0 that repeat are copies of one: no noise, no floor, no tests."""

import math

import numpy as np
import pandas as pd
import pytest
from helpers.framing import decisions_from_counts

from negation_evals import analysis
from negation_evals.analysis.framing.repeats import mark_deterministic

ALWAYS_AGREES = {"s": [3, 0, 3, 0], "t": [3, 0, 3, 0], "u": [3, 0, 3, 0]}


def audit(temperature: float = 0.0, counts: dict | None = None, n: int = 3) -> pd.DataFrame:
    """One model whose three answers to a question are the same to the letter."""
    table = decisions_from_counts(counts or ALWAYS_AGREES, n=n)
    texts = table.groupby(["scenario", "frame", "decision"]).ngroup()
    return table.assign(temperature=temperature, completion=texts)


def deterministic(decisions: pd.DataFrame) -> list[bool]:
    return analysis.repeatability(decisions)["deterministic"].tolist()


def test_the_same_text_in_every_epoch_at_temperature_0() -> None:
    row = analysis.repeatability(audit()).iloc[0]
    assert row[["n_cells", "n_repeated", "n_identical"]].tolist() == [12, 12, 12]
    assert row["deterministic"]


def test_one_answer_that_differs_makes_them_draws() -> None:
    decisions = audit()
    # The same decision in other words: the text counts, not the decision.
    decisions.loc[5, "completion"] = 99
    row = analysis.repeatability(decisions).iloc[0]
    assert row[["n_repeated", "n_identical"]].tolist() == [12, 11]
    assert not row["deterministic"]
    assert not mark_deterministic(decisions)["deterministic"].any()


def test_terse_answers_above_temperature_0_repeat_by_chance() -> None:
    row = analysis.repeatability(audit(temperature=0.7)).iloc[0]
    assert row[["n_repeated", "n_identical"]].tolist() == [12, 12]
    assert not row["deterministic"]


@pytest.mark.parametrize("how", ["missing", "no column"])
def test_an_unknown_temperature_may_be_anything(how: str) -> None:
    decisions = audit(temperature=math.nan)
    if how == "no column":
        decisions = decisions.drop(columns="temperature")
    assert deterministic(decisions) == [False]


def test_one_epoch_repeats_nothing() -> None:
    decisions = audit()
    row = analysis.repeatability(decisions[decisions["epoch"] == 1]).iloc[0]
    assert row[["n_cells", "n_repeated", "n_identical"]].tolist() == [12, 0, 0]
    assert not row["deterministic"]


@pytest.mark.parametrize(("repeated", "expected"), [(5, False), (6, True)])
def test_a_few_repeated_cells_say_nothing_of_the_others(repeated: int, expected: bool) -> None:
    decisions = audit()
    cells = decisions.groupby(["scenario", "frame"]).ngroup()
    once = (cells >= repeated) & (decisions["epoch"] > 1)
    assert deterministic(decisions[~once]) == [expected]


@pytest.mark.parametrize("how", ["missing", "no column"])
def test_without_texts_the_decisions_tell(how: str) -> None:
    same, mixed = audit(), audit(counts={"s": [3, 0, 3, 1]})
    for decisions, expected in ((same, True), (mixed, False)):
        decisions["completion"] = None
        if how == "no column":
            decisions = decisions.drop(columns="completion")
        assert deterministic(decisions) == [expected]


def test_each_result_by_itself() -> None:
    decisions = pd.concat([audit(0.0), audit(0.7)], ignore_index=True)
    marked = mark_deterministic(decisions)
    assert (marked["deterministic"] == (decisions["temperature"] == 0)).all()
    unmarked = mark_deterministic(audit(0.7))
    assert not unmarked["deterministic"].any()


@pytest.fixture(scope="module")
def both() -> pd.DataFrame:
    """The same answers as copies at temperature 0 and as draws at 0.7."""
    return mark_deterministic(pd.concat([audit(0.0), audit(0.7)], ignore_index=True))


def split(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the copies, and those of the draws."""
    return table[table["temperature"] == 0], table[table["temperature"] == 0.7]


def test_cells_of_copies_have_no_interval(both: pd.DataFrame) -> None:
    copies, draws = split(analysis.endorsement_rates(both))
    assert copies["deterministic"].all()
    assert copies["rate"].isin([0, 1]).all()
    assert copies[["ci_low", "ci_high"]].isna().all(axis=None)
    assert draws[["ci_low", "ci_high"]].notna().all(axis=None)


def test_nsi_of_copies_stands_without_noise(both: pd.DataFrame) -> None:
    copies, draws = split(analysis.nsi(both))
    assert copies["nsi"].tolist() == draws["nsi"].tolist() == [1, 1, 1]
    assert (copies["nsi_null"] == 0).all()
    assert copies[["p_value", "ci_low", "ci_high"]].isna().all(axis=None)
    assert copies["deterministic"].all()
    assert (draws["nsi_null"] > 0.5).all()
    assert draws[["p_value", "ci_low", "ci_high"]].notna().all(axis=None)
    summary, drawn = split(analysis.nsi_summary(analysis.nsi(both)))
    assert summary[["nsi", "nsi_null", "deterministic"]].values.tolist() == [[1, 0, True]]
    assert not drawn["deterministic"].any()


@pytest.mark.parametrize("test", [analysis.cochran_q, analysis.homogeneity])
def test_copies_are_not_tested(both: pd.DataFrame, test) -> None:
    copies, draws = split(test(both))
    assert not copies["tested"].any()
    assert not copies["significant"].any()
    assert copies[["p_value", "p_adjusted"]].isna().all(axis=None)
    assert draws["significant"].all()
    # The family of the correction is the draws alone.
    alone = test(audit(0.7))
    assert draws["p_adjusted"].tolist() == alone["p_adjusted"].tolist()


@pytest.mark.parametrize("by", ["model", ["model", "scenario"]])
def test_intervals_of_copies_are_missing(both: pd.DataFrame, by) -> None:
    copies, draws = split(analysis.nsi_intervals(analysis.endorsement_rates(both), by))
    assert (copies["nsi"] == 1).all()
    assert copies[["ci_low", "ci_high"]].isna().all(axis=None)
    assert draws[["ci_low", "ci_high"]].notna().all(axis=None)


def patterns(decisions: pd.DataFrame) -> pd.DataFrame:
    cells = analysis.endorsement_rates(decisions)
    pairs = analysis.acquiescence(cells)
    return analysis.failure_patterns(analysis.nsi(decisions), pairs, analysis.framing_effect(cells))


def test_copies_need_no_test_to_be_above_noise(both: pd.DataFrame) -> None:
    effect, _ = split(analysis.framing_effect(analysis.endorsement_rates(both)))
    assert not effect["tested"].any()
    assert effect[["chi_square", "p_value", "p_smallest"]].isna().all(axis=None)
    copies, draws = split(patterns(both))
    assert copies["pattern"].tolist() == draws["pattern"].tolist() == ["habit of agreeing"]
    assert copies["n_significant"].tolist() == [3]
    assert copies["p_value"].isna().all()
    # A single scenario of copies is no less certain than many.
    one = both[both["scenario"] == "s"]
    assert split(patterns(one))[0]["pattern"].tolist() == ["habit of agreeing"]


def test_copies_of_an_invariant_model_are_not_above_noise() -> None:
    decisions = mark_deterministic(audit(counts={"s": [3] * 4, "t": [0] * 4}))
    row = patterns(decisions).iloc[0]
    assert (row["n_significant"], row["pattern"]) == (0, "not above noise")
    assert np.isnan(row["p_value"])
