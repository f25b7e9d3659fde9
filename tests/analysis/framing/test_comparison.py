"""Two audits compared: which results pair, over which frames, and what a reader is told."""

import io
import math

import pandas as pd
import pytest
from helpers.framing import decisions_from_counts
from rich.console import Console

from negation_evals import analysis
from negation_evals.cli.terminal import TERMINAL_WIDTH, terminal_table
from negation_evals.report.framing.comparison import comparison_tables

FIRST = {"s": [1, 3, 2, 4], "t": [0, 4, 1, 3]}
SECOND = {"s": [4, 4, 4, 0], "t": [2, 2, 1, 1]}
FEW = 50


def audit(counts: dict, model: str = "m", n: int = 4, **columns: object) -> pd.DataFrame:
    return decisions_from_counts(counts, n=n, model=model).assign(**columns)


def compare(a: list[pd.DataFrame], b: list[pd.DataFrame]) -> analysis.Comparison:
    sides = (pd.concat(side, ignore_index=True) for side in (a, b))
    return analysis.compare_audits(*sides, resamples=FEW)


def pairs(comparison: analysis.Comparison) -> list[tuple[str, str]]:
    table = comparison.table.drop_duplicates(["result_a", "result_b"])
    return list(table[["result_a", "result_b"]].itertuples(index=False, name=None))


def test_a_setting_that_only_one_audit_varies_pairs_all_the_same() -> None:
    """A has T = 0.7 and 0, B holds T = 0.7: these two are one result of two audits."""
    a = [audit(FIRST, m, temperature=t) for m in "mn" for t in (0.7, 0.0)]
    b = [audit(SECOND, m, temperature=0.7) for m in "mn"]
    for one, other in ((a, b), (b, a)):
        found = compare(one, other)
        assert pairs(found) == [("m (T=0.7)", "m (T=0.7)"), ("n (T=0.7)", "n (T=0.7)")]
        side = "A" if one is a else "B"
        assert found.unpaired == (f"{side}: m (T=0)", f"{side}: n (T=0)")
        assert found.warnings == ()


def test_a_setting_of_the_whole_audit_is_what_is_compared() -> None:
    a = [audit(FIRST, m, temperature=0.7) for m in "mn"]
    b = [audit(SECOND, m, temperature=0.0) for m in "mn"]
    found = compare(a, b)
    assert pairs(found) == [("m", "m"), ("n", "n")]
    assert found.warnings == (
        "m and m differ in temperature (T=0.7 and T=0)",
        "n and n differ in temperature (T=0.7 and T=0)",
    )


def test_settings_that_differ_between_models_alone_do_not_keep_them_from_pairing() -> None:
    a = [audit(FIRST, "m", generation="", temperature=0.7)]
    a += [audit(FIRST, "n", generation="effort=low", temperature=math.nan)]
    b = [audit(SECOND, "m", generation="", temperature=0.7)]
    b += [audit(SECOND, "n", generation="effort=high", temperature=math.nan)]
    found = compare(a, b)
    assert pairs(found) == [("m", "m"), ("n", "n")]
    assert found.warnings == ("n and n differ in generation (effort=low and effort=high)",)


def test_the_same_labels_as_in_the_report() -> None:
    a = [audit(FIRST, temperature=t, structured=True) for t in (0.7, math.nan)]
    b = [audit(SECOND, temperature=t, structured=False) for t in (0.7, math.nan)]
    assert pairs(compare(a, b)) == [("m (T=0.7)",) * 2, ("m (T unset)",) * 2]


def test_audits_of_other_frames_are_compared_over_those_they_share() -> None:
    whole = audit({"s": [4, 4, 4, 0], "t": [2, 1, 0, 4]})
    some = audit({"s": [1, 3, 0, 0], "t": [4, 4, 0, 0]})
    some = some[some["frame"].isin(["F0", "F1"])].assign(frames="F0,F1")
    found = compare([whole], [some])
    table = found.table.set_index("measure")
    assert list(table.index) == ["NSI", "endorse F0", "endorse F1"]
    # Over F0 and F1 alone: 0 and 0.25 in A, 0.5 and 0 in B.
    assert table.loc["NSI", ["value_a", "value_b", "n_scenarios"]].tolist() == [0.125, 0.25, 2]
    assert any("NSI is compared over F0,F1 alone" in warning for warning in found.warnings)
    floor = analysis.nsi(whole, frames=["F0", "F1"])["nsi_null"].mean()
    assert table.loc["NSI", "floor_a"] == pytest.approx(floor)
    same = compare([some], [some])
    assert same.warnings == ()


def test_audits_without_two_frames_in_common_have_no_nsi_to_compare() -> None:
    one, other = audit(FIRST), audit(FIRST)
    one = one[one["frame"].isin(["F0", "F1"])].assign(frames="F0,F1")
    other = other[other["frame"].isin(["F1", "F2"])].assign(frames="F1,F2")
    found = compare([one], [other])
    table = found.table.set_index("measure")
    assert list(table.index) == ["NSI", "endorse F1"]
    assert table.loc["NSI", "n_scenarios"] == 0
    assert math.isnan(table.loc["NSI", "difference"])
    assert table.loc["endorse F1", "difference"] == 0
    (warning,) = found.warnings
    assert "with fewer than two frames in common there is no NSI to compare" in warning


def test_one_short_cell_is_no_reason_to_warn() -> None:
    """One missing answer in one of many scenarios moves no floor."""
    counts = {f"s{i}": [10, 5, 10, 5] for i in range(10)}
    a, b = audit(counts, n=20), audit(counts, n=20)
    short = (b["scenario"] == "s0") & (b["frame"] == "F0") & (b["epoch"] == 20)
    assert compare([a], [b[~short]]).warnings == ()


def test_floors_that_differ_are_named() -> None:
    many = {f"s{i}": [10, 5, 10, 5] for i in range(10)}
    few = {f"s{i}": [2, 1, 2, 1] for i in range(10)}
    found = compare([audit(many, n=20)], [audit(few, n=4)])
    (warning,) = found.warnings
    row = found.table.set_index("measure").loc["NSI"]
    assert f"{row['floor_a']:.2f} would be expected of m (A)" in warning
    assert f"{row['floor_b']:.2f} of m (B)" in warning


def test_a_scenario_of_few_answers_that_is_not_compared_is_no_reason_to_warn() -> None:
    a = audit({"s": [10, 5, 10, 5]}, n=20)
    extra = audit({"t": [0, 1, 0, 1]}, n=1)
    found = compare([a], [audit({"s": [10, 5, 10, 5]}, n=20), extra])
    assert found.warnings == ()
    assert set(found.table["n_left_out"]) == {1}


def test_the_terminal_table_shows_what_was_left_out() -> None:
    found = compare([audit(FIRST)], [audit({"s": [1, 3, 2, 4]})])
    (shown,) = comparison_tables(found)
    assert (shown.header[-1], shown.rows[0][-1]) == ("n/all", "1/2")
    assert [row[0] for row in shown.rows] == ["NSI", "rate F0", "rate F1", "rate F2", "rate F3"]
    text = io.StringIO()
    Console(width=TERMINAL_WIDTH, file=text).print(terminal_table(shown))
    # No number is cut or broken.
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= TERMINAL_WIDTH
    for row in shown.rows:
        (line,) = [line for line in lines if f" {row[0]} " in line]
        assert all(cell in line for cell in row)
