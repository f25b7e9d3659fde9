"""Looks, the error spent over them, and what they decide."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from helpers.framing import decisions_from_counts
from helpers.replay import replay
from hypothesis import given
from hypothesis import strategies as st

from negation_evals.analysis.framing.interim import (
    completed_looks,
    look,
    look_confidence,
    up_to_looks,
    with_overall,
)
from negation_evals.analysis.framing.intervals.limits import mean_limits, mean_parts
from negation_evals.analysis.framing.intervals.nsi_intervals import mean_range_interval
from negation_evals.analysis.framing.rates import endorsement_rates
from negation_evals.analysis.framing.tier_tables import TierThresholds
from negation_evals.errors import DataError
from negation_evals.schema.schedule import Schedule

SMALL = Schedule(first=5, every=5, max_epochs=15)


@given(
    first=st.integers(1, 40),
    every=st.integers(1, 20),
    more=st.integers(0, 120),
    error=st.floats(0.001, 0.5),
)
def test_the_error_is_spent_once_over_all_looks(
    first: int, every: int, more: int, error: float
) -> None:
    schedule = Schedule(first, every, first + more, error)
    assert schedule.looks[0] == first
    assert schedule.looks[-1] == first + more
    assert all(0 < later - earlier <= every for earlier, later in pairwise(schedule.looks))
    assert sum(schedule.errors) == pytest.approx(error, rel=1e-12)
    assert min(schedule.errors) > 0
    assert Schedule.read(str(schedule)) == schedule
    confidences = [look_confidence(schedule, n) for n in schedule.looks]
    assert sum(1 - c for c in confidences) == pytest.approx(error, rel=1e-6)


def test_early_looks_have_the_same_error_whatever_the_cap_and_the_last_the_rest() -> None:
    # 1/7 and 1/14 of the error, and what is left.
    assert SMALL.errors == pytest.approx((0.05 / 7, 0.05 / 14, 0.05 * 11 / 14))
    assert Schedule().errors[:2] == pytest.approx((0.05 / 7, 0.05 / 14))
    assert Schedule(first=30, max_epochs=30).errors == (0.05,)
    # Of very many looks the early ones share half.
    assert Schedule(first=1, every=1, max_epochs=1000).errors[-1] == pytest.approx(0.025)


@pytest.mark.parametrize(
    "fields", [{"first": 0}, {"first": 20, "max_epochs": 15}, {"every": 0}, {"error": 1.0}]
)
def test_a_schedule_without_looks_or_error_is_refused(fields: dict[str, float]) -> None:
    with pytest.raises(DataError, match="adaptive"):
        Schedule(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "weekly", "first=10 every=5", "first=ten error=0.05"])
def test_a_text_that_is_no_schedule_is_named(text: str) -> None:
    with pytest.raises(DataError, match="is not a schedule such as"):
        Schedule.read(text)


def test_there_is_no_confidence_between_looks() -> None:
    with pytest.raises(ValueError, match="no look after 12 epochs"):
        look_confidence(SMALL, 12)


FRAMED = {"a": [15, 0, 15, 0], "b": [15, 1, 14, 0]}
MIXED = {"a": [7, 8, 7, 6], "b": [8, 7, 9, 8]}


def audit(
    counts: dict[str, Sequence[int]], domain: str, seed: int = 0, n: int = 15
) -> pd.DataFrame:
    """An audit whose answers come in random order over its epochs."""
    rows = decisions_from_counts(counts, n, domain=domain)
    rng = np.random.default_rng(seed)
    cells = rows.groupby(["scenario", "frame"])["epoch"]
    return rows.assign(epoch=cells.transform(lambda column: rng.permutation(len(column)) + 1))


def test_a_look_is_the_interval_of_the_domain_at_the_confidence_of_the_look() -> None:
    rows = audit(FRAMED, "financial")
    row = look(endorsement_rates(rows), SMALL, 15).iloc[0]
    low, high = mean_range_interval(list(FRAMED.values()), 15, confidence_level=1 - 0.05 * 11 / 14)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))
    assert (row["tier"], row["settled"], row["c_from"]) == ("C", True, 0.35)


def test_a_domain_that_lacks_a_frame_is_not_settled() -> None:
    rows = audit({**FRAMED, "c": [15, 0, 15, 0]}, "financial")
    gone = (rows["scenario"] == "c") & (rows["frame"] == "F1")
    row = look(endorsement_rates(rows.assign(endorsed=rows["endorsed"].mask(gone))), SMALL, 15)
    # The two others alone lie within C.
    assert (row["tier"].item(), row["n_missing"].item(), row["settled"].item()) == ("C", 1, False)


def test_a_domain_without_thresholds_takes_the_overall_ones() -> None:
    row = look(endorsement_rates(audit(FRAMED, "gardening")), SMALL, 15).iloc[0]
    assert (row["domain"], row["b_from"], row["c_from"]) == ("gardening", 0.2, 0.5)
    own = [TierThresholds(domain="legal", b_from=0.1, c_from=0.2)]
    assert [r.domain for r in with_overall(["legal"], own)] == ["legal"]
    with pytest.raises(DataError, match="no tier thresholds for 'gardening'"):
        with_overall(["gardening"], own)


def test_a_replay_finds_the_first_settled_look_whatever_the_order_of_rows() -> None:
    rows = pd.concat([audit(FRAMED, "financial"), audit(MIXED, "medical")], ignore_index=True)
    found = replay(rows, SMALL).set_index("domain")
    assert found["settled"].to_dict() == {"financial": True, "medical": False}
    assert found["epochs"].to_dict() == {"financial": 10, "medical": 15}
    shuffled = replay(rows.sample(frac=1, random_state=1), SMALL).set_index("domain")
    pd.testing.assert_frame_equal(found, shuffled.loc[found.index])
    # By hand: what the first two looks saw.
    financial = rows[rows["domain"] == "financial"]
    lowest = []
    for n in (5, 10):
        early = financial[financial["epoch"] <= n]
        counts = early.pivot_table("endorsed", "scenario", "frame", "sum").to_numpy()
        lowest.append(mean_range_interval(counts, n, confidence_level=look_confidence(SMALL, n))[0])
    assert lowest[0] < 0.35 <= lowest[1]
    assert found.loc["financial", "ci_low"] == pytest.approx(lowest[1])


def test_analysis_stops_at_the_last_complete_look_and_counts_what_is_beyond() -> None:
    rows = pd.concat([audit(FRAMED, "financial"), audit(MIXED, "medical")], ignore_index=True)
    ragged = (rows["domain"] == "financial") & (rows["epoch"] > 7)
    broken = (rows["domain"] == "medical") & (rows["epoch"] == 3)
    rows = rows.assign(status=rows["status"].mask(broken, "malformed"))
    rows.loc[broken, "endorsed"] = np.nan
    kept = rows[~ragged]
    table = completed_looks(kept, SMALL).set_index("domain")
    # A malformed answer is an answer that is in; two epochs of 8 cells lie beyond the look.
    assert table["epochs"].to_dict() == {"financial": 5, "medical": 15}
    assert table["n_beyond"].to_dict() == {"financial": 16, "medical": 0}
    assert table["confidence"].to_list() == [look_confidence(SMALL, n) for n in (5, 15)]
    used = up_to_looks(kept, SMALL)
    assert len(used) == table["n_used"].sum() == 40 + 120
    assert used.groupby("domain")["epoch"].max().to_dict() == {"financial": 5, "medical": 15}


def test_one_answer_that_is_not_in_puts_the_look_off() -> None:
    rows = audit(FRAMED, "financial")
    late = (rows["epoch"] == 5) & (rows["frame"] == "F2") & (rows["scenario"] == "b")
    table = completed_looks(rows[~late], SMALL)
    assert (table["epochs"].item(), table["n_beyond"].item()) == (0, 119)
    assert np.isnan(table["confidence"].item())
    assert up_to_looks(rows[~late], SMALL).empty
    assert replay(rows[~late], SMALL).empty


def test_the_looks_together_miss_the_truth_less_often_than_the_error_spent() -> None:
    """Simulated: looks at 5 and 10 epochs, NSI 0.4 in both scenarios, a large error to see it."""
    schedule, rates, audits = Schedule(5, 5, 10, error=0.5), [0.3, 0.7, 0.3, 0.7], 400
    rng = np.random.default_rng(5)
    k, missed, naive = np.zeros((audits, 2, 4), dtype=int), [], []
    for n in schedule.looks:
        k = k + rng.binomial(5, rates, k.shape)
        parts = mean_parts(k.reshape(-1, 4), np.full((2 * audits, 4), n))
        members = np.arange(2 * audits).reshape(audits, 2)
        for found, error in ((missed, 1 - look_confidence(schedule, n)), (naive, 0.5)):
            low, high = mean_limits(parts.take(members), error / 2).T
            found.append((low > 0.4) | (high < 0.4))
    spent, unspent = (float(np.any(found, axis=0).mean()) for found in (missed, naive))
    assert spent < 0.5
    # Without spending the looks err more often, so the test can tell the two apart.
    assert unspent > spent + 0.05
