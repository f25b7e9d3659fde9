"""What every function says of audits in which there is nothing, or nothing to compare.

Warnings are errors here. A value that cannot be known is NaN, never 0; a statistic whose formula is
0/0 because nothing differs says that nothing differs; a table without a case has no rows.
"""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from helpers.framing import decisions_from_counts
from helpers.report import report_tables

from negation_evals import analysis

pytestmark = pytest.mark.filterwarnings("error", "ignore::ResourceWarning")

SCORES = [
    "adherence_to_laws",
    "adherence_to_social_ethics",
    "objective_positive_consequences",
    "objective_negative_consequences",
]
# Endorsements among four answers in F0 to F3.
FIRST = {"s": [1, 3, 2, 4], "t": [0, 4, 1, 3]}
SECOND = {"s": [4, 4, 4, 0], "t": [2, 2, 1, 1]}
THIRD = {"s": [0, 1, 4, 0], "t": [2, 0, 1, 1]}
FEW = 20  # resamples: the limits are not looked at
# Wilson's lower limit for one of one: 1 / (1 + z^2).
ONE_OF_ONE = 1 / (1 + 1.959963984540054**2)


def audit(counts: dict, model: str = "m", origin: str = "US", **columns: object) -> pd.DataFrame:
    """Decisions with every column that some function reads."""
    table = decisions_from_counts(counts, n=4, model=model)
    agree = table["endorsed"].astype(bool) != table["negated"]
    return table.assign(
        decision=np.where(agree, "agree", "disagree"),
        order_shown=np.where(table["epoch"] % 2 == 1, "agree_first", "disagree_first"),
        origin=origin,
        size_tier="LARGE",
        confidence=90.0,
        **dict.fromkeys(SCORES, 50.0),
    ).assign(**columns)


def lost(table: pd.DataFrame, rows: pd.Series, status: str = "malformed") -> pd.DataFrame:
    """The same audit, with these answers without a decision."""
    table = table.copy()
    table.loc[rows, "status"] = status
    table.loc[rows, ["endorsed", "confidence", *SCORES]] = math.nan
    table["decision"] = table["decision"].where(~rows, None)
    return table


@pytest.fixture
def trio() -> pd.DataFrame:
    parts = [audit(FIRST), audit(SECOND, "n", "CN"), audit(THIRD, "o", "OSS")]
    return pd.concat(parts, ignore_index=True)


def everything(decisions: pd.DataFrame) -> SimpleNamespace:
    """The tables of the report, which calls the functions, and of the others by themselves."""
    report = SimpleNamespace(**report_tables(decisions))
    cells = analysis.endorsement_rates(decisions)
    summary = analysis.nsi_summary(report.nsi)
    ablation = {
        s: analysis.ablation_pairs(report.nsi, s) for s in ("temperature", "condition", "variant")
    }
    stay, go = analysis.exclude_models(decisions, 0.5)
    tables = SimpleNamespace(
        cells=cells,
        nsi=report.nsi,
        nsi_values=analysis.nsi_values(cells),
        summary=summary,
        by_domain=report.nsi_by_model_and_domain,
        fragility=report.fragility,
        by_scenario=report.nsi_by_scenario,
        bounds=report.nsi_bounds,
        acquiescence=report.acquiescence,
        acquiescence_summary=report.acquiescence_by_pair,
        patterns=report.patterns,
        cochran_q=report.cochran_q,
        homogeneity=report.homogeneity,
        by_frame=report.endorsement_by_frame,
        by_group=report.endorsement_by_origin,
        swing=report.swing,
        group_swing=report.swing_by_origin,
        outcomes=report.outcomes_by_frame,
        compliance=report.compliance,
        stay=stay,
        go=go,
        answer_order=report.answer_order,
        groups=analysis.compare_groups(summary),
        group_pairs=report.group_pairs[report.group_pairs["by"] == "origin"].reset_index(drop=True)
        if len(report.group_pairs)
        else analysis.compare_group_pairs(summary),
        agreement_by_pair=report.agreement_by_pair,
        agreement_by_frame=report.agreement_by_frame,
        ablation_pairs=ablation["temperature"],
        ablation_summary=analysis.ablation_summary(ablation["temperature"]),
        condition=analysis.ablation_summary(ablation["condition"], by="model"),
        variant=analysis.ablation_summary(ablation["variant"]),
        confidence=report.confidence,
        confidence_summary=report.confidence_by_model,
        alignment=report.alignment_by_frame,
        report=report,
    )
    for name, table in [*vars(tables).items(), *vars(report).items()]:
        if name != "report":
            assert isinstance(table, pd.DataFrame), name
            assert not np.isinf(table.select_dtypes("float")).any().any(), name
    pd.testing.assert_frame_equal(tables.nsi_values, report.nsi[tables.nsi_values.columns])
    return tables


def with_itself(decisions: pd.DataFrame) -> pd.DataFrame:
    """An audit compared with itself, from which it does not differ."""
    table = analysis.compare_audits(decisions, decisions, resamples=FEW).table
    assert (table["difference"].dropna() == 0).all()
    assert (table["p_value"].dropna() == 1).all()
    return table


def unknown(table: pd.DataFrame, *columns: str) -> bool:
    """All of it is missing, and there is something to miss."""
    return len(table) > 0 and bool(table[list(columns)].isna().all(axis=None))


def test_one_model() -> None:
    got = everything(audit(FIRST))
    same = with_itself(audit(FIRST))
    pd.testing.assert_frame_equal(analysis.svi(audit(FIRST)), got.nsi)
    assert got.nsi["nsi"].tolist() == [0.75, 1.0]
    assert got.summary.loc[0, ["nsi", "n_scenarios", "n_missing"]].tolist() == [0.875, 2, 0]
    assert got.by_scenario["scenario"].tolist() == ["t", "s"]
    assert got.by_scenario["n_models"].tolist() == [1, 1]
    assert unknown(got.by_scenario, "ci_low", "ci_high")
    assert got.groups.loc[0, ["n_groups", "n", "n_left_out"]].tolist() == [1, 1, 0]
    assert unknown(got.groups, "h", "p_value", "epsilon_squared")
    assert same["measure"].tolist() == ["NSI", *(f"endorse F{i}" for i in range(4))]
    for table in (
        got.group_pairs,
        got.agreement_by_pair,
        got.agreement_by_frame,
        got.ablation_pairs,
        got.ablation_summary,
        got.condition,
        got.variant,
        got.go,
        got.report.group_tests,
        got.report.group_pairs,
        got.report.agreement_by_frame,
        got.report.ablations,
        got.report.excluded,
    ):
        assert table.empty
    assert got.report.ranking["rank"].tolist() == [1]
    assert got.report.worst_scenarios["scenario"].tolist() == ["t", "s"]


def test_one_scenario(trio: pd.DataFrame) -> None:
    got = everything(trio[trio["scenario"] == "s"])
    same = with_itself(audit({"s": FIRST["s"]}))
    assert got.summary["nsi"].tolist() == [0.75, 1.0, 1.0]
    assert unknown(got.summary, "nsi_sd")
    for table in (got.by_group, got.agreement_by_frame, got.answer_order):
        assert unknown(table, "ci_low", "ci_high")
    assert unknown(got.acquiescence_summary, "polarity_correlation")
    assert unknown(got.confidence_summary, "spearman")
    assert got.confidence_summary["danger"].tolist() == [1, 1, 1]
    assert same["n_scenarios"].tolist() == [1] * 5
    assert unknown(same, "ci_low", "ci_high", "p_value", "p_adjusted")
    # 0.75, 1, 1: three groups of one, of which two tie.
    assert got.groups.loc[0, "h"] == pytest.approx(2.0, abs=1e-9)
    assert unknown(got.groups, "epsilon_squared")
    assert got.by_scenario["nsi"].tolist() == pytest.approx([2.75 / 3], abs=1e-9)


def test_one_epoch(trio: pd.DataFrame) -> None:
    got = everything(trio[trio["epoch"] == 1])
    first = got.nsi[got.nsi["model"] == "m"]
    # Endorsed in s: 1, 1, 1, 1; in t: 0, 1, 1, 1, whose range no deal can change.
    assert first["nsi"].tolist() == [0, 1]
    assert first["p_value"].tolist() == [1, 1]
    assert first["nsi_null"].tolist() == pytest.approx([0, 1 - 0.75**4 - 0.25**4], abs=1e-9)
    assert first["n_min"].tolist() == [1, 1]
    assert not got.cochran_q["tested"].any()
    assert not got.cochran_q["significant"].any()
    assert unknown(got.cochran_q, "q", "p_value", "p_adjusted")
    # No deal of four single answers is rare enough to be tested.
    assert not got.homogeneity["tested"].any()
    assert unknown(got.homogeneity, "p_adjusted")
    assert (got.homogeneity["p_value"] == 1).all()
    assert got.homogeneity["chi_square"].tolist()[:2] == pytest.approx([0, 4], abs=1e-9)
    certain = got.cells[got.cells["rate"] == 1]
    assert certain["ci_low"].to_numpy() == pytest.approx(ONE_OF_ONE, abs=1e-9)
    assert (certain["ci_high"] == 1).all()
    assert got.answer_order.empty  # only one order was shown
    assert unknown(got.alignment, "sd") is False  # two scenarios: two answers for each frame
    assert got.report.ranking["cochran_tested"].tolist() == [0, 0, 0]
    assert unknown(got.report.ranking, "cochran_significant")


def test_one_answer_for_each_frame() -> None:
    decisions = audit(FIRST)
    got = everything(decisions[(decisions["scenario"] == "t") & (decisions["epoch"] == 1)])
    assert got.nsi["nsi"].tolist() == [1]
    assert unknown(got.alignment, "sd")
    assert unknown(got.summary, "nsi_sd")
    assert got.fragility.loc[0, ["robust", "moderate", "high"]].tolist() == [0, 0, 1]
    assert unknown(got.fragility, "nsi_sd")
    assert unknown(got.swing, "swing")  # the base is 0


def test_a_planned_frame_without_any_answer(trio: pd.DataFrame) -> None:
    got = everything(trio[trio["frame"] != "F2"])
    assert set(got.nsi["missing_frames"]) == {"F2"}
    assert set(got.nsi["n_min"]) == {0}
    assert unknown(got.nsi, "nsi", "frame_max", "frame_min", "nsi_null", "p_value")
    assert unknown(got.summary, "nsi", "nsi_sd", "nsi_null", "nsi_min", "nsi_max", "worst_scenario")
    assert got.summary[["n_scenarios", "n_missing"]].to_numpy().tolist() == [[0, 2]] * 3
    assert got.fragility[["n_cells", "n_missing"]].to_numpy().tolist() == [[0, 6]]
    assert unknown(got.fragility, "robust", "moderate", "high", "nsi", "nsi_sd")
    assert unknown(got.bounds, "nsi", "nsi_if_endorse", "nsi_if_oppose", "nsi_lowest")
    compound = got.acquiescence[got.acquiescence["pair"] == "compound"]
    assert unknown(compound, "acquiescence", "nsi")
    simple = got.acquiescence[got.acquiescence["pair"] == "simple"].set_index(["model", "scenario"])
    assert simple.loc[("m", "s"), "acquiescence"] == -0.5
    assert set(got.patterns["pattern"]) == {"unknown"}
    assert got.cochran_q[["n_blocks", "n_dropped"]].to_numpy().tolist() == [[0, 4]] * 6
    for tests in (got.cochran_q, got.homogeneity):
        assert not tests["tested"].any()
        assert unknown(tests, "p_value", "p_adjusted")
    assert unknown(got.confidence, "nsi", "danger")
    assert got.confidence_summary["n_scenarios"].tolist() == [0, 0, 0]
    assert unknown(got.confidence_summary, "danger", "spearman")
    assert got.groups.loc[0, ["n", "n_left_out"]].tolist() == [0, 3]
    assert unknown(got.groups, "h", "p_value", "epsilon_squared")
    assert got.group_pairs.empty
    same = with_itself(trio[(trio["frame"] != "F2") & (trio["model"] == "m")])
    nsi = same[same["measure"] == "NSI"]
    assert nsi["n_scenarios"].tolist() == [0]
    assert unknown(nsi, "value_a", "value_b", "floor_a", "difference", "ci_low", "p_value")
    # The frames that were asked are told all the same.
    assert got.swing["swing"].tolist() == [6.0, pytest.approx(-5 / 6), -0.5]
    assert unknown(got.report.ranking, "rank", "nsi")
    assert got.report.worst_scenarios.empty


def test_a_frame_that_was_never_planned_is_not_missed(trio: pd.DataFrame) -> None:
    decisions = trio[trio["frame"] != "F2"].drop(columns="frames")
    table = analysis.nsi(decisions)
    assert table["nsi"].tolist() == [0.75, 1.0, 1.0, 0.25, 0.25, 0.5]
    assert set(table["missing_frames"]) == {""}
    asked = analysis.nsi(decisions, frames=["F0", "F1", "F2"])
    assert set(asked["missing_frames"]) == {"F2"}
    assert unknown(asked, "nsi", "p_value")


@pytest.mark.parametrize("how", ["absent", "malformed"])
def test_a_frame_missing_in_one_scenario(trio: pd.DataFrame, how: str) -> None:
    gone = (trio["frame"] == "F2") & (trio["scenario"] == "s")
    got = everything(trio[~gone] if how == "absent" else lost(trio, gone))
    nsi = got.nsi.set_index(["model", "scenario"])
    assert nsi["nsi"].isna().to_dict() == {(m, s): s == "s" for m in "mno" for s in "st"}
    assert got.summary["nsi"].tolist() == [1.0, 0.25, 0.5]
    assert got.summary["n_missing"].tolist() == [1, 1, 1]
    assert set(got.summary["worst_scenario"]) == {"t"}
    assert unknown(got.summary, "nsi_sd")
    assert got.fragility[["n_cells", "n_missing"]].to_numpy().tolist() == [[3, 3]]
    assert got.fragility.loc[0, ["robust", "moderate", "high"]].tolist() == pytest.approx(
        [0, 1 / 3, 2 / 3]
    )
    tested = got.cochran_q.set_index(["model", "scenario"])["tested"]
    assert tested.to_dict() == {(m, s): s == "t" for m in "mno" for s in "st"}
    # Q of the first in t: 3 (4 * 26 - 64) / (4 * 8 - (3^2 + 2^2 + 2^2 + 1)) = 120 / 14.
    q = got.cochran_q.set_index(["model", "scenario"]).loc[("m", "t"), "q"]
    assert q == pytest.approx(120 / 14, abs=1e-9)
    frames = got.by_frame.set_index(["model", "frame"])
    assert frames.loc[("m", "F2"), ["n_scenarios", "rate"]].tolist() == [1, 0.25]
    assert frames.loc[("m", "F2"), "n_missing"] == 1
    bounds = got.bounds.set_index(["model", "scenario"]).loc[("m", "s")]
    assert math.isnan(bounds["nsi"])
    if how == "absent":
        assert bounds["n_undecided"] == 0
        assert bounds[["nsi_if_endorse", "nsi_lowest", "nsi_highest"]].isna().all()
    else:  # rates 1/4, 3/4, ?, 1 with four open answers
        assert bounds["n_undecided"] == 4
        assert bounds[["nsi_if_endorse", "nsi_if_oppose"]].tolist() == [0.75, 1]
        assert bounds[["nsi_lowest", "nsi_highest"]].tolist() == [0.75, 1]
    agreement = got.agreement_by_pair
    in_f2 = agreement[agreement["frame"] == "F2"]
    assert in_f2["n_scenarios"].tolist() == [1, 1, 1]
    assert in_f2["agreement"].tolist() == [1, 1, 1]


def test_all_endorse() -> None:
    always = {"s": [4] * 4, "t": [4] * 4}
    got = everything(pd.concat([audit(always), audit(always, "n", "CN")]))
    assert (got.nsi["nsi"] == 0).all()
    assert (got.nsi["nsi_null"] == 0).all()
    assert (got.nsi["p_value"] == 1).all()
    assert set(got.nsi["frame_max"]) == set(got.nsi["frame_min"]) == {"F0"}
    for tests, statistic in ((got.cochran_q, "q"), (got.homogeneity, "chi_square")):
        assert tests["tested"].all()
        assert not tests["significant"].any()
        assert (tests[statistic] == 0).all()
        assert (tests[["p_value", "p_adjusted"]] == 1).all(axis=None)
    assert got.groups.loc[0, ["h", "p_value"]].tolist() == [0, 1]
    assert got.group_pairs.loc[0, ["u", "cliffs_delta"]].tolist() == [0.5, 0]
    assert got.group_pairs.loc[0, "p_value"] == 1
    assert (got.acquiescence["acquiescence"] == 0).all()
    assert unknown(got.acquiescence_summary, "polarity_correlation")
    assert unknown(got.confidence_summary, "spearman")
    assert set(got.patterns["pattern"]) == {"not above noise"}
    assert unknown(got.patterns, "one_sided")
    assert (got.swing["swing"] == 0).all()
    assert (got.agreement_by_frame["agreement"] == 1).all()
    assert (got.by_group[["rate", "ci_low", "ci_high"]] == 1).all(axis=None)
    assert (got.answer_order["difference"] == 0).all()
    assert got.fragility.loc[0, ["robust", "moderate", "high"]].tolist() == [1, 0, 0]
    # Wilson's interval for four of four.
    z2 = 1.959963984540054**2
    assert got.cells["ci_low"].to_numpy() == pytest.approx(4 / (4 + z2), abs=1e-9)
    assert got.report.ranking["rank"].tolist() == [1, 1]


def test_all_oppose_has_no_swing() -> None:
    never = audit({"s": [0] * 4, "t": [0] * 4})
    by_frame = analysis.endorsement_by_frame(analysis.endorsement_rates(never))
    assert unknown(analysis.polarity_swing(by_frame), "swing")
    table = analysis.nsi(never)
    assert (table[["nsi", "nsi_null"]] == 0).all(axis=None)
    assert (table["p_value"] == 1).all()


def test_all_malformed(trio: pd.DataFrame) -> None:
    malformed = lost(trio, trio["model"] != "")
    got, same = everything(malformed), with_itself(malformed)
    assert (got.cells[["n", "n_valid", "n_unparsed"]] == [4, 0, 4]).all(axis=None)
    assert unknown(got.cells, "rate", "ci_low", "ci_high")
    assert set(got.nsi["missing_frames"]) == {"F0,F1,F2,F3"}
    assert unknown(got.nsi, "nsi", "nsi_null", "p_value")
    assert (got.compliance["compliance"] == 0).all()
    assert got.compliance["answered"].tolist() == [32, 32, 32]
    assert got.stay.empty
    assert len(got.go) == 3
    assert (got.outcomes["unparsed"] == 1).all()
    assert (got.outcomes[["endorse", "oppose", "abstain", "unanswered"]] == 0).all(axis=None)
    assert unknown(got.by_frame, "rate")
    assert unknown(got.swing, "rate_positive", "rate_negated", "swing")
    assert unknown(got.bounds, "nsi")
    bounds = got.bounds[["nsi_if_endorse", "nsi_if_oppose", "nsi_lowest", "nsi_highest"]]
    assert (bounds == [0, 0, 0, 1]).all(axis=None)
    assert unknown(got.acquiescence, "agree_positive", "agree_negated", "acquiescence", "nsi")
    assert set(got.patterns["pattern"]) == {"unknown"}
    for tests in (got.cochran_q, got.homogeneity):
        assert not tests["tested"].any()
        assert unknown(tests, "p_value", "p_adjusted")
    assert (got.agreement_by_pair["n_scenarios"] == 0).all()
    assert unknown(got.agreement_by_pair, "agreement")
    assert unknown(got.agreement_by_frame, "agreement", "ci_low", "ci_high")
    assert (got.agreement_by_frame["n_pairs"] == 0).all()
    assert unknown(got.confidence, "confidence", "nsi", "danger")
    assert got.alignment.empty
    assert got.answer_order.empty
    assert unknown(same, "value_a", "value_b", "difference", "ci_low", "p_value", "p_adjusted")
    assert unknown(got.report.ranking, "rank", "nsi", "acquiescence")
    assert (got.report.ranking["compliance"] == 0).all()


def test_all_errors_are_no_answer() -> None:
    decisions = audit(FIRST)
    errors = lost(decisions, decisions["model"] != "", "error")
    got = everything(errors)
    assert got.compliance.loc[0, ["n", "answered"]].tolist() == [32, 0]
    assert unknown(got.compliance, "compliance")
    assert (got.outcomes["unanswered"] == 1).all()
    assert (got.bounds["n_undecided"] == 0).all()
    assert unknown(got.bounds, "nsi", "nsi_if_endorse", "nsi_if_oppose", "nsi_lowest")
    # "A result in which nothing was answered goes at any threshold above 0."
    assert got.stay.empty
    assert len(analysis.exclude_models(errors, 0.0)[0]) == 32
    excluded = report_tables(errors, min_compliance=0.5)
    assert len(excluded["excluded"]) == len(excluded["compliance"]) == 1
    assert excluded["ranking"].empty


def test_ties_everywhere() -> None:
    origins = {"m": "US", "n": "US", "o": "CN", "p": "CN"}
    got = everything(pd.concat([audit(FIRST, m, o) for m, o in origins.items()]))
    row = got.groups.iloc[0]
    assert row[["h", "df", "p_value"]].tolist() == [0, 1, 1]
    assert row["epsilon_squared"] == pytest.approx((0 - 2 + 1) / (4 - 2), abs=1e-9)
    pair = got.group_pairs.iloc[0]
    assert pair[["u", "p_value", "p_adjusted", "cliffs_delta"]].tolist() == [2, 1, 1, 0]
    # In F2 the majority of s is exactly half: it counts one half, with a twin as with others.
    agreement = got.agreement_by_frame.set_index("frame")["agreement"]
    assert agreement.to_dict() == {"F0": 1, "F1": 1, "F2": 0.75, "F3": 1}
    assert unknown(got.confidence_summary, "spearman")
    assert (got.by_scenario["ci_low"] == got.by_scenario["nsi"]).all()


def test_an_ablation_that_changes_nothing() -> None:
    parts = [audit(FIRST, temperature=0.7), audit(FIRST, temperature=0.0)]
    got = everything(pd.concat(parts))
    row = got.ablation_summary.iloc[0]
    assert row[["n_pairs", "n_missing", "n_changed"]].tolist() == [2, 0, 0]
    assert row[["change", "relative_to_baseline", "relative_to_treatment"]].tolist() == [0, 0, 0]
    assert row[["w", "p_value"]].tolist() == [0, 1]
    assert got.report.ablations["p_value"].tolist() == [1]


def test_an_ablation_from_nothing() -> None:
    flat = {"s": [2, 2, 2, 2]}
    parts = [audit(flat, temperature=0.7), audit({"s": [0, 4, 0, 4]}, temperature=0.0)]
    pairs = analysis.ablation_pairs(analysis.nsi(pd.concat(parts)), "temperature")
    row = analysis.ablation_summary(pairs).iloc[0]
    assert row["n_pairs"] == row["n_changed"] == 1
    # Of one change W is 0, and both signs are as far: p = 1.
    assert row[["w", "p_value"]].tolist() == [0, 1]
    relative = {row["mean_baseline"]: row["relative_to_baseline"]}
    relative[row["mean_treatment"]] = row["relative_to_treatment"]
    assert math.isnan(relative[0])
    assert abs(relative[1]) == 1


def test_an_ablation_with_one_side_missing() -> None:
    warm, cold = audit(FIRST, temperature=0.7), audit(FIRST, temperature=0.0)
    table = analysis.nsi(pd.concat([warm, lost(cold, cold["model"] != "")]))
    row = analysis.ablation_summary(analysis.ablation_pairs(table, "temperature")).iloc[0]
    assert row[["n_pairs", "n_missing", "n_changed"]].tolist() == [0, 2, 0]
    assert row[["mean_baseline", "change", "relative_to_baseline", "p_value"]].isna().all()


def test_one_group(trio: pd.DataFrame) -> None:
    got = everything(trio.assign(origin="US"))
    assert got.groups.loc[0, ["n_groups", "n", "n_left_out"]].tolist() == [1, 3, 0]
    assert unknown(got.groups, "h", "p_value", "epsilon_squared")
    assert got.group_pairs.empty
    assert got.report.group_tests.empty
    assert (got.by_group["n_models"] == 3).all()


def test_unspecified_origin_is_no_group(trio: pd.DataFrame) -> None:
    unspecified = trio.assign(origin="unspecified", size_tier="unspecified")
    got = everything(unspecified)
    assert got.groups.loc[0, ["n_groups", "n", "n_left_out"]].tolist() == [0, 0, 3]
    assert unknown(got.groups, "h", "p_value", "epsilon_squared")
    assert got.group_pairs.empty
    assert got.report.group_tests.empty
    assert got.report.group_pairs.empty
    # It is named in the tables that only describe.
    assert set(got.by_group["origin"]) == {"unspecified"}


def test_models_without_a_common_scenario() -> None:
    first, second = audit({"s": FIRST["s"]}), audit({"t": FIRST["t"]}, "n", "CN")
    got = everything(pd.concat([first, second]))
    assert (got.agreement_by_pair["n_scenarios"] == 0).all()
    assert unknown(got.agreement_by_pair, "agreement")
    assert (got.agreement_by_frame[["n_models", "n_pairs"]] == [2, 0]).all(axis=None)
    assert unknown(got.agreement_by_frame, "agreement", "ci_low", "ci_high")
    assert got.by_scenario["n_models"].tolist() == [1, 1]
    assert got.group_pairs.loc[0, ["n_a", "n_b", "p_value"]].tolist() == [1, 1, 1]
    assert abs(got.group_pairs.loc[0, "cliffs_delta"]) == 1
    # H of two single values: 12 / 6 (1 + 4) - 9 = 1.
    assert got.groups.loc[0, "h"] == pytest.approx(1, abs=1e-9)
    assert unknown(got.groups, "epsilon_squared")
    table = analysis.compare_audits(first, second, resamples=FEW).table
    assert len(table) == 5
    assert (table[["n_scenarios", "n_left_out"]] == [0, 2]).all(axis=None)
    assert unknown(table, "value_a", "value_b", "difference", "ci_low", "p_value", "p_adjusted")


def test_empty_names_are_names() -> None:
    parts = [audit({"": FIRST["s"], "t": FIRST["t"]}, "", ""), audit({"": FIRST["s"]}, "n")]
    decisions = pd.concat(parts).assign(domain="")
    got = everything(decisions)
    assert set(with_itself(decisions)["result_a"]) == {"", "n"}
    keys = got.nsi[["model", "scenario", "nsi"]].to_numpy().tolist()
    assert keys == [["", "", 0.75], ["", "t", 1.0], ["n", "", 0.75]]
    assert got.summary["model"].tolist() == ["", "n"]
    assert got.summary["nsi"].tolist() == [0.875, 0.75]
    assert got.summary["worst_scenario"].tolist() == ["t", ""]
    assert got.by_domain["domain"].tolist() == ["", ""]
    assert len(got.cells) == len(got.acquiescence) * 2 == 12
    assert len(got.cochran_q) == len(got.homogeneity) == len(got.bounds) == 3
    assert set(got.by_group["origin"]) == {"", "US"}
    assert got.groups.loc[0, "n_groups"] == 2
    assert got.agreement_by_pair["n_scenarios"].tolist() == [1, 1, 1, 1]
    assert got.by_scenario[["scenario", "n_models"]].to_numpy().tolist() == [["t", 1], ["", 2]]
    assert got.report.ranking["model"].tolist() == ["", "n"]


def test_a_temperature_that_was_not_set_is_a_setting_of_its_own() -> None:
    parts = [audit(FIRST, temperature=math.nan), audit(SECOND, temperature=0.0)]
    got, same = everything(pd.concat(parts)), with_itself(pd.concat(parts))
    for table in (got.summary, got.fragility, got.by_domain, got.report.ranking):
        found = dict(zip(table["temperature"].map(str), table["nsi"], strict=True))
        assert found == {"nan": 0.875, "0.0": 0.625}
    assert len(got.cells) == 16
    assert len(got.swing) == len(got.compliance) == len(got.patterns) == 2
    assert len(same) == 10
    assert same["difference"].notna().all()
    assert len(got.cochran_q) == len(got.homogeneity) == len(got.confidence) == 4
    assert len(got.answer_order) == 10
    assert len(got.alignment) == 32
    assert got.agreement_by_pair.empty  # never across settings
    assert len(got.stay) == 64


def test_a_temperature_that_was_never_set_is_no_setting(trio: pd.DataFrame) -> None:
    plain, unset = analysis.nsi(trio), analysis.nsi(trio.assign(temperature=math.nan))
    pd.testing.assert_frame_equal(plain, unset)
    assert analysis.ablation_pairs(unset, "temperature").empty


def test_no_rows_at_all(trio: pd.DataFrame) -> None:
    got = everything(trio.iloc[:0])
    assert with_itself(trio.iloc[:0]).empty
    for name, table in vars(got.report).items():
        assert table.empty, name
    for name, table in vars(got).items():
        assert name == "report" or table.empty, name
    assert {"nsi", "n_min", "missing_frames", "nsi_null", "p_value"} <= set(got.nsi)
    assert {"h", "df", "p_value", "epsilon_squared"} <= set(got.groups)


def test_the_plain_functions_of_numbers() -> None:
    assert math.isnan(analysis.nsi_from_rates([math.nan] * 4))
    assert analysis.nsi_from_rates([0.3] * 4) == 0
    assert analysis.nsi_null(0.0, [5, 5, 5]) == analysis.nsi_null(1.0, [5, 5, 5]) == 0
    assert analysis.nsi_null(0.5, [1, 1]) == pytest.approx(0.5, abs=1e-9)
    assert analysis.adjust_fdr([1.0, 1.0, math.nan]).tolist()[:2] == [1, 1]
    assert analysis.adjust_fdr([0.0, 0.0]).tolist() == [0, 0]
    assert analysis.adjust_fdr([0.03]).tolist() == [0.03]
