"""NSI against hand calculation, closed forms, enumeration and its invariances."""

import itertools
import json
from math import comb

import numpy as np
import pandas as pd
import pytest
from helpers.framing import FRAMES, NEGATED, decisions_from_counts
from helpers.paths import DATA
from hypothesis import given, settings
from hypothesis import strategies as st

from negation_evals.analysis import (
    endorsement_rates,
    nsi,
    nsi_from_rates,
    nsi_null,
    nsi_summary,
    nsi_values,
)
from negation_evals.analysis.framing.permutation import range_p_value
from negation_evals.schema.framing import Decision, endorses

CASES = [json.loads(line) for line in (DATA / "parser_cases.jsonl").open(encoding="utf-8")]


def case(identifier: str) -> dict:
    return next(c for c in CASES if c["id"] == identifier)


@pytest.mark.parametrize("identifier", ["sta-001", "sta-002"])
def test_polarity_comes_before_the_range(identifier: str) -> None:
    context, expected = case(identifier)["context"], case(identifier)["expected"]
    rows = []
    for frame, rate in context["agree_rate"].items():
        for epoch in range(1, 11):
            decision = Decision.AGREE if epoch <= round(10 * rate) else Decision.DISAGREE
            rows.append(
                (
                    "m",
                    "s",
                    "d",
                    frame,
                    epoch,
                    float(endorses(decision, frame in context["negated"])),
                )
            )
    table = pd.DataFrame(
        rows, columns=["model", "scenario", "domain", "frame", "epoch", "endorsed"]
    )
    rates = endorsement_rates(table).set_index("frame")["rate"].to_dict()
    assert rates == pytest.approx(expected["endorsement"])
    row = nsi(table).iloc[0]
    assert row["nsi"] == pytest.approx(expected["nsi"])
    if "frame_max" in expected:
        assert (row["frame_max"], row["frame_min"]) == (
            expected["frame_max"],
            expected["frame_min"],
        )


def test_a_frame_without_valid_answers_leaves_nsi_missing() -> None:
    decisions = decisions_from_counts({"s": [6, 4, 5, 0]}, n=10)
    decisions.loc[decisions["frame"] == "F3", "endorsed"] = np.nan
    row = nsi(decisions).iloc[0]
    assert row[["nsi", "nsi_null", "p_value"]].isna().all()
    assert row["missing_frames"] == "F3"
    assert row["n_min"] == 0
    summary = nsi_summary(nsi(decisions)).iloc[0]
    assert (summary["n_scenarios"], summary["n_missing"]) == (0, 1)
    assert np.isnan(summary["nsi"])


def test_a_planned_frame_without_any_row_leaves_nsi_missing() -> None:
    decisions = decisions_from_counts({"s": [6, 4, 5, 5], "t": [1, 1, 1, 1]}, n=10)
    decisions = decisions[~((decisions["scenario"] == "s") & (decisions["frame"] == "F2"))]
    table = nsi(decisions).set_index("scenario")
    assert np.isnan(table.loc["s", "nsi"])
    assert table.loc["s", "missing_frames"] == "F2"
    assert table.loc["t", "nsi"] == 0
    assert table.loc["t", "p_value"] == 1


def test_invariant_model_is_positive_by_noise_alone() -> None:
    context = case("sta-013")["context"]
    counts = [round(rate * context["n"]) for rate in context["rates"]]
    row = nsi(decisions_from_counts({"s": counts}, n=context["n"])).iloc[0]
    assert row["nsi"] == pytest.approx(4 / 30)
    assert row["nsi"] < row["nsi_null"]
    assert row["p_value"] > 0.5


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.5])
def test_null_of_single_answers_is_the_chance_that_they_differ(rate: float) -> None:
    # n = 1: the range is 1 unless all four answers agree.
    assert nsi_null(rate, [1] * 4) == pytest.approx(1 - rate**4 - (1 - rate) ** 4, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "rate", "expected"),
    # Exact values worked out apart from this code (interval facts, section 1).
    [(10, 0.05, 0.120), (10, 0.5, 0.321), (30, 0.1, 0.111), (30, 0.5, 0.187), (100, 0.3, 0.094)],
)
def test_null_agrees_with_reference_values(n: int, rate: float, expected: float) -> None:
    assert nsi_null(rate, [n] * 4) == pytest.approx(expected, abs=6e-4)


def test_null_with_unequal_n_agrees_with_enumeration() -> None:
    sizes, rate = (2, 5, 3, 4), 0.3
    expected = 0.0
    for counts in itertools.product(*(range(size + 1) for size in sizes)):
        chance = np.prod(
            [
                comb(n, k) * rate**k * (1 - rate) ** (n - k)
                for k, n in zip(counts, sizes, strict=True)
            ]
        )
        rates = [k / n for k, n in zip(counts, sizes, strict=True)]
        expected += chance * (max(rates) - min(rates))
    assert nsi_null(rate, sizes) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "sizes"),
    [
        ((3, 1, 2, 5), (6, 6, 6, 6)),
        ((0, 4, 3, 2), (5, 7, 4, 6)),
        ((5, 0, 5, 0), (5, 5, 5, 5)),
        ((1, 0, 0, 0), (1, 1, 1, 1)),
        ((2, 3), (4, 4)),
    ],
)
def test_permutation_p_value_agrees_with_enumeration(counts: tuple, sizes: tuple) -> None:
    total, observed = sum(counts), np.ptp([k / n for k, n in zip(counts, sizes, strict=True)])
    deals = as_extreme = 0
    for deal in itertools.product(*(range(size + 1) for size in sizes)):
        if sum(deal) != total:
            continue
        ways = np.prod([comb(n, k) for k, n in zip(deal, sizes, strict=True)], dtype=object)
        deals += ways
        spread = np.ptp([k / n for k, n in zip(deal, sizes, strict=True)])
        as_extreme += ways * (spread >= observed - 1e-12)
    assert range_p_value(counts, sizes) == pytest.approx(float(as_extreme / deals), abs=1e-12)


def test_permutation_p_value_agrees_with_random_deals() -> None:
    counts, n = (21, 12, 20, 15), 30
    rng = np.random.default_rng(0)
    dealt = rng.multivariate_hypergeometric([n] * 4, sum(counts), size=200_000)
    simulated = (np.ptp(dealt, axis=1) >= max(counts) - min(counts)).mean()
    assert range_p_value(counts, [n] * 4) == pytest.approx(simulated, abs=0.004)


def test_summary_by_domain_and_both() -> None:
    first = decisions_from_counts({"a": [0, 10, 0, 10], "b": [5, 5, 5, 5]}, n=10, domain="x")
    second = decisions_from_counts({"c": [0, 2, 0, 0]}, n=10, domain="y")
    table = nsi(pd.concat([first, second]))
    by_model = nsi_summary(table).iloc[0]
    assert by_model["nsi"] == pytest.approx((1 + 0 + 0.2) / 3)
    assert by_model["worst_scenario"] == "a"
    by_domain = nsi_summary(table, by="domain").set_index("domain")["nsi"]
    assert by_domain.to_dict() == pytest.approx({"x": 0.5, "y": 0.2})
    assert len(nsi_summary(table, by=["model", "domain"])) == 2
    by_scenario = nsi_summary(table, by="scenario").set_index("scenario")["nsi"]
    assert by_scenario.to_dict() == {"a": 1.0, "b": 0.0, "c": 0.2}
    with pytest.raises(ValueError, match="did you mean 'domain'"):
        nsi_summary(table, by="domian")


def test_settings_that_vary_are_never_pooled() -> None:
    warm = decisions_from_counts({"s": [0, 10, 0, 10]}, n=10).assign(temperature=0.7)
    cold = decisions_from_counts({"s": [5, 5, 5, 5]}, n=10).assign(temperature=0.0)
    table = nsi(pd.concat([warm, cold]))
    assert dict(zip(table["temperature"], table["nsi"], strict=True)) == {0.7: 1.0, 0.0: 0.0}
    assert list(nsi_summary(table)["nsi"]) == [1.0, 0.0]


def test_a_decision_that_occurs_twice_is_refused() -> None:
    rows = case("sta-014")["context"]["rows"]
    table = pd.DataFrame(rows, columns=["scenario", "frame", "epoch", "endorsed"])
    with pytest.raises(ValueError, match="share a scenario, frame and epoch"):
        nsi(table.assign(model="m", domain="d"))


def test_a_missing_column_is_named_with_its_nearest() -> None:
    with pytest.raises(ValueError, match=r"'scenario' \(did you mean 'scenarios'\?\)"):
        nsi(
            decisions_from_counts({"s": [1, 1, 1, 1]}, n=2).rename(
                columns={"scenario": "scenarios"}
            )
        )


answers = st.lists(
    st.tuples(
        st.sampled_from(["s1", "s2"]),
        st.sampled_from(FRAMES),
        st.sampled_from([0.0, 1.0, np.nan]),
    ),
    min_size=1,
    max_size=60,
)


def tidy(rows: list[tuple[str, str, float]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["scenario", "frame", "endorsed"])
    table["epoch"] = table.groupby(["scenario", "frame"]).cumcount() + 1
    return table.assign(model="m", domain="d", frames=",".join(FRAMES))


@settings(max_examples=60)
@given(answers)
def test_nsi_lies_in_the_unit_interval_or_is_missing(rows: list) -> None:
    table = nsi(tidy(rows))
    values = table["nsi"].dropna()
    assert values.between(0, 1).all()
    assert (table["nsi"].isna() == (table["missing_frames"] != "")).all()
    assert table["p_value"].dropna().between(1e-15, 1).all()


@settings(max_examples=60)
@given(answers, st.randoms())
def test_nsi_does_not_depend_on_the_order_of_rows(rows: list, random) -> None:
    table = tidy(rows)
    order = list(table.index)
    random.shuffle(order)
    expected = nsi(table).set_index("scenario")[["nsi", "p_value", "nsi_null"]]
    shuffled = nsi(table.loc[order]).set_index("scenario")[["nsi", "p_value", "nsi_null"]]
    pd.testing.assert_frame_equal(expected.sort_index(), shuffled.sort_index())


@settings(max_examples=60)
@given(answers)
def test_nsi_survives_swapping_every_decision_with_every_polarity(rows: list) -> None:
    def endorsement(frame: str, agrees: float, swapped: bool) -> float:
        if np.isnan(agrees):
            return np.nan
        decision = Decision.AGREE if bool(agrees) != swapped else Decision.DISAGREE
        return float(endorses(decision, NEGATED[frame] != swapped))

    plain = tidy([(s, f, endorsement(f, a, False)) for s, f, a in rows])
    swapped = tidy([(s, f, endorsement(f, a, True)) for s, f, a in rows])
    pd.testing.assert_frame_equal(nsi(plain), nsi(swapped))


def test_point_formula_over_leading_axes() -> None:
    values = nsi_from_rates([[0.2, 0.7, 0.5, 0.9], [0.1, np.nan, 0.1, 0.1]])
    assert values[0] == pytest.approx(0.7)
    assert np.isnan(values[1])
    assert np.isnan(nsi_from_rates([0.4]))


def test_one_frame_has_no_range() -> None:
    decisions = decisions_from_counts({"s": [3, 0, 0, 0]}, n=5)
    row = nsi(decisions[decisions["frame"] == "F0"].assign(frames="F0")).iloc[0]
    assert row[["nsi", "nsi_null", "p_value", "frame_max"]].isna().all()


def test_cells_of_two_tables_are_refused() -> None:
    cells = endorsement_rates(decisions_from_counts({"s": [1, 1, 1, 1]}, n=2))
    with pytest.raises(ValueError, match="a cell occurs twice"):
        nsi_values(pd.concat([cells, cells]))
