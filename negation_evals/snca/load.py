"""Load the items of the audit: built in, from the hub, or from a user's file."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from negation_evals.errors import DataError, unknown_name
from negation_evals.files.bundled import dataset_path
from negation_evals.files.hub import load_rows
from negation_evals.files.rows import read_rows
from negation_evals.files.validation import require_unique, validate_rows
from negation_evals.schema.snca import Kind
from negation_evals.snca.items import Item, ItemRow, ItemSet
from negation_evals.snca.sources import SOURCES, CategoryMap


def load_items(
    sources: str | Sequence[str] = "builtin",
    variants: str | Sequence[str] | None = None,
    mapping: str | None = None,
) -> ItemSet:
    """The items of one or more sources.

    Args:
        sources: Names of `SOURCES`, each also as `name@revision` (a commit, tag or branch of the
            hub) or `name=path` (a local file with the columns of that data set); or paths of files
            with category, prompt and, if wanted, kind, source, variant and item_id.
        variants: Only items of these variants.
        mapping: A file like `datasets/snca_mapping.yaml` in its place.

    Raises:
        DataError: an unknown source or variant, a file with a fault, or a data set of the hub
            that cannot be loaded; says what to do.
    """
    names = as_names("items", sources)
    maps = CategoryMap.load(mapping)
    items: list[Item] = []
    revisions: dict[str, str] = {}
    left_out: list[str] = []
    for name in names:
        found, revision = _load_source(name, maps)
        kept = list(_usable(found, name, left_out))
        if not kept:
            raise DataError(f"items={name!r}: every row is a placeholder: nothing to ask")
        items += kept
        if revision:
            revisions[name.partition("@")[0]] = revision
    items = _of_variants(items, variants)
    known = set(maps.categories.values())
    if others := sorted({item.category for item in items if item.category} - known):
        shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if others[3:] else "")
        left_out.append(
            f"not among the built-in categories: {shown}; their items count where a policy names "
            "the category alike"
        )
    unmapped = Counter(item.source for item in items if not item.category)
    left_out += [
        f"{source}: {n} items map to no category and count in refusal rates only"
        for source, n in unmapped.items()
    ]
    require_unique((item.sample_id for item in items), Path(",".join(names)))
    return ItemSet(",".join(names), tuple(items), revisions, tuple(left_out))


def _own_rows(rows: list[dict[str, Any]], maps: CategoryMap, path: Path) -> list[Item]:
    items = []
    for number, row in enumerate(validate_rows(ItemRow, rows, path), start=1):
        category = maps.categories.get(row.category.lower(), row.category)
        source = row.source or path.stem
        identifier = row.item_id or f"{source}-{number}"
        items.append(Item(category, row.kind, identifier, source, row.variant, row.prompt))
    return items


def _load_source(entry: str, maps: CategoryMap) -> tuple[list[Item], str | None]:
    """The items of one entry, and the commit that the hub resolved."""
    name = re.split("[@=]", entry, maxsplit=1)[0]
    if name not in SOURCES:
        path = Path(entry).expanduser()
        if not path.is_file():
            raise unknown_name("items", entry, [*SOURCES, "or the path of a file"])
        return _own_rows(read_rows(path, "items"), maps, path), None
    source, rest = SOURCES[name], entry[len(name) :]
    if source is None and rest:
        raise DataError(f"items={entry!r}: {name} has no revisions and no copies: write {name}")
    if source is None:
        path = dataset_path("snca_items.csv")
        return _own_rows(read_rows(path, "items"), maps, path), None
    revision = None
    if rest.startswith("="):
        path = Path(rest[1:]).expanduser()
        if not path.exists():
            raise DataError(f"items={entry!r}: there is no file or folder {path}")
        if path.is_dir():
            rows = load_rows(str(path), source.config, source.split).rows
        else:
            rows = read_rows(path, "items")
    else:
        loaded = load_rows(source.dataset, source.config, source.split, rest[1:] or None)
        rows, revision = loaded.rows, loaded.revision
    try:
        items = source.read(rows, maps, entry)
    except (KeyError, TypeError) as error:
        raise DataError(
            f"{entry}: a row lacks the field {error}: it has not the columns of {source.dataset}"
        ) from error
    if not items:
        raise DataError(f"{entry}: none of its {len(rows)} rows is an item of {name}")
    return items, revision


_PLACEHOLDER: Final = re.compile(
    r"(?:.{0,60}\b)?(?:mutated|rewritten|translated|modified|paraphrased)"
    r" (?:text|prompt|question|sentence|version|request)(?: goes)? here(?:\b.{0,60})?"
    r"|placeholder(?: text| prompt)?|lorem ipsum\b.*|none|null|nan|n/?a|todo|tbd|",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_PLACEHOLDER: Final = 200


def _usable(items: Iterable[Item], name: str, left_out: list[str]) -> Iterable[Item]:
    """The items that ask something, each once; what is skipped is written down."""
    seen: dict[tuple[str, str, str, str], Kind] = {}
    empty: list[str] = []
    repeated: list[str] = []
    for item in items:
        prompt = " ".join(item.prompt.split())
        key = (item.source, item.variant, item.category, prompt)
        if len(prompt) <= _LONGEST_PLACEHOLDER and _PLACEHOLDER.fullmatch(
            prompt.strip(" .[]<>{}()\"'")
        ):
            empty.append(item.sample_id)
        elif key not in seen:
            seen[key] = item.kind
            yield item
        elif seen[key] == item.kind:
            repeated.append(item.sample_id)
        else:
            raise DataError(
                f"{name}: {item.sample_id}: the same prompt is harmful in one row and benign in "
                "another: its kind decides what is predicted"
            )
    for what, ids in (("placeholders", empty), ("repetitions", repeated)):
        if ids:
            shown = ", ".join(ids[:3]) + (" ..." if len(ids) > 3 else "")
            left_out.append(f"{name}: {len(ids)} {what} skipped ({shown})")


def as_names(argument: str, value: object) -> list[str]:
    """One name, or several; `-T` brings any YAML value.

    Raises:
        DataError: the value is neither, or names nothing.
    """
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not names:
        raise DataError(f"{argument}={value!r} is neither a name nor a list of names")
    for name in names:
        if not isinstance(name, str) or not name:
            raise DataError(f"{argument}={value!r}: {name!r} is not a name")
    return list(names)


def _of_variants(items: list[Item], variants: str | Sequence[str] | None) -> list[Item]:
    if variants is None:
        return items
    wanted = as_names("variants", variants)
    known = list(dict.fromkeys(item.variant for item in items))
    for variant in wanted:
        if variant not in known:
            raise unknown_name("variant", str(variant), known)
    return [item for item in items if item.variant in wanted]
