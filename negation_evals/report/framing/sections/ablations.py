"""What reasoning, the temperature and the order of the answers change."""

from collections.abc import Sequence
from typing import Final

from negation_evals.report.documents.grids import (
    Grid,
    count,
    number,
    p_value,
    relative,
    signed,
    text,
)
from negation_evals.report.documents.sections import Section
from negation_evals.report.figures.figure import Tables
from negation_evals.report.framing.grids import result_grid, settings_grid

ABLATION_COLUMNS: Final = (
    text("From", "baseline"),
    text("To", "treatment"),
    number("NSI before", "mean_baseline"),
    number("NSI after", "mean_treatment"),
    signed("Change", "change"),
    relative("of before", "relative_to_baseline"),
    relative("of after", "relative_to_treatment"),
    count("Pairs", "n_pairs"),
    count("Missing", "n_missing"),
    p_value("p", "p_value"),
)


def _ablation_grids(tables: Tables, settings: Sequence[str]) -> list[Grid]:
    grids = []
    for name, title, first in (
        ("ablations", "", text("Setting", "setting")),
        ("ablations_by_unit", "By model (variants: by family)", text("Model", "unit")),
        ("ablations_by_scenario", "By scenario", text("Scenario", "scenario")),
    ):
        table = tables[name]
        shown = table[table["setting"].isin(settings)]
        columns = (first, *ABLATION_COLUMNS)
        grids.append(settings_grid(shown, columns, title=title, source=name))
    return grids


def reasoning(tables: Tables) -> Section:
    """Asking for reasoning against not asking."""
    title = "The effect of reasoning"
    if not tables["ablations"]["setting"].isin(["condition", "variant"]).any():
        return Section(
            "reasoning",
            title,
            left_out="nothing was asked with and without reasoning, all else equal",
        )
    return Section(
        "reasoning",
        title,
        (
            "The same scenarios with and without reasoning, all other settings equal: asked for "
            "by the prompt (condition), or the model's own reasoning mode (variant, two models of "
            "one family, which may differ in what the appendix says is pooled over models). A "
            "negative change is less sensitivity. The test is Wilcoxon's signed-rank over pairs of "
            "cells, not corrected for the number of rows. The papers give relative changes with "
            "either base, so both stand here; the figure has that of the value before.",
        ),
        ["reasoning"],
        _ablation_grids(tables, ["condition", "variant"]),
    )


def temperature(tables: Tables) -> Section:
    """One temperature against another."""
    title = "The effect of temperature"
    if not (tables["ablations"]["setting"] == "temperature").any():
        return Section(
            "temperature", title, left_out="no model was asked at two temperatures, all else equal"
        )
    return Section(
        "temperature",
        title,
        (
            "The same scenarios at another temperature, all other settings equal; the highest is "
            "the base. A change is not the effect of the temperature alone: above 0, sampling "
            "noise by itself gives NSI its floor (see the ranking), and less of it at a lower "
            "temperature. Where every repeated answer at T = 0 is the same, the answers are "
            "copies: a rate is 0 or 1, and so is NSI of a scenario; the floor is 0, and no test of "
            "framing applies. The signed-rank test here compares scenarios and takes either value "
            "as it stands.",
        ),
        ["temperature"],
        _ablation_grids(tables, ["temperature"]),
    )


def order(tables: Tables) -> Section:
    """The effect of which answer is named first."""
    title = "The effect of the answer order"
    table = tables["answer_order"]
    if not len(table):
        return Section(
            "order",
            title,
            left_out="no valid answers to the same question in both orders "
            "(-T answer_order=balanced)",
        )
    return Section(
        "order",
        title,
        (
            "Agreement when the question names agree first, and when it names disagree first, in "
            "alternating epochs of the same run. A positive difference favours what is named "
            "first. The interval resamples scenarios.",
        ),
        [],
        [
            result_grid(
                table,
                (
                    text("Frame", "frame"),
                    number("Agree named first", "agree_first"),
                    number("Disagree first", "disagree_first"),
                    signed("Difference", "difference"),
                    count("Scenarios", "n_scenarios"),
                ),
                source="answer_order",
            )
        ],
    )
