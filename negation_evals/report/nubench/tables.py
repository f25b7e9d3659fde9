"""The tables of the NUBench section."""

import negation_evals.analysis as analysis
from negation_evals.analysis.nubench import tables as declared
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


def nubench_tables(reading: Reading, options: ReportOptions) -> Tables:
    """The tables of the NUBench section by name; the names are those of `docs/tables.md`.

    Args:
        reading: With the table `choices`.
        options: Results with a smaller share of valid answers than `min_compliance` stand in
            `nubench_excluded`, and nowhere else.
    """
    choices, excluded = exclude_choices(
        reading.tables[CHOICE_LOGS.table.name], options.min_compliance
    )
    ranking = choice_ranking(choices)
    # All other tables name the results in the order of the first.
    keys = choice_keys(choices)
    places = ranking[keys].assign(place=range(len(ranking)))
    choices = choices.merge(places, on=keys, how="left").sort_values("place", kind="stable")
    choices = choices.drop(columns="place")
    return {
        declared.NUBENCH_ACCURACY.name: ranking,
        declared.NUBENCH_OVER_SEEDS.name: best_first(analysis.choice_accuracy_over_seeds(ranking)),
        declared.NUBENCH_ERRORS.name: analysis.choice_errors(choices),
        declared.NUBENCH_CONFUSION.name: analysis.choice_confusion(choices),
        declared.NUBENCH_LETTERS.name: analysis.choice_letters(choices),
        declared.NUBENCH_COMPARISONS.name: compare_results(choices),
        declared.NUBENCH_EXCLUDED.name: excluded,
    }
