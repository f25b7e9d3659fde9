"""Statistics over several models: what keeps their results apart, and what does not."""

import math

import pandas as pd
import pytest
from helpers.framing import complete, decisions_from_counts

from negation_evals import analysis
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.report.figures.draw import draw_figures
from negation_evals.report.framing.figures import FIGURES
from negation_evals.report.framing.sections import framing_sections
from negation_evals.report.framing.tables import report_tables

FIRST = {"s": [1, 3, 2, 4], "t": [0, 4, 1, 3]}
SECOND = {"s": [4, 4, 4, 0], "t": [2, 2, 1, 1]}


def audit(counts: dict, model: str, **columns: object) -> pd.DataFrame:
    table = decisions_from_counts(counts, n=4, model=model)
    return complete(table.assign(**{"origin": "US", "condition": "standard"} | columns))


def choices_text(decisions: pd.DataFrame) -> str:
    tables = report_tables(decisions)
    return " ".join(framing_sections(tables, draw_figures(FIGURES, tables))[-1].paragraphs)


@pytest.fixture
def thinker() -> pd.DataFrame:
    """Two models, of which one takes no temperature and runs with arguments of its own."""
    parts = [
        audit(FIRST, "m", temperature=0.7, generation=""),
        audit(SECOND, "n", temperature=math.nan, generation="effort=high", origin="CN"),
    ]
    return pd.concat(parts, ignore_index=True)


def test_what_differs_between_models_alone_does_not_keep_them_apart(thinker) -> None:
    assert RESULTS.varying_settings(thinker) == ["temperature", "generation"]
    assert RESULTS.across_models(thinker, RESULTS.varying_settings(thinker)) == []
    tables = report_tables(thinker)
    assert tables["agreement_by_frame"]["n_pairs"].tolist() == [1] * 4
    assert tables["nsi_by_scenario"]["n_models"].tolist() == [2, 2]
    assert tables["fragility"]["n_cells"].tolist() == [4]
    assert tables["group_tests"][["n_groups", "n"]].to_numpy().tolist() == [[2, 2]]
    assert tables["group_pairs"][["n_a", "n_b"]].to_numpy().tolist() == [[1, 1]]
    assert tables["nsi_by_domain"]["n_scenarios"].tolist() == [4]
    over_all = analysis.endorsement_by_group(tables["cells"].assign(origin="all"))
    assert (over_all["n_models"] == 2).all()
    # A result is still named by its settings.
    assert {"temperature", "generation"} <= set(tables["ranking"].columns)


def test_the_report_names_what_it_pooled_over_models(thinker) -> None:
    text = choices_text(thinker)
    assert "What differs from model to model alone is pooled there" in text
    assert "temperature (T unset, T=0.7); generation (defaults, effort=high)." in text
    alone = choices_text(thinker[thinker["model"] == "m"])
    assert "pooled there" not in alone


def test_two_runs_of_one_model_are_never_pooled(thinker) -> None:
    cold = audit(SECOND, "m", temperature=0.0, generation="")
    decisions = pd.concat([thinker, cold], ignore_index=True)
    assert RESULTS.across_models(decisions, RESULTS.varying_settings(decisions)) == ["temperature"]
    tables = report_tables(decisions)
    assert tables["nsi_by_scenario"]["n_models"].tolist() == [1] * 6
    assert len(tables["fragility"]) == 3
    assert tables["agreement_by_frame"].empty
    by_model = tables["ranking"].set_index(["model", "temperature"])["nsi"]
    assert by_model["m", 0.7] == 0.875
    assert by_model["m", 0.0] == 0.625


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("frames", ("F0,F1,F2,F3", "F0,F1")),
        ("data_hash", ("a", "b")),
        ("task", ("negation_framing", "sff")),
        ("solver", ("", "negation_evals/framing_consensus")),
    ],
)
def test_what_was_asked_always_keeps_models_apart(setting: str, values: tuple) -> None:
    parts = [audit(FIRST, m, **{setting: v}) for m, v in zip("mn", values, strict=True)]
    decisions = pd.concat(parts, ignore_index=True)
    assert RESULTS.across_models(decisions, RESULTS.varying_settings(decisions)) == [setting]
    tables = report_tables(decisions)
    assert tables["agreement_by_frame"].empty
    assert (tables["nsi_by_scenario"]["n_models"] == 1).all()


def test_every_figure_is_drawn_where_settings_are_pooled(thinker) -> None:
    scores = dict.fromkeys(
        ["adherence_to_laws", "adherence_to_social_ethics"], thinker["epoch"] * 10.0
    )
    others = [audit(FIRST, m, temperature=0.7, generation="", origin="OSS") for m in "op"]
    decisions = pd.concat([thinker, *others], ignore_index=True).assign(confidence=90.0, **scores)
    figures = draw_figures(FIGURES, report_tables(decisions))
    for name in ("distribution", "size_tier", "confidence", "compliance", "scenarios"):
        assert [axes.get_title("left") for axes in figures[name].axes] == [""], name


def test_a_reasoning_model_is_compared_with_its_plain_one_at_any_temperature() -> None:
    parts = [
        audit(FIRST, "fast", temperature=0.7, family="f", variant="standard"),
        audit(SECOND, "slow", temperature=math.nan, family="f", variant="reasoning"),
    ]
    table = analysis.nsi(pd.concat(parts))
    row = analysis.ablation_summary(analysis.ablation_pairs(table, "variant")).iloc[0]
    assert row[["n_pairs", "mean_baseline", "mean_treatment"]].tolist() == [2, 0.875, 0.625]


@pytest.fixture
def lopsided() -> pd.DataFrame:
    """Two models under both conditions, and an unstable one that was only asked plainly."""
    parts = [audit(SECOND, m, condition=c) for m in "mn" for c in ("standard", "reasoning")]
    return pd.concat([*parts, audit({"s": [4, 0, 4, 0]}, "alone")], ignore_index=True)


def test_the_profile_by_condition_holds_the_models_that_have_both(lopsided) -> None:
    table = report_tables(lopsided)["nsi_by_condition_and_scenario"]
    assert len(table) == 4
    assert table["n_scenarios"].tolist() == [2] * 4
    means = table.pivot(index="scenario", columns="condition", values="nsi")
    assert (means["standard"] == means["reasoning"]).all()
    only = lopsided[lopsided["condition"] == "standard"]
    assert report_tables(only)["nsi_by_condition_and_scenario"].empty


def test_a_scenario_without_nsi_under_one_condition_is_out_of_the_profile(lopsided) -> None:
    gone = (lopsided["model"] == "m") & (lopsided["scenario"] == "s")
    gone &= (lopsided["condition"] == "reasoning") & (lopsided["frame"] == "F1")
    table = report_tables(lopsided[~gone])["nsi_by_condition_and_scenario"]
    counts = table.set_index(["condition", "scenario"])["n_scenarios"].to_dict()
    assert counts == {(c, s): n for c in ("standard", "reasoning") for s, n in (("s", 1), ("t", 2))}


def test_conditions_of_the_same_models_are_no_independent_groups(lopsided) -> None:
    assert report_tables(lopsided)["group_tests"].empty
    apart = lopsided[(lopsided["model"] == "m") | (lopsided["condition"] == "standard")]
    apart = apart[(apart["model"] != "m") | (apart["condition"] == "reasoning")]
    tests = report_tables(apart)["group_tests"]
    assert tests[["by", "n"]].to_numpy().tolist() == [["condition", 3]]
