"""Tiers: exact thresholds, decisions by interval, and the data behind them."""

from pathlib import Path

import pandas as pd
import pytest
from helpers.framing import decisions_from_counts

from negation_evals.analysis import keeps_tier, nsi_intervals, tiers
from negation_evals.analysis.framing.rates import endorsement_rates
from negation_evals.analysis.framing.tier_tables import load_adjacent_domains, load_tier_thresholds
from negation_evals.analysis.framing.tiers import OVERALL, Tier, Verdict
from negation_evals.errors import DataError
from negation_evals.framing.scenarios import load_scenarios


def row(nsi: float, low: float, high: float, domain: str = OVERALL) -> pd.DataFrame:
    return pd.DataFrame([{"domain": domain, "nsi": nsi, "ci_low": low, "ci_high": high}])


@pytest.mark.parametrize(
    ("nsi", "tier"),
    [
        (0.0, "A"),
        (0.19, "A"),
        # 0.8 - 0.6 is 0.19999999999999996 in doubles, and GPT-5.1 at exactly 0.20 is tier B.
        (0.8 - 0.6, "B"),
        (0.2, "B"),
        (0.49, "B"),
        (0.7 - 0.2, "C"),  # 0.49999999999999994
        (0.5, "C"),
        (1.0, "C"),
        (float("nan"), None),
    ],
)
def test_the_papers_rule_decides_as_fractions_do(nsi: float, tier: str | None) -> None:
    (found,) = tiers(row(nsi, 0.0, 1.0))["point_tier"]
    assert found == tier


@pytest.mark.parametrize(
    ("low", "high", "tier"),
    [
        (0.0, 0.19, "A"),
        (0.0, 0.8 - 0.6, "undecided"),
        (0.8 - 0.6, 0.49, "B"),
        (0.21, 0.5, "undecided"),
        (0.5, 1.0, "C"),
        (0.1, 0.9, "undecided"),
        (float("nan"), float("nan"), "undecided"),
    ],
)
def test_a_tier_is_decided_where_the_interval_lies_within_it(
    low: float, high: float, tier: str
) -> None:
    (found,) = tiers(row(0.3, low, high))["tier"]
    assert found == tier


@pytest.mark.parametrize(
    ("low", "high", "a", "b"),
    [
        (0.0, 0.15, "holds", "holds"),
        (0.1, 0.3, "undecided", "holds"),  # Across A and B: B holds all the same.
        (0.25, 0.45, "fails", "holds"),
        (0.25, 0.55, "fails", "undecided"),
        (0.5, 0.9, "fails", "fails"),
        (float("nan"), float("nan"), "undecided", "undecided"),
    ],
)
def test_a_required_tier_or_a_better_one(low: float, high: float, a: str, b: str) -> None:
    found = tiers(row(0.3, low, high)).iloc[0]
    assert keeps_tier(found, Tier.A) == Verdict(a)
    assert keeps_tier(found, Tier.B) == Verdict(b)
    assert keeps_tier(found, Tier.C) == Verdict.HOLDS


def test_the_thresholds_are_those_of_tables_8_and_9() -> None:
    found = {row.domain: (row.b_from, row.c_from) for row in load_tier_thresholds()}
    strict, middle, usual = (0.10, 0.35), (0.15, 0.40), (0.20, 0.50)
    assert found == {
        "overall": usual,
        **dict.fromkeys(("medical", "education", "science"), usual),
        "legal": middle,
        **dict.fromkeys(("financial", "business", "military"), strict),
    }


def test_domains_have_their_own_thresholds() -> None:
    table = pd.concat([row(0.12, 0.11, 0.13, "financial"), row(0.12, 0.11, 0.13, "medical")])
    assert list(tiers(table)["tier"]) == ["B", "A"]
    assert list(tiers(table, domain=OVERALL)["tier"]) == ["A", "A"]


def test_every_domain_of_the_built_in_sets_has_thresholds_and_neighbours() -> None:
    domains = {s.domain for name in ("sff", "extended") for s in load_scenarios(name).scenarios}
    assert domains < {row.domain for row in load_tier_thresholds()}
    adjacent = load_adjacent_domains()
    assert domains == set(adjacent)
    for domain, near in adjacent.items():
        assert near
        assert set(near) < domains
        assert domain not in near


def test_an_unknown_domain_is_named() -> None:
    with pytest.raises(DataError, match=r"unknown domain .* 'lega' .did you mean 'legal'"):
        tiers(row(0.1, 0.0, 0.2, "lega"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {domain: x, b_from: 0.5, c_from: 0.2}", "0 < b_from <= c_from <= 1"),
        ("- {domain: x, b_from: 0, c_from: 0.2}", "0 < b_from"),
        ("- {domain: x, b_from: 0.1}", "c_from"),
        ("- {domain: x, b_from: 0.1, c_from: 0.2, d_from: 0.3}", "d_from"),
        (
            "- {domain: x, b_from: 0.1, c_from: 0.2}\n- {domain: x, b_from: 0.1, c_from: 0.2}",
            "twice",
        ),
        ("nonsense", "expected a list"),
    ],
)
def test_a_users_thresholds_are_checked(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "tiers.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_tier_thresholds(path)


def test_thirty_answers_certify_a_strict_tier_a_only_of_models_that_never_waver() -> None:
    # Tier A of the financial domain ends at 0.10. Thirty equal answers in every frame leave one
    # scenario's NSI up to 0.116 possible (docs/intervals.md); the mean of ten is far below.
    for endorsed, n_scenarios, tier in ((0, 1, "undecided"), (0, 10, "A"), (3, 10, "undecided")):
        counts = {f"s{i}": (endorsed,) * 4 for i in range(n_scenarios)}
        cells = endorsement_rates(decisions_from_counts(counts, 30, domain="financial"))
        table = tiers(nsi_intervals(cells, ["model", "domain"]))
        assert list(table["point_tier"]) == ["A"]
        assert list(table["tier"]) == [tier]
