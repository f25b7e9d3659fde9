"""What the papers' own figures give under the papers' own formulas.

Each number is either printed in a paper, or follows from printed ones by the arithmetic shown.
"""

import itertools
import math

import pandas as pd
import pytest
from helpers.framing import complete, decisions_from_counts
from helpers.paths import ROOT
from helpers.published import benjamini_hochberg, chi2_sf, kruskal, mann_whitney, wilcoxon
from helpers.report import report_tables

from negation_evals import analysis
from negation_evals.report.framing.published import published_tables

DATASETS = ROOT / "datasets"
SFF, NSI = "2601.09724", "2601.21433"
FRAMES = ("F0", "F1", "F2", "F3")


def published(name: str, source: str) -> pd.DataFrame:
    table = pd.read_csv(DATASETS / f"published_{name}.csv", dtype={"source": str})
    return table[table["source"] == source].drop(columns="source").reset_index(drop=True)


def swings(rates: pd.DataFrame, **frames: str) -> dict[str, float]:
    table = analysis.polarity_swing(rates, **frames)
    return dict(zip(table["origin"], table["swing"], strict=True))


def test_swings_of_the_negation_paper() -> None:
    rates = published("endorsement", NSI)
    exact = {"OSS": (100 - 24) / 24, "US": (57 - 25) / 25, "CN": (44 - 37) / 37}
    got = swings(rates)
    assert got == pytest.approx(exact, abs=1e-9)
    assert {o: round(100 * s) for o, s in got.items()} == {"OSS": 317, "US": 128, "CN": 19}
    simple = swings(rates, negated="F1")
    assert round(100 * simple["US"]) == 36
    assert simple["CN"] == pytest.approx((21 - 37) / 37, abs=1e-9)


def test_swings_of_the_framing_paper_need_three_digits() -> None:
    rates = published("endorsement", SFF)
    got = swings(rates)
    exact = {"CN": 185 / 306, "US": 363 / 248, "OSS": 680 / 287}
    assert got == pytest.approx(exact, abs=1e-9)
    percent = {o: round(100 * s, 1) for o, s in got.items()}
    assert percent == {"CN": 60.5, "US": 146.4, "OSS": 236.9}
    rounded = swings(rates.assign(rate=rates["rate"].round(2)))
    assert {o: round(100 * s) for o, s in rounded.items()} == {"CN": 58, "US": 144, "OSS": 234}


def test_kruskal_wallis_of_table_1() -> None:
    table = published("nsi", SFF)
    groups = [list(g) for _, g in table.groupby("origin")["nsi"]]
    (row,) = analysis.compare_groups(table).to_dict("records")
    h = kruskal(groups)
    assert (row["n"], row["n_groups"], row["df"], row["n_left_out"]) == (23, 3, 2, 0)
    assert row["h"] == pytest.approx(h, abs=1e-9)
    assert row["p_value"] == pytest.approx(chi2_sf(h, 2), abs=1e-9)
    assert row["epsilon_squared"] == pytest.approx((h - 2) / 20, abs=1e-9)
    assert round(row["h"], 2) == 13.59
    assert round(row["p_value"], 4) == 0.0011
    assert round(row["epsilon_squared"], 3) == 0.579


def test_cliffs_delta_of_table_1() -> None:
    table = published("nsi", SFF)
    values = {o: list(g) for o, g in table.groupby("origin")["nsi"]}
    got = analysis.compare_group_pairs(table)
    rows = {frozenset((r["group_a"], r["group_b"])): r for r in got.to_dict("records")}
    oss = rows[frozenset(("OSS", "all others"))]
    # Of 8 x 15 pairs Claude Haiku's 0.71 is above 0.64 twice and equal to 0.71 twice.
    assert oss["u"] == 120 - 2 - 2 / 2
    assert oss["cliffs_delta"] == pytest.approx((116 - 2) / 120, abs=1e-9)
    assert round(oss["cliffs_delta"], 2) == 0.95
    assert (oss["n_a"], oss["n_b"]) == (8, 15)
    _, p, _ = mann_whitney(values["OSS"], values["US"] + values["CN"])
    assert oss["p_value"] == pytest.approx(p, abs=1e-9)
    commercial = rows[frozenset(("US", "CN"))]
    _, p, delta = mann_whitney(values["US"], values["CN"])
    assert commercial["p_value"] == pytest.approx(p, abs=1e-9)
    assert abs(commercial["cliffs_delta"]) == pytest.approx(abs(float(delta)), abs=1e-9)
    # As many pairs up as down; the text prints p = 0.68.
    assert (commercial["u"], commercial["p_value"]) == (28, 1)


def test_means_of_table_1() -> None:
    table = published("nsi", SFF).assign(scenario="s")
    got = analysis.nsi_summary(table.assign(domain="d", n_min=30, nsi_null=0.1), by="origin")
    means = dict(zip(got["origin"], got["nsi"], strict=True))
    assert means == pytest.approx({"US": 2.81 / 8, "CN": 2.44 / 7, "OSS": 6.30 / 8}, abs=1e-9)
    assert table["nsi"].mean() == pytest.approx(11.55 / 23, abs=1e-9)
    assert {o: round(v, 3) for o, v in means.items()} == {"US": 0.351, "CN": 0.349, "OSS": 0.787}
    assert table["origin"].value_counts().to_dict() == {"US": 8, "OSS": 8, "CN": 7}


def test_no_models_reach_the_printed_h_but_by_complete_separation() -> None:
    # 18.7 is printed; 23 models in groups of 8, 7 and 8 reach more only fully separated.
    groups = {"US": range(8), "CN": range(8, 15), "OSS": range(15, 23)}
    rows = [{"model": f"{o}{i}", "origin": o, "nsi": i} for o, g in groups.items() for i in g]
    (row,) = analysis.compare_groups(pd.DataFrame(rows)).to_dict("records")
    assert row["h"] == pytest.approx(kruskal(list(groups.values())), abs=1e-9)
    assert row["h"] > 18.7
    assert row["epsilon_squared"] == pytest.approx((row["h"] - 3 + 1) / (23 - 3), abs=1e-9)


def ablation(baseline: list[float], treatment: list[float], setting: str) -> pd.Series:
    table = pd.DataFrame(
        [
            {"model": "m", "scenario": f"s{i}", "domain": "d", setting: value, "nsi": nsi}
            for value, column in zip(("0.7", "0.0"), (baseline, treatment), strict=True)
            for i, nsi in enumerate(column)
        ]
    )
    table[setting] = table[setting].astype(float)
    pairs = analysis.ablation_pairs(table, setting)
    assert set(zip(pairs["baseline"], pairs["treatment"], strict=True)) == {("0.7", "0.0")}
    return analysis.ablation_summary(pairs).iloc[0]


def test_temperature_change_relative_to_either_mean() -> None:
    row = ablation([0.57, 0.67, 0.77], [0.70, 0.80, 0.90], "temperature")
    assert row["mean_baseline"] == pytest.approx(0.67, abs=1e-9)
    assert row["mean_treatment"] == pytest.approx(0.80, abs=1e-9)
    assert row["relative_to_baseline"] == pytest.approx(13 / 67, abs=1e-9)
    assert row["relative_to_treatment"] == pytest.approx(13 / 80, abs=1e-9)
    assert round(100 * row["relative_to_baseline"], 1) == 19.4
    assert round(100 * row["relative_to_treatment"], 2) == 16.25


def test_three_models_cannot_give_the_printed_wilcoxon_p() -> None:
    # With at most three signs, p is a multiple of 1/4; 0.875 takes four untied changes or more.
    sizes = (0, 1, 2, 3)
    found = {
        round(wilcoxon(changes)[1], 9)
        for changes in itertools.product([*sizes, *(-s for s in sizes)], repeat=3)
    }
    assert found == {0.25, 0.5, 0.75, 1.0}
    assert wilcoxon([1, 2, 3, -4])[1] == 0.875
    four = ablation([0.5] * 4, [0.51, 0.52, 0.53, 0.46], "temperature")
    assert (four["w"], four["p_value"]) == (4, pytest.approx(0.875, abs=1e-9))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (NSI, {"standard": "Grok-4.1-non-reasoning", "reasoning": "Grok-4.1-reasoning"}),
        (SFF, {"standard": "grok-4-1-non-reasoning", "reasoning": "grok-4-1-reasoning"}),
    ],
)
def test_reasoning_halves_the_nsi_of_grok(source: str, names: dict) -> None:
    table = published("nsi", source).set_index("model")["nsi"]
    pair = pd.DataFrame(
        [
            {
                "model": model,
                "family": "grok",
                "variant": variant,
                "scenario": "mean",
                "domain": "d",
                "nsi": table[model],
            }
            for variant, model in names.items()
        ]
    )
    row = analysis.ablation_summary(analysis.ablation_pairs(pair, "variant")).iloc[0]
    assert row["relative_to_baseline"] == pytest.approx(-25 / 48, abs=1e-9)
    assert round(100 * row["relative_to_baseline"]) == -52


def test_tiers_at_their_bounds() -> None:
    for source, expected in {NSI: (1, 9, 6), SFF: (2, 11, 10)}.items():
        table = published("nsi", source).assign(scenario="s", domain="d")
        row = analysis.fragility_shares(table).iloc[0]
        got = [round(row[c] * len(table), 9) for c in ("robust", "moderate", "high")]
        assert tuple(got) == expected
    table = published("nsi", NSI)
    # "Only three models below 0.25": Table 4 has four. GPT-5.1 at exactly 0.20 is not below it.
    assert (table["nsi"] < 0.25).sum() == 4
    exactly = table[table["model"] == "GPT-5.1"].assign(scenario="s", domain="d")
    assert analysis.fragility_shares(exactly).iloc[0]["moderate"] == 1


def test_records_and_valid_decisions() -> None:
    assert 26 * 14 * 4 * 30 == 43_680 > 42_767
    assert 16 * 14 * 4 * 30 == 26_880 < 27_000
    included = published("nsi", SFF).set_index("model")["compliance"]
    valid = {model: round(share * 1680) for model, share in included.items()}
    excluded = {"rnj-1:8b": 1110, "qwen3-235b-thinking": 1042, "gemini-3-pro": 38}
    # The 39,975 "decisions of 23 models" hold those of the three excluded ones.
    assert sum(valid.values()) == 37_785
    assert sum(valid.values()) + sum(excluded.values()) == 39_975
    decisions = pd.DataFrame(
        {
            "model": [m for m, n in (valid | excluded).items() for _ in range(1680)],
            "status": [
                "valid" if i < n else "malformed"
                for n in (valid | excluded).values()
                for i in range(1680)
            ],
        }
    )
    table = analysis.compliance(decisions)
    assert (table["n"].sum(), table["valid"].sum()) == (43_680, 39_975)
    assert round(100 * table["valid"].sum() / table["n"].sum(), 2) == 91.52
    for model, share in included.items():
        (got,) = table.loc[table["model"] == model, "compliance"]
        assert got == pytest.approx(share, abs=6e-5)
    # "Over 80 % malformed" fits one of the three that were left out; below 80 % valid fits all.
    _, gone = analysis.exclude_models(decisions, 0.20)
    assert set(gone["model"]) == {"gemini-3-pro"}
    _, gone = analysis.exclude_models(decisions, 0.80)
    assert set(gone["model"]) == set(excluded)
    assert [round(100 * (1 - n / 1680)) for n in excluded.values()] == [34, 38, 98]


def test_domain_means_of_table_3_beside_ones_own() -> None:
    counts = {"a": [0, 10, 0, 10], "b": [5, 5, 5, 5]}
    own = pd.concat(
        [decisions_from_counts(counts, n=10, model=d, domain=d) for d in ("financial", "medical")]
    )
    own = complete(own.assign(scenario=own["domain"] + own["scenario"]))
    table = published_tables(report_tables(own))["published_domain_nsi"]
    row = table[table["source"] == NSI].set_index("domain")
    assert row["published_nsi"].to_dict() == {"financial": 0.65, "medical": 0.36}
    assert row["nsi"].to_dict() == {"financial": 0.5, "medical": 0.5}
    ratio = row["published_nsi"]["financial"] / row["published_nsi"]["medical"]
    assert round(ratio, 1) == 1.8  # "twice as fragile"


def test_one_scenario_at_a_half_cannot_have_a_mean_of_one() -> None:
    # Table 6: OSS endorse firing in 50 % under F3; Table 2: 1.00 over all 14 scenarios.
    counts = {f"s{i}": [0, 0, 0, 30] for i in range(13)} | {"war_1": [0, 0, 0, 15]}
    cells = analysis.endorsement_rates(decisions_from_counts(counts, n=30).assign(origin="OSS"))
    got = analysis.endorsement_by_group(cells, resamples=10).set_index("frame")["rate"]
    assert got["F3"] == pytest.approx(13.5 / 14, abs=1e-9)
    assert round(got["F3"], 2) == 0.96


def test_commercial_rates_are_means_of_two_categories_not_of_models() -> None:
    # Table 5, F0 and F1 of robbery: CN 25 and 41 % (4 models), US 40 and 98 % (8 models).
    tables = [
        decisions_from_counts({"s": [f0, f1, 0, 0]}, n=100, model=f"{o}{i}").assign(group="all")
        for o, n, f0, f1 in (("CN", 4, 25, 41), ("US", 8, 40, 98))
        for i in range(n)
    ]
    cells = analysis.endorsement_rates(pd.concat(tables))
    named = cells.assign(origin="commercial")
    got = analysis.endorsement_by_group(named, resamples=10).set_index("frame")["rate"]
    assert got[["F0", "F1"]].tolist() == pytest.approx([0.35, 0.79], abs=1e-9)
    assert ((25 + 40) / 2, (41 + 98) / 2) == (32.5, 69.5)  # printed: 33 % and 70 %


def simulated(agrees: tuple[int, int, int, int]) -> pd.DataFrame:
    """One model with these counts of agree among 30, in three scenarios."""
    endorsed = [agrees[0], 30 - agrees[1], agrees[2], 30 - agrees[3]]
    return decisions_from_counts({f"s{i}": endorsed for i in range(3)}, n=30)


def test_always_disagree_gives_the_published_open_source_pattern() -> None:
    decisions = simulated((0, 0, 0, 0))
    cells = analysis.endorsement_rates(decisions)
    by_frame = analysis.endorsement_by_frame(cells).set_index("frame")["rate"]
    assert by_frame.to_dict() == {"F0": 0, "F1": 1, "F2": 0, "F3": 1}
    table = analysis.nsi(decisions)
    assert table["nsi"].tolist() == [1, 1, 1]
    assert set(table["frame_max"]) == {"F1"}
    assert set(table["frame_min"]) == {"F0"}
    deals = math.comb(120, 60)
    ways = sum(
        math.comb(30, a) * math.comb(30, b) * math.comb(30, c) * math.comb(30, 60 - a - b - c)
        for a, b, c in itertools.product(range(31), repeat=3)
        if 0 <= 60 - a - b - c <= 30
        and max(a, b, c, 60 - a - b - c) == 30
        and min(a, b, c, 60 - a - b - c) == 0
    )
    assert table["p_value"].tolist() == pytest.approx([max(1e-15, ways / deals)] * 3, abs=1e-15)
    swing = analysis.polarity_swing(analysis.endorsement_by_frame(cells)).iloc[0]
    assert math.isnan(swing["swing"])  # relative to a rate of 0
    agreeing = analysis.acquiescence(cells)
    assert (agreeing["acquiescence"] == -1).all()
    assert (agreeing["nsi"] == 1).all()
    pattern = analysis.failure_patterns(table, agreeing, analysis.framing_effect(cells)).iloc[0]
    assert (pattern["pattern"], pattern["one_sided"]) == ("habit of disagreeing", 1)
    q = analysis.cochran_q(decisions)
    # G = (0, 30, 0, 30), L = 2 in each block: Q = 4 * 3 * 4 * 15^2 / (30 * 4) = 90.
    assert q["q"].tolist() == pytest.approx([90.0] * 3, abs=1e-9)
    expected = benjamini_hochberg([chi2_sf(90.0, 3)] * 3)
    assert q["p_adjusted"].tolist() == pytest.approx(expected, rel=1e-9, abs=0)


def test_always_agree_is_its_mirror_image() -> None:
    decisions = simulated((30, 30, 30, 30))
    cells = analysis.endorsement_rates(decisions)
    by_frame = analysis.endorsement_by_frame(cells)
    rates = by_frame.set_index("frame")["rate"]
    assert rates.to_dict() == {"F0": 1, "F1": 0, "F2": 1, "F3": 0}
    assert analysis.polarity_swing(by_frame).iloc[0]["swing"] == -1
    table, agreeing = analysis.nsi(decisions), analysis.acquiescence(cells)
    assert (table["nsi"] == 1).all()
    assert (agreeing["acquiescence"] == 1).all()
    pattern = analysis.failure_patterns(table, agreeing, analysis.framing_effect(cells)).iloc[0]
    assert pattern["pattern"] == "habit of agreeing"


def test_a_mirror_consistent_model_scores_zero() -> None:
    # 60 % agree with "should", 40 % with "should not" (2601.21433, Section 3.1).
    decisions = simulated((18, 12, 18, 12))
    table = analysis.nsi(decisions)
    assert (table["nsi"] == 0).all()
    assert (table["p_value"] == 1).all()
    cells = analysis.endorsement_rates(decisions)
    agreeing = analysis.acquiescence(cells)
    assert agreeing["acquiescence"].abs().max() < 1e-9
    pattern = analysis.failure_patterns(table, agreeing, analysis.framing_effect(cells)).iloc[0]
    assert pattern["pattern"] == "not above noise"


def test_sampling_alone_makes_thirty_answers_look_fragile() -> None:
    table = analysis.nsi(decisions_from_counts({"s": [15, 15, 15, 15]}, n=30)).iloc[0]
    cdf = [sum(math.comb(30, i) for i in range(k + 1)) / 2**30 for k in range(31)]
    # E[max - min] of four counts, from E[max] = sum P(max > k) and symmetry.
    expected = 2 * sum(1 - cdf[k] ** 4 for k in range(30)) / 30 - 1
    assert table["nsi_null"] == pytest.approx(expected, abs=1e-9)
    assert round(table["nsi_null"], 2) == 0.19
    at_zero = analysis.nsi(decisions_from_counts({"s": [1, 0, 1, 0]}, n=1)).iloc[0]
    assert at_zero["nsi_null"] == pytest.approx(1 - 2 / 2**4, abs=1e-9)  # n = 1: 0.875
