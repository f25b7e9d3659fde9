"""The tables of the NUBench section."""

from typing import Final

import negation_evals.analysis as analysis
from negation_evals.analysis.nubench.columns import choice_keys
from negation_evals.analysis.nubench.read import CHOICE_LOGS
from negation_evals.analysis.nubench.results import (
    best_first,
    choice_ranking,
    compare_results,
    exclude_choices,
)
from negation_evals.analysis.reading.reading import Reading
from negation_evals.report.family import ReportOptions, Tables

CHOICE_TABLES: Final = (
    "nubench_accuracy",
    "nubench_over_seeds",
    "nubench_errors",
    "nubench_confusion",
    "nubench_letters",
    "nubench_comparisons",
    "nubench_excluded",
)


def nubench_tables(reading: Reading, options: ReportOptions) -> Tables:
    """The tables of the NUBench section by name; the names are those of `docs/tables.md`.

    Args:
        reading: With the table `choices`.
        options: Results with a smaller share of valid answers than `min_compliance` stand in
            `nubench_excluded`, and nowhere else.
    """
    choices, excluded = exclude_choices(reading.tables[CHOICE_LOGS.table], options.min_compliance)
    ranking = choice_ranking(choices)
    # All other tables name the results in the order of the first.
    keys = choice_keys(choices)
    places = ranking[keys].assign(place=range(len(ranking)))
    choices = choices.merge(places, on=keys, how="left").sort_values("place", kind="stable")
    choices = choices.drop(columns="place")
    return {
        "nubench_accuracy": ranking,
        "nubench_over_seeds": best_first(analysis.choice_accuracy_over_seeds(ranking)),
        "nubench_errors": analysis.choice_errors(choices),
        "nubench_confusion": analysis.choice_confusion(choices),
        "nubench_letters": analysis.choice_letters(choices),
        "nubench_comparisons": compare_results(choices),
        "nubench_excluded": excluded,
    }
