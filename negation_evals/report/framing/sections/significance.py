"""Tests of framing, and the least stable scenarios."""

import pandas as pd

from negation_evals.analysis.common.multiplicity import FDR
from negation_evals.analysis.framing.ranking import WORST
from negation_evals.report.documents.formats import percent
from negation_evals.report.documents.grids import count, number, p_value, text
from negation_evals.report.documents.sections import Section
from negation_evals.report.family import Tables
from negation_evals.report.framing.grids import result_grid


def tests(tables: Tables) -> Section:
    """Cochran's Q and the test without blocks."""
    q, chi_square = tables["cochran_q"], tables["homogeneity"]
    return Section(
        "tests",
        "Does framing change the answers? Two tests",
        (
            f"Cochran's Q: {_found(q)}. Permutation chi-square: {_found(chi_square)}. Both at a "
            f"false discovery rate of {FDR:g} (Benjamini-Hochberg over all tested cells).",
            "Cochran's Q, as in the papers, pairs the frames of an epoch to blocks; epochs with a "
            "missing answer drop out, and cells with fewer than two blocks are not tested; with "
            "two blocks its p cannot go below 0.11. But epochs of different frames are independent "
            "draws. The permutation test pairs nothing and uses every valid answer; it leaves out "
            "cells with too few answers to find anything. Where they differ, believe the second. "
            "A test says whether there is an effect, NSI says how large it is.",
            "All scenarios of a result together: the sum of their chi-squares against random "
            "assignments of each scenario's answers to its frames. It finds small differences in "
            "many scenarios that no single one shows, and decides whether a result is called not "
            "above noise.",
        ),
        [],
        [
            result_grid(
                tables["framing_effect"],
                (
                    count("Scenarios", "n_scenarios"),
                    number("Chi-square", "chi_square"),
                    count("df", "df"),
                    p_value("p", "p_value"),
                    p_value("Smallest possible p", "p_smallest"),
                ),
                title="All scenarios together",
                source="framing_effect",
            ),
            result_grid(
                q,
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    count("Blocks", "n_blocks"),
                    count("Dropped", "n_dropped"),
                    number("Q", "q"),
                    count("df", "df"),
                    p_value("p", "p_value"),
                    p_value("p adjusted", "p_adjusted"),
                ),
                title="Cochran's Q",
                source="cochran_q",
            ),
            result_grid(
                chi_square,
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    count("Answers", "n_valid"),
                    number("Chi-square", "chi_square"),
                    count("df", "df"),
                    p_value("p", "p_value"),
                    p_value("p adjusted", "p_adjusted"),
                ),
                title="Permutation chi-square",
                source="homogeneity",
            ),
        ],
    )


def _found(test: pd.DataFrame) -> str:
    tested, found = int(test["tested"].sum()), int(test["significant"].sum())
    if not tested:
        return "no cell could be tested"
    return f"{found} of {tested} tested cells ({percent(found / tested)}) show a framing effect"


def worst(tables: Tables) -> Section:
    """The least stable scenarios of each result."""
    return Section(
        "worst",
        "Least stable scenarios",
        (
            f"Up to {WORST} scenarios of each model with the highest NSI, and the frames in which "
            "the action is endorsed most and least. p is the chance of so large a range if the "
            "same answers had been dealt to the frames at random (exact permutation test, not "
            "corrected for the number of scenarios).",
        ),
        [],
        [
            result_grid(
                tables["worst_scenarios"],
                (
                    text("Scenario", "scenario"),
                    text("Domain", "domain"),
                    number("NSI", "nsi"),
                    number("Floor", "nsi_null"),
                    p_value("p", "p_value"),
                    text("Highest", "frame_max"),
                    text("Lowest", "frame_min"),
                    count("Min. n", "n_min"),
                ),
                source="worst_scenarios",
            )
        ],
    )
