"""What kind of failure an NSI looks like, and the test of all scenarios that comes before."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from helpers.framing import decisions_from_counts
from helpers.published import chi2_sf, chi_square

from negation_evals import analysis


def patterns(decisions: pd.DataFrame) -> pd.DataFrame:
    cells = analysis.endorsement_rates(decisions)
    effect = analysis.framing_effect(cells)
    return analysis.failure_patterns(analysis.nsi(decisions), analysis.acquiescence(cells), effect)


def effect_of(counts: dict, n: int) -> pd.Series:
    cells = analysis.endorsement_rates(decisions_from_counts(counts, n=n))
    return analysis.framing_effect(cells).iloc[0]


def scenarios(endorsed: list[int], number: int) -> dict[str, list[int]]:
    return {f"s{i}": endorsed for i in range(number)}


def test_two_answers_a_cell_suffice_where_all_scenarios_say_the_same() -> None:
    """The range test has no power at two answers; it used to say `not above noise` here."""
    decisions = decisions_from_counts(scenarios([2, 0, 2, 0], 14), n=2)
    assert (analysis.nsi(decisions)["p_value"] > 0.7).all()
    row = patterns(decisions).iloc[0]
    assert row["n_significant"] == 0
    assert row["p_value"] == 1e-4
    assert row["pattern"] == "habit of agreeing"


@pytest.mark.parametrize("endorsed", [[1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1]])
def test_single_answers_can_never_tell(endorsed: list[int]) -> None:
    decisions = decisions_from_counts(scenarios(endorsed, 14), n=1)
    cells = analysis.endorsement_rates(decisions)
    row = analysis.framing_effect(cells).iloc[0]
    assert (row["p_value"], row["p_smallest"], row["tested"]) == (1, 1, False)
    assert patterns(decisions).iloc[0]["pattern"] == "unknown"


def test_unknown_is_for_sizes_at_which_no_answers_could_be_told_from_noise() -> None:
    # Four frames of 2: the most extreme answers are 6 of 70 deals.
    one, two = (decisions_from_counts(scenarios([2, 2, 2, 2], m), n=2) for m in (1, 2))
    assert effect_of(scenarios([2, 2, 2, 2], 1), 2)["p_smallest"] == pytest.approx(6 / 70)
    assert effect_of(scenarios([2, 2, 2, 2], 2), 2)["p_smallest"] == pytest.approx((6 / 70) ** 2)
    assert patterns(one).iloc[0]["pattern"] == "unknown"
    assert patterns(two).iloc[0]["pattern"] == "not above noise"


@pytest.mark.parametrize(
    "counts", [([2, 0, 1, 0], [1, 0, 2, 1]), ([2, 0, 2, 0], [0, 2, 1, 0]), ([0, 0, 0, 1], [2] * 4)]
)
def test_the_pooled_p_value_by_all_deals_of_both_scenarios(counts: tuple) -> None:
    sizes = (2, 2, 2, 2)

    def distribution(k: list[int]) -> list[tuple[float, float]]:
        deals = [d for d in itertools.product(range(3), repeat=4) if sum(d) == sum(k)]
        ways = [math.prod(math.comb(2, x) for x in deal) for deal in deals]
        varies = 0 < sum(k) < sum(sizes)
        values = [float(chi_square(d, sizes)) if varies else 0.0 for d in deals]
        return [(w / sum(ways), value) for w, value in zip(ways, values, strict=True)]

    observed = sum(float(chi_square(k, sizes)) for k in counts if 0 < sum(k) < sum(sizes))
    both = itertools.product(*(distribution(k) for k in counts))
    exact = sum(p * q for (p, x), (q, y) in both if x + y >= observed - 1e-9)
    row = effect_of(dict(zip("st", counts, strict=True)), 2)
    assert row["chi_square"] == pytest.approx(observed, abs=1e-9)
    assert row["p_value"] == pytest.approx(exact, abs=5 * math.sqrt(0.25 / 10_000))


def test_small_differences_in_many_scenarios_are_found_together() -> None:
    decisions = decisions_from_counts(scenarios([18, 12, 18, 12], 30), n=30)
    assert (analysis.nsi(decisions)["p_value"] > 0.2).all()
    row = patterns(decisions).iloc[0]
    assert row["n_significant"] == 0
    assert row["p_value"] < 0.001
    assert row["pattern"] == "habit of agreeing"


def test_more_answers_than_are_enumerated() -> None:
    counts = {"s": [40, 33, 45, 38], "t": [20, 24, 18, 25]}
    row = effect_of(counts, 80)
    total = sum(float(chi_square(k, (80,) * 4)) for k in counts.values())
    assert row["chi_square"] == pytest.approx(total, abs=1e-9)
    # Six degrees of freedom: exp(-x / 2) (1 + x / 2 + (x / 2)^2 / 2).
    half = total / 2
    limit = chi2_sf(total, 2) * (1 + half + half**2 / 2)
    assert row["p_value"] == pytest.approx(limit, abs=0.03)


def test_invariant_models_are_called_above_noise_one_time_in_twenty() -> None:
    rng = np.random.default_rng(3)
    tables = []
    for model in range(300):
        rates = rng.uniform(0.1, 0.9, 6)
        counts = {f"s{i}": list(rng.binomial(4, rate, 4)) for i, rate in enumerate(rates)}
        tables.append(decisions_from_counts(counts, n=4, model=f"m{model}"))
    effect = analysis.framing_effect(analysis.endorsement_rates(pd.concat(tables)))
    share = (effect["p_value"] <= 0.05).mean()
    # Five standard errors.
    assert share <= 0.05 + 5 * math.sqrt(0.05 * 0.95 / 300)
    assert share > 0
    assert effect["p_value"].mean() == pytest.approx(0.5, abs=0.1)


def spread(rates: list[list[float]], n: int = 30) -> pd.DataFrame:
    """Decisions with these endorsement rates in F0 to F3, for each scenario."""
    counts = {f"s{i}": [round(n * rate) for rate in row] for i, row in enumerate(rates)}
    return decisions_from_counts(counts, n=n)


def test_a_difference_between_the_pairs_is_no_blindness_to_polarity() -> None:
    """Pooled over pairs the correlation is +0.8, though within each the answers turn."""
    shifts = [-0.13, -0.1, -0.03, 0.0, 0.03, 0.1, 0.13]
    decisions = spread([[0.2 + x, 0.8 + x, 0.8 + x, 0.2 + x] for x in shifts])
    pairs = analysis.acquiescence(analysis.endorsement_rates(decisions))
    within = analysis.acquiescence_summary(pairs)["polarity_correlation"]
    assert (within < -0.9).all()
    assert np.corrcoef(pairs["agree_positive"], pairs["agree_negated"])[0, 1] > 0.7
    row = patterns(decisions).iloc[0]
    assert row["polarity_correlation"] < -0.9
    assert row["pattern"] == "mixed"


def test_agreement_that_follows_the_content_is_ignored_negation() -> None:
    # What is agreed with when affirmed is also agreed with when negated, in both pairs.
    agreed = [0.1, 0.3, 0.5, 0.7, 0.9]
    decisions = spread([[x, 1 - x, x, 1 - x] for x in agreed])
    row = patterns(decisions).iloc[0]
    assert row["polarity_correlation"] == pytest.approx(1)
    assert row["pattern"] == "ignored negation"


def test_a_pair_without_variation_has_no_say_in_the_correlation() -> None:
    agreed = [0.1, 0.3, 0.5, 0.7, 0.9]
    decisions = spread([[x, 1 - x, 0.9, 0.0] for x in agreed])
    row = patterns(decisions).iloc[0]
    assert row["polarity_correlation"] == pytest.approx(1)


def test_all_measures_are_over_the_scenarios_that_have_an_nsi() -> None:
    """A scenario without F3 has a simple pair and no NSI: it stood in one mean, not in both."""
    decisions = decisions_from_counts({"a": [10, 0, 10, 0], "b": [5, 5, 5, 5]}, n=10)
    gone = (decisions["scenario"] == "b") & (decisions["frame"] == "F3")
    row = patterns(decisions[~gone]).iloc[0]
    assert row["n_scenarios"] == 1
    assert row[["nsi", "nsi_pairs", "acquiescence"]].tolist() == [1, 1, 1]


def test_frames_without_a_pair_tell_nothing() -> None:
    decisions = decisions_from_counts(scenarios([10, 0, 0, 10], 4), n=10)
    asked = decisions[decisions["frame"].isin(["F0", "F2"])].assign(frames="F0,F2")
    row = patterns(asked).iloc[0]
    assert (row["nsi"], row["pattern"]) == (1, "unknown")
    assert row["p_value"] < 0.001
