"""Intervals for NSI: reference values, a second computation, coverage, invariances, edge cases."""

import importlib.util
import itertools
import sys

import numpy as np
import pandas as pd
import pytest
from helpers.framing import FRAMES, decisions_from_counts
from helpers.paths import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom, norm

from negation_evals.analysis import endorsement_rates, nsi_null
from negation_evals.analysis.framing.intervals.distribution import (
    NO_RATE,
    range_moments,
    range_probabilities,
)
from negation_evals.analysis.framing.intervals.fit import canonical, likeliest
from negation_evals.analysis.framing.intervals.nsi_intervals import (
    mean_range_interval,
    nsi_intervals,
    range_interval,
)


def load_benchmark():
    """`benchmarks/interval_coverage.py`, under a name that PyPI's `coverage` does not have."""
    path = ROOT / "benchmarks" / "interval_coverage.py"
    spec = importlib.util.spec_from_file_location("interval_coverage", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


benchmark = load_benchmark()

# A second computation: every outcome enumerated, plain loops, SciPy's optimiser.


def outcomes(n: list[int]) -> np.ndarray:
    return np.array(list(itertools.product(*(range(size + 1) for size in n))))


def range_distribution(n: list[int], rates: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """The range of every outcome, rounded, and its probability."""
    every = outcomes(n)
    chance = np.prod([binom.pmf(every[:, f], n[f], rates[f]) for f in range(len(n))], axis=0)
    return np.round(np.ptp(every / np.array(n), axis=1), 9), chance


def loglik(k: float, n: float, p: float) -> float:
    # A rate of 0 or 1 is that of the code, so that both have a finite likelihood at d = 1.
    p = min(max(p, 1e-15), 1 - 1e-15)
    return k * np.log(p) + (n - k) * np.log1p(-p)


def best_x(k: list, n: list, d: float, rates_at) -> float:
    """The lower rate with the largest likelihood."""

    def loss(x: float) -> float:
        return -sum(map(loglik, k, n, rates_at(x)))

    inner = minimize_scalar(loss, bounds=(0, 1 - d), method="bounded", options={"xatol": 1e-11}).x
    return min([0.0, 1 - d, inner], key=loss)


def slow_fits(k: list, n: list, d: float) -> tuple[list[float], list[float], float]:
    """Rates for the lower limit, rates for the upper limit, log-likelihood."""
    observed = [a / b for a, b in zip(k, n, strict=True)]

    def with_ends(x: float, between: list[float], ends: tuple[int, int]) -> list[float]:
        rates = list(between)
        rates[ends[0]], rates[ends[1]] = x, x + d
        return rates

    def clipped(x: float, ends: tuple[int, int]) -> list[float]:
        return with_ends(x, [min(max(rate, x), x + d) for rate in observed], ends)

    fits = []
    for ends in itertools.permutations(range(len(k)), 2):
        x = best_x(k, n, d, lambda x, ends=ends: clipped(x, ends))
        # Of equal likelihoods, the frames observed furthest out.
        gap = observed[ends[1]] - observed[ends[0]]
        fits.append((round(sum(map(loglik, k, n, clipped(x, ends))), 7), gap, ends, x))
    _, _, ends, x = max(fits)
    likelier = [loglik(a, b, x) > loglik(a, b, x + d) - 1e-7 for a, b in zip(k, n, strict=True)]

    def at_ends(x: float) -> list[float]:
        return with_ends(x, [x if low else x + d for low in likelier], ends)

    high = min(
        (clipped(x, ends), with_ends(x, [x + d / 2] * len(k), ends)),
        key=lambda rates: round(np.dot(*range_distribution([int(b) for b in n], rates)), 12),
    )
    best = sum(map(loglik, k, n, clipped(x, ends)))
    return at_ends(best_x(k, n, d, at_ends)), high, best


def crossing(values: np.ndarray, curve: np.ndarray, tail: float) -> float:
    """Where a curve first exceeds the tail."""
    first = next(i for i, y in enumerate(curve) if y > tail)
    if first == 0:
        return float(values[0])
    return float(np.interp(tail, curve[first - 1 : first + 1], values[first - 1 : first + 1]))


def slow_interval(k: list, n: list, tie: float, tail: float = 0.025) -> tuple[float, float]:
    grid, observed = np.linspace(0, 1, 101), round(np.ptp(np.array(k) / np.array(n)), 9)
    above, below = [], []
    for d in grid:
        low, high, _ = slow_fits(k, n, d)
        ranges, chance = range_distribution(n, low)
        above.append(chance[ranges > observed].sum() + tie * chance[ranges == observed].sum())
        ranges, chance = range_distribution(n, high)
        below.append(chance[ranges < observed].sum() + tie * chance[ranges == observed].sum())
    below = np.array(below) / below[0]
    return crossing(grid, above, tail), crossing(grid[::-1], below[::-1], tail)


def moments(n: list[int], rates: list[float]) -> tuple[float, float]:
    ranges, chance = range_distribution(n, rates)
    mean = ranges @ chance
    return mean, max((ranges - mean) ** 2 @ chance, 0)


def slow_mean_interval(counts: list, n: list[int], tail: float = 0.025) -> tuple[float, float]:
    """The path as defined: for every tilt t, argmax over d of loglik(d) + t d."""
    grid, limits = np.linspace(0, 1, 51), []
    observed = np.mean([np.ptp(np.array(k) / np.array(n)) for k in counts])
    extremes = [sorted((a / b, b) for a, b in zip(k, n, strict=True)) for k in counts]
    half_step = np.mean([0.5 / min(e[0][1], e[-1][1]) for e in extremes]) / len(counts)
    for lower in (True, False):
        tables = []
        for k in counts:
            rows = []
            for d in grid:
                if lower:
                    low, _, ll = slow_fits([a + 0.5 for a in k], [b + 1 for b in n], d)
                    rows.append((ll + 2 * (d == 0), *moments(n, low)))
                else:
                    _, high, ll = slow_fits(k, n, d)
                    rows.append((ll, *moments(n, high)))
            tables.append(np.array(rows).T)
        seen = {}
        slopes = [
            np.subtract.outer(t[0], t[0]) / (1e-300 + np.subtract.outer(grid, grid)) for t in tables
        ]
        turns = np.unique(np.concatenate([-s[~np.eye(51, dtype=bool)] for s in slopes]))
        for t in [-1e6, *(turns[1:] + turns[:-1]) / 2, 1e6]:
            best = [int(np.argmax(table[0] + t * grid)) for table in tables]
            seen.setdefault(tuple(best), None)
        path = [
            [
                np.mean(grid[list(best)]),
                np.mean([table[1][i] for table, i in zip(tables, best, strict=True)]),
                np.sum([table[2][i] for table, i in zip(tables, best, strict=True)]),
            ]
            for best in seen
        ]
        reached, means, variances = np.array(path).T
        d = np.linspace(0, 1, 50 * len(counts) + 1)
        mean = np.interp(d, reached, means)
        deviation = np.sqrt(np.interp(d, reached, variances) + 1e-12) / len(counts)
        if lower:
            limits.append(crossing(d, norm.sf((observed - mean) / deviation), tail))
        else:
            below = norm.cdf((observed + half_step - mean) / deviation)
            limits.append(crossing(d[::-1], (below / below[0])[::-1], tail))
    return limits[0], limits[1]


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    # Worked out apart from this code (interval facts, section 3).
    [
        ([15, 15, 15, 15], 30, 0.000, 0.340),
        ([21, 12, 20, 9], 30, 0.081, 0.608),
        ([30, 0, 30, 0], 30, 0.863, 1.000),
        ([0, 0, 0, 0], 30, 0.000, 0.116),
        ([5, 0, 5, 0], 5, 0.301, 1.000),
        ([0, 0, 0, 0], 10, 0.000, 0.309),
        ([1, 0, 0, 0], 1, 0.000, 1.000),
        ([20, 9, 14, 8], [30, 28, 25, 20], 0.000, 0.559),
    ],
)
def test_reference_values(k: list, n: int | list, low: float, high: float) -> None:
    assert range_interval(k, n) == pytest.approx((low, high), abs=0.005)


@pytest.mark.parametrize(
    ("k", "n", "tie"),
    [
        ([4, 0, 3, 2], [4, 3, 3, 3], 0.5),
        ([1, 4, 2], [5, 6, 4], 0.5),
        ([3, 2], [4, 9], 1.0),
        ([0, 0, 0], [2, 4, 4], 1.0),
        ([1, 3, 2], [2, 5, 5], 0.5),
    ],
)
def test_interval_agrees_with_enumeration(k: list, n: list, tie: float) -> None:
    assert range_interval(k, n) == pytest.approx(slow_interval(k, n, tie), abs=2e-4)


@pytest.mark.parametrize(
    ("counts", "n"),
    [
        ([[0, 1], [2, 1], [0, 3]], [3, 3]),
        ([[4, 0], [3, 3]], [5, 4]),
        ([[3, 1, 2], [0, 2, 0]], [3, 3, 3]),
    ],
)
def test_mean_interval_agrees_with_the_path_as_defined(counts: list, n: list) -> None:
    assert mean_range_interval(counts, n) == pytest.approx(slow_mean_interval(counts, n), abs=5e-4)


def test_moments_and_probabilities_agree_with_enumeration() -> None:
    sizes, rates = [3, 5, 4, 2], [0.2, 0.7, 0.1, 0.5]
    ranges, chance = range_distribution(sizes, rates)
    n, p = np.array([sizes]), [np.array([[rate]]) for rate in rates]
    mean, variance = moments(sizes, rates)
    assert [part.item() for part in range_moments(n, p)] == pytest.approx([mean, variance])
    for observed in (0.0, 0.25, 7 / 15, 1.0):
        less, equal = range_probabilities(n, p, np.array([observed]))
        near = np.abs(ranges - observed) < 1e-8
        assert less.item() == pytest.approx(chance[(ranges < observed) & ~near].sum(), abs=1e-12)
        assert equal.item() == pytest.approx(chance[near].sum(), abs=1e-12)


def test_moments_of_scenarios_with_different_sizes_in_one_block() -> None:
    n = np.array([[4, 7, 5], [30, 30, 30]])
    p = [np.full((2, 1), 0.3)] * 3
    mean, _ = range_moments(n, p)
    assert mean[:, 0] == pytest.approx([nsi_null(0.3, sizes) for sizes in n])


@pytest.mark.parametrize(
    "sizes", [(5, 5, 5, 5), (3, 8, 5, 6), (2, 15, 15, 2), (5, 5), (30, 30), (5, 30)]
)
def test_exact_coverage_of_one_scenario(sizes: tuple[int, ...]) -> None:
    """With the observed extremes always at x and x + d, n = 5/30/30/5 was covered 0.67."""
    covered = [row.coverage for row in benchmark.scenario_coverage(sizes, 0, 0)]
    assert min(covered) >= 0.95
    assert np.mean(covered) >= 0.95


def test_exact_coverage_of_the_mean_of_two() -> None:
    covered = [row.coverage for row in benchmark.pair_coverage((5, 5, 5, 5))]
    assert min(covered) >= 0.95


def test_simulated_coverage_of_the_mean_of_ten_with_unequal_n() -> None:
    """The plain profile fit of the lower limit covered 0.83 where rates are near 0 and 1."""
    hard = ["all one low x=0 d=0.9", "all one high x=0.05 d=0.9", "all one high x=0.5 d=0"]
    rows = list(benchmark.mean_coverage(10, [(5, 3, 5, 4), (5,) * 4], 250, 0, hard.__contains__))
    assert len(rows) == 3
    for row in rows:
        assert row.coverage >= 0.93 - 2 * row.standard_error


frame = st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
scenario = st.lists(frame, min_size=2, max_size=5)


@settings(max_examples=8)
@given(scenario)
def test_interval_lies_in_the_unit_interval_around_the_value(frames: list) -> None:
    k, n = np.array(frames).T
    low, high = range_interval(k, n)
    assert 0 <= low <= np.ptp(k / n) + 1e-9
    assert np.ptp(k / n) - 1e-9 <= high <= 1


@settings(max_examples=8)
@given(scenario, st.randoms())
def test_order_of_frames_and_meaning_of_success_do_not_matter(frames: list, random) -> None:
    k, n = np.array(frames).T
    random.shuffle(frames)
    shuffled_k, shuffled_n = np.array(frames).T
    expected = range_interval(k, n)
    assert range_interval(shuffled_k, shuffled_n) == expected
    assert range_interval(n - k, n) == expected


@settings(max_examples=8)
@given(scenario, st.floats(0.5, 0.99), st.floats(0.5, 0.99))
def test_intervals_are_nested_in_the_confidence(frames: list, first: float, second: float) -> None:
    k, n = np.array(frames).T
    inner, outer = sorted([first, second])
    for interval, counts in ((range_interval, k), (mean_range_interval, [k, k])):
        narrow, wide = (interval(counts, n, confidence_level=c) for c in (inner, outer))
        assert wide[0] <= narrow[0] + 1e-12
        assert wide[1] >= narrow[1] - 1e-12


@settings(max_examples=8)
@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=2, max_size=5))
def test_mean_interval_is_invariant(counts: list) -> None:
    k = np.array(counts)
    low, high = mean_range_interval(k, 6)
    assert 0 <= low <= high <= 1
    assert mean_range_interval(k[::-1, ::-1], 6) == pytest.approx((low, high), abs=1e-9)
    assert mean_range_interval(6 - k, 6) == (low, high)


def test_mean_interval_of_invariant_scenarios_may_lie_below_the_biased_mean() -> None:
    k = np.random.default_rng(0).binomial(30, 0.5, (14, 4))
    observed = np.ptp(k / 30, axis=1).mean()
    low, high = mean_range_interval(k, 30)
    assert low == 0
    assert high < observed


def test_means_at_the_ends() -> None:
    assert mean_range_interval([[0, 0, 0, 0]] * 5, 30)[0] == 0
    assert mean_range_interval([[30, 0, 30, 0]] * 5, 30)[1] == 1


def test_mean_of_one_scenario_is_its_interval() -> None:
    low, high = range_interval([21, 12, 20, 9], 30)
    assert mean_range_interval([[21, 12, 20, 9], [1, 1, 1, 0]], [[30] * 4, [1, 1, 1, 0]]) == (
        low,
        high,
    )


def test_shapes_and_missing_frames() -> None:
    k = np.array([[[3, 1], [2, 2]], [[0, 0], [4, 1]]])
    n = np.array([[[4, 4], [4, 4]], [[0, 4], [4, 4]]])
    low, high = range_interval(k, n)
    assert low.shape == high.shape == (2, 2)
    assert np.isnan(low[1, 0])
    assert np.isnan(high[1, 0])
    assert (low[1, 1], high[1, 1]) == range_interval([4, 1], 4)
    assert np.isnan(range_interval([3], 4)).all()
    assert np.isnan(mean_range_interval([[0, 0]], 0)).all()
    assert np.isnan(mean_range_interval(np.empty((0, 4)), 30)).all()


@pytest.mark.parametrize(("k", "n"), [([5, 1], 4), ([-1, 2], 4), ([0.5, 1], 4), ([np.nan, 1], 4)])
def test_impossible_counts_are_refused(k: list, n: int) -> None:
    with pytest.raises(ValueError, match=r"whole numbers with 0 <= successes <= n"):
        range_interval(k, n)


@pytest.mark.parametrize("confidence", [0, 1, 95, float("nan")])
def test_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        mean_range_interval([[1, 2]], 3, confidence_level=confidence)


def test_mean_of_one_row_of_counts_is_refused() -> None:
    with pytest.raises(ValueError, match="use range_interval"):
        mean_range_interval([1, 2, 3], 3)


@pytest.fixture
def cells() -> pd.DataFrame:
    first = decisions_from_counts({"a": [0, 10, 0, 9], "b": [5, 5, 6, 5]}, n=10, domain="x")
    second = decisions_from_counts({"c": [0, 2, 0, 0]}, n=10, domain="y")
    third = decisions_from_counts({"d": [1, 1, 1, 1]}, n=10, domain="z")
    third.loc[third["frame"] == "F3", "endorsed"] = np.nan
    return endorsement_rates(pd.concat([first, second, third]))


def test_table_by_scenario_domain_and_model(cells: pd.DataFrame) -> None:
    by_scenario = nsi_intervals(cells, by=["model", "scenario"]).set_index("scenario")
    limits = by_scenario[["ci_low", "ci_high"]]
    assert tuple(limits.loc["a"]) == range_interval([0, 10, 0, 9], 10)
    assert limits.loc["d"].isna().all()
    assert list(by_scenario["n_missing"]) == [0, 0, 0, 1]
    by_domain = nsi_intervals(cells, by=["model", "domain"]).set_index("domain")
    assert list(by_domain["n_scenarios"]) == [2, 1, 0]
    assert by_domain["nsi"].tolist() == pytest.approx([0.55, 0.2, np.nan], nan_ok=True)
    expected = mean_range_interval([[0, 10, 0, 9], [5, 5, 6, 5]], 10)
    assert tuple(by_domain.loc["x", ["ci_low", "ci_high"]]) == pytest.approx(expected)
    assert tuple(by_domain.loc["y", ["ci_low", "ci_high"]]) == tuple(limits.loc["c"])
    row = nsi_intervals(cells).iloc[0]
    assert (row["model"], row["n_scenarios"], row["n_missing"]) == ("m", 3, 1)
    counts = [[0, 10, 0, 9], [5, 5, 6, 5], [0, 2, 0, 0]]
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(mean_range_interval(counts, 10))


def test_settings_are_never_pooled_and_frames_may_be_chosen() -> None:
    warm = decisions_from_counts({"s": [0, 10, 0, 10]}, n=10).assign(temperature=0.7)
    cold = decisions_from_counts({"s": [5, 5, 5, 5]}, n=10).assign(temperature=0.0)
    cells = endorsement_rates(pd.concat([warm, cold]))
    table = nsi_intervals(cells).set_index("temperature")
    assert table["nsi"].to_dict() == {0.7: 1.0, 0.0: 0.0}
    pair = nsi_intervals(cells, frames=["F0", "F2"]).set_index("temperature")
    assert tuple(pair.loc[0.7, ["ci_low", "ci_high"]]) == range_interval([0, 0], 10)


def test_models_with_different_frames_have_rows_of_one_table() -> None:
    full = decisions_from_counts({"s": [0, 9, 1, 8], "t": [1, 2, 3, 4]}, n=10)
    short = decisions_from_counts({"s": [0, 9, 1, 8], "t": [1, 2, 3, 4]}, n=10, model="short")
    short = short[short["frame"].isin(FRAMES[:2])].assign(frames="F0,F1")
    table = nsi_intervals(endorsement_rates(pd.concat([full, short])))
    limits = [tuple(row) for row in table[["ci_low", "ci_high"]].to_numpy()]
    assert limits == [
        pytest.approx(mean_range_interval([[0, 9, 1, 8], [1, 2, 3, 4]], 10)),
        pytest.approx(mean_range_interval([[0, 9], [1, 2]], 10)),
    ]


def test_empty_table_and_missing_column(cells: pd.DataFrame) -> None:
    assert nsi_intervals(cells.iloc[:0]).empty
    with pytest.raises(ValueError, match="did you mean 'domain'"):
        nsi_intervals(cells, by=["model", "domian"])


def test_the_fit_finds_the_root_of_the_slope_for_any_counts() -> None:
    rng = np.random.default_rng(5)
    d = np.linspace(0, 1, 41)
    cases = [([3, 0], [30, 5]), ([0, 12, 6, 2], [10, 13, 16, 23]), ([0, 3, 5, 9], [33, 15, 19, 9])]
    for _ in range(60):
        n = rng.integers(1, 40, rng.integers(2, 5))
        # Rates of 0 and 1 among them, at which the slope is infinite.
        cases.append((rng.choice([0 * n, rng.integers(0, n + 1), n]), n))
    for k, n in cases:
        k, n = canonical(np.array([k]), np.array([n]))
        best = likeliest(k.astype(float), n.astype(float), d)
        for place, candidate in enumerate(d):
            ends = best.lowest[0, place], best.highest[0, place]
            x = slow_root(k[0], n[0], candidate, ends)
            assert best.x[0, place] == pytest.approx(x, abs=1e-9)


def slow_root(k: np.ndarray, n: np.ndarray, d: float, ends: tuple[int, int]) -> float:
    """The lower rate at which the likelihood is largest, by bisection of its slope."""

    def slope(x: float) -> float:
        total = 0.0
        for frame, (wins, trials) in enumerate(zip(k, n, strict=True)):
            rate = wins / trials
            if frame not in ends and x < rate < x + d:
                continue
            p = x if frame == ends[0] or (frame != ends[1] and rate <= x) else x + d
            p = min(max(p, NO_RATE), 1 - NO_RATE)
            total += wins / p - (trials - wins) / (1 - p)
        return total

    if slope(0.0) <= 0:
        return 0.0
    return 1 - d if slope(1 - d) >= 0 else brentq(slope, 0.0, 1 - d, xtol=1e-13)


def test_a_limit_that_a_fit_near_the_end_moved() -> None:
    low, _ = range_interval([0, 12, 6, 2], [10, 13, 16, 23])
    assert low == pytest.approx(0.6124, abs=2e-4)
