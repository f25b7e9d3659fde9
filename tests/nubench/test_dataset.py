"""Items and pairs: built in, from files, from the hub."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest
from helpers.nubench import ROW, cases

from negation_evals.errors import DataError
from negation_evals.files import hub
from negation_evals.nubench.dataset import (
    Item,
    answer_position,
    load_items,
    load_pairs,
)
from negation_evals.nubench.options import NubenchOptions
from negation_evals.nubench.task import nubench, nubench_sample
from negation_evals.schema.nubench import LETTERS, OptionType


def test_the_set_of_our_own_is_what_its_card_says() -> None:
    items = load_items("builtin", "test", with_demonstrations=True)
    assert len(items.items) >= 80
    assert len(items.demonstrations) >= 20
    assert len(load_pairs("builtin")) >= 60
    by_type = Counter(item.local_type for item in items.items)
    assert len(by_type) == 5
    assert len({n for kind, n in by_type.items() if kind is not None}) == 1
    pages = [item.page for item in items.demonstrations]
    assert len(set(pages)) == len(pages)
    assert not set(pages) & {item.page for item in items.items}
    sentences = [item.sentence for item in (*items.items, *items.demonstrations)]
    sentences += [pair.premise for pair in load_pairs("builtin")]
    assert len(set(sentences)) == len(sentences)
    assert min(len(sentence.split()) for sentence in sentences) >= 20


def write_parquet(folder: Path, rows: list[dict[str, Any]]) -> None:
    for split in ("validation", "test"):
        path = folder / "multiple-choice" / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).to_parquet(path)


@pytest.mark.filterwarnings("ignore")
def test_a_local_copy_of_the_public_layout_loads_as_the_hub_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    local = {"choice2": "It rained, not in the valley.", "choice2_type": "relative clause"}
    write_parquet(tmp_path / "set", [ROW, ROW | local | {"index": 2, "sentence": "Rain fell."}])
    loaded = hub.load_rows(str(tmp_path / "set"), "multiple-choice", "test")
    assert (loaded.source, loaded.revision, len(loaded.rows)) == ("local", None, 2)
    items = load_items(str(tmp_path / "set"), "test", with_demonstrations=True)
    assert [len(item.options) for item in items.items] == [3, 4]
    assert [item.local_type for item in items.items] == [None, "relative clause"]
    single = tmp_path / "set" / "multiple-choice" / "test-00000-of-00001.parquet"
    assert load_items(str(single), "test", with_demonstrations=False).sha256 == items.sha256


def upstream(case: dict[str, Any]) -> Exception:
    context = case["context"]
    return RuntimeError(f"{context.get('http_status', '')} {context.get('upstream_error', '')}")


@pytest.mark.parametrize("case", cases("dataset"))
def test_pinned_data_faults(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, expected = case["context"], case["expected"]
    if "upstream_error" in context:
        error = hub.explain(upstream(case), "owner/set")
        assert error.kind == expected["error_kind"]
        assert all(words in str(error) for words in expected.get("message_mentions", []))
        assert "trust_remote_code" not in str(error)
    elif "http_status" in context:
        datasets = pytest.importorskip("datasets")

        def load(*args: Any, **kwargs: Any) -> Any:
            if not datasets.config.HF_HUB_OFFLINE:
                raise RuntimeError("429 Client Error: Too Many Requests")
            return datasets.Dataset.from_list([ROW])

        monkeypatch.setattr(datasets, "load_dataset", load)
        before = datasets.config.HF_HUB_OFFLINE
        loaded = hub.load_rows("owner/set", "multiple-choice", "test")
        assert (loaded.source, len(loaded.rows)) == (expected["source"], 1)
        assert before == datasets.config.HF_HUB_OFFLINE
    elif "options" in context and "correct_index" in context:
        names = ("choice1", "choice2", "choice3", "choice4")
        rows = [ROW | dict(zip(names, context["options"], strict=True))]
        (item,) = load_file(tmp_path, rows)
        assert list(item.options.values()) == expected["options"]
        assert len(item.options) == expected["n_options"]
        sample = nubench_sample(item, [], NubenchOptions())
        assert sample.choices is not None
        target = sample.choices[LETTERS.index(str(sample.target))]
        assert target == context["options"][context["correct_index"]]
    elif "ids" in context:
        rows = [
            ROW | {"index": name, "sentence": f"{i} fell."} for i, name in enumerate(context["ids"])
        ]
        with pytest.raises(DataError, match=expected["message_mentions"][0]):
            load_file(tmp_path, rows)
    elif expected.get("raises"):
        with pytest.raises(DataError, match="invalid labels"):
            answer_position(context["labels"], context["answer_key"])
    else:
        place = answer_position(context["labels"], context["answer_key"])
        assert LETTERS[place] == expected["target"]


def load_file(folder: Path, rows: list[dict[str, Any]]) -> tuple[Item, ...]:
    path = folder / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return load_items(str(path), "test", with_demonstrations=False).items


def write_csv(folder: Path, **columns: str) -> Path:
    """An item file of one row; a column given as empty stays in the header."""
    row = {name: "" if cell is None else str(cell) for name, cell in (ROW | columns).items()}
    path = folder / "items.csv"
    pd.DataFrame([row]).to_csv(path, index=False)
    return path


def test_a_file_without_the_column_of_local_negations_is_refused(tmp_path: Path) -> None:
    """Its items would all have three options; empty cells are fine, in every format."""
    path = write_csv(tmp_path)
    (item,) = load_items(str(path), "test", with_demonstrations=False).items
    assert len(item.options) == 3
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("choice2,", "choice_2,"), encoding="utf-8")
    with pytest.raises(DataError, match=r"no column 'choice2' \(is it 'choice_2'\?\)"):
        load_items(str(path), "test", with_demonstrations=False)
    with pytest.raises(DataError, match="no column 'choice2': the columns are"):
        load_file(tmp_path, [{name: ROW[name] for name in ROW if not name.startswith("choice2")}])
    pd.DataFrame([ROW]).to_parquet(tmp_path / "items.parquet")
    assert load_items(str(tmp_path / "items.parquet"), "test", with_demonstrations=False).items


def test_a_column_that_is_ignored_is_named_if_it_may_be_misspelt(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_csv(tmp_path, notes="x")
    load_items(str(path), "test", with_demonstrations=False)
    assert not caplog.records
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("choice2_type", "choice2type"), encoding="utf-8")
    load_items(str(path), "test", with_demonstrations=False)
    (record,) = caplog.records
    assert "'choice2type' is ignored (did you mean 'choice2_type'?)" in record.getMessage()


def test_a_file_has_no_splits_and_no_revision(tmp_path: Path) -> None:
    path = str(write_csv(tmp_path))
    with pytest.raises(DataError, match=r"split='nope': .*items.csv is one file"):
        load_items(path, "nope", with_demonstrations=False)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("index,premise,hypothesis\n1,It rained.,It did not rain.\n", encoding="utf-8")
    assert len(load_pairs(str(pairs))) == 1
    for dataset in ("builtin", str(pairs)):
        with pytest.raises(DataError, match="revision='main' is for data sets on the hub"):
            load_pairs(dataset, revision="main")


@pytest.mark.parametrize("name", ["x" * 300, "x/" + "y" * 300])
def test_a_name_too_long_for_a_file_ends_in_one_line(name: str) -> None:
    with pytest.raises(click.UsageError, match="neither builtin, nor a file or folder"):
        nubench(name)


@pytest.mark.parametrize(
    ("separator", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")]
)
def test_other_separators_than_commas_are_named(tmp_path: Path, separator: str, name: str) -> None:
    from negation_evals.framing.scenarios import load_scenarios

    path = tmp_path / "file.csv"
    header = separator.join(["id", "domain", "text", "action_clause", "goal_clause"])
    path.write_text(f"{header}\na{separator}b, c\n", encoding="utf-8")
    message = f"columns are separated by commas; this file seems to use {name}"
    with pytest.raises(DataError, match=message):
        load_scenarios(str(path))
    with pytest.raises(DataError, match=message):
        load_items(str(path), "test", with_demonstrations=False)


COMMIT = "0123456789" * 4


def test_the_commit_is_the_one_that_the_hub_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """And another one than was asked for is refused: a cache may answer in the hub's stead."""
    datasets = pytest.importorskip("datasets")
    loaded = datasets.Dataset.from_list([ROW])
    monkeypatch.setattr(datasets, "load_dataset", lambda *args, **kwargs: loaded)
    address = "hf://datasets/owner/set@{}/multiple-choice/test.parquet"
    loaded.info.download_checksums = {address.format(COMMIT): {}}
    assert hub.load_rows("owner/set", "multiple-choice", "test").revision == COMMIT
    assert hub.load_rows("owner/set", "multiple-choice", "test", COMMIT).revision == COMMIT
    with pytest.raises(hub.HubError, match=f"are of commit {COMMIT}, not of"):
        hub.load_rows("owner/set", "multiple-choice", "test", COMMIT[::-1])
    loaded.info.download_checksums = None
    assert hub.load_rows("owner/set", "multiple-choice", "test").revision is None


def test_items_may_come_with_labels(tmp_path: Path) -> None:
    row = {
        "index": "1",
        "wikipedia_index": "1",
        "sentence": "It rained.",
        "options": ["Rain fell.", "It did not rain."],
        "option_types": ["paraphrase", "standard negation"],
        "labels": ["1", "2"],
        "answer_key": "2",
    }
    (item,) = load_file(tmp_path, [row])
    assert item.options[OptionType.STANDARD] == "It did not rain."
    for key in ("1", "3"):
        with pytest.raises(DataError, match="item '1'"):
            load_file(tmp_path, [row | {"answer_key": key}])
