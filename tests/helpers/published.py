"""A fixed audit with gaps of every kind, and textbook statistics in plain Python.

Nothing here imports `negation_evals.analysis`: the formulas are written down again from the papers
and from `docs/tables.md`, with exact fractions and full enumeration where that is possible.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

FRAMES = ("F0", "F1", "F2", "F3")
NEGATED = {"F0": False, "F1": True, "F2": False, "F3": True}
SCENARIOS = {"s1": "bank", "s2": "bank", "s3": "law", "s4": "law", "s5": "war", "s6": "war"}
MODELS = {
    # model: origin, size_tier, family, variant
    "alpha": ("US", "TINY", "alpha", "unspecified"),
    "bravo": ("US", "LARGE", "bravo", "unspecified"),
    "carol": ("US", "LARGE", "carol", "unspecified"),
    "delta": ("CN", "SMALL", "delta", "unspecified"),
    "echo": ("CN", "LARGE", "echo", "unspecified"),
    "fox": ("OSS", "TINY", "fox", "unspecified"),
    "golf": ("OSS", "SMALL", "golf", "standard"),
    "golf-think": ("OSS", "SMALL", "golf", "reasoning"),
    "hotel": ("unspecified", "unspecified", "hotel", "unspecified"),
}
SETTINGS = (
    ("standard", 0.7, tuple(MODELS), 10),
    ("standard", 0.0, ("alpha", "bravo", "delta", "fox"), 8),
    ("reasoning", 0.7, ("alpha", "carol", "delta", "fox", "golf"), 9),
)
SCORES = (
    "adherence_to_laws",
    "adherence_to_social_ethics",
    "objective_positive_consequences",
    "objective_negative_consequences",
)
LOST = ("malformed", "truncated", "refusal", "filtered", "flagged", "abstain", "error", "unscored")
UNPARSED = {"malformed", "truncated", "refusal", "filtered", "flagged"}

Result = tuple[str, str, float]  # model, condition, temperature


def reference_rows() -> list[dict]:
    """The audit, one dict per sample and epoch."""
    rng = np.random.default_rng(20260121)
    rows = []
    for condition, temperature, models, epochs in SETTINGS:
        for model in models:
            origin, size_tier, family, variant = MODELS[model]
            tilt = {"US": 0.25, "CN": 0.1, "OSS": 0.6, "unspecified": 0.0}[origin]
            for scenario, domain in SCENARIOS.items():
                base = rng.uniform(0.1, 0.5)
                for frame in FRAMES:
                    p = min(1.0, base + tilt * NEGATED[frame] * rng.uniform(0.4, 1.3))
                    if temperature == 0.0:
                        p = float(rng.random() < p)
                    for epoch in range(1, epochs + 1):
                        endorses = bool(rng.random() < p)
                        lost = rng.random() < 0.12
                        status = str(rng.choice(LOST)) if lost else "valid"
                        confidence = float(rng.integers(60, 101))
                        scores = [float(rng.integers(0, 101)) for _ in SCORES]
                        gaps = rng.random(6)
                        where = (model, condition, temperature, scenario, frame)
                        if where == ("delta", "standard", 0.0, "s6", "F2"):
                            status = "malformed"
                        if where == ("echo", "standard", 0.7, "s2", "F1"):
                            status = "refusal"
                        if (model, scenario) == ("hotel", "s6") or gaps[5] < 0.02:
                            continue
                        valid = status == "valid"
                        decision = "agree" if endorses != NEGATED[frame] else "disagree"
                        row = {
                            "model": model,
                            "origin": origin,
                            "size_tier": size_tier,
                            "family": family,
                            "variant": variant,
                            "condition": condition,
                            "temperature": temperature,
                            "scenario": scenario,
                            "domain": domain,
                            "frame": frame,
                            "negated": NEGATED[frame],
                            "epoch": epoch,
                            "status": status,
                            "decision": decision if valid else None,
                            "confidence": confidence if gaps[4] > 0.3 else math.nan,
                            "order_shown": "agree_first"
                            if epoch % 2 or model == "carol"
                            else "disagree_first",
                            "frames": ",".join(FRAMES),
                        }
                        if scenario == "s4" and model == "bravo":
                            row["confidence"] = math.nan
                        for name, score, gap in zip(SCORES, scores, gaps, strict=False):
                            asked = condition == "standard"
                            row[name] = score if asked and gap > 0.1 else math.nan
                        rows.append(row)
    return rows


def endorsed(row: Mapping) -> int | None:
    """Does the answer endorse the action? (decision is agree) XOR negated."""
    if row["status"] != "valid":
        return None
    return int((row["decision"] == "agree") != NEGATED[row["frame"]])


def as_table(rows: Iterable[Mapping]) -> pd.DataFrame:
    """The table `decisions` of these rows."""
    rows = list(rows)
    values = [endorsed(row) for row in rows]
    table = pd.DataFrame(rows)
    return table.assign(endorsed=[math.nan if v is None else float(v) for v in values])


def result(row: Mapping) -> Result:
    return row["model"], row["condition"], row["temperature"]


def grouped(rows: Iterable[Mapping], key: Callable[[Mapping], tuple]) -> dict[tuple, list[Mapping]]:
    groups: dict[tuple, list[Mapping]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def counts(rows: Iterable[Mapping]) -> tuple[int, int]:
    """Endorsements and valid answers."""
    values = [v for v in map(endorsed, rows) if v is not None]
    return sum(values), len(values)


def compare(
    table: pd.DataFrame,
    keys: Sequence[str],
    expected: Mapping[tuple, Mapping[str, object]],
    abs_: float = 1e-9,
) -> None:
    """The table has exactly these rows, and in them these values to 1e-9."""
    got = {tuple(row[k] for k in keys): row for row in table.to_dict("records")}
    assert len(got) == len(table), "rows share their keys"
    assert set(got) == set(expected)
    for key, values in expected.items():
        for column, value in values.items():
            where = f"{column} of {key}"
            if isinstance(value, (bool, str)):
                assert got[key][column] == value, where
            elif value is None:
                assert pd.isna(got[key][column]), f"{where}: {got[key][column]}"
            else:
                want = pytest.approx(float(value), abs=abs_, rel=0, nan_ok=True)
                assert got[key][column] == want, where


def wilson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    z = NormalDist().inv_cdf(0.5 + level / 2)
    centre = (k + z * z / 2) / (n + z * z)
    half = z * math.sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
    return centre - half, centre + half


def chi2_sf(x: float, df: int) -> float:
    """Closed forms of the upper tail for one to three degrees of freedom."""
    if df == 2:
        return math.exp(-x / 2)
    tail = math.erfc(math.sqrt(x / 2))
    return tail if df == 1 else tail + math.sqrt(2 * x / math.pi) * math.exp(-x / 2)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """min over larger-or-equal ranks j of p_(j) m / j."""
    m, order = len(p_values), sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * m
    for rank, i in enumerate(order):
        adjusted[i] = min(1.0, *(p_values[order[j]] * m / (j + 1) for j in range(rank, m)))
    return adjusted


def holm(p_values: Sequence[float]) -> list[float]:
    """Maximum over smaller-or-equal ranks j of p_(j) (m - j), from j = 0."""
    m, order = len(p_values), sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * m
    for rank, i in enumerate(order):
        adjusted[i] = min(1.0, max(p_values[order[j]] * (m - j) for j in range(rank + 1)))
    return adjusted


def spread(values: Sequence[Fraction]) -> Fraction:
    return max(values) - min(values)


@cache
def count_grid(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Every way to endorse, and log of the number of ways to do so."""
    axes = np.meshgrid(*(np.arange(n + 1) for n in sizes), indexing="ij")
    grid = np.stack([axis.ravel() for axis in axes], axis=1)
    ways = np.zeros(len(grid))
    for column, n in enumerate(sizes):
        ways += np.log([math.comb(n, k) for k in range(n + 1)])[grid[:, column]]
    return grid, ways


def null_nsi(rate: Fraction, sizes: tuple[int, ...]) -> float:
    """E[max - min] of the product of binomials, by its definition."""
    p, (grid, ways) = float(rate), count_grid(sizes)
    total = grid.sum(axis=1)
    ranges = np.ptp(grid / np.array(sizes), axis=1)
    if rate in (0, 1):
        return 0.0
    weights = np.exp(ways + total * math.log(p) + (sum(sizes) - total) * math.log1p(-p))
    return float(weights @ ranges)


def deal_p_values(k: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[float, float]:
    """Chance of so large a range, and of so large a chi-square, over all deals; in integers.

    With fixed margins Pearson's chi-square rises with the sum of k_f^2 / n_f.
    """
    grid, ways = count_grid(sizes)
    kept = grid.sum(axis=1) == sum(k)
    grid, weights = grid[kept], np.exp(ways[kept] - ways[kept].max())
    scale = math.lcm(*sizes)
    factors = np.array([scale // n for n in sizes])
    ranges, squares = np.ptp(grid * factors, axis=1), (grid**2 * factors).sum(axis=1)
    seen = np.array(k)
    total = weights.sum()
    return (
        float(weights[ranges >= np.ptp(seen * factors)].sum() / total),
        float(weights[squares >= (seen**2 * factors).sum()].sum() / total),
    )


def chi_square(k: Sequence[int], sizes: Sequence[int]) -> Fraction:
    """Pearson's sum over both rows of (observed - expected)^2 / expected."""
    total, n = sum(k), sum(sizes)
    statistic = Fraction(0)
    for endorsements, size in zip(k, sizes, strict=True):
        for observed, margin in ((endorsements, total), (size - endorsements, n - total)):
            expectation = Fraction(size * margin, n)
            statistic += (observed - expectation) ** 2 / expectation
    return statistic


def ranks(values: Sequence) -> list[Fraction]:
    """Midranks, by counting."""
    return [
        Fraction(2 * sum(v < x for v in values) + sum(v == x for v in values) + 1, 2)
        for x in values
    ]


def ties(values: Sequence) -> int:
    """Sum of t^3 - t over groups of equal values."""
    return sum(n**3 - n for n in (list(values).count(x) for x in set(values)))


def kruskal(groups: Sequence[Sequence]) -> float:
    """H = 12 / (N (N + 1)) sum R_g^2 / n_g - 3 (N + 1), divided by the correction for ties."""
    pooled = [x for group in groups for x in group]
    n, ranked = len(pooled), iter(ranks(pooled))
    sums = [sum(next(ranked) for _ in group) for group in groups]
    h = Fraction(12, n * (n + 1)) * sum(
        r * r / len(g) for r, g in zip(sums, groups, strict=True)
    ) - 3 * (n + 1)
    return float(h / (1 - Fraction(ties(pooled), n**3 - n)))


def mann_whitney(a: Sequence, b: Sequence) -> tuple[Fraction, float, Fraction]:
    """U of a, two-sided p (enumeration without ties in small groups, else normal), Cliff's delta.

    Normal: corrected for ties and continuity.
    """
    pairs = list(itertools.product(a, b))
    more, less = sum(x > y for x, y in pairs), sum(x < y for x, y in pairs)
    u, delta = Fraction(2 * more + len(pairs) - more - less, 2), Fraction(more - less, len(pairs))
    pooled, high = [*a, *b], max(u, len(pairs) - u)
    n = len(pooled)
    if len(set(pooled)) == n and min(len(a), len(b)) <= 8:
        hits = deals = 0
        for chosen in itertools.combinations(range(1, n + 1), len(a)):
            deals += 1
            hits += sum(chosen) - len(a) * (len(a) + 1) // 2 >= high
        return u, min(1.0, 2 * hits / deals), delta
    variance = len(pairs) / 12 * (n + 1 - ties(pooled) / (n * (n - 1)))
    if variance == 0:
        return u, 1.0, delta
    z = (float(high) - len(pairs) / 2 - 0.5) / math.sqrt(variance)
    return u, min(1.0, math.erfc(z / math.sqrt(2))), delta


def wilcoxon(changes: Sequence) -> tuple[Fraction, float]:
    """W = min(T+, T-) and its two-sided p over all signs, else the normal limit without ties."""
    kept = [c for c in changes if c != 0]
    ranked = ranks([abs(c) for c in kept])
    plus = sum((r for r, c in zip(ranked, kept, strict=True) if c > 0), Fraction(0))
    w = min(plus, sum(ranked, Fraction(0)) - plus)
    n = len(kept)
    if not n:
        return Fraction(0), 1.0
    if n <= 14 or (n <= 50 and not ties([abs(c) for c in kept])):
        # Number of sign vectors for each sum of doubled ranks.
        ways = {0: 1}
        for r in ranked:
            step: dict[int, int] = {}
            for total, number in ways.items():
                for t in (total, total + int(2 * r)):
                    step[t] = step.get(t, 0) + number
            ways = step
        lower = sum(number for total, number in ways.items() if total <= 2 * w)
        return w, min(1.0, 2 * lower / 2**n)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties([abs(c) for c in kept]) / 48
    z = (float(w) - n * (n + 1) / 4) / math.sqrt(variance)
    return w, math.erfc(abs(z) / math.sqrt(2))


def sign_flip(differences: Sequence[Fraction]) -> float:
    """Share of all 2^S sign vectors whose mean is at least as far from 0; in integers."""
    scale = math.lcm(*(Fraction(d).denominator for d in differences))
    numbers = [int(d * scale) for d in differences]
    sums = np.zeros(1, dtype=np.int64)
    for number in numbers:
        sums = np.concatenate([sums + number, sums - number])
    return float((np.abs(sums) >= abs(sum(numbers))).mean())


def pearson(x: Sequence, y: Sequence) -> float | None:
    """None without variation or below three points."""
    n = len(x)
    if n < 3 or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    x, y = [Fraction(v) for v in x], [Fraction(v) for v in y]
    mx, my = sum(x) / n, sum(y) / n
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    xx, yy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    return float(xy) / math.sqrt(float(xx * yy))


def mean(values: Sequence) -> Fraction | None:
    values = list(values)
    return sum(map(Fraction, values), Fraction(0)) / len(values) if values else None


def sample_sd(values: Sequence) -> float | None:
    """Divided by n - 1; None below two values."""
    if len(values) < 2:
        return None
    centre = mean(values)
    return math.sqrt(sum((Fraction(v) - centre) ** 2 for v in values) / (len(values) - 1))


def resamples(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Every bootstrap sample as counts of the units, and its probability."""
    cuts = np.array(list(itertools.combinations(range(2 * size - 1), size - 1)))
    edges = np.hstack([np.full((len(cuts), 1), -1), cuts, np.full((len(cuts), 1), 2 * size - 1)])
    numbers = np.diff(edges, axis=1) - 1
    factorial = np.array([math.lgamma(i + 1) for i in range(size + 1)])
    log = factorial[size] - factorial[numbers].sum(axis=1) - size * math.log(size)
    return numbers, np.exp(log)


def holds_as_percentile_interval(
    low: float,
    high: float,
    numerators: Sequence[float],
    denominators: Sequence[float] | None = None,
    draws: int = 10_000,
) -> None:
    """The limits are 2.5 and 97.5 % points of the exact bootstrap distribution.

    The statistic of a resample is sum(numerators) / sum(denominators) of its units; the tolerance
    is five standard errors of a share estimated from so many draws.
    """
    top = np.asarray(numerators, float)
    bottom = np.ones(len(top)) if denominators is None else np.asarray(denominators, float)
    numbers, chances = resamples(len(top))
    below = numbers @ bottom
    values = (numbers @ top)[below > 0] / below[below > 0]
    chances = chances[below > 0] / chances[below > 0].sum()
    slack = 5 * math.sqrt(0.025 * 0.975 / draws)
    for limit, share in ((low, 0.025), (high, 0.975)):
        assert chances[values < limit - 1e-9].sum() <= share + slack
        assert chances[values <= limit + 1e-9].sum() >= share - slack
