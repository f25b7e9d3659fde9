"""NUBench from end to end: data, prompts, readers, scores, statistics and the report's section."""

import asyncio
import json
import math
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest
from helpers.paths import DATA
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageUser, ModelName, get_model
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from scipy.stats import binomtest

from negation_evals.analysis import (
    choice_accuracy,
    choice_accuracy_over_seeds,
    choice_confusion,
    choice_errors,
    choice_letters,
    compare_choices,
    read_choices,
)
from negation_evals.analysis.common.proportions import clustered_mean, clustered_wilson
from negation_evals.errors import DataError
from negation_evals.files import hub
from negation_evals.models.simulated.test_takers import VIOLATIONS
from negation_evals.nubench.dataset import (
    Item,
    answer_position,
    load_items,
    load_pairs,
)
from negation_evals.nubench.finetuning import export_pairs
from negation_evals.nubench.likelihood import score_candidates
from negation_evals.nubench.options import NubenchOptions
from negation_evals.nubench.prompts import chosen_demonstrations, shown_order
from negation_evals.nubench.task import choose_option, nubench, nubench_sample
from negation_evals.report.nubench.sections import nubench_sections
from negation_evals.report.nubench.tables import CHOICE_TABLES, choice_tables
from negation_evals.report.write import FRAMING_TABLES, write_report
from negation_evals.schema.common import Status
from negation_evals.schema.nubench import LETTERS, OptionType
from negation_evals.scorers.nubench.choice import negation_choice
from negation_evals.scorers.text.letters import read_letter

CASES = [
    json.loads(line)
    for line in (DATA / "parser_cases.jsonl").read_text(encoding="utf-8").splitlines()
]
ROW = {
    "wikipedia_index": 7,
    "index": 1,
    "sentence": "It rained in the valley.",
    "choice1": "It did not rain in the valley.",
    "choice2": None,
    "choice2_type": None,
    "choice2_element": None,
    "choice3": "The valley was dry.",
    "choice4": "Rain fell in the valley.",
}


Run = Callable[..., EvalLog]


def cases(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


# --- reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("choice"))
def test_pinned_replies_are_read(case: dict[str, Any]) -> None:
    context = case["context"]
    reading = read_letter(case["input"], "".join(context["options"]), context["finish_reason"])
    assert reading.letter == case["expected"]["choice"]
    assert (reading.letter is not None) == (reading.status == Status.VALID)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("I don't think the answer is A.", None),
        ("The answer is A.\nNo: the answer is not A.", None),
        ("The answer is not A. The answer is B.", "B"),
        ("Not A; the answer is B", "B"),
        ("The answer is a matter of taste.", None),
        ("**Answer:** B", "B"),
        ('{"answer": "C"}', "C"),
        ("Answer: $LETTER", None),
        ("The correct answer is option (B).", "B"),
        ("A) It rained.\nB) It did not rain.", None),
        ("answer: c) it did not rain", "C"),
        ("A boat sank.", None),
        ("Answer: A farmer in the valley does not own it.", None),
        ("The answer is A because B only negates the clause.", "A"),
        ("The answer is B, I think.", "B"),
        ("The answer is B and I am certain.", "B"),
        ("Option A does not negate the main clause, so the answer is B.", "B"),
        ("There is no doubt the answer is B", "B"),
        ("It is not true that the answer is A.", None),
        ("ANSWER: B\nThis choice: C is a local negation.", "B"),
        ("ANSWER: B\nThe answer is not B alone.", "B"),
        ("Step by step. " * 300 + "ANSWER: D", "D"),
        ("I", None),
        ("d", "D"),
        ("ANSWER: A B C D", None),
        ("ANSWER: A) B) C)", None),
        ("ANSWER: A | B | C | D", None),
        ("ANSWER: B A farmer in the valley does not own it.", "B"),
    ],
)
def test_other_replies_follow_the_same_rules(reply: str, letter: str | None) -> None:
    assert read_letter(reply, "ABCD").letter == letter


@given(st.text(max_size=300), st.sampled_from(["ABC", "ABCD"]))
def test_the_reader_never_raises_and_gives_an_option_or_none(reply: str, letters: str) -> None:
    letter = read_letter(reply, letters).letter
    assert letter is None or letter in letters


# --- data -------------------------------------------------------------------------------------


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


def test_other_demonstrations_are_another_condition(run: Run) -> None:
    log = run("right", {"shots": 1})
    other = log.model_copy(deep=True)
    other.eval.metadata["demonstrations_sha256"] = "f" * 64
    other.eval.task_id = "another"
    table = choice_accuracy(read_choices([log, other]))
    assert len(table) == 2
    assert table["demonstrations"].nunique() == 2


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


# --- the task ---------------------------------------------------------------------------------


def test_the_shuffle_is_pinned_and_fair() -> None:
    """The literal is the permutation of one item: a change would be another benchmark."""
    items = load_items("builtin", "test", with_demonstrations=False).items
    assert "".join(kind.value[0] for kind in shown_order(items[0], 1234)) == "plsc"
    four = [item for item in items if len(item.options) == 4]
    places = Counter(
        shown_order(item, seed).index(OptionType.STANDARD) for item in four for seed in range(50)
    )
    for place in range(4):
        assert binomtest(places[place], 50 * len(four), 0.25).pvalue > 1e-4


def test_demonstrations_are_never_the_item_nor_of_its_page() -> None:
    def item(name: str, page: str) -> Item:
        return Item(name, page, f"Sentence {name}.", {OptionType.STANDARD: "x"})

    pool = [item(str(i), str(i % 4)) for i in range(12)]
    for asked in pool:
        shown = chosen_demonstrations(asked, pool, 5, seed=3)
        assert len(shown) == 5
        assert all(one.page != asked.page for one in shown)
    twin = Item("other", "99", "Sentence 3.", {OptionType.STANDARD: "x"})
    assert "3" not in [one.id for one in chosen_demonstrations(twin, pool, 12, seed=3)]
    with pytest.raises(DataError, match="only 9 demonstrations"):
        nubench_sample(pool[0], pool, NubenchOptions(shots=10, seed=3))


def test_prompts_hold_what_they_should() -> None:
    task = nubench("builtin", shots=1, instructions="detailed")
    sample = task.dataset[0]
    assert sample.input.count("Options:\nA)") == 2
    assert sample.input.count("ANSWER: ") == 2
    assert sample.input.endswith("(A, B, C or D).")
    assert "De Morgan" in sample.input
    assert sample.choices is not None
    assert all(choice in sample.input for choice in sample.choices)
    context = nubench("builtin", shots=1, format="completion").dataset[0].input
    assert context.endswith("Standard negation:")
    assert context.count("Standard negation:") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shots": 3}, "shots=3 is not one of 0, 1, 5, 10"),
        ({"shots": True}, "shots=True is not a whole number"),
        ({"format": "letters"}, "format='letters' is not one of option, completion"),
        ({"cot": True, "format": "completion"}, "need format=option"),
        ({"cot": True, "structured": True}, "exclude each other"),
        ({"split": "train"}, "unknown split 'train'"),
        ({"dataset": "nowhere"}, "neither builtin, nor a file or folder, nor a name"),
        ({"seed": "x"}, "seed='x' is not a whole number"),
    ],
)
def test_wrong_arguments_end_in_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(click.UsageError, match=message):
        nubench(**{"dataset": "builtin"} | arguments)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def evaluate(name: str, task: dict[str, Any] | None = None, **model_args: Any) -> EvalLog:
        (log,) = run_eval(
            nubench("builtin", **task or {}),
            model=get_model(f"simulated/{name}", memoize=False, **model_args),
            log_dir=str(tmp_path / "logs"),
            display="none",
        )
        assert log.status == "success"
        return log

    return evaluate


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {
        name: metric.value for score in log.results.scores for name, metric in score.metrics.items()
    }


ITEMS = load_items("builtin", "test", with_demonstrations=False).items


def by_hand(choose: Callable[[Item, list[OptionType]], OptionType | None]) -> dict[str, float]:
    """The measures, counted item by item from what is chosen; None is a violation."""
    chosen = [(item, choose(item, shown_order(item, 1234))) for item in ITEMS]
    wrong = [kind for _, kind in chosen if kind not in (None, OptionType.STANDARD)]
    found = {
        "accuracy": sum(kind == OptionType.STANDARD for _, kind in chosen) / len(chosen),
        "violations": sum(kind is None for _, kind in chosen) / len(chosen),
    }
    for kind in list(OptionType)[1:]:
        name = f"errors_{kind.value.partition(' ')[0]}"
        found[name] = wrong.count(kind) / len(wrong) if wrong else math.nan
    for local_type in {item.local_type for item in ITEMS} - {None}:
        own = [kind for item, kind in chosen if item.local_type == local_type and kind is not None]
        name = f"local_{str(local_type).replace(' ', '_')}"
        found[name] = own.count(OptionType.LOCAL) / len(own)
    return found


def shortest(item: Item, order: list[OptionType]) -> OptionType:
    return min(order, key=lambda kind: len(item.options[kind]))


def b(item: Item, order: list[OptionType]) -> OptionType | None:
    return order[1] if len(order) > 1 else None


def local(item: Item, order: list[OptionType]) -> OptionType:
    return OptionType.LOCAL if OptionType.LOCAL in order else OptionType.STANDARD


@pytest.mark.parametrize(
    ("habit", "choose"),
    [
        ("right", lambda item, order: OptionType.STANDARD),
        ("local", local),
        ("letter", b),
        ("shortest", shortest),
    ],
)
def test_known_habits_give_the_measures_that_they_must(run: Run, habit: str, choose: Any) -> None:
    log = run(habit)
    expected = by_hand(choose)
    live = metrics(log)
    assert {name: live[name] for name in expected} == pytest.approx(expected, nan_ok=True)
    choices = read_choices(log)
    accuracy = choice_accuracy(choices).iloc[0]
    assert accuracy["accuracy"] == pytest.approx(expected["accuracy"])
    assert accuracy["se"] == pytest.approx(live["stderr"])
    errors = choice_errors(choices).iloc[0]
    for kind in list(OptionType)[1:]:
        wanted = expected[f"errors_{kind.value.partition(' ')[0]}"]
        assert errors[kind.value] == pytest.approx(wanted, nan_ok=True)
    confusion = choice_confusion(choices).set_index("local_type")["confusion"]
    for local_type, value in confusion.items():
        assert value == pytest.approx(expected[f"local_{str(local_type).replace(' ', '_')}"])


def test_always_b_is_at_chance_over_seeds() -> None:
    """Over 40 seeds the right option stands at B as often as chance has it."""
    hits = [
        shown_order(item, seed)[1] == OptionType.STANDARD for item in ITEMS for seed in range(40)
    ]
    chance = np.mean([1 / len(item.options) for item in ITEMS])
    assert binomtest(sum(hits), len(hits), float(chance)).pvalue > 1e-3


def test_violations_are_wrong_and_counted_apart(run: Run) -> None:
    log = run("right", share=0.2, seed=5)
    assert log.samples is not None
    broken = sum(sample.output.completion in VIOLATIONS for sample in log.samples)
    assert 5 < broken < 35
    live = metrics(log)
    assert live["violations"] == pytest.approx(broken / 84)
    assert live["accuracy"] == pytest.approx(1 - broken / 84)
    errors = choice_errors(read_choices(log)).iloc[0]
    assert (errors["n_violations"], errors["n_wrong"], errors["n_valid"]) == (
        broken,
        0,
        84 - broken,
    )
    assert math.isnan(errors["local negation"])
    reasons = {s.scores["negation_choice"].reason for s in log.samples if s.scores}
    assert reasons == {None, "invalid_response_format"}


def test_letters_show_a_habit(run: Run) -> None:
    letters = choice_letters(read_choices(run("letter", letter="C"))).set_index("letter")
    assert letters["chosen"].to_dict() == {"A": 0, "B": 0, "C": 1, "D": 0}
    order = [shown_order(item, 1234) for item in ITEMS]
    right = sum(kinds.index(OptionType.STANDARD) == 2 for kinds in order)
    three = sum(len(kinds) == 3 for kinds in order)
    assert letters.loc["C", "right"] == pytest.approx(right / 84)
    assert three == 4


@pytest.mark.parametrize("structured", [True, False])
def test_the_schema_allows_the_letters_of_the_item(structured: bool) -> None:
    """Of an item with three options the provider must not be asked for a D."""
    asked: list[Any] = []

    async def generate(state: TaskState, **config: Any) -> TaskState:
        asked.append(config.get("response_schema"))
        return state

    for choices in (["x", "y", "z"], ["w", "x", "y", "z"]):
        state = TaskState(
            model=ModelName("mockllm/model"),
            sample_id=1,
            epoch=1,
            input="?",
            messages=[ChatMessageUser(content="?")],
            choices=choices,
        )
        asyncio.run(choose_option(structured)(state, generate))
    enums = [one and one.json_schema.properties["answer"].enum for one in asked]
    assert enums == ([["A", "B", "C"], ["A", "B", "C", "D"]] if structured else [None, None])


def test_a_provider_without_prompt_log_probabilities_is_refused_before_the_first_call(
    run: Run, tmp_path: Path
) -> None:
    (log,) = run_eval(
        Task(dataset=nubench("builtin").dataset, solver=score_candidates()),
        model=get_model("simulated/right", memoize=False),
        limit=2,
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "error"
    assert log.error is not None
    assert "gguf/, vllm-completions/, openai-api-completions/" in log.error.message
    assert not log.stats.model_usage


# --- statistics -------------------------------------------------------------------------------


def table(rows: list[tuple[str, str, float]], **columns: Any) -> pd.DataFrame:
    """A table of choices from (item, page, correct); a wrong choice is a paraphrase."""
    made = pd.DataFrame(rows, columns=["item", "page", "correct"])
    made["chosen"] = np.where(made["correct"] == 1, "standard negation", "paraphrase")
    made["status"] = np.where(made["correct"].isna(), "error", "valid")
    given = {"model": "m", "n_options": 4, "correct_per_token": np.nan, "local_type": None}
    given |= {"shots": 0, "instructions": "definition", "format": "option", "seed": 1}
    return made.assign(**given | columns)


def test_accuracy_by_hand() -> None:
    """Pages a (1, 1), b (0, 1), c (0): mean 0.6; deviation sums 0.8, -0.2, -0.6, squares sum
    1.04; se = sqrt(3 / 2 * 1.04) / 5. The sample without a score is missing, not wrong."""
    rows = [("1", "a", 1), ("2", "a", 1), ("3", "b", 0), ("4", "b", 1), ("5", "c", 0)]
    row = choice_accuracy(table([*rows, ("6", "c", math.nan)])).iloc[0]
    assert row["accuracy"] == pytest.approx(0.6)
    assert row["se"] == pytest.approx(math.sqrt(1.5 * 1.04) / 5)
    assert (row["n_items"], row["n_pages"], row["n_missing"]) == (5, 3, 1)
    assert 0 <= row["ci_low"] < 0.6 < row["ci_high"] <= 1
    alike = choice_accuracy(table([(str(i), str(i), 1) for i in range(10)])).iloc[0]
    # Ten items all right: Wilson's lower limit with t of 9 degrees of freedom, 10 / (10 + t^2).
    assert alike["ci_low"] == pytest.approx(10 / (10 + 2.2621571628**2))
    assert alike["ci_high"] == 1


def test_the_interval_covers_as_it_says() -> None:
    """400 samples of 40 pages with two dependent items: near 95 % of the intervals hold p."""
    rng = np.random.default_rng(1)
    pages = np.repeat(np.arange(40), 2)
    held = 0
    for _ in range(400):
        page_rate = np.repeat(rng.beta(4, 1, 40), 2)  # mean 0.8
        values = (rng.random(80) < page_rate).astype(float)
        mean, error, n_pages = clustered_mean(values, pages)
        low, high = clustered_wilson(mean, error, len(values), n_pages, 0.95)
        held += low <= 0.8 <= high
    assert binomtest(held, 400, 0.95).pvalue > 1e-3


def test_over_seeds() -> None:
    parts = [
        table([("1", "a", x), ("2", "b", y)], seed=i)
        for i, (x, y) in enumerate([(1, 1), (1, 0), (0, 0)])
    ]
    row = choice_accuracy_over_seeds(choice_accuracy(pd.concat(parts))).iloc[0]
    assert (row["n_seeds"], row["accuracy"], row["sd"]) == (3, 0.5, 0.5)
    parts[2] = parts[2].iloc[:1]
    row = choice_accuracy_over_seeds(choice_accuracy(pd.concat(parts))).iloc[0]
    assert (row["n_items_min"], row["n_items_max"]) == (1, 2)


@pytest.mark.parametrize("confidence", [95, 1, 0, math.nan])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    made = table([("1", "a", 1), ("2", "b", 0)])
    with pytest.raises(ValueError, match="choice_accuracy: confidence is"):
        choice_accuracy(made, confidence)
    with pytest.raises(ValueError, match="compare_choices: confidence is"):
        compare_choices(made, made, confidence)


@pytest.mark.parametrize(
    ("statistic", "column"),
    [(choice_errors, "chosen"), (choice_confusion, "local_type"), (choice_letters, "right")],
)
def test_a_missing_column_is_named(statistic: Any, column: str) -> None:
    made = table([("1", "a", 1)]).assign(letter="A", right="A")
    statistic(made)
    for missing in (column, "seed"):
        with pytest.raises(ValueError, match=f"{statistic.__name__}: the table lacks '{missing}'"):
            statistic(made.drop(columns=missing))


def test_a_side_with_several_results_is_not_compared() -> None:
    one = table([("1", "a", 1), ("2", "b", 0)])
    two = pd.concat([one, one.assign(seed=2, shots=5)])
    for sides, name in (((two, one), "a"), ((one, two), "b")):
        with pytest.raises(
            ValueError, match=f"table {name} holds several results, which differ in shots, seed"
        ):
            compare_choices(*sides)


def test_two_models_on_the_same_items() -> None:
    """B alone is right on 5 items, A alone on 1: exact McNemar 2 * (1 + 6) / 2^6."""
    a = table([(str(i), str(i), float(i < 3)) for i in range(10)])
    b = table([(str(i), str(i), float(1 <= i < 8)) for i in range(10)])
    found = compare_choices(a, b)
    assert (found.only_a, found.only_b, found.n_items) == (1, 5, 10)
    assert found.p_value == pytest.approx(14 / 64)
    assert found.difference == pytest.approx(0.4)
    differences = np.array([-1] + [0] * 2 + [1] * 5 + [0] * 2)
    assert found.se == pytest.approx(differences.std(ddof=1) / math.sqrt(10))
    same = compare_choices(a, a)
    assert same.p_value == 1
    assert math.isnan(same.ci_low)
    with pytest.raises(ValueError, match="different data"):
        compare_choices(a.assign(data_hash="x"), b.assign(data_hash="y"))
    twice = pd.concat([a, a])
    assert math.isnan(compare_choices(twice, b).p_value)


def test_statistics_do_not_depend_on_the_order_of_rows(run: Run) -> None:
    choices = read_choices(run("letter"))
    shuffled = choices.sample(frac=1, random_state=1)
    for statistic in (choice_accuracy, choice_errors, choice_confusion, choice_letters):
        pd.testing.assert_frame_equal(statistic(choices), statistic(shuffled))


# --- report and export ------------------------------------------------------------------------


def test_the_report_has_a_section_of_its_own(run: Run, audit: Any, tmp_path: Path) -> None:
    from negation_evals.analysis import read_decisions

    logs = [run("local"), run("right"), run("right", {"seed": 7})]
    framing = audit("mirror", domains="legal", epochs=2)
    choices = read_choices([*logs, framing])
    decisions = read_decisions([*logs, framing])
    tables = write_report(decisions, tmp_path / "both", choices=choices)
    text = (tmp_path / "both" / "report.md").read_text(encoding="utf-8")
    assert "Standard negation: NUBench" in text
    assert "Models by sensitivity to negation" in text
    assert "log of another task" not in text
    assert list(tables["nubench_accuracy"]["accuracy"])[:2] == [1, 1]
    over = tables["nubench_over_seeds"].iloc[0]
    assert (over["n_seeds"], over["sd"]) == (2, 0)
    # Only models under the same conditions are compared: not one seed with another.
    assert len(tables["nubench_comparisons"]) == 1
    apart = read_choices(logs[:2])
    half = apart["item"].astype(int) <= 40
    apart = apart[half == (apart["model"] == "simulated/right")]
    assert choice_tables(apart)["nubench_comparisons"].empty
    write_report(None, tmp_path / "one", choices=read_choices(logs))
    html = (tmp_path / "one" / "report.html").read_text(encoding="utf-8")
    assert "figure-nubench_accuracy" in html
    assert "figure-ranking" not in html


def nubench_text(tables: dict[str, pd.DataFrame]) -> str:
    (section,) = nubench_sections(tables, ())
    return " ".join(section.paragraphs)


def test_results_with_too_few_valid_answers_are_left_out_and_listed(tmp_path: Path) -> None:
    rows = [(str(i), str(i), 1.0) for i in range(10)]
    good, bad = table(rows, model="good"), table(rows, model="bad")
    bad.loc[:7, "status"] = "malformed"
    both = full(pd.concat([good, bad], ignore_index=True))
    tables = choice_tables(both, 0.5)
    for name in ("accuracy", "over_seeds", "errors", "letters"):
        assert set(tables[f"nubench_{name}"]["model"]) == {"good"}
    assert tables["nubench_comparisons"].empty
    assert list(tables["nubench_excluded"]["model"]) == ["bad"]
    assert "bad (80 % violations of 10 answers)" in nubench_text(tables)
    # A share of valid answers that is just the threshold stays, whatever floating point says.
    assert choice_tables(both, 0.2)["nubench_excluded"].empty
    write_report(None, tmp_path, choices=both[both["model"] == "bad"], min_compliance=0.5)
    assert "No result is kept." in (tmp_path / "report.md").read_text(encoding="utf-8")


def full(made: pd.DataFrame) -> pd.DataFrame:
    return made.assign(letter="A", right="A")


def test_only_results_under_the_same_conditions_are_compared() -> None:
    rows = [("1", "a", 1.0), ("2", "b", 0.0)]
    base = {"cot": False, "structured": False, "temperature": math.nan, "generation": "x"}
    others = [{"cot": True}, {"structured": True}, {"temperature": 1.0}, {"shots": 5}]
    made = [table(rows, **base | other) for other in ({}, *others)]
    assert choice_tables(full(pd.concat(made)))["nubench_comparisons"].empty
    made = [table(rows, model=name, **base | {"generation": name}) for name in "ab"]
    (pair,) = choice_tables(full(pd.concat(made)))["nubench_comparisons"].to_dict("records")
    assert (pair["a"], pair["b"]) == ("a (a)", "b (b)")


def test_the_table_of_comparisons_shows_each_number_once() -> None:
    rows = [("1", "a", 1.0), ("2", "b", 0.0), ("3", "c", 0.0)]
    made = full(pd.concat([table(rows, model="a"), table(rows[1:], model="b")]))
    (section,) = nubench_sections(choice_tables(made), ())
    header = section.grids[-1].header
    assert header[:5] == ("A", "B", "B - A", "95 % interval", "Holm's p")
    assert section.grids[-1].rows[0][header.index("Unpaired")] == "1"
    assert len(set(header)) == len(header)


def test_more_results_than_can_be_compared_are_announced() -> None:
    rows = [("1", "a", 1.0), ("2", "b", 0.0)]
    tables = choice_tables(full(pd.concat([table(rows, model=f"m{i}") for i in range(13)])))
    assert tables["nubench_comparisons"].empty
    assert "13 results stand under the same conditions: more than 12" in nubench_text(tables)


def test_the_section_names_results_and_data() -> None:
    one = [("1", "a", 1.0)]
    named = {"dataset": "a.csv", "revision": None, "data_hash": "a" * 64, "shots": 5}
    other = named | {"dataset": "b.csv", "data_hash": "b" * 64, "shots": 0}
    made = full(pd.concat([table(one, **named), table([("1", "a", 0.0)], **other)]))
    text = nubench_text(choice_tables(made))
    assert "Highest: m (5-shot, data aaaaaaaa), 100 % right on 1 item," in text
    assert "a.csv (data aaaaaaaa, commit not stated); b.csv (data bbbbbbbb" in text
    text = nubench_text(choice_tables(full(table([("1", "a", math.nan)]))))
    assert "1 result. No answer has a score." in text
    assert "missing, not wrong: 1 sample." in text


def test_a_report_removes_every_table_that_it_lacks(run: Run, audit: Any, tmp_path: Path) -> None:
    from negation_evals.analysis import read_decisions

    out = tmp_path / "report"
    framing = write_report(read_decisions(audit("mirror", domains="legal", epochs=1)), out)
    assert set(framing) == set(FRAMING_TABLES)
    (out / "tables" / "mine.csv").write_text("x\n", encoding="utf-8")
    tables = write_report(None, out, choices=read_choices(run("right")))
    left = {path.stem for path in (out / "tables").iterdir()}
    assert left == {"mine", *tables}
    assert set(tables) == set(CHOICE_TABLES)


def test_scoring_the_log_of_another_task_says_so() -> None:
    state = TaskState(
        model=ModelName("mockllm/model"), sample_id="x", epoch=1, input="?", messages=[]
    )
    with pytest.raises(ValueError, match="sample 'x' is of another task"):
        asyncio.run(negation_choice()(state, Target("A")))  # type: ignore[arg-type]


def test_no_pair_left_for_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"share 0.5 leaves no pair for training"):
        export_pairs(load_pairs("builtin")[:1], tmp_path / "out", validation_share=0.5)
    assert not (tmp_path / "out").exists()


def test_pairs_are_exported_as_chats(tmp_path: Path) -> None:
    pairs = load_pairs("builtin")
    written = export_pairs(pairs, tmp_path, validation_share=0.2, seed=3)
    assert written == {"train": 48, "validation": 12}
    lines = {
        name: (tmp_path / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for name in written
    }
    chats = [json.loads(line)["messages"] for name in written for line in lines[name]]
    assert {tuple(m["role"] for m in chat) for chat in chats} == {("user", "assistant")}
    assert sorted(chat[1]["content"] for chat in chats) == sorted(p.hypothesis for p in pairs)
    again = tmp_path / "again"
    export_pairs(random.Random(1).sample(pairs, len(pairs)), again, validation_share=0.2, seed=3)
    assert sorted((again / "validation.jsonl").read_text().splitlines()) == sorted(
        lines["validation"]
    )


# --- likelihoods ------------------------------------------------------------------------------


def test_likelihoods_choose_by_sum_and_by_token() -> None:
    from negation_evals.scorers.nubench.choice import likelihood_score

    likelihoods = [
        {"total": -9.0, "tokens": 3},
        {"total": -10.0, "tokens": 10},
        {"total": -9.0, "tokens": 2},
        {"total": -20.0, "tokens": 10},
    ]
    score = likelihood_score(likelihoods, "scpl")
    assert (score.value, score.answer) == ("C", "A")
    assert score.metadata is not None
    assert (score.metadata["chosen"], score.metadata["per_token"]) == ("s", "c")


def word_logprobs(prompt: str) -> list[Any]:
    """As vLLM reports them: none for the first token, then minus a word's length over ten."""
    words = re.findall(r" ?[^ ]+", prompt)
    entries = [
        {str(i): {"decoded_token": word, "logprob": -len(word) / 10, "rank": 1}}
        for i, word in enumerate(words)
    ]
    return [None, *entries[1:]]


class VLLMStub(BaseHTTPRequestHandler):
    """Speaks the part of vLLM's protocol that brings prompt log probabilities."""

    knows = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/completions"
        assert (body["prompt_logprobs"], body["max_tokens"]) == (1, 1)
        choice = {"index": 0, "text": "", "finish_reason": "length", "logprobs": None}
        if self.knows:
            choice["prompt_logprobs"] = word_logprobs(body["prompt"])
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {"id": "1", "object": "text_completion", "created": 1, "model": "stub"}
        payload = json.dumps(reply | {"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def vllm_address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), VLLMStub)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("provider", ["vllm-completions", "openai-api-completions/stub"])
def test_completions_are_scored_with_known_numbers(
    provider: str, vllm_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = get_model(f"{provider}/tiny", base_url=vllm_address, api_key="x", memoize=False)
    arguments = {"limit": 5, "log_dir": str(tmp_path / "logs"), "display": "none"}
    (log,) = run_eval(nubench("builtin", format="completion", shots=1), model=model, **arguments)
    assert log.status == "success"
    assert log.samples is not None
    for sample, item in zip(log.samples, ITEMS, strict=False):
        texts = [item.options[kind] for kind in shown_order(item, 1234)]
        words = [text.split() for text in texts]
        # Each word carries the space before it.
        totals = [-sum(len(word) + 1 for word in option) / 10 for option in words]
        got = sample.metadata["likelihoods"]
        assert [one["total"] for one in got] == pytest.approx(totals)
        assert [one["tokens"] for one in got] == [len(option) for option in words]
        assert sample.scores is not None
        assert sample.scores["negation_choice"].answer == LETTERS[int(np.argmax(totals))]
    choices = read_choices(log)
    row = choice_accuracy(choices).iloc[0]
    assert row["accuracy_per_token"] == choices["correct_per_token"].mean()
    assert metrics(log)["accuracy_norm"] == row["accuracy_per_token"]
    monkeypatch.setattr(VLLMStub, "knows", False)
    (log,) = run_eval(nubench("builtin", format="completion"), model=model, **arguments)
    assert log.error is not None
    assert "gave no prompt log probabilities" in log.error.message
