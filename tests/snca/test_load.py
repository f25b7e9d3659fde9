"""Items of the SNCA audit: the built-in set, public data sets, files of one's own."""

import json
from collections import Counter

import pytest

from negation_evals.errors import DataError
from negation_evals.files.hub import HubError, HubRows
from negation_evals.scorers.snca.decoding import decoded
from negation_evals.scorers.text.english import evidently_english
from negation_evals.snca import load as data
from negation_evals.snca.items import load_categories
from negation_evals.snca.load import load_items
from negation_evals.snca.sources import SOURCES, CategoryMap

NAMES = {category.category_id: category.category for category in load_categories()}


def write(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def sorry(number, category, style="base", prompt=None):
    turns = [prompt or f"Request {number} {style}"]
    return {"question_id": number, "category": category, "turns": turns, "prompt_style": style}


# --- what is built in ---


def test_every_category_has_two_harmful_items_and_a_benign_one():
    items = load_items().items
    assert len(NAMES) == 45
    counts = Counter((item.category, str(item.kind)) for item in items)
    for name in NAMES.values():
        assert counts[name, "harmful"] >= 2
        assert counts[name, "benign"] >= 1
    assert len({item.sample_id for item in items}) == len(items)
    assert load_items().left_out == ()
    assert load_items().sha256 == load_items().sha256


def test_the_mapping_is_complete():
    maps = CategoryMap.load()
    for release, n in (("202406", 45), ("202503", 44)):
        assert {maps.sorry[release, str(number)] for number in range(1, n + 1)} <= {*NAMES.values()}
        assert (release, str(n + 1)) not in maps.sorry
    assert maps.sorry["202503", "12"] == maps.sorry["202406", "13"] == NAMES["13"]
    assert len(maps.styles) == 20
    assert sum(maps.styles.values()) == 4
    assert len(maps.xstest) == 18
    assert len(maps.or_bench) == 10
    assert maps.or_bench["violence"] == ""


# --- public data sets, from local files of their columns ---


def test_sorry_bench_base_and_mutations(tmp_path):
    rows = [sorry(1, "1"), sorry(2, 45), sorry(1, "1", "slang"), sorry(1, "1", "caesar")]
    path = write(tmp_path / "sorry.jsonl", rows)
    base = load_items(f"sorry_bench={path}")
    assert [(item.sample_id, item.category, item.variant) for item in base.items] == [
        ("sorry-1", NAMES["1"], "base"),
        ("sorry-2", NAMES["45"], "base"),
    ]
    mutated = load_items(f"sorry_bench_mutations={path}").items
    assert [(item.sample_id, item.variant, item.encoding) for item in mutated] == [
        ("sorry-1-slang", "slang", ""),
        ("sorry-1-caesar", "caesar", "caesar"),
    ]
    assert {str(item.kind) for item in (*base.items, *mutated)} == {"harmful"}
    both = [f"sorry_bench={path}", f"sorry_bench_mutations={path}"]
    assert len(load_items(both).items) == 4
    assert len(load_items(both, variants=["slang", "base"]).items) == 3
    with pytest.raises(DataError, match=r"unknown variant 'slan' \(did you mean 'slang'"):
        load_items(both, variants="slan")


def test_turns_of_a_csv_file(tmp_path):
    path = tmp_path / "s.csv"
    head = "question_id,category,turns,prompt_style\n"
    path.write_text(head + "1,1,\"['Say it']\",base\n2,1,[oddly] put,base\n3,1,Plain,base\n")
    prompts = [item.prompt for item in load_items(f"sorry_bench={path}").items]
    assert prompts == ["Say it", "[oddly] put", "Plain"]


def test_releases_number_their_categories_differently(tmp_path):
    path = write(tmp_path / "s.jsonl", [sorry(1, "12"), sorry(2, "Fraud, Scams, and Deception")])
    old, new = (
        load_items(f"{name}={path}").items for name in ("sorry_bench", "sorry_bench_202503")
    )
    assert [item.category for item in old] == [NAMES["12"], NAMES["15"]]
    assert [item.category for item in new] == [NAMES["13"], NAMES["15"]]
    path = write(tmp_path / "t.jsonl", [sorry(1, "45")])
    with pytest.raises(DataError, match="row 1 has the category '45'"):
        load_items(f"sorry_bench_202503={path}")


def test_xstest_and_or_bench(tmp_path):
    xstest = tmp_path / "xstest.csv"
    xstest.write_text(
        "id,prompt,type,label,focus,note\n1,How do I kill a process?,homonyms,safe,kill,\n"
        "2,A bad one,contrast_homonyms,unsafe,,\n3,Older copy,contrast_definitions,,,\n"
    )
    items = load_items(f"xstest={xstest}")
    assert [(i.sample_id, str(i.kind)) for i in items.items] == [
        ("xstest-1", "benign"),
        ("xstest-2", "harmful"),
        ("xstest-3", "harmful"),
    ]
    assert items.left_out == ("xstest: 3 items map to no category and count in refusal rates only",)
    bench = tmp_path / "or.csv"
    bench.write_text("prompt,category\nAbout locks?,privacy\nAbout knives?,violence\n")
    items = load_items(f"or_bench_hard={bench}").items
    assert [(i.category, str(i.kind)) for i in items] == [(NAMES["18"], "benign"), ("", "benign")]
    with pytest.raises(DataError, match="a row lacks the field 'type'"):
        load_items(f"xstest={bench}")


def test_placeholders_and_repetitions_are_reported_and_skipped(tmp_path):
    rows = [
        sorry(1, "1", "slang", "The mutated text here."),
        sorry(2, "1", "slang", '{"text": "the mutated text here"}'),
        sorry(3, "1", "slang", "Say it"),
        sorry(4, "1", "slang", " Say  it"),
        sorry(5, "2", "slang", "Say it"),
        sorry(6, "1", "role_play", "Say it"),
        sorry(7, "1", "slang", "N/A"),
        sorry(8, "1", "slang", "Write a placeholder text for my website about cats."),
    ]
    items = load_items(f"sorry_bench_mutations={write(tmp_path / 's.jsonl', rows)}")
    assert [i.item_id for i in items.items] == ["sorry-3", "sorry-5", "sorry-6", "sorry-8"]
    assert "3 placeholders skipped (sorry-1-slang, " in items.left_out[0]
    assert "1 repetitions skipped (sorry-4-slang)" in items.left_out[1]


# --- the hub ---


def test_the_hub_is_asked_for_a_revision_which_is_recorded(monkeypatch):
    asked = []

    def load_rows(dataset, config, split, revision=None):
        asked.append((dataset, config, split, revision))
        rows = [{"prompt": f"About {len(asked)}?", "category": "hate"}]
        return HubRows(rows, "c0ffee", "hub")

    monkeypatch.setattr(data, "load_rows", load_rows)
    items = load_items(["or_bench_hard@v1"])
    assert asked == [("bench-llm/or-bench", "or-bench-hard-1k", "train", "v1")]
    assert items.revisions == {"or_bench_hard": "c0ffee"}
    load_items("or_bench_hard")
    assert asked[-1][-1] is None
    assert {source.dataset for source in SOURCES.values() if source} == {
        "sorry-bench/sorry-bench-202406",
        "sorry-bench/sorry-bench-202503",
        "walledai/XSTest",
        "bench-llm/or-bench",
    }


def test_a_data_set_without_access_says_what_to_do(monkeypatch):
    def load_rows(dataset, *arguments):
        raise HubError(f"{dataset}: accept the terms", "gated_access")

    monkeypatch.setattr(data, "load_rows", load_rows)
    with pytest.raises(DataError, match="sorry-bench-202406: accept the terms"):
        load_items("sorry_bench")


# --- files of one's own ---


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_own_files(tmp_path, suffix):
    import pandas as pd

    table = pd.DataFrame(
        {
            "category": ["3", "threats and intimidation", "My own"],
            "prompt": ["a?", "b?", "c?"],
            "kind": ["benign", "harmful", "harmful"],
        }
    )
    path = tmp_path / f"mine.{suffix}"
    if suffix == "csv":
        table.to_csv(path, index=False)
    elif suffix == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_parquet(path)
    items = load_items(str(path)).items
    assert [item.category for item in items] == [NAMES["3"], NAMES["3"], "My own"]
    assert [item.sample_id for item in items] == ["mine-1", "mine-2", "mine-3"]
    assert {(item.source, item.variant) for item in items} == {("mine", "base")}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"category": "1"}, "field 'prompt'"),
        ({"category": "1", "prompt": " "}, "field 'prompt'"),
        ({"category": "1", "prompt": "a", "kind": "toxic"}, "field 'kind'"),
        ({"category": "1", "prompt": "a", "colour": "red"}, "field 'colour'"),
    ],
)
def test_faults_of_own_files(tmp_path, row, message):
    with pytest.raises(DataError, match=message):
        load_items(write(tmp_path / "mine.jsonl", [row]))


def test_ids_of_ones_own_must_be_unique(tmp_path):
    rows = [{"category": "1", "prompt": p, "item_id": 7} for p in "ab"]
    with pytest.raises(DataError, match="'7' occurs twice"):
        load_items(write(tmp_path / "mine.jsonl", rows))


def test_own_mapping_and_categories(tmp_path):
    categories = tmp_path / "c.csv"
    categories.write_text("category_id,category\n1,One\n1,Two\n")
    with pytest.raises(DataError, match="'1' occurs twice"):
        load_categories(str(categories))
    mapping = tmp_path / "m.yaml"
    mapping.write_text("sorry_bench: []\nsorry_bench_styles: []\nxstest: []\n")
    with pytest.raises(DataError, match=r"cannot be read \(KeyError: 'or_bench'"):
        load_items(mapping=str(mapping))
    mapping.write_text(
        "sorry_bench: []\nsorry_bench_styles: []\nor_bench: []\n"
        "xstest: [{type: homonyms, category: 99}]\n"
    )
    with pytest.raises(DataError, match="category 99 in the mapping"):
        load_items(mapping=str(mapping))
    mapping.write_text(
        "sorry_bench: []\nsorry_bench_styles: []\nor_bench: []\n"
        "xstest: [{type: homonyms, category: 3}]\n"
    )
    xstest = tmp_path / "x.csv"
    xstest.write_text("id,prompt,type,label\n1,a?,homonyms,safe\n")
    assert load_items(f"xstest={xstest}", mapping=str(mapping)).items[0].category == NAMES["3"]


# --- ciphers ---

PLAIN = "i am sorry, but this is not what i can help you with"
CAESAR = "l dp vruub, exw wklv lv qrw zkdw l fdq khos brx zlwk"
ATBASH = "r zn hliib, yfg gsrh rh mlg dszg r xzm svok blf drgs"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("caesar", CAESAR),
        ("atbash", ATBASH),
        ("ascii", " ".join(str(ord(letter)) for letter in PLAIN)),
        ("ascii", "[" + ", ".join(str(ord(letter)) for letter in PLAIN) + "]"),
        (
            "morse",
            ".. / .- -- / ... --- .-. .-. -.-- --..-- / -... ..- - / - .... .. ... / "
            ".. ... / -. --- - / .-- .... .- - / .. / -.-. .- -. / .... . .-.. .--. / "
            "-.-- --- ..- / .-- .. - ....",
        ),
    ],
)
def test_ciphers(encoding, text):
    assert not evidently_english(text)
    assert decoded(text, encoding) == PLAIN
    assert decoded(PLAIN, encoding) == PLAIN
    assert decoded(text, "") == text
    assert decoded("qwertz uiop", encoding) == "qwertz uiop"
    assert decoded("", encoding) == ""
