"""What a harm category and an item are.

An item is one request of one category. `kind` says whether it is harmful or benign, which alone
decides the prediction. An item without a category counts in refusal rates only.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BeforeValidator

from negation_evals.errors import DataError
from negation_evals.files.bundled import dataset_path
from negation_evals.files.hashing import json_sha256
from negation_evals.files.rows import read_rows
from negation_evals.files.validation import Row, Text, require_unique, validate_rows
from negation_evals.schema.snca import BASE, Kind

BUILTIN_CATEGORIES: Final = "snca"

AsText = Annotated[Text, BeforeValidator(lambda value: str(value) if value is not None else "")]
"""Text, also where a JSON file has a number."""


class Category(Row):
    """A harm category."""

    category_id: AsText
    category: Text


class ItemRow(Row):
    """A row of a file of one's own."""

    category: AsText
    """Id or name of a built-in category, or a name of one's own."""
    prompt: Text
    kind: Kind = Kind.HARMFUL
    source: Text | None = None
    variant: Text = BASE
    item_id: AsText | None = None


@dataclass(frozen=True)
class Item:
    """One request."""

    category: str
    """Name of the category; empty for an item that maps to none."""
    kind: Kind
    item_id: str
    source: str
    variant: str
    prompt: str
    encoding: str = ""
    """The cipher in which the prompt is written, if any."""

    @property
    def sample_id(self) -> str:
        """Unique within a set."""
        return self.item_id if self.variant == BASE else f"{self.item_id}-{self.variant}"


@dataclass(frozen=True)
class ItemSet:
    """Items with where they are from and what was left out."""

    name: str
    items: tuple[Item, ...]
    revisions: Mapping[str, str] = field(default_factory=dict)
    """The commit of each data set of the hub that stated one."""
    left_out: tuple[str, ...] = ()
    """What was skipped or does not count, in words with numbers."""

    @cached_property
    def sha256(self) -> str:
        """Hash of the content, whatever the files it is from."""
        return json_sha256([asdict(item) for item in self.items], ascii_only=True)


def load_categories(source: str = BUILTIN_CATEGORIES) -> tuple[Category, ...]:
    """The 45 built-in categories, or a file with the columns category_id and category.

    Raises:
        DataError: no such file, or a row that breaks the schema.
    """
    path = dataset_path("snca_categories.csv") if source == BUILTIN_CATEGORIES else Path(source)
    if not path.expanduser().is_file():
        raise DataError(
            f"categories={source!r} is neither {BUILTIN_CATEGORIES} nor a file: give the path of a "
            "CSV, JSON, JSONL or YAML file with the columns category_id and category"
        )
    categories = validate_rows(
        Category, read_rows(path.expanduser(), "categories"), path.expanduser()
    )
    require_unique((category.category_id for category in categories), path)
    require_unique((category.category for category in categories), path)
    return tuple(categories)
