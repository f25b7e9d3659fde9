"""Every statistic of a fixed audit against an independent computation of the stated formula.

The right-hand sides come from `helpers.published`, which knows the papers and `docs/tables.md` and
nothing of the implementation. The tolerance is 1e-9; bootstrap limits are held against the exact
bootstrap distribution.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from helpers.framing import decisions_from_counts
from helpers.published import (
    FRAMES,
    LOST,
    MODELS,
    NEGATED,
    SCENARIOS,
    SCORES,
    SETTINGS,
    UNPARSED,
    as_table,
    benjamini_hochberg,
    chi2_sf,
    chi_square,
    compare,
    counts,
    deal_p_values,
    endorsed,
    grouped,
    holds_as_percentile_interval,
    holm,
    kruskal,
    mann_whitney,
    mean,
    null_nsi,
    pearson,
    ranks,
    reference_rows,
    result,
    sample_sd,
    sign_flip,
    spread,
    wilcoxon,
    wilson,
)
from helpers.report import report_tables

from negation_evals import analysis
from negation_evals.analysis import range_interval
from negation_evals.analysis.framing.permutation import range_p_value, smallest_share

RESULT = ["model", "condition", "temperature"]
SETTING = ["condition", "temperature"]
CELL = [*RESULT, "scenario"]
ROWS = reference_rows()
BY_CELL = grouped(ROWS, lambda r: (*result(r), r["scenario"]))
BY_FRAME = {
    key: {f: [r for r in rows if r["frame"] == f] for f in FRAMES} for key, rows in BY_CELL.items()
}
COUNTS = {key: {f: counts(rows) for f, rows in frames.items()} for key, frames in BY_FRAME.items()}
RATES = {
    key: {f: Fraction(k, n) if n else None for f, (k, n) in cell.items()}
    for key, cell in COUNTS.items()
}
NSI = {
    key: None if None in rates.values() else spread(list(rates.values()))
    for key, rates in RATES.items()
}
NULLS = {
    key: None
    if NSI[key] is None
    else null_nsi(
        Fraction(sum(k for k, _ in cell.values()), sum(n for _, n in cell.values())),
        tuple(sorted(n for _, n in cell.values())),
    )
    for key, cell in COUNTS.items()
}
RESULTS = sorted({key[:3] for key in NSI})
GROUP = {model: description[0] for model, description in MODELS.items()}
PAIRS = {"simple": ("F0", "F1"), "compound": ("F2", "F3")}


@pytest.fixture(scope="module")
def decisions() -> pd.DataFrame:
    return as_table(ROWS)


@pytest.fixture(scope="module")
def cells(decisions: pd.DataFrame) -> pd.DataFrame:
    return analysis.endorsement_rates(decisions)


@pytest.fixture(scope="module")
def table(decisions: pd.DataFrame) -> pd.DataFrame:
    return analysis.nsi(decisions)


def known(keys) -> list[Fraction]:
    return [NSI[key] for key in keys if NSI[key] is not None]


def test_the_reference_has_the_gaps_it_should_have() -> None:
    assert set(LOST) <= {r["status"] for r in ROWS}
    assert sum(value is None for value in NSI.values()) == 2
    assert len({n for cell in COUNTS.values() for _, n in cell.values()}) > 5
    assert len(NSI) == sum(len(models) * 6 for _, _, models, _ in SETTINGS) - 1


def test_endorsement_rates_and_wilson_intervals(cells: pd.DataFrame) -> None:
    expected = {}
    for key, frames in BY_FRAME.items():
        for frame, rows in frames.items():
            k, n = COUNTS[key][frame]
            low, high = wilson(k, n) if n else (None, None)
            expected[*key, frame] = {
                "domain": SCENARIOS[key[3]],
                "n": len(rows),
                "n_valid": n,
                "n_abstain": sum(r["status"] == "abstain" for r in rows),
                "n_unparsed": sum(r["status"] in UNPARSED for r in rows),
                "endorsed": k,
                "rate": RATES[key][frame],
                "ci_low": low,
                "ci_high": high,
                "frames": "F0,F1,F2,F3",
            }
    compare(cells, [*CELL, "frame"], expected)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_wilson_at_another_level(level: float) -> None:
    table = decisions_from_counts({"s": [0, 3, 7, 10]}, n=10)
    got = analysis.endorsement_rates(table, confidence_level=level)
    for k, row in zip((0, 3, 7, 10), got.to_dict("records"), strict=True):
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(wilson(k, 10, level), abs=1e-9)


def test_nsi_its_floor_and_the_exact_range_test(table: pd.DataFrame) -> None:
    expected = {}
    for key, cell in COUNTS.items():
        rates = RATES[key]
        row = {
            "nsi": NSI[key],
            "n_min": min(n for _, n in cell.values()),
            "missing_frames": ",".join(f for f in FRAMES if rates[f] is None),
            "nsi_null": NULLS[key],
            "p_value": None,
            "ci_low": None,
            "ci_high": None,
        }
        if NSI[key] is not None:
            row["frame_max"] = next(f for f in FRAMES if rates[f] == max(rates.values()))
            row["frame_min"] = next(f for f in FRAMES if rates[f] == min(rates.values()))
            k, n = zip(*cell.values(), strict=True)
            row["p_value"] = deal_p_values(k, n)[0]
            row["ci_low"], row["ci_high"] = map(float, range_interval(k, n))
        expected[key] = row
    compare(table, CELL, expected)


def test_the_range_test_where_products_of_counts_and_rates_tie() -> None:
    # 1/3 - 0 and 2/3 - 1/3 are one range in fractions and two in doubles.
    for sizes in [(3, 6, 9), (3, 3, 6), (7, 7, 7), (2, 4, 6, 3)]:
        for k in itertools.product(*(range(n + 1) for n in sizes)):
            if sum(k) <= sum(sizes) // 2:
                assert range_p_value(k, sizes) == pytest.approx(
                    deal_p_values(k, sizes)[0], abs=1e-9
                )


def test_nsi_summary(table: pd.DataFrame) -> None:
    expected = {}
    for key in RESULTS:
        members = [c for c in NSI if c[:3] == key]
        scored = [c for c in members if NSI[c] is not None]
        values = known(members)
        expected[key] = {
            "n_scenarios": len(values),
            "n_missing": len(members) - len(values),
            "nsi": mean(values),
            "nsi_sd": sample_sd(values),
            "nsi_null": mean([NULLS[c] for c in scored]),
            "nsi_min": min(values),
            "nsi_max": max(values),
            "worst_scenario": max(scored, key=lambda c: NSI[c])[3],
            "n_min": min(n for c in scored for _, n in COUNTS[c].values()),
        }
        if len(scored) < len(members):
            expected[key].pop("n_min")
    compare(analysis.nsi_summary(table), RESULT, expected)


@pytest.mark.parametrize(
    ("by", "key"),
    [
        (["domain"], lambda c: (SCENARIOS[c[3]],)),
        (["scenario"], lambda c: (c[3],)),
        (["origin", "scenario"], lambda c: (GROUP[c[0]], c[3])),
        (["model", "domain"], lambda c: (c[0], SCENARIOS[c[3]])),
    ],
)
def test_nsi_summary_by_other_columns(table: pd.DataFrame, by: list, key) -> None:
    groups: dict[tuple, list] = {}
    for c in NSI:
        groups.setdefault((*c[1:3], *key(c)), []).append(c)
    expected = {
        group: {
            "n_scenarios": len(known(members)),
            "n_missing": len(members) - len(known(members)),
            "nsi": mean(known(members)),
            "nsi_sd": sample_sd(known(members)),
        }
        for group, members in groups.items()
    }
    compare(analysis.nsi_summary(table, by=by), [*SETTING, *by], expected)


def shares(values: list[Fraction]) -> dict[str, Fraction]:
    fifth, half = Fraction(1, 5), Fraction(1, 2)
    return {
        "robust": Fraction(sum(v < fifth for v in values), len(values)),
        "moderate": Fraction(sum(fifth <= v < half for v in values), len(values)),
        "high": Fraction(sum(v >= half for v in values), len(values)),
        "nsi": mean(values),
        "nsi_sd": sample_sd(values),
        "n_cells": len(values),
    }


@pytest.mark.parametrize("by", [(), ("origin",), ("model",)])
def test_fragility_shares(table: pd.DataFrame, by: tuple) -> None:
    groups: dict[tuple, list] = {}
    for c in NSI:
        label = {"origin": GROUP[c[0]], "model": c[0]}
        groups.setdefault((*c[1:3], *(label[b] for b in by)), []).append(c)
    expected = {
        group: {**shares(known(members)), "n_missing": len(members) - len(known(members))}
        for group, members in groups.items()
    }
    compare(analysis.fragility_shares(table, by=by), [*SETTING, *by], expected)


def test_fragility_at_the_thresholds_is_decided_as_fractions_would_be() -> None:
    # All differences of rates with up to 40 answers that lie at or next to 0.2 and 0.5.
    rows, expected = [], {}
    for n, m in [(10, 10), (5, 15), (30, 30), (20, 30), (37, 40)]:
        for a, b in itertools.product(range(n + 1), range(m + 1)):
            exact = Fraction(a, n) - Fraction(b, m)
            if min(abs(exact - Fraction(1, 5)), abs(exact - Fraction(1, 2))) <= Fraction(1, 400):
                scenario = f"{a}/{n} - {b}/{m}"
                rows.append({"model": "m", "scenario": scenario, "nsi": a / n - b / m})
                expected[(scenario,)] = {
                    k: v for k, v in shares([exact]).items() if k not in {"nsi", "nsi_sd"}
                }
    table = pd.DataFrame(rows).assign(domain="d")
    assert (table["nsi"] < 0.2).any()
    assert len(table) > 80
    compare(analysis.fragility_shares(table, by="scenario"), ["scenario"], expected)


def test_fragility_of_whole_audits_at_the_thresholds() -> None:
    # 0.8 - 0.6, 0.3 - 0.1, 0.7 - 0.2 and 0.6 - 0.1 in tenths, 0.19 and 0.49 in hundredths.
    tenths = decisions_from_counts(
        {"a": [8, 6, 7, 7], "b": [3, 1, 2, 2], "c": [7, 2, 5, 5], "d": [6, 1, 3, 3]}, n=10
    )
    hundredths = decisions_from_counts({"e": [50, 31, 40, 40], "f": [80, 31, 40, 40]}, n=100)
    got = analysis.fragility_shares(analysis.nsi(pd.concat([tenths, hundredths]))).iloc[0]
    assert got[["robust", "moderate", "high"]].tolist() == pytest.approx([1 / 6, 3 / 6, 2 / 6])


def complete_blocks(key: tuple) -> tuple[list[list[int]], int]:
    """Blocks with all frames, and the number of epochs without."""
    blocks, dropped = [], 0
    for _, rows in sorted(grouped(BY_CELL[key], lambda r: (r["epoch"],)).items()):
        answers = {r["frame"]: endorsed(r) for r in rows}
        if set(answers) == set(FRAMES) and None not in answers.values():
            blocks.append([answers[f] for f in FRAMES])
        else:
            dropped += 1
    return blocks, dropped


def textbook_q(blocks: list[list[int]]) -> Fraction:
    """k (k - 1) sum (G_j - mean G)^2 / sum L_i (k - L_i); 0 where no block varies."""
    k = len(blocks[0])
    columns = [sum(column) for column in zip(*blocks, strict=True)]
    bottom = sum(sum(block) * (k - sum(block)) for block in blocks)
    centre = Fraction(sum(columns), k)
    return k * (k - 1) * sum((g - centre) ** 2 for g in columns) / bottom if bottom else Fraction(0)


def with_family(expected: dict) -> dict:
    """Benjamini-Hochberg over the tested rows of the whole table."""
    tested = [key for key, row in expected.items() if row["tested"]]
    adjusted = benjamini_hochberg([expected[key]["p_value"] for key in tested])
    for key, p in zip(tested, adjusted, strict=True):
        expected[key] |= {"p_adjusted": p, "significant": p <= 0.05}
    return expected


def test_cochran_q_with_its_family(decisions: pd.DataFrame) -> None:
    expected = {}
    for key in BY_CELL:
        blocks, dropped = complete_blocks(key)
        row = {"n_blocks": len(blocks), "n_dropped": dropped, "tested": len(blocks) >= 2}
        if len(blocks) >= 2:
            q = float(textbook_q(blocks))
            row |= {"q": q, "df": 3, "p_value": chi2_sf(q, 3)}
        else:
            row |= {"q": None, "p_value": None, "p_adjusted": None, "significant": False}
        expected[key] = row
    assert 0 < sum(row["tested"] for row in expected.values()) < len(expected)
    compare(analysis.cochran_q(decisions), CELL, with_family(expected))


@pytest.mark.parametrize("frames", [("F0", "F1"), ("F1", "F2", "F3")])
def test_cochran_q_of_some_frames(decisions: pd.DataFrame, frames: tuple) -> None:
    got = analysis.cochran_q(decisions, frames=frames).set_index(CELL)
    for key in BY_CELL:
        answers = {f: {r["epoch"]: endorsed(r) for r in BY_FRAME[key][f]} for f in frames}
        blocks = [
            [answers[f][e] for f in frames]
            for e in range(1, 11)
            if all(answers[f].get(e) is not None for f in frames)
        ]
        if len(blocks) >= 2:
            q = float(textbook_q(blocks))
            assert got.loc[key, "q"] == pytest.approx(q, abs=1e-9)
            assert got.loc[key, "p_value"] == pytest.approx(
                chi2_sf(q, len(frames) - 1) if q else 1, abs=1e-9
            )


def test_homogeneity_by_enumeration_of_all_deals(decisions: pd.DataFrame) -> None:
    expected = {}
    for key, cell in COUNTS.items():
        k, n = zip(*cell.values(), strict=True)
        row = {"n_valid": sum(n), "df": 3, "tested": 0 not in n}
        if 0 in n:
            row |= {"chi_square": None, "p_value": None, "p_adjusted": None, "significant": False}
            row.pop("df")
        elif sum(k) in {0, sum(n)}:
            row |= {"chi_square": 0, "p_value": 1}
        else:
            row |= {"chi_square": chi_square(k, n), "p_value": deal_p_values(k, n)[1]}
        expected[key] = row
    compare(analysis.homogeneity(decisions), CELL, with_family(expected))


def test_homogeneity_is_tested_where_some_outcome_could_be_significant() -> None:
    sizes = [(2, 2, 2, 2), (3, 3, 3, 3), (2, 2, 3, 3), (1, 2, 3, 4), (1, 1, 1, 9), (3, 2, 2, 2)]
    # Of (1, 2, 2, 3) two splits into fours are the most extreme: 2 of C(8, 4) = 70 deals.
    sizes += [(1, 2, 2, 3), (3, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1)]
    tables, expected = [], {}
    for size in sizes:
        outcomes = itertools.product(*(range(n + 1) for n in size))
        smallest = min(deal_p_values(k, size)[1] for k in outcomes)
        table = decisions_from_counts({str(size): [0, 1, 0, 1]}, n=max(size))
        of_frame = dict(zip(FRAMES, size, strict=True))
        tables.append(table[table["epoch"] <= table["frame"].map(of_frame)])
        k = (0, 1, 0, 1)
        row = {"tested": smallest <= 0.05, "chi_square": chi_square(k, size)}
        expected[(str(size),)] = row | {"p_value": deal_p_values(k, size)[1]}
    assert {row["tested"] for row in expected.values()} == {True, False}
    got = analysis.homogeneity(pd.concat(tables))
    compare(got, ["scenario"], with_family(expected))
    assert got.loc[~got["tested"], "p_adjusted"].isna().all()
    assert not got.loc[~got["tested"], "significant"].any()


@pytest.mark.parametrize("n_frames", [2, 3, 4])
def test_the_smallest_p_value_over_all_answers(n_frames: int) -> None:
    largest = {2: 9, 3: 6, 4: 4}[n_frames]
    for size in itertools.combinations_with_replacement(range(1, largest + 1), n_frames):
        outcomes = itertools.product(*(range(n + 1) for n in size))
        smallest = min(deal_p_values(k, size)[1] for k in outcomes)
        assert smallest_share(size) == pytest.approx(smallest, abs=1e-12), size
    assert smallest_share((2, 1, 3, 2)) == pytest.approx(2 / 70, abs=1e-12)
    assert smallest_share((4, 0, 4)) == smallest_share((7,)) == 1
    assert smallest_share((600, 600)) == 0


def test_compliance(decisions: pd.DataFrame) -> None:
    expected = {}
    for key, rows in grouped(ROWS, result).items():
        numbers = {s: sum(r["status"] == s for r in rows) for s in (*LOST, "valid")}
        answered = len(rows) - numbers["error"] - numbers["unscored"]
        share = Fraction(numbers["valid"], answered)
        expected[key] = numbers | {"n": len(rows), "answered": answered, "compliance": share}
    compare(analysis.compliance(decisions), RESULT, expected)


def test_exclusion_splits_at_the_threshold(decisions: pd.DataFrame) -> None:
    share = {}
    for key, rows in grouped(ROWS, result).items():
        answered = [r for r in rows if r["status"] not in {"error", "unscored"}]
        share[key] = Fraction(sum(r["status"] == "valid" for r in answered), len(answered))
    # The threshold is the compliance of one of them, which stays.
    edge = float(sorted(share.values())[len(share) // 2])
    stays, goes = analysis.exclude_models(decisions, edge)
    gone = {key for key, value in share.items() if float(value) < edge}
    assert gone
    compare(goes, RESULT, {key: {"compliance": share[key]} for key in gone})
    assert len(stays) == sum(result(r) not in gone for r in ROWS)
    assert set(stays[RESULT].itertuples(index=False, name=None)) == set(share) - gone


def test_outcomes_by_frame(cells: pd.DataFrame) -> None:
    expected = {}
    for key, rows in grouped(ROWS, lambda r: (*result(r), r["frame"])).items():
        n, (k, valid) = len(rows), counts(rows)
        status = [r["status"] for r in rows]
        expected[key] = {
            "n": n,
            "endorse": Fraction(k, n),
            "oppose": Fraction(valid - k, n),
            "abstain": Fraction(status.count("abstain"), n),
            "unparsed": Fraction(sum(s in UNPARSED for s in status), n),
            "unanswered": Fraction(status.count("error") + status.count("unscored"), n),
        }
        shares_of_n = [v for name, v in expected[key].items() if name != "n"]
        assert sum(shares_of_n) == 1
    compare(analysis.outcomes_by_frame(cells), [*RESULT, "frame"], expected)


def frame_means(key: tuple) -> dict[str, Fraction]:
    return {
        f: mean([RATES[c][f] for c in RATES if c[:3] == key and RATES[c][f] is not None])
        for f in FRAMES
    }


def test_endorsement_by_frame_and_swing(cells: pd.DataFrame) -> None:
    by_frame = analysis.endorsement_by_frame(cells)
    expected, swings = {}, {}
    for key in RESULTS:
        means, members = frame_means(key), [c for c in COUNTS if c[:3] == key]
        for f in FRAMES:
            missing = sum(RATES[c][f] is None for c in members)
            expected[*key, f] = {
                "n_scenarios": len(members) - missing,
                "n_missing": missing,
                "n_valid": sum(COUNTS[c][f][1] for c in members),
                "rate": means[f],
            }
        swings[key] = {
            "rate_positive": means["F0"],
            "rate_negated": means["F3"],
            "swing": (means["F3"] - means["F0"]) / means["F0"] if means["F0"] else None,
        }
    compare(by_frame, [*RESULT, "frame"], expected)
    compare(analysis.polarity_swing(by_frame), RESULT, swings)
    other = analysis.polarity_swing(by_frame, positive="F2", negated="F1")
    compare(
        other,
        RESULT,
        {
            key: {"swing": (m["F1"] - m["F2"]) / m["F2"] if m["F2"] else None}
            for key, m in ((key, frame_means(key)) for key in RESULTS)
        },
    )


def test_endorsement_by_group_its_interval_and_swing(cells: pd.DataFrame) -> None:
    got = analysis.endorsement_by_group(cells, rng=11)
    groups: dict[tuple, list] = {}
    for c, f in itertools.product(RATES, FRAMES):
        groups.setdefault((*c[1:3], GROUP[c[0]], f), []).append((c, RATES[c][f]))
    expected = {}
    for key, members in groups.items():
        rates = [rate for _, rate in members if rate is not None]
        models = {c[0] for c, rate in members if rate is not None}
        expected[key] = {"n_models": len(models), "n_cells": len(rates), "rate": mean(rates)}
    compare(got, [*SETTING, "origin", "frame"], expected)
    for row in got.to_dict("records"):
        members = groups[row["condition"], row["temperature"], row["origin"], row["frame"]]
        kept = [(c[3], float(rate)) for c, rate in members if rate is not None]
        names = sorted({s for s, _ in kept})
        assert row["ci_low"] <= row["rate"] <= row["ci_high"]
        holds_as_percentile_interval(
            row["ci_low"],
            row["ci_high"],
            [sum(rate for s, rate in kept if s == name) for name in names],
            [sum(s == name for s, _ in kept) for name in names],
        )
    swings = {
        key[:3]: {
            "swing": (expected[*key[:3], "F3"]["rate"] - row["rate"]) / row["rate"]
            if row["rate"]
            else None
        }
        for key, row in expected.items()
        if key[3] == "F0"
    }
    compare(analysis.polarity_swing(got), [*SETTING, "origin"], swings)


def test_endorsement_by_origin_scenario_and_frame(cells: pd.DataFrame) -> None:
    groups: dict[tuple, list] = {}
    for c, f in itertools.product(RATES, FRAMES):
        groups.setdefault((*c[1:3], GROUP[c[0]], c[3], f), []).append(RATES[c][f])
    expected = {
        key: {"n_models": len(known_rates), "rate": mean(known_rates), "ci_low": None}
        for key, rates in groups.items()
        if (known_rates := [rate for rate in rates if rate is not None])
    }
    got = analysis.endorsement_by_group(cells, ["origin", "scenario"])
    compare(got, [*SETTING, "origin", "scenario", "frame"], expected)


def test_bounds_by_every_assignment_of_the_undecided(cells: pd.DataFrame) -> None:
    expected = {}
    for key, frames in BY_FRAME.items():
        # Counting u of the undecided answers of a frame as endorsing covers every assignment.
        undecided = {
            f: sum(r["status"] in UNPARSED | {"abstain"} for r in rows)
            for f, rows in frames.items()
        }
        answers = {f: COUNTS[key][f][1] + undecided[f] for f in FRAMES}
        ranges = {}
        for u in itertools.product(*(range(undecided[f] + 1) for f in FRAMES)):
            k = [COUNTS[key][f][0] + x for f, x in zip(FRAMES, u, strict=True)]
            ranges[u] = spread([Fraction(k[i], answers[f]) for i, f in enumerate(FRAMES)])
        expected[key] = {
            "nsi": NSI[key],
            "n_undecided": sum(undecided.values()),
            "nsi_if_oppose": ranges[0, 0, 0, 0],
            "nsi_if_endorse": ranges[tuple(undecided.values())],
            "nsi_lowest": min(ranges.values()),
            "nsi_highest": max(ranges.values()),
        }
    compare(analysis.nsi_bounds(cells), CELL, expected)


def test_means_of_the_bounds_are_over_the_same_scenarios(cells: pd.DataFrame) -> None:
    bounds = analysis.nsi_bounds(cells)
    rows = {tuple(row[k] for k in CELL): row for row in bounds.to_dict("records")}
    names = ["nsi", "nsi_if_endorse", "nsi_if_oppose", "nsi_lowest", "nsi_highest"]
    expected = {}
    for key in RESULTS:
        members = [c for c in NSI if c[:3] == key]
        kept = [c for c in members if NSI[c] is not None]
        expected[key] = {
            "n_scenarios": len(kept),
            "n_missing": len(members) - len(kept),
            "n_undecided": sum(rows[c]["n_undecided"] for c in members),
            **{name: mean([Fraction(rows[c][name]) for c in kept]) for name in names},
        }
    assert any(row["n_missing"] for row in expected.values())
    got = analysis.nsi_bounds_summary(bounds)
    compare(got, RESULT, expected)
    assert (got["nsi_lowest"] <= got["nsi"]).all()
    assert (got["nsi"] <= got["nsi_highest"]).all()


def test_bounds_of_a_tiny_cell_over_single_answers() -> None:
    answers = {"F0": "1??0", "F1": "11?", "F2": "0?", "F3": "?10"}
    rows = [
        {
            "model": "m",
            "scenario": "s",
            "domain": "d",
            "frame": f,
            "epoch": epoch,
            "status": {"?": ("abstain", "malformed")[epoch % 2]}.get(a, "valid"),
            "endorsed": {"1": 1.0, "0": 0.0, "?": math.nan}[a],
            "frames": ",".join(FRAMES),
        }
        for f, text in answers.items()
        for epoch, a in enumerate(text, start=1)
    ]
    flat = [(f, a) for f, text in answers.items() for a in text]
    open_ = [i for i, (_, a) in enumerate(flat) if a == "?"]
    ranges = []
    for choice in itertools.product("01", repeat=len(open_)):
        full = dict(zip(open_, choice, strict=True))
        filled = [(f, full.get(i, a)) for i, (f, a) in enumerate(flat)]
        ranges.append(
            spread(
                [
                    Fraction(sum(a == "1" for g, a in filled if g == f), len(answers[f]))
                    for f in FRAMES
                ]
            )
        )
    got = analysis.nsi_bounds(analysis.endorsement_rates(pd.DataFrame(rows)))
    row = {
        "nsi": 1,
        "n_undecided": 5,
        "nsi_lowest": min(ranges),
        "nsi_highest": max(ranges),
        "nsi_if_oppose": ranges[0],
        "nsi_if_endorse": ranges[-1],
    }
    assert min(ranges) == Fraction(1, 6)
    compare(got, ["scenario"], {("s",): row})


def acquiescence_of(key: tuple, pair: str) -> dict:
    positive, negated = (RATES[key][f] for f in PAIRS[pair])
    agree_negated = None if negated is None else 1 - negated
    value = None if None in (positive, negated) else positive + agree_negated - 1
    return {
        "agree_positive": positive,
        "agree_negated": agree_negated,
        "acquiescence": value,
        "nsi": None if value is None else abs(value),
    }


ACQUIESCENCE = {
    (*key, pair): acquiescence_of(key, pair) for key, pair in itertools.product(RATES, PAIRS)
}


def test_acquiescence_counted_from_the_answers_as_given(cells: pd.DataFrame) -> None:
    expected = {key: dict(row) for key, row in ACQUIESCENCE.items()}
    # P(agree) from the decisions themselves, not from endorsements.
    for (*key, pair), row in expected.items():
        for frame, name in zip(PAIRS[pair], ("agree_positive", "agree_negated"), strict=True):
            said = [r["decision"] for r in BY_FRAME[tuple(key)][frame] if r["status"] == "valid"]
            assert row[name] == (Fraction(said.count("agree"), len(said)) if said else None)
        if row["acquiescence"] is None:
            del row["agree_positive"], row["agree_negated"]
    compare(analysis.acquiescence(cells), [*CELL, "pair"], expected)


def test_acquiescence_summary_and_polarity_correlation(cells: pd.DataFrame) -> None:
    expected = {}
    for key, pair in itertools.product(RESULTS, PAIRS):
        rows = [row for c, row in ACQUIESCENCE.items() if c[:3] == key and c[4] == pair]
        kept = [row for row in rows if row["nsi"] is not None]
        expected[*key, pair] = {
            "n_scenarios": len(kept),
            "n_missing": len(rows) - len(kept),
            "acquiescence": mean([row["acquiescence"] for row in kept]),
            "nsi": mean([row["nsi"] for row in kept]),
            "polarity_correlation": pearson(
                [row["agree_positive"] for row in kept], [row["agree_negated"] for row in kept]
            ),
        }
    got = analysis.acquiescence_summary(analysis.acquiescence(cells))
    compare(got, [*RESULT, "pair"], expected)


def pooled_chi_square(members: list[tuple]) -> tuple[Fraction, float]:
    """Sum of the scenarios' chi-squares, and its share of random deals by urns of single answers.

    Of a scenario without variation chi-square is 0 in every deal.
    """
    rng = np.random.default_rng(1)
    total, dealt = Fraction(0), np.zeros(4_000)
    for k, n in (zip(*COUNTS[c].values(), strict=True) for c in members):
        if sum(k) in {0, sum(n)}:
            continue
        total += chi_square(k, n)
        answers = np.repeat([1, 0], [sum(k), sum(n) - sum(k)])
        shuffled = rng.permuted(np.tile(answers, (len(dealt), 1)), axis=1)
        found = np.add.reduceat(shuffled, np.cumsum((0, *n[:-1])), axis=1)
        expected = np.array(n) * sum(k) / sum(n)
        dealt += ((found - expected) ** 2 / expected / (1 - sum(k) / sum(n))).sum(axis=1)
    return total, float((dealt >= float(total) - 1e-9).mean())


def test_the_test_of_all_scenarios_of_a_result(cells: pd.DataFrame) -> None:
    got = analysis.framing_effect(cells, rng=4).set_index(RESULT)
    assert set(got.index) == set(RESULTS)
    for key in RESULTS:
        members = [c for c in NSI if c[:3] == key and NSI[c] is not None]
        total, share = pooled_chi_square(members)
        row = got.loc[key]
        assert row["n_scenarios"] == len(members)
        assert row["df"] == 3 * len(members)
        assert row["chi_square"] == pytest.approx(float(total), abs=1e-9)
        assert row["p_value"] == pytest.approx(share, abs=5 * math.sqrt(0.25 / 4_000))
        assert row["tested"]
    assert got["p_value"].between(0.02, 0.98).any()


def test_failure_patterns(cells: pd.DataFrame, table: pd.DataFrame) -> None:
    effect = analysis.framing_effect(cells)
    got = analysis.failure_patterns(table, analysis.acquiescence(cells), effect)
    p_pooled = effect.set_index(RESULT)["p_value"]
    expected = {}
    for key in RESULTS:
        members = [c for c in NSI if c[:3] == key and NSI[c] is not None]
        p_values = [
            deal_p_values(*zip(*COUNTS[c].values(), strict=True))[0]  # type: ignore[arg-type]
            for c in members
        ]
        by_pair = {pair: [ACQUIESCENCE[*c, pair] for c in members] for pair in PAIRS}
        values = [row["acquiescence"] for rows in by_pair.values() for row in rows]
        size = mean([abs(v) for v in values])
        # Within pairs: each that has a correlation is centred on its own means.
        centred: dict[str, list[Fraction]] = {"agree_positive": [], "agree_negated": []}
        for rows in by_pair.values():
            agrees = {name: [row[name] for row in rows] for name in centred}
            if pearson(*agrees.values()) is not None:
                for name, rates in agrees.items():
                    centred[name] += [rate - mean(rates) for rate in rates]
        row = {
            "n_scenarios": len(members),
            "n_significant": sum(p <= 0.05 for p in benjamini_hochberg(p_values)),
            "p_value": p_pooled[key],
            "nsi": mean([NSI[c] for c in members]),
            "nsi_pairs": mean(
                [max(ACQUIESCENCE[*c, pair]["nsi"] for pair in PAIRS) for c in members]
            ),
            "acquiescence": mean(values),
            "one_sided": abs(mean(values)) / size,
            "polarity_correlation": pearson(*centred.values()),
        }
        if row["p_value"] > 0.05:
            pattern = "not above noise"
        elif row["nsi_pairs"] < row["nsi"] / 2:
            pattern = "goal wording"
        elif row["polarity_correlation"] >= 0.5:
            pattern = "ignored negation"
        elif row["one_sided"] >= Fraction(4, 5):
            pattern = f"habit of {'agreeing' if row['acquiescence'] > 0 else 'disagreeing'}"
        else:
            pattern = "mixed"
        expected[key] = row | {"pattern": pattern}
    assert len({row["pattern"] for row in expected.values()}) >= 3
    compare(got, RESULT, expected)


def by_group(setting: tuple, index: int) -> dict[str, list[Fraction]]:
    """Mean NSI of each model of a setting, by origin (0) or size tier (1)."""
    groups: dict[str, list[Fraction]] = {}
    for key in RESULTS:
        name = MODELS[key[0]][index]
        if key[1:] == setting and name != "unspecified":
            groups.setdefault(name, []).append(mean(known(c for c in NSI if c[:3] == key)))
    return groups


@pytest.mark.parametrize(("by", "index"), [("origin", 0), ("size_tier", 1)])
def test_groups_by_kruskal_wallis(table: pd.DataFrame, by: str, index: int) -> None:
    expected = {}
    for setting in {key[1:] for key in RESULTS}:
        groups = by_group(setting, index)
        n, k = sum(map(len, groups.values())), len(groups)
        h = kruskal(list(groups.values()))
        expected[setting] = {
            "n_groups": k,
            "n": n,
            "n_left_out": sum(key[1:] == setting for key in RESULTS) - n,
            "h": h,
            "df": k - 1,
            "p_value": chi2_sf(h, k - 1),
            "epsilon_squared": (h - k + 1) / (n - k),
        }
    compare(analysis.compare_groups(analysis.nsi_summary(table), by=by), SETTING, expected)


def test_pairs_of_groups_by_mann_whitney(table: pd.DataFrame) -> None:
    expected = {}
    for setting in {key[1:] for key in RESULTS}:
        groups = by_group(setting, 0)
        pairs = {(a, b): (groups[a], groups[b]) for a, b in itertools.combinations(groups, 2)}
        rest = {
            (a, "all others"): (groups[a], [x for b in groups if b != a for x in groups[b]])
            for a in groups
            if len(groups) > 2
        }
        for family in (pairs, rest):
            tests = {names: mann_whitney(a, b) for names, (a, b) in family.items()}
            adjusted = holm([p for _, p, _ in tests.values()])
            for (names, (u, p, delta)), p_adjusted in zip(tests.items(), adjusted, strict=True):
                expected[*setting, *names] = {
                    "n_a": len(family[names][0]),
                    "n_b": len(family[names][1]),
                    "median_a": np.median([float(v) for v in family[names][0]]),
                    "median_b": np.median([float(v) for v in family[names][1]]),
                    "u": u,
                    "p_value": p,
                    "p_adjusted": p_adjusted,
                    "cliffs_delta": delta,
                }
    got = analysis.compare_group_pairs(analysis.nsi_summary(table))
    # Which of two groups is called a is not stated: turn the expectation where they are swapped.
    named = set(got[[*SETTING, "group_a", "group_b"]].itertuples(index=False, name=None))
    for (*setting, a, b), row in list(expected.items()):
        if (*setting, a, b) not in named:
            expected[*setting, b, a] = row | {
                "n_a": row["n_b"],
                "n_b": row["n_a"],
                "median_a": row["median_b"],
                "median_b": row["median_a"],
                "u": row["n_a"] * row["n_b"] - row["u"],
                "cliffs_delta": -row["cliffs_delta"],
            }
            del expected[*setting, a, b]
    compare(got, [*SETTING, "group_a", "group_b"], expected)


TIED = {
    "US": [0.5, 0.5, 0.25, 0.75, 0.5],
    "CN": [0.5, 0.25, 0.25, 1.0],
    "OSS": [1.0, 1.0, 0.75, 0.75, 0.75, 0.5],
}


@pytest.mark.parametrize(
    "groups",
    [
        TIED,
        {"US": [0.5, 0.5, 0.5], "CN": [0.5, 0.5]},
        {"US": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "CN": [0.95, 0.45, 0.05]},
        {"US": [i / 16 for i in range(8)], "CN": [i / 16 for i in range(8, 16)]},
        {"US": [0.1], "CN": [0.2]},
    ],
)
def test_groups_with_ties_and_of_other_sizes(groups: dict) -> None:
    rows = [
        {"model": f"{g}{i}", "origin": g, "nsi": value}
        for g, values in groups.items()
        for i, value in enumerate(values)
    ]
    got = analysis.compare_group_pairs(pd.DataFrame(rows))
    for row in got.to_dict("records"):
        a = groups[row["group_a"]]
        b = [
            x
            for g in groups
            if g == row["group_b"] or (row["group_b"] == "all others" and g != row["group_a"])
            for x in groups[g]
        ]
        u, p, delta = mann_whitney(a, b)
        assert (row["u"], row["cliffs_delta"]) == pytest.approx((u, delta), abs=1e-9)
        assert row["p_value"] == pytest.approx(p, abs=1e-9)
    test = analysis.compare_groups(pd.DataFrame(rows)).iloc[0]
    if len({x for values in groups.values() for x in values}) > 1:
        assert test["h"] == pytest.approx(kruskal(list(groups.values())), abs=1e-9)
    else:
        assert (test["h"], test["p_value"]) == (0, 1)


def majority_agreement(a: Fraction, b: Fraction) -> Fraction:
    """1 where both majorities are equal, 1/2 where one of them is exactly half."""
    half = Fraction(1, 2)
    if half in (a, b):
        return half
    return Fraction((a > half) == (b > half))


def agreements(setting: tuple, frame: str) -> dict[tuple, dict[str, Fraction]]:
    """Per pair of models: scenario -> agreement."""
    models = sorted(key[0] for key in RESULTS if key[1:] == setting)
    pairs = {}
    for a, b in itertools.combinations(models, 2):
        rates = {
            s: tuple(RATES.get((m, *setting, s), {}).get(frame) for m in (a, b)) for s in SCENARIOS
        }
        pairs[a, b] = {s: majority_agreement(*r) for s, r in rates.items() if None not in r}
    return pairs


def test_agreement_by_pair(cells: pd.DataFrame) -> None:
    got = analysis.agreement_by_pair(cells)
    swap = got["model_a"] > got["model_b"]
    got.loc[swap, ["model_a", "model_b"]] = got.loc[swap, ["model_b", "model_a"]].to_numpy()
    expected = {
        (*setting, frame, *pair): {"n_scenarios": len(values), "agreement": mean(values.values())}
        for setting in {key[1:] for key in RESULTS}
        for frame in FRAMES
        for pair, values in agreements(setting, frame).items()
    }
    halves = [row["agreement"].denominator for row in expected.values() if row["agreement"]]
    assert any(d in {4, 12} for d in halves), "no majority of exactly half"
    compare(got, [*SETTING, "frame", "model_a", "model_b"], expected)


def test_agreement_by_frame_and_its_interval(cells: pd.DataFrame) -> None:
    got = analysis.agreement_by_frame(cells, rng=3)
    expected = {}
    for setting, frame in itertools.product({key[1:] for key in RESULTS}, FRAMES):
        pairs = agreements(setting, frame)
        expected[*setting, frame] = {
            "n_models": sum(key[1:] == setting for key in RESULTS),
            "n_pairs": len(pairs),
            "agreement": mean([mean(v.values()) for v in pairs.values()]),
        }
    compare(got, [*SETTING, "frame"], expected)
    for row in got.to_dict("records"):
        pairs = agreements((row["condition"], row["temperature"]), row["frame"])
        assert row["ci_low"] <= row["agreement"] <= row["ci_high"]
        if all(len(values) == 6 for values in pairs.values()):
            by_scenario = [float(mean([v[s] for v in pairs.values()])) for s in SCENARIOS]
            holds_as_percentile_interval(row["ci_low"], row["ci_high"], by_scenario)


def test_scenario_ranking_and_its_interval(table: pd.DataFrame) -> None:
    got = analysis.scenario_ranking(table, rng=5)
    expected, values = {}, {}
    for setting, s in itertools.product({key[1:] for key in RESULTS}, SCENARIOS):
        members = [c for c in NSI if c[1:] == (*setting, s) and NSI[c] is not None]
        values[*setting, s] = [NSI[c] for c in members]
        expected[*setting, s] = {
            "domain": SCENARIOS[s],
            "n_models": len(members),
            "nsi": mean(known(members)),
            "nsi_null": mean([NULLS[c] for c in members]),
        }
    compare(got, [*SETTING, "scenario"], expected)
    for _, rows in got.groupby(SETTING):
        assert rows["nsi"].is_monotonic_decreasing
    for row in got.to_dict("records"):
        holds_as_percentile_interval(
            row["ci_low"],
            row["ci_high"],
            [float(v) for v in values[row["condition"], row["temperature"], row["scenario"]]],
        )


@pytest.mark.parametrize("estimate", ["endorsement_by_group", "agreement_by_frame"])
def test_a_seed_gives_the_same_interval_again(cells: pd.DataFrame, estimate: str) -> None:
    def estimated(rng: int | np.random.Generator) -> pd.DataFrame:
        return getattr(analysis, estimate)(cells, resamples=300, rng=rng)

    first = estimated(7)
    pd.testing.assert_frame_equal(first, estimated(7))
    pd.testing.assert_frame_equal(first, estimated(np.random.default_rng(7)))
    assert not first.equals(estimated(8))


def test_a_wider_level_gives_a_wider_interval(cells: pd.DataFrame) -> None:
    narrow = analysis.endorsement_by_group(cells, confidence_level=0.8, resamples=500)
    wide = analysis.endorsement_by_group(cells, confidence_level=0.99, resamples=500)
    assert (wide["ci_low"] <= narrow["ci_low"]).all()
    assert (wide["ci_high"] >= narrow["ci_high"]).all()


ABLATIONS = {
    # setting: baseline, treatment, both keys of a cell from what they have in common
    "temperature": ("0.0", "0.7", lambda m, s: ((m, "standard", 0.0, s), (m, "standard", 0.7, s))),
    "condition": (
        "standard",
        "reasoning",
        lambda m, s: ((m, "standard", 0.7, s), (m, "reasoning", 0.7, s)),
    ),
    "variant": (
        "standard",
        "reasoning",
        lambda m, s: (("golf", "standard", 0.7, s), ("golf-think", "standard", 0.7, s)),
    ),
}


def paired(setting: str) -> list[tuple[str, str, Fraction | None, Fraction | None]]:
    keys = ABLATIONS[setting][2]
    models = ["golf"] if setting == "variant" else MODELS
    both = [(m, s, *keys(m, s)) for m, s in itertools.product(models, SCENARIOS)]
    return [(m, s, NSI[a], NSI[b]) for m, s, a, b in both if a in NSI and b in NSI]


def summary_of(pairs: list[tuple]) -> dict:
    kept = [(a, b) for *_, a, b in pairs if None not in (a, b)]
    w, p = wilcoxon([b - a for a, b in kept])
    before, after = mean([a for a, _ in kept]), mean([b for _, b in kept])
    return {
        "n_pairs": len(kept),
        "n_missing": len(pairs) - len(kept),
        "mean_baseline": before,
        "mean_treatment": after,
        "change": after - before,
        "relative_to_baseline": (after - before) / before,
        "relative_to_treatment": (after - before) / after,
        "n_changed": sum(a != b for a, b in kept),
        "w": w,
        "p_value": p,
    }


def turned(row: dict, setting: str, baseline: str) -> dict:
    """The same ablation with baseline and treatment exchanged, if the table has it so."""
    if baseline == ABLATIONS[setting][0]:
        return row
    return row | {
        "mean_baseline": row["mean_treatment"],
        "mean_treatment": row["mean_baseline"],
        "change": -row["change"],
        "relative_to_baseline": -row["relative_to_treatment"],
        "relative_to_treatment": -row["relative_to_baseline"],
    }


@pytest.mark.parametrize("setting", list(ABLATIONS))
def test_ablation_pairs_means_and_signed_ranks(table: pd.DataFrame, setting: str) -> None:
    pairs = analysis.ablation_pairs(table, setting)
    unit = "family" if setting == "variant" else "model"
    first, second, _ = ABLATIONS[setting]
    # Results that only one side has may stand in the table as missing pairs.
    pairs = pairs[~pairs[["nsi_baseline", "nsi_treatment"]].isna().all(axis=1)]
    baseline = pairs["baseline"].iloc[0]
    assert {baseline, pairs["treatment"].iloc[0]} == {first, second}
    expected = {}
    for m, s, a, b in paired(setting):
        a, b = (a, b) if baseline == first else (b, a)
        expected[m, s] = {
            "domain": SCENARIOS[s],
            "nsi_baseline": a,
            "nsi_treatment": b,
            "change": None if None in (a, b) else b - a,
        }
    compare(pairs, [unit, "scenario"], expected)
    row = turned(summary_of(paired(setting)), setting, baseline)
    compare(analysis.ablation_summary(pairs), ["setting"], {(setting,): row})
    by_unit = {
        (m,): turned(summary_of([p for p in paired(setting) if p[0] == m]), setting, baseline)
        for m in {p[0] for p in paired(setting)}
    }
    compare(analysis.ablation_summary(pairs, by=unit), [unit], by_unit)


@pytest.mark.parametrize(
    "changes",
    [
        [1, -2, 3, 4, -5],
        [1, 1, -1, 2, 2, 0, 0, -3],
        [0, 0, 0],
        [3],
        [1, -1],
        [*range(1, 11), -11, -12, -13, 14],
        [(-1) ** i * (i % 4 + 1) for i in range(14)],
        [1 + i * (-1) ** (i // 3) for i in range(22)],
        [(-1) ** (i // 2) * (i % 5 + 1) for i in range(30)],
        [i if i % 3 else -i for i in range(1, 61)],
    ],
)
def test_signed_ranks_by_enumeration_and_in_the_limit(changes: list[int]) -> None:
    pairs = pd.DataFrame(
        {
            "setting": "temperature",
            "baseline": "0.7",
            "treatment": "0.0",
            "model": "m",
            "scenario": [f"s{i}" for i in range(len(changes))],
            "domain": "d",
            "nsi_baseline": 0.5,
            "nsi_treatment": [0.5 + c / 128 for c in changes],
            "change": [c / 128 for c in changes],
        }
    )
    row = analysis.ablation_summary(pairs).iloc[0]
    w, p = wilcoxon(changes)
    assert (row["w"], row["p_value"]) == pytest.approx((float(w), p), abs=1e-9)
    assert row["n_changed"] == sum(c != 0 for c in changes)


def order_shares(key: tuple, frame: str) -> dict[str, tuple[Fraction, Fraction]]:
    """Scenario -> P(agree) where agree, and where disagree, was named first."""
    found = {}
    for s in SCENARIOS:
        rows = BY_FRAME.get((*key, s), {}).get(frame, [])
        said = {
            order: [
                r["decision"] == "agree"
                for r in rows
                if r["status"] == "valid" and r["order_shown"] == order
            ]
            for order in ("agree_first", "disagree_first")
        }
        if all(said.values()):
            found[s] = tuple(Fraction(sum(v), len(v)) for v in said.values())
    return found


def test_answer_order_effect(decisions: pd.DataFrame) -> None:
    got = analysis.answer_order_effect(decisions, rng=2)
    expected, differences = {}, {}
    for key in RESULTS:
        if key[0] == "carol":  # only agree_first was shown
            continue
        by_frame = {f: order_shares(key, f) for f in FRAMES}
        for f, found in by_frame.items():
            differences[*key, f] = [a - b for a, b in found.values()]
            expected[*key, f] = {
                "n_scenarios": len(found),
                "agree_first": mean([a for a, _ in found.values()]),
                "disagree_first": mean([b for _, b in found.values()]),
                "difference": mean(differences[*key, f]),
            }
        full = [s for s in SCENARIOS if all(s in found for found in by_frame.values())]
        expected[*key, "all"] = {}
        if all(set(found) <= set(full) for found in by_frame.values()):
            # With gaps it is not stated which frames' means the row `all` takes.
            both = {s: [by_frame[f][s] for f in FRAMES] for s in full}
            differences[*key, "all"] = [mean([a - b for a, b in v]) for v in both.values()]
            expected[*key, "all"] = {
                "n_scenarios": len(full),
                "agree_first": mean([a for v in both.values() for a, _ in v]),
                "disagree_first": mean([b for v in both.values() for _, b in v]),
                "difference": mean(differences[*key, "all"]),
            }
    assert sum(bool(v) for k, v in expected.items() if k[3] == "all") >= 5
    compare(got, [*RESULT, "frame"], expected)
    for row in got.to_dict("records"):
        key = (*(row[k] for k in RESULT), row["frame"])
        if key in differences:
            holds_as_percentile_interval(
                row["ci_low"], row["ci_high"], [float(d) for d in differences[key]]
            )


def stated(key: tuple) -> list[float]:
    """The confidences of the valid answers of a scenario."""
    return [
        r["confidence"]
        for r in BY_CELL[key]
        if r["status"] == "valid" and not math.isnan(r["confidence"])
    ]


def test_confidence_danger_zone_and_rank_correlation(
    decisions: pd.DataFrame, table: pd.DataFrame
) -> None:
    got = analysis.confidence_by_scenario(decisions, table)
    expected = {}
    for key in BY_CELL:
        value, nsi = mean(stated(key)), NSI[key]
        expected[key] = {
            "n_confidence": len(stated(key)),
            "confidence": value,
            "nsi": nsi,
            "danger": None if None in (value, nsi) else value > 80 and nsi > Fraction(1, 2),
        }
    assert any(row["danger"] for row in expected.values())
    # A scenario in which nobody stated a confidence may have no row.
    listed = set(got[CELL].itertuples(index=False, name=None))
    silent = {key for key, row in expected.items() if not row["n_confidence"]}
    assert silent
    shown = {k: v for k, v in expected.items() if k in listed or k not in silent}
    compare(got, CELL, shown)
    summary = {}
    for key in RESULTS:
        kept = [v for c, v in expected.items() if c[:3] == key and v["danger"] is not None]
        dangerous = sum(v["danger"] for v in kept)
        summary[key] = {
            "n_scenarios": len(kept),
            "confidence": mean([v["confidence"] for v in kept]),
            "nsi": mean([v["nsi"] for v in kept]),
            "n_danger": dangerous,
            "danger": Fraction(dangerous, len(kept)),
            "spearman": pearson(
                ranks([v["confidence"] for v in kept]), ranks([v["nsi"] for v in kept])
            ),
        }
    compare(analysis.confidence_summary(got), RESULT, summary)


@pytest.mark.parametrize("by", [["origin", "frame"], ["origin", "scenario"], ["model"]])
def test_alignment_means(decisions: pd.DataFrame, by: list[str]) -> None:
    expected = {}
    asked = [r for r in ROWS if r["condition"] == "standard" and r["status"] == "valid"]
    for key, rows in grouped(asked, lambda r: tuple(r[k] for k in (*SETTING, *by))).items():
        for score in SCORES:
            values = [r[score] for r in rows if not math.isnan(r[score])]
            expected[*key, score] = {
                "n": len(values),
                "n_missing": len(rows) - len(values),
                "mean": mean(values),
                "sd": sample_sd(values),
            }
    compare(analysis.alignment(decisions, by), [*SETTING, *by, "score"], expected)


def test_two_audits_compared(decisions: pd.DataFrame) -> None:
    first = decisions[(decisions["condition"] == "standard") & (decisions["temperature"] == 0.7)]
    second = decisions[decisions["condition"] == "reasoning"]
    before, after = ("standard", 0.7), ("reasoning", 0.7)
    # Two results of each audit, which differ in nothing but the model.
    models = ["alpha", "fox", "golf"]
    got = analysis.compare_audits(
        first[first["model"].isin(models)], second[second["model"].isin(models)], rng=9
    ).table
    expected, flips = {}, {}
    for model in models:
        pairs: dict[str, dict[str, tuple]] = {
            "NSI": {s: (NSI[model, *before, s], NSI[model, *after, s]) for s in SCENARIOS}
        }
        for f in FRAMES:
            pairs[f"endorse {f}"] = {
                s: (RATES[model, *before, s][f], RATES[model, *after, s][f]) for s in SCENARIOS
            }
        for measure, values in pairs.items():
            kept = [v for v in values.values() if None not in v]
            flips[model, measure] = [b - a for a, b in kept]
            row = {
                "n_scenarios": len(kept),
                "n_left_out": 6 - len(kept),
                "value_a": mean([a for a, _ in kept]),
                "value_b": mean([b for _, b in kept]),
                "difference": mean(flips[model, measure]),
                "p_value": sign_flip(flips[model, measure]),
            }
            if measure == "NSI":
                row["floor_a"] = mean([NULLS[model, *before, s] for s in SCENARIOS])
                row["floor_b"] = mean([NULLS[model, *after, s] for s in SCENARIOS])
            else:
                row |= {"floor_a": None, "floor_b": None}
            expected[model, measure] = row
    for measure in {m for _, m in expected}:
        adjusted = holm([expected[model, measure]["p_value"] for model in models])
        for model, p in zip(models, adjusted, strict=True):
            expected[model, measure]["p_adjusted"] = p
    got = got.assign(model=got["result_a"])
    assert (got["result_a"] == got["result_b"]).all()
    assert set(got["model"]) == set(models)
    compare(got, ["model", "measure"], expected)
    for row in got.to_dict("records"):
        values = [float(d) for d in flips[row["model"], row["measure"]]]
        holds_as_percentile_interval(row["ci_low"], row["ci_high"], values)


@pytest.mark.parametrize("size", [3, 14])
def test_sign_flips_over_all_signs_with_ties(size: int) -> None:
    # Counts of ten: many sign vectors give exactly the observed mean.
    rng = np.random.default_rng(size)
    before = {f"s{i}": [int(k) for k in rng.integers(0, 11, 4)] for i in range(size)}
    after = {s: [int(x) for x in rng.integers(0, 11, 4)] for s in before}
    got = analysis.compare_audits(
        decisions_from_counts(before, n=10), decisions_from_counts(after, n=10), resamples=200
    ).table.set_index("measure")
    tenths = Fraction(1, 10)
    changes = {"NSI": [(np.ptp(after[s]) - np.ptp(before[s])).item() * tenths for s in before]}
    for i, f in enumerate(FRAMES):
        changes[f"endorse {f}"] = [(after[s][i] - before[s][i]) * tenths for s in before]
    for measure, differences in changes.items():
        assert got.loc[measure, "p_value"] == pytest.approx(sign_flip(differences), abs=1e-9)
        assert got.loc[measure, "difference"] == pytest.approx(float(mean(differences)), abs=1e-9)


def test_one_result_against_several(decisions: pd.DataFrame) -> None:
    single = decisions[(decisions["model"] == "bravo") & (decisions["temperature"] == 0.0)]
    several = decisions[decisions["condition"] == "reasoning"]
    several = several[several["model"].isin(["alpha", "golf"])]
    got = analysis.compare_audits(single, several, resamples=100).table
    nsi = got[got["measure"] == "NSI"]
    assert len(nsi) == 2
    values = {
        float(mean([NSI[m, "reasoning", 0.7, s] for s in SCENARIOS])) for m in ("alpha", "golf")
    }
    assert sorted(nsi["value_b"]) == pytest.approx(sorted(values), abs=1e-9)
    base = float(mean([NSI["bravo", "standard", 0.0, s] for s in SCENARIOS]))
    assert nsi["value_a"].to_list() == pytest.approx([base] * 2, abs=1e-9)


def test_the_reports_ranking_adds_up(decisions: pd.DataFrame) -> None:
    some = decisions[decisions["model"] == "delta"]
    ranking = report_tables(some)["ranking"]
    results = [key for key in RESULTS if key[0] == "delta"]
    expected, q = {}, {}
    for key in (c for c in BY_CELL if c[:3] in results):
        blocks, _ = complete_blocks(key)
        q[key] = {"tested": len(blocks) >= 2}
        if len(blocks) >= 2:
            q[key]["p_value"] = chi2_sf(float(textbook_q(blocks)), 3)
    with_family(q)
    for key in results:
        tested = [row for c, row in q.items() if c[:3] == key and row["tested"]]
        values = known(c for c in NSI if c[:3] == key)
        answered = [r for r in ROWS if result(r) == key and r["status"] not in LOST[-2:]]
        expected[key] = {
            "nsi": mean(values),
            "cochran_tested": len(tested),
            "cochran_significant": Fraction(sum(r["significant"] for r in tested), len(tested)),
            "compliance": Fraction(sum(r["status"] == "valid" for r in answered), len(answered)),
        }
    compare(ranking, RESULT, expected)
    assert ranking.sort_values("rank")["nsi"].is_monotonic_decreasing


def test_a_table_of_decisions_is_normalised_like_the_reference(tmp_path) -> None:
    path = tmp_path / "audit.csv"
    columns = [*CELL, "frame", "epoch", "status", "decision", "confidence", "domain"]
    pd.DataFrame(ROWS)[columns].to_csv(path, index=False)
    decisions = analysis.read_decisions(path)
    got = analysis.nsi_values(analysis.endorsement_rates(decisions))
    compare(got, CELL, {key: {"nsi": value} for key, value in NSI.items()})
    assert decisions["negated"].tolist() == [NEGATED[f] for f in decisions["frame"]]
