"""NSI and endorsement by domain, scenario, frame and group, and agreement of models."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.framing.frames import load_frames
from negation_evals.report.documents.grids import count, number, p_value, relative, signed, text
from negation_evals.report.documents.sections import Section
from negation_evals.report.figures.figure import Tables
from negation_evals.report.framing.grids import result_grid, settings_grid

SHOWN: Final = 5
"""How many scenarios are shown by origin and frame; the table has all of them."""


def domains(tables: Tables) -> Section:
    """NSI by domain."""
    columns = (
        text("Domain", "domain"),
        number("NSI", "nsi"),
        number("SD", "nsi_sd"),
        number("Floor", "nsi_null"),
        text("Worst scenario", "worst_scenario"),
        count("Values", "n_scenarios"),
        count("Missing", "n_missing"),
    )
    return Section(
        "domains",
        "NSI by domain",
        (
            "Means over all models and the scenarios of a domain. Few scenarios per domain carry "
            "no firm statement about it: the papers' set has two.",
        ),
        ["model_by_domain"],
        [settings_grid(tables["nsi_by_domain"], columns, source="nsi_by_domain")],
    )


def scenarios(tables: Tables) -> Section:
    """NSI by scenario, and profiles of groups."""
    return Section(
        "scenarios",
        "NSI by scenario",
        (
            "Scenarios by their mean NSI over the models. The interval resamples models: it says "
            "how far the mean depends on which models were audited, and nothing about the "
            "sampling noise within one. With one model there is none.",
            "The profiles show each scenario's mean for groups of models. By condition they hold "
            "only models and scenarios that have an NSI under every condition, so that the means "
            "are over the same.",
        ),
        [
            "scenarios",
            "model_by_scenario",
            "profile_origin",
            "profile_size_tier",
            "profile_condition",
        ],
        [
            settings_grid(
                tables["nsi_by_scenario"],
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    number("NSI", "nsi"),
                    number("Floor", "nsi_null"),
                    count("Models", "n_models"),
                ),
                source="nsi_by_scenario",
            )
        ],
    )


def frames(tables: Tables) -> Section:
    """Endorsement by frame, and the polarity swing."""
    table = tables["endorsement_by_frame"]
    keys = RESULTS.carried_keys(table)
    frames = list(dict.fromkeys(table["frame"]))
    rates = [number(frame, f"rate {frame}") for frame in frames]
    wide = _by_frame(tables["ranking"][keys], table, frames)
    wide = wide.merge(tables["swing"][[*keys, "swing"]], on=keys, how="left")
    known = load_frames()
    wordings = " ".join(f"{frame}: “{known[frame].pattern}”" for frame in frames if frame in known)
    swings = (
        number("F0", "rate_positive"),
        number("F3", "rate_negated"),
        relative("Swing", "swing"),
    )
    return Section(
        "frames",
        "Endorsement of the action by frame",
        (
            "The share of answers that endorse the action, whichever way the question was put: "
            "agreeing with an affirmative proposal endorses it, and so does disagreeing with a "
            f"negated one. {wordings} A consistent model has the same rate in every column.",
            "High rates in the negated frames F1 and F3 and low ones in F0 and F2 are what a "
            "habit of disagreeing gives; the reverse is a habit of agreeing. The swing is the "
            "change from F0 to F3 relative to F0.",
            "The intervals of the groups resample scenarios. The last table is the form of "
            "Tables 5 to 7 of arXiv:2601.21433: means over the models of an origin, for single "
            "scenarios, of which it holds the least stable.",
        ),
        ["endorsement_by_origin"],
        [
            result_grid(wide, [*rates, relative("Swing", "swing")], source="endorsement_by_frame"),
            settings_grid(
                tables["endorsement_by_origin"],
                (
                    text("Origin", "origin"),
                    text("Frame", "frame"),
                    number("Endorsement", "rate"),
                    count("Models", "n_models"),
                    count("Cells", "n_cells"),
                ),
                title="By origin",
                source="endorsement_by_origin",
            ),
            settings_grid(
                tables["swing_by_origin"],
                (text("Origin", "origin"), *swings),
                title="Polarity swing by origin",
                source="swing_by_origin",
            ),
            settings_grid(
                _worst_by_origin(tables, frames),
                [text("Scenario", "scenario"), text("Origin", "origin"), *rates],
                title=f"By origin on the scenarios with the highest mean NSI (up to {SHOWN})",
                source="endorsement_by_origin_and_scenario",
            ),
        ],
    )


def _by_frame(rows: pd.DataFrame, table: pd.DataFrame, frames: Sequence[str]) -> pd.DataFrame:
    """These rows with their rate in each frame from a table that has one row for each."""
    keys = list(rows.columns)
    for frame in frames:
        rates = table.loc[table["frame"] == frame, [*keys, "rate"]]
        rows = rows.merge(rates.rename(columns={"rate": f"rate {frame}"}), on=keys, how="left")
    return rows


def _worst_by_origin(tables: Tables, frames: Sequence[str]) -> pd.DataFrame:
    """Endorsement by origin and frame on the least stable scenarios under each setting."""
    table, ranked = tables["endorsement_by_origin_and_scenario"], tables["nsi_by_scenario"]
    settings = RESULTS.carried_settings(ranked)
    ranked = ranked.dropna(subset="nsi").assign(all="")
    worst = ranked.groupby(settings or ["all"], sort=False, dropna=False).head(SHOWN)
    keys = [*settings, "scenario"]
    origins = table[[*keys, "origin"]].drop_duplicates()
    return _by_frame(worst[keys].merge(origins, on=keys), table, frames)


def groups(tables: Tables) -> Section:
    """Groups of models compared."""
    title = "Groups of models compared"
    tests, pairs = tables["group_tests"], tables["group_pairs"]
    if not len(tests):
        return Section("groups", title, left_out="fewer than two known groups of different models")
    return Section(
        "groups",
        title,
        (
            "Do groups of models differ in mean NSI? Kruskal-Wallis over all groups, with epsilon "
            "squared = (H - k + 1) / (N - k); then every two groups, and each group against all "
            "others, by Mann-Whitney with Cliff's delta = P(first higher) - P(first lower). "
            "Models of unspecified group are left out and counted. Few models carry little: with "
            "three in each of two groups no two-sided test can go below p = 0.1. Conditions under "
            "which the same model was asked are no independent groups: the section on reasoning "
            "compares them in pairs.",
        ),
        [],
        [
            settings_grid(
                tests,
                (
                    text("Grouped by", "by"),
                    count("Groups", "n_groups"),
                    count("Models", "n"),
                    count("Left out", "n_left_out"),
                    number("H", "h"),
                    count("df", "df"),
                    p_value("p", "p_value"),
                    number("Epsilon squared", "epsilon_squared", 3),
                ),
                source="group_tests",
            ),
            settings_grid(
                pairs,
                (
                    text("Grouped by", "by"),
                    text("First", "group_a"),
                    text("Second", "group_b"),
                    count("n", "n_a"),
                    count("n", "n_b"),
                    number("Median", "median_a"),
                    number("Median", "median_b"),
                    number("U", "u", 1),
                    p_value("p", "p_value"),
                    p_value("p (Holm)", "p_adjusted"),
                    signed("Cliff's delta", "cliffs_delta"),
                ),
                title="Two groups at a time",
                source="group_pairs",
            ),
        ],
    )


def agreement(tables: Tables) -> Section:
    """Agreement between models by frame."""
    title = "Agreement between models"
    table = tables["agreement_by_frame"]
    if not len(table):
        return Section("agreement", title, left_out="fewer than two models under the same settings")
    columns = (
        text("Frame", "frame"),
        number("Agreement", "agreement", 3),
        count("Pairs", "n_pairs"),
        count("Models", "n_models"),
    )
    return Section(
        "agreement",
        title,
        (
            "The share of scenarios on which two models have the same majority decision, averaged "
            "over all pairs of models. A majority of exactly half counts one half. Less agreement "
            "in the negated frames can mean that models handle negation differently. But it also "
            "comes from rates near one half, where noise decides the majority, and from models "
            "that lean to agree beside models that lean to disagree: compare the rates by frame "
            "and the acquiescence. The interval resamples scenarios.",
        ),
        ["agreement_by_frame"],
        [settings_grid(table, columns, source="agreement_by_frame")],
    )
