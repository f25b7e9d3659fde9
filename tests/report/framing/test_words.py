"""What the report says in words: only what the numbers beside it bear out."""

import re

import numpy as np
import pandas as pd
import pytest
from helpers.framing import complete, decisions_from_counts
from scipy.stats import binom

from negation_evals import analysis
from negation_evals.analysis.framing.patterns import Pattern
from negation_evals.report.documents.data_section import data_section
from negation_evals.report.documents.sections import (
    Section,
    counted,
    fixed,
    interval,
    percent,
    relative,
    signed,
    signed_percent,
)
from negation_evals.report.figures.draw import draw_figures
from negation_evals.report.framing.figures import FIGURES
from negation_evals.report.framing.sections import framing_sections
from negation_evals.report.framing.sections.words import pattern_words
from negation_evals.report.framing.tables import report_tables
from negation_evals.schema.framing import ALIGNMENT_FIELDS

READING: dict = {"sources": [], "left_out": [], "warnings": []}


def audit(counts: dict, n: int = 10, model: str = "m", **columns: object) -> pd.DataFrame:
    return complete(decisions_from_counts(counts, n=n, model=model).assign(**columns))


def lost(decisions: pd.DataFrame, rows: "pd.Series[bool]") -> pd.DataFrame:
    """The same decisions, these of them malformed."""
    status, endorsed = decisions["status"], decisions["endorsed"]
    return decisions.assign(
        status=status.mask(rows, "malformed"),
        endorsed=endorsed.mask(rows),
        decision=decisions["decision"].where(~rows, None),
    )


def sections(decisions: pd.DataFrame, min_compliance: float = 0.0) -> dict[str, Section]:
    tables = report_tables(decisions, min_compliance)
    built = framing_sections(tables, draw_figures(FIGURES, tables), min_compliance)
    built.append(data_section(READING, tables, min_compliance))
    return {section.id: section for section in built}


def words(section: Section) -> str:
    return " ".join(section.paragraphs)


def rows_of(section: Section, source: str) -> list[dict[str, str]]:
    (grid,) = [grid for grid in section.grids if grid.source == source]
    return [dict(zip(grid.header, row, strict=True)) for row in grid.rows]


def test_what_rounds_to_zero_has_no_sign() -> None:
    tiny = -1.1e-16
    assert (fixed(tiny), percent(tiny), percent(-0.0)) == ("0.00", "0 %", "0 %")
    assert (signed("", "").show(tiny), signed("", "").show(-0.004)) == ("+0.00", "+0.00")
    assert relative("", "").show(-0.001) == signed_percent(0.0) == "+0 %"
    assert interval(-1e-9, 0.5) == "0.00 to 0.50"
    assert (signed("", "").show(-0.006), percent(0.125), fixed(2.5, 0)) == ("-0.01", "12 %", "2")
    assert (counted(1, "scenario"), counted(0, "answer")) == ("1 scenario", "0 answers")


def test_the_moderate_share_is_a_share() -> None:
    # 1 - 0.9 - 0.1 is -2.8e-17 in doubles.
    table = pd.DataFrame({"model": "m", "scenario": range(10), "nsi": [0.0] * 9 + [1.0]})
    row = analysis.fragility_shares(table).iloc[0]
    assert row[["robust", "moderate", "high"]].tolist() == [0.9, 0, 0.1]


def test_one_of_a_thing_is_called_one() -> None:
    text = words(sections(audit({"s": [5, 5, 5, 5]}))["summary"])
    assert text.startswith("1 result (a model under one set of settings), 1 scenario, 40 answers")


def test_in_short_counts_what_is_kept_and_names_the_rest() -> None:
    bad = audit({"s": [5, 5, 5, 5], "t": [5, 5, 5, 5]}, model="bad")
    bad = lost(bad, bad["epoch"] > 2)
    good = audit({"s": [5, 5, 5, 5], "t": [5, 5, 5, 5]}, model="good")
    text = words(sections(pd.concat([good, bad], ignore_index=True), 0.5)["summary"])
    assert "1 result " in text
    assert "80 answers asked for, of which 80 came and are valid." in text
    assert "for too few of them: bad." in text


def test_means_of_the_bounds_hold_the_value_between_them() -> None:
    # One scenario lacks a frame: its bounds reach from 0.5 to 1, and it has no NSI.
    decisions = audit({"s": [5, 5, 5, 5], "t": [10, 0, 5, 5]})
    decisions = lost(
        decisions,
        ((decisions["scenario"] == "t") & (decisions["frame"] == "F0"))
        | ((decisions["scenario"] == "s") & (decisions["epoch"] == 1)),
    )
    (row,) = rows_of(sections(decisions)["bounds"], "nsi_bounds_by_model")
    assert (row["Undecided"], row["Scenarios"], row["Without NSI"]) == ("14", "1", "1")
    assert float(row["Lowest"]) <= float(row["Left out"]) <= float(row["Highest"])
    assert float(row["Highest"]) < 0.5


def test_a_single_frame_is_no_missing_answer() -> None:
    decisions = audit({"s": [5, 5, 5, 5]})
    one = decisions[decisions["frame"] == "F0"].assign(frames="F0")
    text = words(sections(one)["data"])
    assert "NSI is missing in 1 of 1 rows" in text
    assert "because a single frame was planned, which has no range" in text
    assert "no valid answer" not in text
    gone = lost(decisions, decisions["frame"] == "F0")
    text = words(sections(gone)["data"])
    assert "because a planned frame has no valid answer" in text
    assert "single frame" not in text


def test_where_all_are_excluded_no_other_reason_is_given() -> None:
    decisions = audit({"s": [5, 5, 5, 5]}, confidence=90.0)
    decisions = lost(decisions, decisions["epoch"] > 1)
    text = words(sections(decisions, 0.5)["choices"])
    assert "What kind of failure it looks like (no result is kept)" in text
    assert "Published values (not asked for (--published))" in text
    assert "no frame of a pair was asked" not in text
    assert "states a confidence" not in text


def test_confidence_without_nsi_is_no_missing_confidence() -> None:
    decisions = audit({"s": [5, 5, 5, 5]}, confidence=90.0)
    one = decisions[decisions["frame"] == "F0"].assign(frames="F0")
    text = words(sections(one)["choices"])
    assert "no scenario has both a stated confidence and an NSI" in text
    text = words(sections(audit({"s": [5, 5, 5, 5]}))["choices"])
    assert "no valid answer states a confidence" in text


def row(pattern: Pattern, **values: float) -> dict:
    row = {"pattern": pattern, "acquiescence": np.nan, "polarity_correlation": np.nan}
    return row | {"deterministic": False} | values


@pytest.mark.parametrize(
    ("acquiescence", "expected"),
    [
        (0.18, "a weak leaning to agree (mean acquiescence +0.18)"),
        (0.6, "a clear leaning to agree with what is proposed (mean acquiescence +0.60)"),
        (0.95, "a habit of agreeing with whatever is proposed (mean acquiescence +0.95)"),
        (-0.18, "a weak leaning to disagree (mean acquiescence -0.18)"),
        (-1.0, "a habit of disagreeing with whatever is proposed (mean acquiescence -1.00)"),
    ],
)
def test_a_habit_is_called_by_its_size(acquiescence: float, expected: str) -> None:
    pattern = Pattern.YEA if acquiescence > 0 else Pattern.NAY
    text = pattern_words(row(pattern, acquiescence=acquiescence))
    assert f"a response bias, {expected}" in text
    assert "cannot be told whether the negation is read" in text
    turning = row(pattern, acquiescence=acquiescence, polarity_correlation=-0.7)
    assert "the answers do turn with the negation" in pattern_words(turning)


def test_unknown_has_the_reason_that_is_true() -> None:
    assert "so few answers" in pattern_words(row(Pattern.UNKNOWN, acquiescence=0.5))
    assert "both frames of a pair" in pattern_words(row(Pattern.UNKNOWN))
    copies = row(Pattern.NOISE, acquiescence=0.0) | {"deterministic": True}
    assert "noise" not in pattern_words(copies)


def test_few_answers_a_cell_do_not_contradict_the_tests() -> None:
    """Two answers a cell: `not above noise` used to stand beside 100 % significant cells."""
    decisions = audit({f"s{i}": [2, 0, 2, 0] for i in range(14)}, n=2)
    built = sections(decisions)
    assert "habit of agreeing with whatever is proposed" in words(built["summary"])
    (found,) = rows_of(built["tests"], "framing_effect")
    assert found["p"] == "< 0.001"


def test_the_floor_of_few_answers_is_as_much_too_low_as_stated() -> None:
    def bias(rate: float, n: int) -> float:
        """What the floor lacks when its rate comes from the same 4 n answers."""
        k = np.arange(4 * n + 1)
        estimates = [analysis.nsi_null(x / (4 * n), [n] * 4) for x in k]
        return analysis.nsi_null(rate, [n] * 4) - float(binom.pmf(k, 4 * n, rate) @ estimates)

    text = words(sections(audit({"s": [1, 0, 1, 0]}, n=1))["summary"])
    stated = re.search(
        r"rates of ([\d.]+) to ([\d.]+): at 2 answers by about ([\d.]+), at a single one by "
        r"([\d.]+) to ([\d.]+)\)",
        text,
    )
    assert stated is not None
    low, high, two, least, most = map(float, stated.groups())
    rates = np.linspace(low, high, 13)
    assert [round(bias(rate, 2), 2) for rate in rates] == [two] * len(rates)
    single = [bias(rate, 1) for rate in rates]
    assert (round(min(single), 2), round(max(single), 2)) == (least, most)


def test_lower_agreement_has_more_than_one_cause() -> None:
    parts = [audit({"s": [9, 1, 9, 1], "t": [1, 8, 1, 8]}, model=m) for m in "mn"]
    text = words(sections(pd.concat(parts, ignore_index=True))["agreement"])
    assert "rates near one half" in text
    assert "lean to agree" in text


def test_the_danger_zone_says_that_it_is_strict() -> None:
    text = words(sections(audit({"s": [9, 1, 9, 1]}, confidence=90.0))["confidence"])
    assert "Both limits lie outside the zone" in text


def test_alignment_is_shown_by_stance_as_well() -> None:
    decisions = audit({"s": [8, 2, 8, 2]})
    # The scores follow the stance alone: 80 where the action is endorsed, else 20.
    score = decisions["endorsed"].map({1.0: 80.0, 0.0: 20.0})
    built = sections(decisions.assign(**dict.fromkeys(ALIGNMENT_FIELDS, score)))["alignment"]
    assert "The scores rate the decision taken" in words(built)
    means = {r["Mean"] for r in rows_of(built, "alignment_by_frame")}
    assert means == {"68.0", "32.0"}
    by_stance = {
        (r["Stance on the action"], r["Mean"]) for r in rows_of(built, "alignment_by_stance")
    }
    assert by_stance == {("endorse", "80.0"), ("oppose", "20.0")}


def test_the_least_stable_scenarios_by_origin_and_frame() -> None:
    counts = {f"s{i}": [10, 10 - i, 10, 10] for i in range(8)}
    parts = [audit(counts, model=m, origin=o) for m, o in (("m", "US"), ("n", "US"), ("o", "CN"))]
    shown = rows_of(
        sections(pd.concat(parts, ignore_index=True))["frames"],
        "endorsement_by_origin_and_scenario",
    )
    assert len(shown) == 5 * 2
    assert shown[0] == {
        "Scenario": "s7", "Origin": "US", "F0": "1.00", "F1": "0.30", "F2": "1.00", "F3": "1.00"
    }  # fmt: skip
    assert {r["Scenario"] for r in shown} == {f"s{i}" for i in range(3, 8)}


def test_temperature_0_is_described_as_the_tables_have_it() -> None:
    parts = [audit({"s": [10, 0, 10, 0]}, temperature=t) for t in (0.7, 0.0)]
    text = words(sections(pd.concat(parts, ignore_index=True))["temperature"])
    assert "copies" in text
    assert "the floor is 0, and no test of framing applies" in text


def test_the_reasoning_figure_shows_relative_changes() -> None:
    parts = [
        audit({"s": [10, 0, 10, 0], "t": [5, 5, 5, 5]}, condition="standard"),
        audit({"s": [8, 2, 8, 2], "t": [5, 4, 5, 5]}, condition="reasoning"),
    ]
    figures = draw_figures(FIGURES, report_tables(pd.concat(parts, ignore_index=True)))
    units, by_scenario = figures["reasoning"].axes
    assert [text.get_text() for text in units.texts] == ["-30 %"]  # 0.5 to 0.35
    # From 1 to 0.6, and from 0 to 0.1, which has no relative change.
    assert [text.get_text() for text in by_scenario.texts] == ["-40 %", "–"]
