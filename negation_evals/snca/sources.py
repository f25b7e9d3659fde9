"""Public data sets of the audit: where they lie, and which of our categories their rows belong to.

The mapping is `datasets/snca_mapping.yaml`, with its reasons: the paper does not publish one.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from negation_evals.errors import DataError
from negation_evals.files.bundled import dataset_path
from negation_evals.files.strict import load_yaml
from negation_evals.schema.snca import BASE, Kind
from negation_evals.snca.items import Item, load_categories


@dataclass(frozen=True)
class CategoryMap:
    """Which category a benchmark's own category stands for; empty where for none."""

    categories: Mapping[str, str]
    """Id or lower-case name of a category -> its name."""
    sorry: Mapping[tuple[str, str], str]
    """(release, number or lower-case name) -> category."""
    styles: Mapping[str, bool]
    """SORRY-Bench's mutation styles -> is the text encoded."""
    xstest: Mapping[str, str]
    or_bench: Mapping[str, str]

    @classmethod
    def load(cls, source: str | None = None) -> "CategoryMap":
        """Read the built-in mapping or a user's.

        Raises:
            DataError: the file cannot be read, or an entry lacks a field or names no category.
        """
        path = Path(source).expanduser() if source else dataset_path("snca_mapping.yaml")
        names: dict[str, str] = {}
        for category in load_categories():
            names[category.category_id] = names[category.category.lower()] = category.category
        try:
            content = load_yaml(path.read_text(encoding="utf-8-sig"))
            sorry: dict[tuple[str, str], str] = {}
            for entry in content["sorry_bench"]:
                to = _target(entry, names)
                for release, number in entry["numbers"].items():
                    if number is not None:
                        sorry[str(release), str(number)] = to
                        sorry[str(release), entry["name"].lower()] = to
            return cls(
                names,
                sorry,
                {
                    str(style["style"]): bool(style["decode"])
                    for style in content["sorry_bench_styles"]
                },
                {str(entry["type"]): _target(entry, names) for entry in content["xstest"]},
                {str(e["category_label"]): _target(e, names) for e in content["or_bench"]},
            )
        except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise DataError(
                f"mapping {path}: cannot be read ({reason}): expected the form of "
                "datasets/snca_mapping.yaml"
            ) from error


def _target(entry: Mapping[str, Any], names: Mapping[str, str]) -> str:
    category = entry["category"]
    if category is None:
        return ""
    if str(category).lower() not in names:
        raise DataError(f"category {category!r} in the mapping is none of snca_categories.csv")
    return names[str(category).lower()]


Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Source:
    """A public data set: where it lies, and how its rows become items."""

    dataset: str
    config: str | None
    split: str
    read: Callable[[Rows, CategoryMap, str], list[Item]]


def _sorry_bench(release: str, mutated: bool) -> Callable[[Rows, CategoryMap, str], list[Item]]:
    def read(rows: Rows, maps: CategoryMap, name: str) -> list[Item]:
        items = []
        for number, row in enumerate(rows, start=1):
            style = str(row.get("prompt_style") or BASE)
            if (style != BASE) != mutated:
                continue
            category = str(row["category"]).strip().lower()
            if (release, category) not in maps.sorry:
                raise DataError(
                    f"{name}: row {number} has the category {row['category']!r}, which the mapping "
                    f"does not have for release {release}"
                )
            items.append(
                Item(
                    maps.sorry[release, category],
                    Kind.HARMFUL,
                    f"sorry-{row['question_id']}",
                    "sorry_bench",
                    style,
                    _first_turn(row["turns"]),
                    style if maps.styles.get(style) else "",
                )
            )
        return items

    return read


def _first_turn(turns: object) -> str:
    """The one request of a row: a list, or in a CSV file the text of one."""
    if isinstance(turns, str) and turns.lstrip().startswith("["):
        try:
            turns = ast.literal_eval(turns.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return str(turns)
    first = turns[0] if isinstance(turns, list | tuple) and turns else turns
    return str(first or "")


def _xstest(rows: Rows, maps: CategoryMap, name: str) -> list[Item]:
    items = []
    for number, row in enumerate(rows, start=1):
        group = str(row["type"])
        # Older copies have no label; their unsafe types all begin with contrast_.
        label = str(row.get("label") or ("unsafe" if group.startswith("contrast_") else "safe"))
        kind = {"safe": Kind.BENIGN, "unsafe": Kind.HARMFUL}.get(label.lower())
        if kind is None:
            raise DataError(
                f"{name}: row {number} has the label {label!r}: neither safe nor unsafe"
            )
        identifier = f"xstest-{row.get('id') or number}"
        category = maps.xstest.get(group, "")
        items.append(Item(category, kind, identifier, "xstest", BASE, str(row["prompt"] or "")))
    return items


def _or_bench(rows: Rows, maps: CategoryMap, name: str) -> list[Item]:
    return [
        Item(
            maps.or_bench.get(str(row["category"]), ""),
            Kind.BENIGN,
            f"orbench-{number}",
            "or_bench_hard",
            BASE,
            str(row["prompt"] or ""),
        )
        for number, row in enumerate(rows, start=1)
    ]


_SORRY_06, _SORRY_03 = "sorry-bench/sorry-bench-202406", "sorry-bench/sorry-bench-202503"

SOURCES: Final[dict[str, Source | None]] = {
    "builtin": None,
    "sorry_bench": Source(_SORRY_06, None, "train", _sorry_bench("202406", False)),
    "sorry_bench_mutations": Source(_SORRY_06, None, "train", _sorry_bench("202406", True)),
    "sorry_bench_202503": Source(_SORRY_03, None, "train", _sorry_bench("202503", False)),
    "sorry_bench_202503_mutations": Source(_SORRY_03, None, "train", _sorry_bench("202503", True)),
    "xstest": Source("walledai/XSTest", None, "test", _xstest),
    "or_bench_hard": Source("bench-llm/or-bench", "or-bench-hard-1k", "train", _or_bench),
}
"""What `items` can name. Loaded from the hub when asked for; never shipped."""
