"""Rates, intervals, compliance, and Cochran's Q with its correction."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from helpers.framing import FRAMES, complete, decisions_from_counts
from helpers.paths import DATA
from scipy.stats import chi2

from negation_evals.analysis import (
    adjust_fdr,
    answer_order_effect,
    cochran_q,
    compliance,
    endorsement_by_frame,
    endorsement_rates,
)

CASES = {
    c["id"]: c
    for c in map(json.loads, (DATA / "parser_cases.jsonl").open(encoding="utf-8"))
    if c["kind"] in {"stats", "log"}
}


def cell(endorsed: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": "m",
            "scenario": "s",
            "domain": "d",
            "frame": "F0",
            "epoch": range(1, len(endorsed) + 1),
            "endorsed": endorsed,
        }
    )


def test_epochs_give_the_rate() -> None:
    expected = CASES["log-005"]["expected"]
    row = endorsement_rates(cell([1, 1, 0])).iloc[0]
    assert (row["n"], row["n_valid"]) == (3, expected["n_valid"])
    assert row["rate"] == pytest.approx(expected["rate"], abs=5e-5)


def test_nan_is_neither_zero_nor_a_nan_mean() -> None:
    expected = CASES["log-006"]["expected"]
    row = endorsement_rates(cell([1, 0, np.nan, 1])).iloc[0]
    assert (row["n"], row["n_valid"]) == (expected["n"], expected["n_valid"])
    assert row["rate"] == pytest.approx(expected["rate"], abs=5e-5)


def test_wilson_interval_at_the_bound() -> None:
    low, high = CASES["sta-012"]["expected"]["ci"]
    row = endorsement_rates(cell([0.0] * 30)).iloc[0]
    assert row["rate"] == 0
    assert row["ci_low"] == pytest.approx(low, abs=1e-12)
    assert row["ci_high"] == pytest.approx(high, abs=5e-5)
    # Wilson's formula for k = 0: z^2 / (n + z^2).
    z2 = 1.959963984540054**2
    assert row["ci_high"] == pytest.approx(z2 / (30 + z2), abs=1e-12)


def test_a_cell_without_valid_answers_has_no_rate() -> None:
    row = endorsement_rates(cell([np.nan, np.nan])).iloc[0]
    assert (row["n"], row["n_valid"], row["endorsed"]) == (2, 0, 0)
    assert row[["rate", "ci_low", "ci_high"]].isna().all()


def test_counts_behind_a_rate() -> None:
    counts, expected = CASES["sta-011"]["context"]["counts"], CASES["sta-011"]["expected"]
    endorsed = {"agree": 1.0, "disagree": 0.0}
    rows = [
        (answer if answer not in endorsed else "valid", endorsed.get(answer, np.nan))
        for answer, number in counts.items()
        for _ in range(number)
    ]
    table = cell([value for _, value in rows]).assign(status=[status for status, _ in rows])
    row = endorsement_rates(table).iloc[0]
    assert (row["n"], row["n_valid"], row["rate"]) == (
        expected["n"],
        expected["n_valid"],
        pytest.approx(expected["rate"]),
    )
    answers = compliance(table).iloc[0]
    assert (answers["valid"], answers["malformed"], answers["refusal"]) == (15, 3, 2)
    assert answers["compliance"] == pytest.approx(0.75)


def test_errors_are_not_the_models_fault() -> None:
    table = cell([1, 0, np.nan, np.nan]).assign(status=["valid", "valid", "error", "malformed"])
    row = compliance(table).iloc[0]
    assert (row["n"], row["answered"], row["error"]) == (4, 3, 1)
    assert row["compliance"] == pytest.approx(2 / 3)
    nothing = compliance(cell([np.nan]).assign(status="error")).iloc[0]
    assert np.isnan(nothing["compliance"])


def test_every_scenario_weighs_the_same_in_a_frames_endorsement() -> None:
    many = decisions_from_counts({"a": [30, 0, 0, 0]}, n=30)
    few = decisions_from_counts({"b": [0, 0, 0, 0]}, n=2)
    table = endorsement_by_frame(endorsement_rates(pd.concat([many, few]))).set_index("frame")
    assert table.loc["F0", "rate"] == pytest.approx(0.5)
    assert table.loc["F0", "n_valid"] == 32


def blocks_table(blocks: list[list[int]], scenario: str = "s") -> pd.DataFrame:
    rows = [
        ("m", scenario, "d", frame, epoch, float(value))
        for epoch, block in enumerate(blocks, start=1)
        for frame, value in zip(FRAMES, block, strict=True)
    ]
    return pd.DataFrame(rows, columns=["model", "scenario", "domain", "frame", "epoch", "endorsed"])


def test_cochran_q_reference_value_and_defining_formula() -> None:
    blocks, expected = CASES["sta-004"]["context"]["blocks"], CASES["sta-004"]["expected"]
    row = cochran_q(blocks_table(blocks)).iloc[0]
    assert (row["n_blocks"], row["df"]) == (expected["n_blocks"], expected["df"])
    assert row["q"] == pytest.approx(expected["q"])
    assert row["p_value"] == pytest.approx(expected["p_value"], abs=5e-5)
    x = np.array(blocks)
    k, columns, rows = x.shape[1], x.sum(axis=0), x.sum(axis=1)
    q = (k - 1) * (k * (columns**2).sum() - columns.sum() ** 2) / (k * rows - rows**2).sum()
    assert row["q"] == pytest.approx(q, abs=1e-12)
    assert row["p_value"] == pytest.approx(chi2.sf(q, k - 1), abs=1e-12)


def test_no_variation_is_q_zero_and_p_one() -> None:
    row = cochran_q(blocks_table(CASES["sta-005"]["context"]["blocks"])).iloc[0]
    assert (row["q"], row["p_value"], bool(row["significant"])) == (0.0, 1.0, False)
    assert row["tested"]


def test_blocks_that_differ_from_each_other_but_not_within_are_no_variation() -> None:
    row = cochran_q(blocks_table([[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]])).iloc[0]
    assert (row["q"], row["p_value"]) == (0.0, 1.0)


def test_fewer_than_two_blocks_are_not_tested_and_leave_the_family() -> None:
    table = pd.concat(
        [
            blocks_table(CASES["sta-004"]["context"]["blocks"], "many"),
            blocks_table([[1, 0, 1, 0]], "single"),
        ]
    )
    rows = cochran_q(table).set_index("scenario")
    assert rows.loc["single", ["q", "p_value", "p_adjusted"]].isna().all()
    assert not rows.loc["single", "tested"]
    assert not rows.loc["single", "significant"]
    assert rows.loc["many", "p_adjusted"] == rows.loc["many", "p_value"]


def test_incomplete_blocks_are_dropped_and_counted() -> None:
    table = blocks_table(CASES["sta-004"]["context"]["blocks"])
    table.loc[(table["epoch"] == 1) & (table["frame"] == "F2"), "endorsed"] = np.nan
    row = cochran_q(table[~((table["epoch"] == 2) & (table["frame"] == "F0"))]).iloc[0]
    assert (row["n_blocks"], row["n_dropped"]) == (4, 2)


@pytest.mark.parametrize("identifier", ["sta-006", "sta-007"])
def test_fdr_family_and_order(identifier: str) -> None:
    given_p = [np.nan if p is None else p for p in CASES[identifier]["context"]["p_values"]]
    expected = [np.nan if p is None else p for p in CASES[identifier]["expected"]["p_adjusted"]]
    np.testing.assert_allclose(adjust_fdr(given_p), expected, atol=5e-5)


def test_fdr_of_nothing() -> None:
    assert np.isnan(adjust_fdr([np.nan, np.nan])).all()
    assert len(adjust_fdr([])) == 0


def test_the_answer_order_takes_no_more_room_than_the_answers() -> None:
    """A pivot would build every combination of model, family and tier: here 24 MB."""
    counts = {"a": [1, 1, 1, 0], "b": [0, 1, 1, 1]}
    parts = [decisions_from_counts(counts, n=2, model=f"m{i}") for i in range(40)]
    table = complete(pd.concat(parts, ignore_index=True))
    table["size_tier"] = table["model"]
    table["order_shown"] = np.where(table["epoch"] == 1, "agree_first", "disagree_first")
    answer_order_effect(table, resamples=10)  # imports and caches
    tracemalloc.start()
    got = answer_order_effect(table, resamples=10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(got) == 40 * 5
    assert peak < 4e6
