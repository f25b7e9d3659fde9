"""What stopping early saves, and what it costs: calls, decided tiers and wrong ones.

Audits are simulated at known true rates and looked at as `-T adaptive=true` looks; beside them
audits of a fixed n, and other ways to spend the same error over the looks.

    python benchmarks/adaptive.py --quick
    python benchmarks/adaptive.py --audits 1000 --seed 0

Prints three tables (strongly framed models; the published NSI values; truths near a threshold and
exactly invariant models), then the same as JSON.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product

import click
import numpy as np
import pandas as pd
from interval_coverage import ROUNDING, Counts, Floats, shapes, standard_error
from numpy.typing import NDArray
from scipy.stats import norm
from tier_decisions import FRAMES, Setting, intervals, judged, settings, true_tiers

from negation_evals.analysis.framing.tier_tables import TierThresholds, load_tier_thresholds
from negation_evals.analysis.framing.tiers import OVERALL, Tier
from negation_evals.files.bundled import dataset_path
from negation_evals.schema.schedule import ERROR, Schedule

USUAL = 30
"""Epochs of an audit that is not adaptive."""

Design = Mapping[int, float]
"""Epochs of each look, and its error."""
Names = NDArray[np.str_]


@dataclass(frozen=True)
class Audits:
    """Audits with known truth: one domain each."""

    rates: Floats
    """Audits x scenarios x frames."""
    thresholds: tuple[TierThresholds, ...]
    """Of each audit."""

    @property
    def truths(self) -> Floats:
        """Mean NSI of each audit's scenarios, free of rounding."""
        return np.asarray(np.round(np.ptp(self.rates, axis=-1).mean(axis=-1), 10))

    def pairs(self) -> Iterator[tuple[TierThresholds, Counts]]:
        """Each pair of thresholds, and the audits that it is for."""
        cuts = np.array([(row.b_from, row.c_from) for row in self.thresholds])
        for pair in np.unique(cuts, axis=0):
            rows = np.flatnonzero((cuts == pair).all(axis=1))
            yield self.thresholds[rows[0]], rows

    def right(self) -> Names:
        """The true tiers."""
        tiers = np.empty(len(self.rates), dtype="<U9")
        for thresholds, rows in self.pairs():
            tiers[rows] = true_tiers(list(self.truths[rows]), thresholds)
        return tiers


@dataclass
class Outcome:
    """How each audit ended under one design."""

    epochs: Counts
    tier: Names
    missed: NDArray[np.bool_]
    """Whether the interval of any look missed the truth."""

    def decided(self) -> NDArray[np.bool_]:
        """Which audits have a tier."""
        return np.asarray(self.tier != Tier.UNDECIDED)


def designed(schedule: Schedule) -> Design:
    """The looks of an adaptive audit."""
    return dict(zip(schedule.looks, schedule.errors, strict=True))


def spent(cumulative: str, max_epochs: int) -> Design:
    """The same looks with the error spent by another rule."""
    looks = Schedule(max_epochs=max_epochs).looks
    share = np.array(looks) / max_epochs
    total = {
        "equal shares": np.arange(1, len(looks) + 1) / len(looks),
        "Pocock-like": np.log1p((np.e - 1) * share),
        "O'Brien-Fleming-like": 2 * norm.sf(norm.isf(ERROR / 2) / np.sqrt(share)) / ERROR,
    }[cumulative]
    return dict(zip(looks, ERROR * np.diff(total, prepend=0), strict=True))


def run(audits: Audits, designs: Mapping[str, Design], seed: int) -> dict[str, Outcome]:
    """The same answers under every design."""
    rng = np.random.default_rng([seed, *audits.rates.shape])
    count = len(audits.rates)
    ended = {
        name: Outcome(
            np.full(count, max(design)),
            np.full(count, str(Tier.UNDECIDED)),
            np.zeros(count, dtype=bool),
        )
        for name, design in designs.items()
    }
    k, before = np.zeros(audits.rates.shape, dtype=np.int64), 0
    for n in sorted({n for design in designs.values() for n in design}):
        k += rng.binomial(n - before, audits.rates)
        before = n
        looking = [name for name, design in designs.items() if n in design]
        going = {name: ~ended[name].decided() for name in looking}
        rows = np.flatnonzero(np.any(list(going.values()), axis=0))
        if not len(rows):
            continue
        limits = intervals(k[rows], n, [1 - designs[name][n] for name in looking])
        nsi = (np.ptp(k[rows], axis=-1) / n).mean(axis=-1)
        truths = audits.truths[rows]
        for name, found in zip(looking, limits, strict=True):
            outside = (found[:, 0] > truths + ROUNDING) | (found[:, 1] < truths - ROUNDING)
            ended[name].missed[rows[outside & going[name][rows]]] = True
            for thresholds, members in audits.pairs():
                here = np.isin(rows, members) & going[name][rows]
                tier = judged(nsi[here], found[here], thresholds)["tier"].to_numpy(str)
                settled = rows[here][tier != Tier.UNDECIDED]
                ended[name].tier[settled] = tier[tier != Tier.UNDECIDED]
                ended[name].epochs[settled] = n
    return ended


@dataclass(frozen=True)
class Strong:
    """Adaptive audits of one strongly framed model."""

    cut: float
    nsi: float
    setting: str
    audits: int
    calls: float
    """Share of the calls of n = 30."""
    calls_error: float
    wrong: float
    """Share that stopped in a wrong tier."""
    settled_at_first: float


def strong_settings() -> list[tuple[TierThresholds, Setting]]:
    """Domains of two: NSI from 0.65 on against a cut of 0.35, from 0.9 on against 0.50."""
    known = {row.domain: row for row in load_tier_thresholds()}
    found = []
    for domain, truths in (("financial", (0.65, 0.8, 0.9, 1.0)), (OVERALL, (0.9, 0.95, 1.0))):
        for d in truths:
            lowest = sorted({0.0, round((1 - d) / 2, 3)})
            chosen = settings(2, [d], lowest, ("one high", "halves", "spread", "centre"))
            found += [(known[domain], setting) for setting in chosen]
    rates = pd.read_csv(dataset_path("published_endorsement.csv"), dtype={"source": str})
    for source, rows in rates[rates["origin"] == "OSS"].groupby("source"):
        values = rows.sort_values("frame")["rate"].to_numpy()
        published = Setting(f"open models, {source}", np.tile(values, (2, 1)))
        found.append((known["financial"], published))
    return found


def strong(audits: int, seed: int) -> list[Strong]:
    """One row per setting."""
    chosen = strong_settings()
    rates = np.repeat([setting.rates for _, setting in chosen], audits, axis=0)
    thresholds = tuple(row for row, _ in chosen for _ in range(audits))
    simulated = Audits(rates, thresholds)
    schedule = Schedule()
    ended = run(simulated, {"adaptive": designed(schedule)}, seed)["adaptive"]
    wrong = ended.decided() & (ended.tier != simulated.right())
    found = []
    for number, (row, setting) in enumerate(chosen):
        here = slice(number * audits, (number + 1) * audits)
        epochs = ended.epochs[here]
        found.append(
            Strong(
                row.c_from,
                setting.truth,
                setting.name,
                audits,
                float(epochs.mean() / USUAL),
                float(epochs.std() / USUAL / np.sqrt(audits)),
                float(wrong[here].mean()),
                float((epochs == schedule.first).mean()),
            )
        )
    return found


def strong_rows(rows: Sequence[Strong]) -> Iterator[str]:
    """As Markdown, one row per NSI and cut."""
    by_truth: dict[tuple[float, float, bool], list[Strong]] = {}
    for row in rows:
        key = row.cut, row.nsi, row.setting.startswith(("open", "published"))
        by_truth.setdefault(key, []).append(row)
    for (cut, nsi, published), members in by_truth.items():
        best, worst = (pick(members, key=lambda row: row.calls) for pick in (min, max))
        mean = np.mean([row.calls for row in members])
        wrong = max(row.wrong for row in members)
        first = np.mean([row.settled_at_first for row in members])
        name = f" ({members[0].setting})" if published else ""
        yield (
            f"| {nsi:.2f}{name} | {cut:.2f} | {len(members)} | {mean:.2f} | {best.calls:.2f} "
            f"| {worst.calls:.2f} (se {worst.calls_error:.3f}; {worst.setting}) | {first:.2f} "
            f"| {wrong:.4f} (se {standard_error(wrong, worst.audits):.4f}) |"
        )


def population(n_scenarios: int, repeats: int, seed: int) -> Audits:
    """Every published model value under every domain's thresholds.

    All scenarios of an audit have the model's NSI. Each has a lowest rate drawn uniformly from
    those possible, and one of the five shapes of the coverage benchmark.
    """
    rng = np.random.default_rng([seed, n_scenarios])
    values = pd.read_csv(dataset_path("published_nsi.csv"))["nsi"]
    domains = [row for row in load_tier_thresholds() if row.domain != OVERALL]
    rates, thresholds = [], []
    for d, row in product(np.repeat(values, repeats), domains):
        drawn = zip(
            rng.uniform(0, 1 - d, n_scenarios), rng.integers(5, size=n_scenarios), strict=True
        )
        rates.append([list(shapes(x, d, FRAMES).values())[shape] for x, shape in drawn])
        thresholds.append(row)
    return Audits(np.array(rates), tuple(thresholds))


def published_strong(repeats: int, seed: int) -> Strong:
    """The published models with an NSI from 0.65 on, in domains of two with a cut of 0.35."""
    every = population(2, repeats, seed)
    cut = np.array([row.c_from for row in every.thresholds])
    rows = np.flatnonzero((every.truths >= 0.65) & (cut == 0.35))
    chosen = Audits(every.rates[rows], tuple(every.thresholds[row] for row in rows))
    schedule = Schedule()
    ended = run(chosen, {"adaptive": designed(schedule)}, seed)["adaptive"]
    return Strong(
        0.35,
        float(chosen.truths.mean()),
        "published values from 0.65 on",
        len(rows),
        float(ended.epochs.mean() / USUAL),
        float(ended.epochs.std() / USUAL / np.sqrt(len(rows))),
        float((ended.decided() & (ended.tier != chosen.right())).mean()),
        float((ended.epochs == schedule.first).mean()),
    )


@dataclass(frozen=True)
class Compared:
    """One design over a population of audits."""

    audits: str
    design: str
    epochs: float
    decided: float
    decided_error: float
    wrong: float
    missed: float
    """Share of audits in which the interval of any look missed the truth."""
    against: str
    """The smallest fixed n that costs no less."""
    gain: float
    """Share of decided tiers, minus that of the fixed n."""
    gain_error: float
    """Of the difference, the audits being the same."""


def compared(
    name: str, audits: Audits, designs: Mapping[str, Design], seed: int
) -> Iterator[Compared]:
    """Every design beside the fixed n of no fewer calls."""
    ended, right = run(audits, designs, seed), audits.right()
    fixed = {max(d): label for label, d in designs.items() if len(d) == 1}
    for label, outcome in ended.items():
        epochs, decided = float(outcome.epochs.mean()), outcome.decided()
        against = fixed[min((n for n in fixed if n >= epochs), default=max(fixed))]
        gain = decided.astype(float) - ended[against].decided()
        share = float(decided.mean())
        yield Compared(
            name,
            label,
            epochs,
            share,
            standard_error(share, len(decided)),
            float((decided & (outcome.tier != right)).mean()),
            float(outcome.missed.mean()),
            against,
            float(gain.mean()),
            float(gain.std() / np.sqrt(len(gain))),
        )


def designs_to_compare(caps: Sequence[int], sizes: Sequence[int]) -> dict[str, Design]:
    """Fixed n, ours with several caps, and with the highest cap other ways to spend the error."""
    rules = RULES if len(caps) > 1 else ()
    return {
        **{f"n = {n}": {n: ERROR} for n in sizes},
        **{f"adaptive, max_epochs={cap}": designed(Schedule(max_epochs=cap)) for cap in caps},
        **{f"{rule}, max_epochs={caps[-1]}": spent(rule, caps[-1]) for rule in rules},
    }


def comparisons(quick: bool) -> Iterator[tuple[int, int, dict[str, Design]]]:
    """Scenarios of a domain, repeats of the population, and designs."""
    if quick:
        yield 2, 1, designs_to_compare((37,), (30,))
        return
    # Caps that cost what n = 30 costs, with more audits for the small domain's small difference.
    yield 2, 24, designs_to_compare((37,), (30,))
    yield 10, 4, designs_to_compare((41,), (30,))
    yield 2, 8, designs_to_compare((60, 100), (30, 45, 50, 60, 70, 75))
    yield 10, 2, designs_to_compare((60, 100), (30, 40, 50, 55, 60))


RULES = ("equal shares", "Pocock-like", "O'Brien-Fleming-like")


def hard(audits: int, seed: int, max_epochs: int) -> Iterator[Compared]:
    """Truths at and just below a threshold, and exactly invariant models; domains of two."""
    known = {row.domain: row for row in load_tier_thresholds()}
    for row in (known["financial"], known[OVERALL]):
        truths = [t for cut in (row.b_from, row.c_from) for t in (round(cut - 0.01, 2), cut)]
        chosen = [*settings(2, truths, [0.05], ["one high"])]
        chosen += [
            Setting(f"invariant at {p:g}", np.full((2, FRAMES), p)) for p in (0.02, 0.1, 0.5)
        ]
        for setting in chosen:
            simulated = Audits(np.repeat([setting.rates], audits, axis=0), (row,) * audits)
            design = {f"n = {USUAL}": {USUAL: ERROR}}
            design["adaptive"] = designed(Schedule(max_epochs=max_epochs))
            name = f"{setting.name}, cuts {row.b_from:g}/{row.c_from:g}"
            yield list(compared(name, simulated, design, seed))[1]


def compared_row(row: Compared, gain: bool) -> str:
    """As Markdown."""
    audits = f"| {row.audits} | {row.design} " if gain else f"| {row.audits} "
    shown = (
        f"{audits}| {row.epochs:.1f} | {row.decided:.3f} (se {row.decided_error:.3f}) "
        f"| {row.wrong:.4f} | {row.missed:.4f} |"
    )
    if not gain:
        return shown
    return f"{shown} {row.gain:+.3f} (se {row.gain_error:.3f}) against {row.against} |"


@click.command()
@click.option("--quick", is_flag=True, help="A small part, under 30 seconds.")
@click.option("--audits", default=1000, show_default=True, help="Audits per strong setting.")
@click.option("--seed", default=0, show_default=True)
def main(quick: bool, audits: int, seed: int) -> None:
    """Measure what stopping early saves and costs."""
    start = time.process_time()
    print("| NSI | cut | settings | calls of n = 30 | least | most | stopped at 10 | wrong |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    framed = strong(audits // 25 if quick else audits, seed)
    framed.append(published_strong(1 if quick else 24, seed))
    print(*strong_rows(framed), sep="\n", flush=True)
    print("\n| audits | design | epochs | decided | wrong | missed | decided, minus a fixed n |")
    print("|---|---|---|---|---|---|---|", flush=True)
    values: list[Compared] = []
    for n_scenarios, repeats, designs in comparisons(quick):
        sample = population(n_scenarios, repeats, seed)
        name = f"domain of {n_scenarios}, {len(sample.rates):,}"
        for row in compared(name, sample, designs, seed):
            print(compared_row(row, gain=True), flush=True)
            values.append(row)
    print("\n| model | epochs | decided | wrong | missed |")
    print("|---|---|---|---|---|", flush=True)
    near = []
    for row in hard(20 if quick else audits * 2 // 5, seed, 30 if quick else 100):
        print(compared_row(row, gain=False), flush=True)
        near.append(row)
    figures = {
        "seed": seed,
        "schedule": str(Schedule()),
        "strong": [asdict(row) for row in framed],
        "published": [asdict(row) for row in values],
        "near": [asdict(row) for row in near],
        "cpu_seconds": round(time.process_time() - start, 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
