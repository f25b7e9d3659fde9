"""How often the intervals for NSI contain the truth, by setting.

Intervals of one scenario, and of the mean of two, are checked by exact enumeration: every outcome,
weighted with its probability. Elsewhere audits are simulated. For one scenario only the true value
is tested, which is all that coverage asks (an interval contains every value that passes the test);
means are inverted fully.

    python benchmarks/interval_coverage.py --quick
    python benchmarks/interval_coverage.py --audits 2000 --seed 0

Prints one row per group of settings, then the same as JSON, with the CPU time of the 572 intervals
of an audit.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby
from math import factorial, prod

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom

from negation_evals.analysis.framing.intervals.fit import canonical
from negation_evals.analysis.framing.intervals.limits import (
    MeanParts,
    lower_test,
    mean_limits,
    mean_parts,
    upper_test,
)
from negation_evals.analysis.framing.intervals.nsi_intervals import nsi_intervals

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

TAIL = 0.025
TRUTHS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 1.0)
LOWEST = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 0.95, 1.0)
COARSE = (0.0, 0.1, 0.35, 0.65, 0.9, 1.0)
FINE = tuple(float(d) for d in np.round(np.linspace(0, 1, 101), 2))
ROUNDING = 1e-9
"""A value that misses a limit by no more is covered."""
MOST_DISTINCT = 25_000
"""So many outcomes of a scenario are enumerated, those that differ in order only counted once."""
FITTED_AT_ONCE = 256
"""Scenarios whose tests are computed together."""
AT_ONCE = 20_000
"""Scenarios whose means are computed together."""


@dataclass(frozen=True)
class Coverage:
    """Coverage of one setting."""

    group: str
    setting: str
    truth: float
    coverage: float
    too_high: float
    """Share of intervals that lie above the truth,"""
    too_low: float
    """and below."""
    standard_error: float
    """Of the coverage by simulation; 0 where it is exact."""
    width: float | None
    """Mean width of the interval; None where only the truth was tested."""


def shapes(x: float, d: float, n_frames: int) -> dict[str, Floats]:
    """Rates with max - min = d and the lowest x: where the frames in between lie."""
    y, middle = min(x + d, 1.0), n_frames - 2
    made = {
        "one high": [x, *[x] * middle, y],
        "one low": [x, *[y] * middle, y],
        "spread": np.linspace(x, y, n_frames),
        "halves": [x, *[x] * (middle // 2), *[y] * (middle - middle // 2), y],
        "centre": [x, *[(x + y) / 2] * middle, y],
    }
    return {name: np.round(rates, 10) for name, rates in made.items()}


def one_scenario(
    n_frames: int, truths: Sequence[float] = TRUTHS
) -> Iterator[tuple[str, float, Floats]]:
    """The settings of one scenario, without mirror images and repetitions."""
    seen: set[tuple[float, ...]] = set()
    for d in truths:
        for x in LOWEST:
            if x + d > 1 + 1e-12:
                continue
            for name, rates in shapes(x, d, n_frames).items():
                ordered = np.sort(rates)
                key = min(tuple(ordered), tuple(np.round(1 - ordered[::-1], 10)))
                if key not in seen:
                    seen.add(key)
                    yield f"{name} x={x:g} d={d:g}", d, rates


def mean_settings(n_scenarios: int, n_frames: int) -> Iterator[tuple[str, list[Floats]]]:
    """The settings of a mean: all scenarios alike, or some invariant and others not."""
    s, half = n_scenarios, n_scenarios // 2
    for d in (0.0, 0.1, 0.2, 0.35, 0.65, 0.9, 1.0):
        for x in (0.0, 0.05, 0.5):
            if x + d <= 1:
                seen: set[tuple[float, ...]] = set()
                for name, rates in shapes(x, d, n_frames).items():
                    if tuple(rates) not in seen:
                        seen.add(tuple(rates))
                        yield f"all {name} x={x:g} d={d:g}", [rates] * s

    def made(name: str, lowest: Sequence[float], truths: Sequence[float]) -> list[Floats]:
        return [shapes(x, d, n_frames)[name] for x, d in zip(lowest, truths, strict=True)]

    spread = list(np.linspace(0.05, 0.95, s))
    yield "invariant, x from 0.05 to 0.95", made("one high", spread, [0] * s)
    mixed = [0.5] * half + [0.0] * (s - half)
    yield "half noisy invariant, half d=1", made("halves", mixed, [0] * half + [1] * (s - half))
    yield "half d=0, half d=0.3", made("spread", [0.5] * s, [0] * half + [0.3] * (s - half))
    yield "d from 0 to 0.8, spread", made("spread", [0.1] * s, list(np.linspace(0, 0.8, s)))
    yield "d from 0 to 0.9, halves", made("halves", [0.05] * s, list(np.linspace(0, 0.9, s)))
    yield "one d=1, others 0 always", made("halves", [0.0] * s, [0] * (s - 1) + [1])
    yield "one d=0.6, others noisy", made("one high", [0.3] * s, [0] * (s - 1) + [0.6])


def outcomes(sizes: Sequence[int]) -> Counts:
    """All counts that the frames can show: outcomes x frames."""
    grid = np.meshgrid(*(np.arange(size + 1) for size in sizes), indexing="ij")
    return np.stack([k.ravel() for k in grid], axis=1)


def probabilities(sizes: Sequence[int], rates: Floats) -> Floats:
    """Of these outcomes, in their order."""
    weights = np.ones(1)
    for size, p in zip(sizes, rates, strict=True):
        weights = np.outer(weights, binom.pmf(np.arange(size + 1), size, p)).ravel()
    return weights


def codes(k: Counts, n: Counts) -> Counts:
    """One number for all counts that have the same interval."""
    base = 1 + max(int(n.max()), 30)
    digits = np.concatenate(canonical(k, n), axis=1)
    return np.asarray(digits @ base ** np.arange(digits.shape[1]))


def distinct(k: Counts, n: Counts) -> tuple[Counts, Counts, Counts, Counts]:
    """The codes that occur, counts that stand for each, and which of them each row has."""
    code, first, place = np.unique(codes(k, n), return_index=True, return_inverse=True)
    return code, k[first], n[first], place.ravel()


def few_outcomes(sizes: Sequence[int]) -> bool:
    """Whether the outcomes that differ in more than order or mirror image can be enumerated."""
    orders = prod(factorial(list(sizes).count(size)) for size in set(sizes))
    return prod(size + 1 for size in sizes) / orders / 2 <= MOST_DISTINCT


def range_tests(k: Counts, n: Counts, candidates: Floats) -> Floats:
    """R x 2 x G: both tests of every candidate, for counts as they come."""
    rows = np.array_split(np.arange(len(k)), -(-len(k) // FITTED_AT_ONCE))
    blocks = [canonical(k[some], n[some]) for some in rows]
    tests = (lower_test, upper_test)
    return np.concatenate(
        [np.stack([test(*counts, candidates) for test in tests], axis=1) for counts in blocks]
    )


def scenario_coverage(
    sizes: tuple[int, ...], draws: int, seed: int, truths: Sequence[float] = TRUTHS
) -> Iterator[Coverage]:
    """Coverage of one scenario's interval; exact where its outcomes can be enumerated."""
    exact = few_outcomes(sizes)
    steps = ", d in steps of 0.01" if truths is FINE else ""
    settings = list(one_scenario(len(sizes), truths))
    rng = np.random.default_rng([seed, *sizes])
    if exact:
        _, k, n, place = distinct(outcomes(sizes), np.broadcast_to(sizes, outcomes(sizes).shape))
        above, below = np.moveaxis(range_tests(k, n, np.array(truths)), 1, 0)
    for name, truth, rates in settings:
        if exact:
            column = truths.index(truth)
            weights = np.bincount(place, probabilities(sizes, rates), len(k))
            high, low = above[:, column], below[:, column]
        else:
            drawn = rng.binomial(sizes, rates, (draws, len(sizes)))
            _, k, n, place = distinct(drawn, np.broadcast_to(sizes, drawn.shape))
            weights = np.bincount(place, minlength=len(k)) / draws
            high, low = range_tests(k, n, np.array([0.0, truth]))[:, :, 1].T
        too_high, too_low = weights[high <= TAIL].sum(), weights[low <= TAIL].sum()
        covered = min(float(weights[(high > TAIL) & (low > TAIL)].sum()), 1.0)
        error = 0.0 if exact else standard_error(covered, draws)
        group = f"1 scenario, {label(sizes)}{steps}, {'exact' if exact else 'simulated'}"
        yield Coverage(group, name, truth, covered, too_high, too_low, error, None)


def standard_error(share: float, draws: int) -> float:
    return float(np.sqrt(share * (1 - share) / draws))


def label(sizes: Sequence[int]) -> str:
    """How many answers the frames have, in words."""
    if len(set(sizes)) == 1:
        return f"{len(sizes)} frames, n = {sizes[0]}"
    return f"n = {'/'.join(map(str, sizes))}"


@cache
def bank(sizes: tuple[int, ...]) -> tuple[Counts, MeanParts]:
    """Codes of all outcomes of a scenario, ascending, and what a mean needs of each."""
    every = outcomes(sizes)
    code, k, n, _ = distinct(every, np.broadcast_to(sizes, every.shape))
    return code, mean_parts(k, n)


def pair_coverage(sizes: tuple[int, ...]) -> Iterator[Coverage]:
    """Exact coverage of the mean of two scenarios with the same sizes."""
    code, parts = bank(sizes)
    every = outcomes(sizes)
    place = np.searchsorted(code, codes(every, np.broadcast_to(sizes, every.shape)))
    first, second = np.triu_indices(len(code))
    limits = in_chunks(parts, np.stack([first, second], axis=1))
    for name, rates in mean_settings(2, len(sizes)):
        truth = float(np.mean([np.ptp(p) for p in rates]))
        one, two = (np.bincount(place, probabilities(sizes, p), len(code)) for p in rates)
        weights = np.where(
            first == second,
            one[first] * two[first],
            one[first] * two[second] + one[second] * two[first],
        )
        yield judged(f"mean of 2, {label(sizes)}, exact", name, truth, limits, weights, 0)


def judged(
    group: str, name: str, truth: float, limits: Floats, weights: Floats, draws: int
) -> Coverage:
    """Coverage of weighted intervals."""
    high = limits[:, 0] > truth + ROUNDING
    low = limits[:, 1] < truth - ROUNDING
    covered = min(float(weights[~high & ~low].sum()), 1.0)
    error = standard_error(covered, draws) if draws else 0.0
    width = float(weights @ (limits[:, 1] - limits[:, 0]))
    too_high, too_low = float(weights[high].sum()), float(weights[low].sum())
    return Coverage(group, name, truth, covered, too_high, too_low, error, width)


def in_chunks(parts: MeanParts, members: Counts) -> Floats:
    """The limits of many means: members are means x scenarios, numbers of rows of the parts."""
    count = -(-len(members) * members.shape[1] // AT_ONCE)
    chunks = np.array_split(members, count)
    return np.concatenate([mean_limits(parts.take(chunk), TAIL) for chunk in chunks])


def mean_coverage(
    n_scenarios: int,
    sizes: Sequence[tuple[int, ...]],
    audits: int,
    seed: int,
    chosen: Callable[[str], bool] = lambda name: True,
) -> Iterator[Coverage]:
    """Simulated coverage of a mean; the scenarios take the given sizes in turn."""
    sizes = sizes[:n_scenarios]
    of_scenario = [sizes[s % len(sizes)] for s in range(n_scenarios)]
    rng = np.random.default_rng([seed, n_scenarios, *sizes[0]])
    n = np.broadcast_to(of_scenario, (audits, n_scenarios, len(sizes[0])))
    group = f"mean of {n_scenarios}, {' and '.join(label(size) for size in sizes)}, simulated"
    banked = all(map(few_outcomes, sizes))
    for name, rates in mean_settings(n_scenarios, len(sizes[0])):
        if not chosen(name):
            continue
        k = rng.binomial(n, np.array(rates))
        flat_k, flat_n = k.reshape(-1, k.shape[-1]), n.reshape(-1, k.shape[-1])
        if banked:
            parts, rows = from_banks(flat_k, flat_n, sizes)
        else:
            _, seen_k, seen_n, rows = distinct(flat_k, flat_n)
            parts = mean_parts(seen_k, seen_n)
        truth = float(np.mean([np.ptp(p) for p in rates]))
        limits = in_chunks(parts, rows.reshape(audits, n_scenarios))
        yield judged(group, name, truth, limits, np.full(audits, 1 / audits), audits)


def from_banks(k: Counts, n: Counts, sizes: Sequence[tuple[int, ...]]) -> tuple[MeanParts, Counts]:
    """The banks of these sizes in one, and where each scenario lies in it."""
    banks = [bank(size) for size in sizes]
    starts = np.cumsum([0, *(len(code) for code, _ in banks)])
    rows = np.empty(len(k), dtype=np.int64)
    for size, (code, _), start in zip(sizes, banks, starts[:-1], strict=True):
        same = (n == size).all(axis=1)
        rows[same] = np.searchsorted(code, codes(k[same], n[same])) + start
    return MeanParts.concatenate([parts for _, parts in banks]), rows


SOME = (
    "all one high x=0 d=0.9",
    "all one high x=0.05 d=0.65",
    "all one low x=0.05 d=0.9",
    "all halves x=0.05 d=0.35",
    "all centre x=0.5 d=0.2",
    "all one high x=0.5 d=0",
    "all one high x=0 d=1",
    "d from 0 to 0.9, halves",
    "one d=0.6, others noisy",
    "invariant, x from 0.05 to 0.95",
)
"""Settings simulated where a scenario has too many outcomes: the hardest, and some others."""


def quick_run(seed: int) -> Iterator[Coverage]:
    for sizes in [(5,) * 4, (10,) * 4, (3, 8, 5, 6), (2, 15, 15, 2), (5, 5), (30, 30), (5, 30)]:
        yield from scenario_coverage(sizes, 0, seed)
    yield from pair_coverage((5,) * 4)
    yield from mean_coverage(14, [(5,) * 4], 200, seed)
    yield from mean_coverage(10, [(5, 3, 5, 4), (5,) * 4], 100, seed)


def full_run(audits: int, seed: int) -> Iterator[Coverage]:
    few = max(audits // 8, 50)
    for n in (1, 2, 5, 10, 30):
        yield from scenario_coverage((n,) * 4, 0, seed)
    for sizes in [(3, 8, 5, 6), (5, 10, 5, 10), (5, 30, 30, 5), (30, 5, 5, 5), (5, 20, 20, 20)]:
        yield from scenario_coverage(sizes, 0, seed)
    for sizes in [(5,) * 2, (10,) * 2, (30,) * 2, (100,) * 2, (5, 30), (10, 100)]:
        yield from scenario_coverage(sizes, 0, seed)
    for sizes in [(5,) * 3, (10,) * 3, (30,) * 3, (5, 60, 20), (30, 2, 10), (5,) * 5, (5,) * 6]:
        yield from scenario_coverage(sizes, 0, seed)
    for sizes in [(5,) * 4, (10,) * 4, (30,) * 2]:
        yield from pair_coverage(sizes)
    for n_scenarios in (2, 10, 14):
        for sizes in [(5,) * 4, (10,) * 4, (30,) * 4]:
            yield from mean_coverage(n_scenarios, [sizes], audits, seed)
        yield from mean_coverage(n_scenarios, [(10, 8, 6, 5), (10,) * 4, (5,) * 4], audits, seed)
        yield from mean_coverage(n_scenarios, [(5, 30, 30, 5), (30, 5, 5, 5)], audits, seed)
        yield from mean_coverage(n_scenarios, [(30,) * 2, (20, 30)], audits, seed)
    yield from mean_coverage(14, [(100,) * 2], audits, seed)
    for sizes in [(100,) * 4, (30, 28, 25, 20)]:
        yield from scenario_coverage(sizes, audits, seed, COARSE)
    for n_frames in (2, 4):
        yield from scenario_coverage((30,) * n_frames, 0, seed, FINE)
    hard = SOME.__contains__
    for n_scenarios in (2, 14):
        for unequal in ([(100,) * 4], [(30, 28, 25, 20), (29, 30, 22, 27)]):
            yield from mean_coverage(n_scenarios, unequal, few, seed, hard)


@dataclass(frozen=True)
class Group:
    """The settings that differ in the true rates only."""

    group: str
    settings: int
    worst: Coverage
    below_95: int
    """Settings covered with less than 0.95."""
    mean: float
    """Coverage."""
    width: float | None


def summed_up(rows: list[Coverage]) -> Group:
    coverage = [row.coverage for row in rows]
    widths = [row.width for row in rows if row.width is not None]
    return Group(
        rows[0].group,
        len(rows),
        worst=rows[int(np.argmin(coverage))],
        below_95=int(np.sum(np.array(coverage) < 0.95)),
        mean=float(np.mean(coverage)),
        width=float(np.mean(widths)) if widths else None,
    )


def table_row(group: Group) -> str:
    error = group.worst.standard_error
    worst = f"{group.worst.coverage:.4f}" + (f" (se {error:.4f})" if error else "")
    width = "" if group.width is None else f"{group.width:.3f}"
    return (
        f"| {group.group} | {group.settings} | {worst} | {group.worst.setting} "
        f"| {group.below_95} | {group.mean:.4f} | {width} |"
    )


def audit_seconds(seed: int) -> float:
    """CPU seconds of the 572 intervals of an audit: 26 models, 14 scenarios, 4 frames, n = 30."""
    index = pd.MultiIndex.from_product(
        [range(26), range(14), range(4)], names=["model", "scenario", "frame"]
    )
    cells = index.to_frame(index=False)
    rng = np.random.default_rng(seed)
    cells["domain"], cells["n_valid"] = cells["scenario"] // 2, 30
    cells["endorsed"] = rng.binomial(30, rng.random(len(cells)))
    start = time.process_time()
    for by in (["model", "scenario"], ["model", "domain"], ["model"]):
        nsi_intervals(cells, by)
    return time.process_time() - start


@click.command()
@click.option("--quick", is_flag=True, help="A small part, under 30 seconds.")
@click.option("--audits", default=2000, show_default=True, help="Simulated audits per setting.")
@click.option("--seed", default=0, show_default=True)
def main(quick: bool, audits: int, seed: int) -> None:
    """Measure the coverage of the 95 % intervals for NSI."""
    print("| group | settings | worst | where | below 0.95 | mean | mean width |")
    print("|---|---|---|---|---|---|---|", flush=True)
    start = time.process_time()
    groups = []
    rows = quick_run(seed) if quick else full_run(audits, seed)
    for _, members in groupby(rows, key=lambda row: row.group):
        groups.append(summed_up(list(members)))
        print(table_row(groups[-1]), flush=True)
    settings = sum(group.settings for group in groups)
    figures = {
        "confidence": 1 - 2 * TAIL,
        "seed": seed,
        "settings": settings,
        "worst": min(group.worst.coverage for group in groups),
        "mean": sum(group.mean * group.settings for group in groups) / settings,
        "cpu_seconds": round(time.process_time() - start, 1),
        "audit_cpu_seconds": round(audit_seconds(seed), 2),
        "groups": [asdict(group) for group in groups],
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
