"""The tables of NUBench: their names, rows and columns."""

from dataclasses import replace
from typing import Final

from negation_evals.analysis.common.shared_columns import (
    DESCRIBED,
    EPOCH,
    MODEL,
    MODEL_KEYS,
    ORIGIN,
    P_VALUE,
    interval,
)
from negation_evals.analysis.common.tables import Table, flag, grouped, number, share, text, whole
from negation_evals.schema.common import Status
from negation_evals.schema.nubench import LETTERS, OptionType

SETTINGS: Final = (
    text("task"),
    text("split", "of the data set"),
    text("instructions", "the wording of the instructions"),
    whole("shots", "demonstrations before the question"),
    text(
        "demonstrations",
        "first 8 digits of the SHA-256 of the split that they come from; empty without",
    ),
    text("format", "how the answer is given"),
    flag("cot", "reasoning is asked for"),
    flag("structured", "the provider was given a schema of the answer"),
    whole("seed", "draws the order of the options and the demonstrations", low=None),
    number("temperature", "missing where the log does not state it"),
    text("solver", "one in the place of the task's own; empty without"),
    text("generation", "all other options that can change an answer"),
    text("version", "the task's comparability"),
    text("data_hash", "SHA-256 of the items"),
)
"""Settings of a NUBench run."""

KEYS: Final = (*MODEL_KEYS, *grouped("keys", SETTINGS))
_BUT_SEED: Final = tuple(column for column in KEYS if column.name != "seed")
_DATA: Final = (
    text("dataset"),
    text("revision", "the hub's commit; missing where nothing states one", nullable=True),
)
_LETTERS: Final = tuple(LETTERS)
_N_VALID: Final = whole("n_valid", "valid choices")
_SUMMARY: Final = (
    share("violations", "share of the scored answers that are format violations"),
    share("accuracy_per_token", "by log-likelihood per token; missing unless `format=completion`"),
)

CHOICES: Final = Table(
    "choices",
    "One row per item and epoch of the task `nubench`.",
    (
        MODEL,
        *DESCRIBED,
        text("item", "the item's index"),
        text("page", "the Wikipedia page that its sentence is from"),
        text(
            "local_type",
            "the construction that its local negation negates; missing without one",
            nullable=True,
        ),
        whole("n_options", "options of the question", high=4),
        text("right", "where the standard negation stands", _LETTERS, nullable=True),
        EPOCH,
        text(
            "status",
            "all but unscored and error are scored; all scored but valid are format violations",
            Status,
        ),
        text("letter", "the answer", _LETTERS, nullable=True),
        text("chosen", "what was chosen", OptionType, nullable=True),
        number("correct", "1.0 or 0.0; a violation is 0.0, NaN without a score", 0, 1),
        text(
            "chosen_per_token",
            "the same by log-likelihood per token; missing unless `format=completion`",
            OptionType,
            nullable=True,
        ),
        share("correct_per_token", "the same"),
        text("run", "Inspect's task id: a run and its retries"),
        *SETTINGS,
        *_DATA,
        *ORIGIN,
    ),
    'read_choices(paths, *, models=None, runs="largest")',
    "arXiv:2506.14397, Section 4",
)

NUBENCH_ACCURACY: Final = Table(
    "nubench_accuracy",
    "One row per result, the highest accuracy first.",
    (
        *KEYS,
        whole("n_items"),
        whole("n_pages"),
        whole("n", "scored answers"),
        whole("n_missing", "answers without a score"),
        share("accuracy", "mean over items"),
        number(
            "se",
            "clustered on the page with the finite correction, as Inspect's `stderr(cluster=...)`",
            0,
        ),
        *interval(
            "Wilson's interval for the effective number of items, with the quantile of t for "
            "n_pages - 1"
        ),
        share("chance", "accuracy of choosing at random"),
        *_SUMMARY,
        *(replace(column, varies=True) for column in _DATA),
    ),
    "choice_accuracy(choices, confidence_level=0.95)",
)
NUBENCH_OVER_SEEDS: Final = Table(
    "nubench_over_seeds",
    "One row per result, all seeds together.",
    (
        *_BUT_SEED,
        whole("n_seeds"),
        share("accuracy", "mean over seeds"),
        number("sd", "n - 1", 0),
        share("accuracy_min"),
        share("accuracy_max"),
        whole("n_items_min", "scored items of a seed"),
        whole("n_items_max", "scored items of a seed"),
        _SUMMARY[0],
        share("chance", "accuracy of choosing at random"),
        _SUMMARY[1],
    ),
    "choice_accuracy_over_seeds(accuracy)",
)
NUBENCH_ERRORS: Final = Table(
    "nubench_errors",
    "One row per result.",
    (
        *KEYS,
        _N_VALID,
        whole("n_wrong", "of these, not the standard negation"),
        whole("n_violations"),
        *(
            share(str(kind), "share of the wrong choices")
            for kind in (OptionType.LOCAL, OptionType.CONTRADICTION, OptionType.PARAPHRASE)
        ),
    ),
    "choice_errors(choices)",
)
NUBENCH_CONFUSION: Final = Table(
    "nubench_confusion",
    "One row per result and construction.",
    (
        *KEYS,
        text("local_type", "the construction that the local negation negates"),
        _N_VALID,
        whole("n_local", "of these, the local negation"),
        share("confusion", "n_local / n_valid"),
    ),
    "choice_confusion(choices)",
)
NUBENCH_LETTERS: Final = Table(
    "nubench_letters",
    "One row per result and letter.",
    (
        *KEYS,
        text("letter", "", _LETTERS),
        share("chosen", "share of the choices with that letter"),
        share("right", "share of the same items whose right option has it"),
    ),
    "choice_letters(choices)",
)
NUBENCH_COMPARISONS: Final = Table(
    "nubench_comparisons",
    "One row per pair of results, B minus A, over the items that both answered.",
    (
        text("a", "label of the first result"),
        text("b", "label of the second"),
        whole("n_items", "items that both answered"),
        share("accuracy_a"),
        share("accuracy_b"),
        number("difference", "mean over items of the difference of their shares", -1, 1),
        number("se", "clustered on the page; NaN where all items differ alike", 0),
        number("ci_low", "t, 95 %; missing where no item differs"),
        number("ci_high", "the upper limit"),
        whole("only_a", "items that A alone answers right"),
        whole("only_b"),
        replace(P_VALUE, meaning="exact McNemar; NaN where an item has several answers"),
        whole("unpaired", "items that only one answered"),
        share("p_holm", "Holm's correction over all pairs of the table"),
    ),
    "compare_choices(a, b, confidence_level=0.95)",
    notes="`compare_choices` gives a frozen dataclass; a side that holds several results is "
    "refused. Two results are compared if they are equal in task, split, instructions, shots, "
    "demonstrations, format, cot, structured, seed, temperature, solver, version and data_hash (in "
    "all settings but `generation`) and share an answered item. If more than 12 results are equal "
    "in these, none of them is compared, and the section says so.",
)
NUBENCH_EXCLUDED: Final = replace(
    NUBENCH_ACCURACY,
    name="nubench_excluded",
    row="One row per result below `--min-compliance`, which is in no other table.",
)

READ: Final[tuple[Table, ...]] = (CHOICES,)
"""What the reader gives."""
TABLES: Final[tuple[Table, ...]] = (
    NUBENCH_ACCURACY,
    NUBENCH_OVER_SEEDS,
    NUBENCH_ERRORS,
    NUBENCH_CONFUSION,
    NUBENCH_LETTERS,
    NUBENCH_COMPARISONS,
    NUBENCH_EXCLUDED,
)
"""The tables of the report, in its order."""
