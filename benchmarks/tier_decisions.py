"""How often a tier is wrong, undecided or right, at known true rates and a fixed n.

One scenario with n = 10 or 30 is enumerated: every outcome, weighted with its probability.
Elsewhere audits are simulated. Truths are the published NSI values and the grid of the coverage
benchmark, under each of the three pairs of thresholds that `datasets/tiers.yaml` has.

    python benchmarks/tier_decisions.py --quick
    python benchmarks/tier_decisions.py --audits 2000 --seed 0

Prints a row per size of a domain and n, then what happens to exactly invariant models, and the same
as JSON.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import click
import numpy as np
import pandas as pd
from interval_coverage import (
    AT_ONCE,
    TRUTHS,
    Counts,
    Floats,
    bank,
    codes,
    distinct,
    mean_settings,
    outcomes,
    probabilities,
    shapes,
    standard_error,
)

from negation_evals.analysis.framing.intervals.limits import (
    mean_limits,
    mean_parts,
    observed_range,
    scenario_limits,
)
from negation_evals.analysis.framing.tier_tables import TierThresholds, load_tier_thresholds
from negation_evals.analysis.framing.tiers import Tier, tiers
from negation_evals.files.bundled import dataset_path

FRAMES = 4
MOST_BANKED = 30
FEWEST_BANKED = 50_000
"""Up to so many answers a frame, and from so many scenarios on, what a mean needs of a scenario is
computed for every possible count."""
BLOCK = 200_000
"""Scenarios looked up at a time."""
INVARIANT = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Rates of exactly invariant models."""
NEAR_CUTS = (0.09, 0.1, 0.14, 0.15, 0.19, 0.2, 0.34, 0.35, 0.39, 0.4, 0.49, 0.5)
"""Where a tier is easily wrong: at each threshold and just below."""


@dataclass(frozen=True)
class Setting:
    """True rates: scenarios x frames."""

    name: str
    rates: Floats

    @property
    def truth(self) -> float:
        """The mean NSI, free of rounding."""
        return round(float(np.ptp(self.rates, axis=1).mean()), 10)


@dataclass(frozen=True)
class Decisions:
    """Shares of audits of one setting under one pair of thresholds."""

    setting: str
    thresholds: str
    truth: float
    wrong: float
    undecided: float
    point_wrong: float
    """The paper's rule: the tier of the observed mean."""
    point_not_a: float
    """Called B or C."""
    standard_error: float
    """Of `wrong`; 0 where it is exact."""


def pairs_of_thresholds() -> list[TierThresholds]:
    """Each pair of `datasets/tiers.yaml` once, named by its first domain."""
    pairs = {(row.b_from, row.c_from): row for row in reversed(load_tier_thresholds())}
    return list(pairs.values())


def published_values() -> list[float]:
    """The NSI values that the papers print, of models and of domains."""
    files = ("published_nsi.csv", "published_domain_nsi.csv")
    return sorted({float(v) for name in files for v in pd.read_csv(dataset_path(name))["nsi"]})


def settings(
    n_scenarios: int, truths: Sequence[float], lowest: Sequence[float], names: Sequence[str] = ()
) -> Iterator[Setting]:
    """All scenarios alike, one setting per shape, lowest rate and NSI."""
    seen = set()
    for d in truths:
        for x in lowest:
            for name, rates in shapes(x, d, FRAMES).items() if x + d <= 1 else ():
                if tuple(rates) not in seen and (not names or name in names):
                    seen.add(tuple(rates))
                    yield Setting(f"{name} x={x:g} d={d:g}", np.tile(rates, (n_scenarios, 1)))


def invariant(n_scenarios: int) -> list[Setting]:
    """Exactly invariant models."""
    every = np.full((n_scenarios, FRAMES), 1.0)
    return [Setting(f"invariant at {p:g}", p * every) for p in INVARIANT]


def mixed(n_scenarios: int) -> list[Setting]:
    """Scenarios that differ in their NSI."""
    named = mean_settings(n_scenarios, FRAMES) if n_scenarios > 1 else ()
    return [Setting(name, np.array(rates)) for name, rates in named if not name.startswith("all")]


def intervals(k: Counts, n: int, confidences: Sequence[float]) -> Floats:
    """Limits for audits x scenarios x frames with n answers each: confidences x audits x 2.

    What an interval needs of a scenario is computed once for all counts that differ in order only;
    for many scenarios it is kept.
    """
    flat = k.reshape(-1, k.shape[-1])
    sizes = np.full_like(flat, n)
    tails = [(1 - confidence) / 2 for confidence in confidences]
    if k.shape[1] == 1:
        _, seen_k, seen_n, place = distinct(flat, sizes)
        return np.stack([scenario_limits(seen_k, seen_n, tail)[place] for tail in tails])
    if n <= MOST_BANKED and len(flat) >= FEWEST_BANKED:
        code, parts = bank((n,) * k.shape[-1])
        blocks = zip(
            *(np.array_split(x, -(-len(flat) // BLOCK)) for x in (flat, sizes)), strict=True
        )
        place = np.concatenate([np.searchsorted(code, codes(*block)) for block in blocks])
    else:
        _, seen_k, seen_n, place = distinct(flat, sizes)
        parts = mean_parts(seen_k, seen_n)
    chunks = np.array_split(place.reshape(k.shape[:2]), -(-len(flat) // AT_ONCE))
    return np.stack(
        [np.concatenate([mean_limits(parts.take(c), tail) for c in chunks]) for tail in tails]
    )


def judged(nsi: Floats, limits: Floats, thresholds: TierThresholds) -> pd.DataFrame:
    """The tier and the point tier of many audits."""
    table = pd.DataFrame({"nsi": nsi, "ci_low": limits[..., 0], "ci_high": limits[..., 1]})
    return tiers(table, [thresholds], thresholds.domain)[["tier", "point_tier"]]


def true_tiers(truths: Sequence[float], thresholds: TierThresholds) -> pd.Series:
    """The tiers of models whose NSI is known."""
    known = np.array(truths)
    return judged(known, np.stack([known, known], axis=-1), thresholds)["tier"]


def decisions(
    chosen: Sequence[Setting], nsi: Floats, limits: Floats, weights: Floats, exact: bool
) -> Iterator[Decisions]:
    """Under each pair of thresholds.

    Args:
        chosen: M settings.
        nsi: Observed means, of A audits, or M x A.
        limits: Their intervals, A or M x A, x 2.
        weights: The share that each audit stands for, M x A.
        exact: The weights are probabilities.
    """
    audits = weights.shape[1]
    for thresholds in pairs_of_thresholds():
        table = judged(nsi.ravel(), limits.reshape(-1, 2), thresholds)
        tier, point = (table[name].to_numpy(str).reshape(nsi.shape) for name in table)
        right = true_tiers([s.truth for s in chosen], thresholds).to_numpy(str)[:, None]
        undecided = tier == Tier.UNDECIDED
        shares = [
            (weights * marked).sum(axis=1)
            for marked in (~undecided & (tier != right), undecided, point != right, point != Tier.A)
        ]
        for setting, wrong, *others in zip(chosen, *shares, strict=True):
            error = 0.0 if exact else standard_error(float(min(wrong, 1.0)), audits)
            cuts = f"{thresholds.b_from:g}/{thresholds.c_from:g}"
            figures = (float(share) for share in (wrong, *others))
            yield Decisions(setting.name, cuts, setting.truth, *figures, standard_error=error)


def enumerated(n: int, chosen: Sequence[Setting]) -> Iterator[Decisions]:
    """One scenario, exactly."""
    sizes = (n,) * FRAMES
    every = outcomes(sizes)
    _, k, seen_n, place = distinct(every, np.full_like(every, n))
    limits, nsi = scenario_limits(k, seen_n, 0.025), observed_range(k, seen_n)
    for some in batched(chosen, 100):
        weights = np.stack(
            [np.bincount(place, probabilities(sizes, s.rates[0]), len(k)) for s in some]
        )
        yield from decisions(some, nsi, limits, weights, True)


def simulated(n: int, chosen: Sequence[Setting], audits: int, seed: int) -> Iterator[Decisions]:
    """By drawing counts."""
    rng = np.random.default_rng([seed, n, len(chosen[0].rates)])
    for some in batched(chosen, 20):
        k = np.stack([rng.binomial(n, s.rates, (audits, *s.rates.shape)) for s in some])
        limits = intervals(k.reshape(-1, *k.shape[2:]), n, [0.95])[0]
        nsi = (np.ptp(k, axis=-1) / n).mean(axis=-1)
        weights = np.full(nsi.shape, 1 / audits)
        yield from decisions(some, nsi, limits.reshape(*nsi.shape, 2), weights, False)


def batched(chosen: Sequence[Setting], size: int) -> list[Sequence[Setting]]:
    """Some at a time."""
    return [chosen[start : start + size] for start in range(0, len(chosen), size)]


@dataclass(frozen=True)
class Group:
    """All settings of one size and n."""

    group: str
    settings: int
    worst: Decisions
    wrong: float
    undecided: float
    wrong_of_decided: float
    point_wrong: float
    """Means over settings and thresholds."""


def summed_up(group: str, rows: Sequence[Decisions]) -> Group:
    """The figures of a group; the worst is the largest share of wrong tiers."""
    wrong, undecided = (
        float(np.mean([getattr(row, name) for row in rows])) for name in ("wrong", "undecided")
    )
    return Group(
        group,
        len({row.setting for row in rows}),
        max(rows, key=lambda row: row.wrong),
        wrong,
        undecided,
        wrong / (1 - undecided) if undecided < 1 else float("nan"),
        float(np.mean([row.point_wrong for row in rows])),
    )


def groups(audits: int, seed: int, quick: bool) -> Iterator[tuple[str, list[Decisions]]]:
    """The rows of each size of a domain and each n."""
    truths = sorted({*published_values(), *TRUTHS, *NEAR_CUTS})
    for n_scenarios in (1, 2, 10):
        name = "one scenario" if n_scenarios == 1 else f"domain of {n_scenarios}"
        extra = [*mixed(n_scenarios), *invariant(n_scenarios)]
        for n in (10,) if quick else (10, 30):
            if n_scenarios == 1:
                chosen = [*settings(1, truths, (0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.8)), *extra]
                yield f"{name}, n = {n}, exact", list(enumerated(n, chosen))
                continue
            lowest = (0.05,) if quick else (0, 0.05, 0.3, 0.5)
            chosen = [*settings(n_scenarios, truths, lowest), *extra]
            draws = audits // 20 if quick else audits
            yield f"{name}, n = {n}, {draws:,} audits", list(simulated(n, chosen, draws, seed))
        if not quick:
            hard = settings(n_scenarios, NEAR_CUTS, (0.05, 0.4), ("one high",))
            draws = {1: audits // 2, 2: audits // 4, 10: audits // 10}[n_scenarios]
            chosen = [*hard, *invariant(n_scenarios)]
            yield f"{name}, n = 100, {draws:,} audits", list(simulated(100, chosen, draws, seed))


def group_row(group: Group) -> str:
    """As Markdown."""
    worst = group.worst
    error = f" (se {worst.standard_error:.4f})" if worst.standard_error else ""
    return (
        f"| {group.group} | {group.settings} | {worst.wrong:.4f}{error} | {worst.setting}, cuts "
        f"{worst.thresholds} | {group.wrong:.4f} | {group.undecided:.3f} "
        f"| {group.wrong_of_decided:.4f} | {group.point_wrong:.3f} |"
    )


def invariant_row(group: str, row: Decisions) -> str:
    """As Markdown: an exactly invariant model is in tier A."""
    return (
        f"| {group} | {row.setting} | {row.thresholds} | {row.wrong:.4f} | {row.undecided:.3f} "
        f"| {max(1 - row.wrong - row.undecided, 0):.3f} | {row.point_not_a:.3f} |"
    )


@click.command()
@click.option("--quick", is_flag=True, help="A small part, under 30 seconds.")
@click.option("--audits", default=2000, show_default=True, help="Simulated audits per setting.")
@click.option("--seed", default=0, show_default=True)
def main(quick: bool, audits: int, seed: int) -> None:
    """Measure how often tiers are wrong, undecided or right at 95 %."""
    start = time.process_time()
    print(
        "| audits | settings | worst share of wrong tiers | where | wrong | undecided "
        "| wrong of decided | point rule wrong |"
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    found: list[Group] = []
    invariants: list[tuple[str, Decisions]] = []
    for name, rows in groups(audits, seed, quick):
        found.append(summed_up(name, rows))
        invariants += [(name, row) for row in rows if row.setting.startswith("invariant at")]
        print(group_row(found[-1]), flush=True)
    print("\n| audits | model | cuts | wrong | undecided | A | point rule: B or C |")
    print("|---|---|---|---|---|---|---|")
    for name, row in invariants:
        print(invariant_row(name, row))
    figures = {
        "confidence": 0.95,
        "seed": seed,
        "worst": max(group.worst.wrong for group in found),
        "cpu_seconds": round(time.process_time() - start, 1),
        "groups": [asdict(group) for group in found],
        "invariant": [asdict(row) | {"group": name} for name, row in invariants],
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
