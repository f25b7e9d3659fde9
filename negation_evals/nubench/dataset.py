"""Items and pairs of Thunder-NUBench: from the hub, from files of the same columns, or our own.

The public set is gated and under CC BY-NC-SA 4.0, so it is loaded at run time and never shipped.
Counts are read from the data.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from logging import getLogger
from typing import Any, Final

from pydantic import ConfigDict

from negation_evals.errors import DataError, unknown_name
from negation_evals.files.bundled import dataset_path
from negation_evals.files.hashing import json_sha256
from negation_evals.files.hub import load_rows
from negation_evals.files.locations import local_path, suffix_of
from negation_evals.files.rows import FILE_SUFFIXES, read_rows
from negation_evals.files.validation import Row, Text, require_unique, validate_rows
from negation_evals.schema.common import UNSPECIFIED
from negation_evals.schema.nubench import OptionType

logger = getLogger(__name__)

PUBLIC_SET: Final = "thunder-research-group/SNU_Thunder-NUBench"
CHOICE_CONFIG: Final = "multiple-choice"
PAIR_CONFIG: Final = "sentence-negation-pair"
DEMONSTRATIONS: Final = "validation"
"""The split that demonstrations come from."""
BUILTIN_FILES: Final = {
    ("multiple-choice", "test"): "nubench_test.csv",
    ("multiple-choice", "validation"): "nubench_validation.csv",
    ("sentence-negation-pair", "train"): "nubench_pairs.csv",
}
"""Our own small set: (configuration, split) -> file under `datasets/`."""
FILE_SPLITS: Final = {CHOICE_CONFIG: "test", PAIR_CONFIG: "train"}
"""The split that a single file passes for: the default of each configuration."""
LONGEST_NAME: Final = 96
"""Of a repository on the Hugging Face hub."""


class ItemRow(Row):
    """One item of the public schema (arXiv:2506.14397, Appendix L.2)."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)

    index: Text
    wikipedia_index: Text
    sentence: Text
    choice1: Text
    """The standard negation, which is right."""
    choice2: str = ""
    """The local negation; empty where the sentence has none."""
    choice2_type: str = ""
    """The construction that it negates, such as `relative clause`."""
    choice3: Text
    """The contradiction."""
    choice4: Text
    """The paraphrase."""


class LabelledRow(Row):
    """One item of the generic form: options with labels and the key of the right one."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)

    index: Text
    wikipedia_index: Text
    sentence: Text
    options: list[str]
    option_types: list[OptionType]
    labels: list[str]
    answer_key: Text
    choice2_type: str = ""


class PairRow(Row):
    """One sentence with its standard negation (Appendix L.1)."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)

    index: Text
    premise: Text
    hypothesis: Text


@dataclass(frozen=True)
class Item:
    """A sentence and its options by type; the standard negation is the right one."""

    id: str
    page: str
    sentence: str
    options: Mapping[OptionType, str]
    local_type: str | None = None
    """The construction that the local negation negates; None without one."""


@dataclass(frozen=True)
class ItemSet:
    """The items of a split, with the demonstrations that may stand before them."""

    name: str
    items: tuple[Item, ...]
    demonstrations: tuple[Item, ...] = ()
    revision: str | None = None
    """The commit that the hub resolved; None where nothing states one."""

    @cached_property
    def sha256(self) -> str:
        """Hash of the items' content, whatever the format of their file."""
        return _sha256(self.items)

    @cached_property
    def demonstrations_sha256(self) -> str:
        """The same of the demonstrations; empty without any."""
        return _sha256(self.demonstrations) if self.demonstrations else ""


def _sha256(items: Iterable[Item]) -> str:
    rows = [[one.id, one.page, one.sentence, one.local_type, dict(one.options)] for one in items]
    return json_sha256(rows)


def load_items(
    dataset: str, split: str, *, with_demonstrations: bool, revision: str | None = None
) -> ItemSet:
    """Load the items of a split.

    Args:
        dataset: `builtin`, a name on the Hugging Face hub, a folder in the layout of the public
            set, or a CSV, JSONL, JSON, YAML or Parquet file with its columns (one split).
        split: `test`, `validation`, or what the set has; a file has none but `test`.
        with_demonstrations: Load the split that demonstrations come from, too.
        revision: Commit, tag or branch on the hub.

    Raises:
        DataError: the data are not there, not accessible, or break the schema; names the row.
    """
    rows, commit = _rows(dataset, CHOICE_CONFIG, split, revision)
    items = _items(rows, f"{dataset} ({split})")
    demonstrations: tuple[Item, ...] = ()
    if with_demonstrations:
        place = local_path(dataset)
        if place is not None and place.is_file():
            raise DataError(
                f"{dataset} is one file, and demonstrations come from another split: give a folder "
                f"with {CHOICE_CONFIG}/{split} and {CHOICE_CONFIG}/{DEMONSTRATIONS}, or shots=0"
            )
        shown, same = _rows(dataset, CHOICE_CONFIG, DEMONSTRATIONS, revision)
        if same != commit:
            raise DataError(
                f"{dataset}: items are of commit {commit}, demonstrations of {same}: set revision"
            )
        demonstrations = _items(shown, f"{dataset} ({DEMONSTRATIONS})")
    return ItemSet(dataset, items, demonstrations, commit)


def load_pairs(dataset: str, split: str = "train", revision: str | None = None) -> list[PairRow]:
    """Load the sentence-negation pairs.

    Raises:
        DataError: as for `load_items`.
    """
    rows, _ = _rows(dataset, PAIR_CONFIG, split, revision)
    return validate_rows(PairRow, rows, f"{dataset} ({split})")


def answer_position(labels: Sequence[str], answer_key: str) -> int:
    """The place of the right option: its key is looked up among the labels, never taken as one.

    Raises:
        DataError: the key is no label, or labels several options.
    """
    places = [place for place, label in enumerate(labels) if label.strip() == answer_key.strip()]
    if len(places) != 1:
        raise DataError(
            f"invalid labels: the answer key {answer_key!r} is "
            f"{'not one' if not places else 'more than one'} of the labels {', '.join(labels)}"
        )
    return places[0]


def _rows(
    dataset: str, config: str, split: str, revision: str | None
) -> tuple[list[dict[str, Any]], str | None]:
    """Rows of one split and the commit they are from; an empty cell is None."""
    path = local_path(dataset)
    if revision is not None and (dataset == "builtin" or path is not None):
        raise DataError(f"revision={revision!r} is for data sets on the hub, and {dataset} is none")
    if dataset == "builtin":
        if (config, split) not in BUILTIN_FILES:
            raise unknown_name("split", split, [name for of, name in BUILTIN_FILES if of == config])
        file = dataset_path(BUILTIN_FILES[config, split])
        return read_rows(file, "items", keep_empty=True), None
    if path is not None and path.is_file():
        if split != FILE_SPLITS[config]:
            raise DataError(f"split={split!r}: {dataset} is one file, which has no splits")
        return read_rows(path, "items", keep_empty=True), None
    if path is None and not _may_be_on_hub(dataset):
        raise DataError(
            f"dataset={dataset!r} is neither builtin, nor a file or folder, nor a name owner/name "
            "on the Hugging Face hub"
        )
    loaded = load_rows(dataset, config, split, revision)
    return loaded.rows, loaded.revision


def _may_be_on_hub(dataset: str) -> bool:
    """Whether a name has the form owner/name, and looks like no path of a file."""
    is_name = dataset.count("/") == 1 and suffix_of(dataset) not in FILE_SUFFIXES
    return is_name and len(dataset) <= LONGEST_NAME and not dataset.startswith((".", "/", "~"))


def _items(rows: list[dict[str, Any]], place: str) -> tuple[Item, ...]:
    """Checked items; an empty option is no option."""
    labelled = bool(rows) and "options" in rows[0]
    _check_columns(LabelledRow if labelled else ItemRow, rows, place)
    rows = [{name: cell for name, cell in row.items() if cell is not None} for row in rows]
    if labelled:
        items = [_labelled_item(row, place) for row in validate_rows(LabelledRow, rows, place)]
    else:
        items = [_item(row) for row in validate_rows(ItemRow, rows, place)]
    require_unique((item.id for item in items), place)
    for item in items:
        if list(item.options.values()).count(item.options[OptionType.STANDARD]) > 1:
            raise DataError(f"{place}: item {item.id!r}: another option has the right one's text")
        if len(item.options) < 2:
            raise DataError(f"{place}: item {item.id!r} has a single option")
    return tuple(items)


def _check_columns(row_type: type[Row], rows: list[dict[str, Any]], place: str) -> None:
    """Check for the column of local negations: without it each item would have three options.

    Other columns are ignored; one that may be a known column misspelt is named in a warning.
    """
    columns = list(dict.fromkeys(str(name) for row in rows for name in row))
    unknown = [name for name in columns if name not in row_type.model_fields]
    for known in (name for name in row_type.model_fields if name not in columns):
        near = get_close_matches(known, unknown, n=1, cutoff=0.8)
        if known == "choice2":
            raise DataError(
                f"{place}: there is no column 'choice2'"
                + (f" (is it {near[0]!r}?)" if near else "")
                + f": the columns are {', '.join(columns)}; where a sentence has no local negation "
                "its cell stays empty"
            )
        if near:
            logger.warning("%s: the column %r is ignored (did you mean %r?)", place, near[0], known)


def _item(row: ItemRow) -> Item:
    return _with_options(row, zip(OptionType, _choices(row), strict=True))


def _choices(row: ItemRow) -> tuple[str, ...]:
    return (row.choice1, row.choice2, row.choice3, row.choice4)


def _labelled_item(row: LabelledRow, place: str) -> Item:
    where = f"{place}: item {row.index!r}"
    if not len(row.options) == len(row.labels) == len(row.option_types):
        raise DataError(f"{where}: options, labels and option_types differ in number")
    try:
        right = answer_position(row.labels, row.answer_key)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    if row.option_types[right] != OptionType.STANDARD or not row.options[right].strip():
        raise DataError(f"{where}: the answer key does not name a {OptionType.STANDARD}")
    if len(set(row.option_types)) < len(row.option_types):
        raise DataError(f"{where}: a type occurs twice among the options")
    return _with_options(row, zip(row.option_types, row.options, strict=True))


def _with_options(row: ItemRow | LabelledRow, texts: Iterable[tuple[OptionType, str]]) -> Item:
    options = {kind: text.strip() for kind, text in texts if text.strip()}
    local_type = (row.choice2_type.strip() or UNSPECIFIED) if OptionType.LOCAL in options else None
    return Item(row.index, row.wikipedia_index, row.sentence, options, local_type)
