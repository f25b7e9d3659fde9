"""The first sections: the summary, the ranking, what a high NSI looks like, its classes."""

from typing import Final

import pandas as pd

from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.significance import ENOUGH
from negation_evals.framing.frames import frame_pairs
from negation_evals.report.documents.formats import counted
from negation_evals.report.documents.grids import count, number, p_value, share, signed, text
from negation_evals.report.documents.sections import Section
from negation_evals.report.figures.figure import Tables
from negation_evals.report.framing.grids import result_grid, settings_grid
from negation_evals.report.framing.sections.words import noise_words, pattern_words

IN_SHORT = 5
"""How many results the summary describes in words."""


RANKING: Final = (
    text("Origin", "origin"),
    number("NSI", "nsi"),
    number("Floor", "nsi_null"),
    number("Worst", "nsi_max"),
    text("Worst scenario", "worst_scenario"),
    text("Looks like", "pattern"),
    share("Framing effect", "homogeneity_significant"),
    count("Scenarios", "n_scenarios"),
    count("Min. n", "n_min"),
    share("Valid", "compliance"),
)
"""The columns of the ranking."""


TERMINAL_RANKING: Final = tuple(
    column
    for column in RANKING
    if column.names[0] not in {"origin", "worst_scenario", "n_scenarios", "pattern"}
)
"""Those of them that fit a terminal of 100 columns beside long names."""


def summary(tables: Tables) -> Section:
    """The results in a few sentences."""
    ranking, cells = tables["ranking"], tables["cells"]
    known = ranking.dropna(subset="nsi")
    sentences = [
        f"{counted(len(ranking), 'result')} (a model under one set of settings), "
        f"{counted(tables['nsi']['scenario'].nunique(), 'scenario')}, "
        f"{counted(int(cells['n'].sum()), 'answer')} asked for, of which "
        f"{int(cells['n_valid'].sum())} came and are valid."
    ]
    if len(tables["excluded"]):
        names = ", ".join(RESULTS.labels(tables["excluded"]))
        sentences.append(
            f"Not counted here and left out of every section but that on valid answers, for too "
            f"few of them: {names}."
        )
    copies = known["deterministic"].astype(bool)
    if copies.any():
        sentences.append(
            f"At temperature 0 every repeated answer was the same: {_names(known[copies])}. These "
            "values are exact for these questions and carry no sampling noise, so that floor, "
            "tests and intervals do not apply."
        )
    if (known.loc[~copies, "n_min"] < ENOUGH).any():
        sentences.append(
            f"Some cells have fewer than {ENOUGH} valid answers. There a test can hardly find an "
            "effect, or not at all (a dash), and none found is no sign of invariance; and the "
            "floor, taken from the same few answers, is too low (with rates of 0.2 to 0.8: at 2 "
            "answers by about 0.07, at a single one by 0.16 to 0.21)."
        )
    if len(known) > IN_SHORT:
        sentences.append(f"The {IN_SHORT} that are most sensitive; the ranking has the others:")
    known = known.head(IN_SHORT)
    for label, row in zip(RESULTS.labels(known), known.to_dict("records"), strict=True):
        sentences.append(
            f"{label}: mean NSI {row['nsi']:.2f}{noise_words(row)}; least stable "
            f"on {row['worst_scenario']} ({row['nsi_max']:.2f}). What kind of failure: "
            f"{pattern_words(row)}."
        )
    return Section("summary", "In short", sentences)


def _names(results: pd.DataFrame) -> str:
    """The first results by name, and how many more there are."""
    labels = RESULTS.labels(results)
    more = f" and {len(labels) - IN_SHORT} more" if len(labels) > IN_SHORT else ""
    return ", ".join(labels[:IN_SHORT]) + more


def ranking(tables: Tables) -> Section:
    """Models by mean NSI."""
    return Section(
        "ranking",
        "Models by sensitivity to negation",
        (
            "The Negation Sensitivity Index (NSI; SVI in arXiv:2601.09724) of a scenario is the "
            "largest minus the smallest endorsement rate of the same action over the frames. 0 "
            "means that the stance does not depend on the wording; 1 means that it is reversed. "
            "A model's NSI is the mean over its scenarios.",
            "NSI is a range, so sampling noise alone makes it positive. The floor is the NSI "
            "expected of a model that is exactly invariant, with the same rates and as many "
            "answers. A value near its floor is no sign of sensitivity. The interval inverts exact "
            "tests on the range and takes that noise into account, so it can lie below the value; "
            "it is about these scenarios, not about others (docs/intervals.md).",
            "A high NSI says that the stance moves with the wording, not why: a model that "
            "disagrees with everything scores 1 as well as one that overlooks the word not. "
            "The next section tells them apart.",
        ),
        ["ranking"],
        [result_grid(tables["ranking"], (count("#", "rank"), *RANKING), source="ranking")],
    )


def patterns(tables: Tables) -> Section:
    """What kind of failure a high NSI looks like."""
    title = "What kind of failure it looks like"
    if not len(tables["acquiescence_by_pair"]):
        return Section("patterns", title, left_out="no frame of a pair was asked")
    counts = tables["patterns"]["pattern"].value_counts()
    found = ", ".join(f"{name} {n}" for name, n in counts.items())
    asked = set(tables["acquiescence_by_pair"]["pair"])
    pairs = [f"{name} ({', '.join(pair)})" for name, pair in frame_pairs().items() if name in asked]
    return Section(
        "patterns",
        title,
        (
            "Two frames of a pair differ in their negation alone. A model that reads the negation "
            "agrees with the negated proposal as often as it disagrees with the affirmative one. "
            "Acquiescence is what the two shares of agreement add up to beyond 1: 0 for a mirror "
            "image, +1 for a model that always agrees, -1 for one that always disagrees. Its size "
            "is the NSI of the pair.",
            "The polarity correlation compares, over scenarios, agreement with the affirmative and "
            "with the negated proposal: -1 for a mirror image, +1 where agreement follows the "
            "content and not the polarity. Over several pairs it is taken within each, since a "
            "difference between pairs says nothing about polarity.",
            "p tests all scenarios of a result together: the probability of differences at least "
            "this large if each scenario's valid answers had been assigned to its frames at random "
            "(sum of chi-squares, not corrected for the number of results). A result is called not "
            "above noise only if p > 0.05. Significant counts scenarios tested alone.",
            f"Results by what they look like: {found}. The label follows stated rules "
            "(docs/tables.md); it describes and is no test.",
        ),
        ["acquiescence", "pairs"],
        [
            result_grid(
                tables["patterns"],
                (
                    text("Looks like", "pattern"),
                    p_value("p", "p_value"),
                    number("NSI", "nsi"),
                    number("NSI in pairs", "nsi_pairs"),
                    signed("Acquiescence", "acquiescence"),
                    number("One-sided", "one_sided"),
                    signed("Polarity corr.", "polarity_correlation"),
                    count("Significant", "n_significant"),
                    count("Scenarios", "n_scenarios"),
                ),
                source="patterns",
            ),
            result_grid(
                tables["acquiescence_by_pair"],
                (
                    text("Pair", "pair"),
                    number("NSI", "nsi"),
                    signed("Acquiescence", "acquiescence"),
                    signed("Polarity corr.", "polarity_correlation"),
                    count("Scenarios", "n_scenarios"),
                    count("Missing", "n_missing"),
                ),
                title=f"By pair of frames: {', '.join(pairs)}",
                source="acquiescence_by_pair",
            ),
        ],
    )


def fragility(tables: Tables) -> Section:
    """Shares of robust, moderate and highly fragile cells."""
    columns = (
        share("Robust", "robust"),
        share("Moderate", "moderate"),
        share("High", "high"),
        number("Mean NSI", "nsi"),
        number("SD", "nsi_sd"),
        count("Cells", "n_cells"),
        count("Missing", "n_missing"),
    )
    return Section(
        "fragility",
        "How fragile: shares of robust and fragile cells",
        (
            "Cells (one scenario of one result) by the classes of arXiv:2601.09724: robust below "
            "0.2, moderate from 0.2, high from 0.5. They describe; with few answers to a cell, an "
            "invariant model is often in the moderate class (compare the floor).",
        ),
        ["distribution", "size_tier"],
        [
            settings_grid(tables["fragility"], columns, source="fragility"),
            settings_grid(
                tables["fragility_by_origin"],
                (text("Origin", "origin"), *columns),
                title="By origin",
                source="fragility_by_origin",
            ),
            result_grid(
                tables["fragility_by_model"],
                columns,
                title="By model",
                source="fragility_by_model",
            ),
        ],
    )
