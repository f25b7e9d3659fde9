"""The tables of the NUBench section as text."""

from collections.abc import Iterable
from typing import Final

from negation_evals.analysis.common.formulas import WRONG
from negation_evals.analysis.nubench.results import choice_labels
from negation_evals.report.documents.grids import (
    Column,
    Grid,
    count,
    grid,
    limits,
    number,
    p_value,
    share,
    signed,
    text,
    with_limits,
)
from negation_evals.report.family import Tables

PER_TOKEN: Final = number("Per token", "accuracy_per_token", 3)
ACCURACY: Final = (
    number("Accuracy", "accuracy", 3),
    number("SE", "se", 3),
    PER_TOKEN,
    number("Chance", "chance", 3),
    share("Violations", "violations"),
    count("Items", "n_items"),
    count("Missing", "n_missing"),
)
OVER_SEEDS: Final = (
    count("Seeds", "n_seeds"),
    number("Mean accuracy", "accuracy", 3),
    number("SD", "sd", 3),
    number("Lowest", "accuracy_min", 3),
    number("Highest", "accuracy_max", 3),
    count("Fewest items", "n_items_min"),
    count("Most items", "n_items_max"),
    share("Violations", "violations"),
)
ERRORS: Final = (
    count("Wrong choices", "n_wrong"),
    *(share(kind.value.capitalize(), kind.value) for kind in WRONG),
    count("Violations", "n_violations"),
)
CONFUSION: Final = (
    text("Construction", "local_type"),
    count("Choices", "n_valid"),
    share("Took the local negation", "confusion"),
)
LETTERS: Final = (
    text("Letter", "letter"),
    share("Chosen", "chosen"),
    share("Right there", "right"),
)
COMPARED: Final = (
    text("A", "a"),
    text("B", "b"),
    signed("B - A", "difference", 3),
    limits(),
    p_value("Holm's p", "p_holm"),
    count("Items", "n_items"),
    count("Unpaired", "unpaired"),
    count("Only A right", "only_a"),
    count("Only B right", "only_b"),
    p_value("McNemar p", "p_value"),
)


def result_grid(tables: Tables, source: str, columns: Iterable[Column], title: str) -> Grid:
    """A table of results: in front the model and the conditions that vary, last the interval."""
    table = tables[source]
    labels = ("Model", choice_labels(table))
    return grid(table, with_limits(table, columns), title=title, source=source, labels=labels)


def nubench_grids(tables: Tables) -> list[Grid]:
    """Those of the section, in order; comparisons over seeds and of results where there are any."""
    scored = tables["nubench_accuracy"]["accuracy_per_token"].notna().any()
    accuracy = [column for column in ACCURACY if scored or column is not PER_TOKEN]
    grids = [result_grid(tables, "nubench_accuracy", accuracy, "Accuracy")]
    if (tables["nubench_over_seeds"]["n_seeds"] > 1).any():
        grids.append(result_grid(tables, "nubench_over_seeds", OVER_SEEDS, "Over seeds"))
    grids += [
        result_grid(tables, "nubench_errors", ERRORS, "What the wrong choices are"),
        result_grid(tables, "nubench_confusion", CONFUSION, "Local confusion"),
        result_grid(tables, "nubench_letters", LETTERS, "Letters"),
    ]
    compared = tables["nubench_comparisons"]
    if len(compared):
        title, source = "Compared on the same items", "nubench_comparisons"
        grids.append(grid(compared, COMPARED, title=title, source=source))
    return grids


def terminal_accuracy(tables: Tables) -> Grid:
    """The accuracy as a terminal of 100 columns shows it."""
    hidden = ("accuracy_per_token", "n_missing")
    columns = [column for column in ACCURACY if column.names[0] not in hidden]
    return result_grid(tables, "nubench_accuracy", columns, "NUBench accuracy, highest first")
