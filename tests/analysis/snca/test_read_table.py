"""What contradicts itself is refused or kept apart, and what says nothing takes nothing away."""

from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest
from helpers.reading import notes
from inspect_ai.log import EvalSampleSummary
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

from negation_evals.analysis import mutation_drop, read_matches, read_observations, read_policies
from negation_evals.analysis.snca.read import OBSERVATION_LOGS
from negation_evals.analysis.snca.rows import score_of
from negation_evals.analysis.snca.scores import predict_behavior, sncs
from negation_evals.errors import DataError
from negation_evals.schema.snca import REFUSAL_SCORER
from negation_evals.scorers.snca.prompts import check_template
from negation_evals.scorers.text.letters import read_verdict
from negation_evals.snca.behavior_task import snca_behavior
from negation_evals.snca.extraction_task import snca_extraction, without_text
from negation_evals.snca.load import load_items
from negation_evals.snca.policies import load_policies
from negation_evals.snca.provider_filters import is_filter_error

POLICY = {"model": "m", "category": "A", "rule_type": "Absolute"}
ITEM = {"model": "m", "category": "A", "item_id": "1", "kind": "harmful", "label": "REFUSE"}


def table(folder: Path, *rows: dict[str, Any], name: str = "t.csv") -> Path:
    path = folder / name
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("read", "row", "change", "message"),
    [
        (read_policies, POLICY, {"rule_type": "Opaque"}, "rule_type is Absolute and Opaque"),
        (
            read_matches,
            {"model": "m", "item_id": "1", "matched": "true"},
            {"matched": "false"},
            "matched is True and False",
        ),
        (
            read_observations,
            ITEM | {"epoch": 1},
            {"label": "COMPLY"},
            "label is REFUSE and COMPLY for model=m, source=table, variant=base, item_id=1, epoch",
        ),
        (read_observations, ITEM, {"kind": "benign"}, "kind is harmful and benign"),
        (read_observations, ITEM, {"category": "B"}, "category is A and B"),
    ],
)
def test_rows_of_one_table_that_contradict_each_other(
    tmp_path: Path, read: Any, row: dict, change: dict, message: str
) -> None:
    with pytest.raises(DataError, match=f"t.csv: contradicting rows, first row 1: {message}"):
        read(table(tmp_path, row, row | change))
    assert len(read(table(tmp_path, row, row | {"model": "n"} | change))) == 2


def test_two_elicitations_in_one_table_are_two_policies(tmp_path: Path) -> None:
    rows = (POLICY | {"elicitation": "plain"}, POLICY | {"elicitation": "anchored"})
    both = read_policies(table(tmp_path, *rows))
    assert list(both["elicitation"]) == ["plain", "anchored"]
    # What was read can be read again, numbers as numbers.
    both.assign(confidence=90.5).to_csv(tmp_path / "again.csv", index=False)
    assert list(read_policies(tmp_path / "again.csv")["confidence"]) == [90.5, 90.5]
    with pytest.raises(DataError, match="row 1: confidence='high' is not a number"):
        read_policies(table(tmp_path, POLICY | {"confidence": "high"}))


def test_tables_of_different_sources_add_up(tmp_path: Path) -> None:
    base = [ITEM | {"item_id": str(i), "source": "s", "variant": "base"} for i in range(3)]
    mutated = [row | {"variant": "slang"} for row in base[:2]]
    other = [row | {"source": "t"} for row in base]
    paths = [
        table(tmp_path, *rows, name=f"{name}.csv")
        for name, rows in {"a": base, "b": mutated, "c": other}.items()
    ]
    read = read_observations(paths)
    assert (len(read), notes(paths, kind=OBSERVATION_LOGS).left_out) == (8, [])


def test_a_judge_without_a_verdict_takes_none_away() -> None:
    def summary(**scores: Score) -> EvalSampleSummary:
        return EvalSampleSummary(id="1", epoch=1, input="", target="", scores=scores)

    given, failed = Score(value="REFUSE"), Score(value=float("nan"))
    second = f"{REFUSAL_SCORER}1"
    scored = summary(**{REFUSAL_SCORER: given, second: failed})
    assert score_of(scored.scores, REFUSAL_SCORER, "newest") is scored.scores[REFUSAL_SCORER]
    scored = summary(**{REFUSAL_SCORER: failed, second: given})
    assert score_of(scored.scores, REFUSAL_SCORER, "newest") is scored.scores[second]
    assert score_of(scored.scores, REFUSAL_SCORER, "first") is scored.scores[REFUSAL_SCORER]
    scored = summary(**{REFUSAL_SCORER: failed, second: failed})
    assert score_of(scored.scores, REFUSAL_SCORER, "newest") is scored.scores[second]


def test_the_drop_compares_items_of_one_kind() -> None:
    rows = pd.DataFrame(
        [
            ITEM
            | {"source": "s", "variant": variant, "item_id": f"{kind}-{i}", "kind": kind}
            | {"label": "REFUSE" if kind == "harmful" else "COMPLY"}
            for variant, kinds in {"base": ("harmful", "benign"), "slang": ("harmful",)}.items()
            for kind in kinds
            for i in range(4)
        ]
    )
    drop = mutation_drop(rows)
    assert list(drop["kind"]) == ["harmful", "harmful"]
    assert list(drop["drop_pp"]) == [0, 0]
    assert list(drop["n_base"]) == [4, 4]


def test_text_is_neither_true_nor_false() -> None:
    policies = pd.DataFrame([POLICY | {"rule_type": "Conditional"}])
    items = pd.DataFrame([ITEM | {"kind": "benign"}])
    matches = pd.DataFrame([{"model": "m", "item_id": "1", "matched": "False"}])
    with pytest.raises(ValueError, match="matched 'False' is neither True nor False"):
        sncs(policies, items, matches)
    for value in (True, np.True_, 1, 1.0):
        assert sncs(policies, items, matches.assign(matched=value))["n_scoreable"].item() == 1


def test_matches_of_another_policy_are_none() -> None:
    policies = pd.DataFrame([POLICY | {"rule_type": "Adaptive", "elicitation": "anchored"}])
    items = pd.DataFrame([ITEM | {"kind": "benign", "label": "COMPLY"}])
    own = {"model": "m", "item_id": "1", "matched": True, "elicitation": "anchored"}
    matches = pd.DataFrame([own | {"rule_type": "Adaptive"}])

    def scoreable(matches: pd.DataFrame) -> int:
        return int(sncs(policies, items, matches)["n_scoreable"].item())

    assert scoreable(matches) == 1
    assert scoreable(matches.assign(rule_type="Conditional")) == 0
    assert scoreable(matches.assign(elicitation="plain")) == 0
    # The record of the other elicitation says nothing about this policy, and contradicts nothing.
    both = pd.concat([matches, matches.assign(elicitation="plain", matched=False)])
    assert scoreable(both) == 1
    assert "elicitation" not in predict_behavior(policies, items, both).columns


def test_rule_types_of_a_table_to_match_are_checked(tmp_path: Path) -> None:
    row = {"model": "m", "category": "A", "rule_type": "conditional", "conditions": "it is fiction"}
    (policy,) = load_policies(str(table(tmp_path, row)))
    assert policy.rule_type == "Conditional"
    with pytest.raises(DataError, match="row 1: rule_type='Conditonal' is not one of Absolute"):
        load_policies(str(table(tmp_path, row | {"rule_type": "Conditonal"})))


@pytest.mark.parametrize(
    "reply",
    [
        "A: refuses. B: complies. C: partly.",
        "A: no, B",
        "(A) refuses (B) complies (C) partly. I choose B",
    ],
)
def test_a_menu_on_one_line_is_no_verdict(reply: str) -> None:
    assert read_verdict(reply).letter is None


@pytest.mark.parametrize(
    ("message", "filtered"),
    [
        ("Your account has been flagged for review", False),
        ("Unsupported parameter: safety_system_prompt", False),
        ("Project does not have access to the moderation endpoint", False),
        ("prompt is too long; see moderation docs", False),
        ("The response was filtered due to the prompt triggering content management policy", True),
        ("Your request was rejected as a result of our safety system", True),
        ("Invalid prompt: your prompt was flagged as potentially violating our policy", True),
        ("ResponsibleAIPolicyViolation", True),
        ("Output blocked by content filtering policy", True),
        ("moderation_blocked", True),
        ("data_inspection_failed", True),
    ],
)
def test_only_a_filter_is_a_refusal(message: str, filtered: bool) -> None:
    error = RuntimeError(message)
    error.status_code = 400  # type: ignore[attr-defined]
    assert is_filter_error(error) is filtered


@pytest.mark.parametrize(
    ("stops", "filtered"),
    [
        (("content_filter", "stop", "stop"), False),
        (("stop", "content_filter", "content_filter"), False),
        (("content_filter",) * 3, True),
    ],
)
def test_a_policy_is_filtered_only_if_every_run_was(stops: tuple, filtered: bool) -> None:
    outputs = [ModelOutput.from_content("m", "", stop_reason=stop) for stop in stops]
    assert (without_text(outputs).stop_reason == "content_filter") is filtered


def test_items_files_that_cannot_be_meant(tmp_path: Path) -> None:
    row = {"category": "My own", "prompt": "Say hello."}
    items = load_items(str(table(tmp_path, row)))
    assert "not among the built-in categories: My own;" in items.left_out[0]
    with pytest.raises(DataError, match="the same prompt is harmful in one row and benign"):
        load_items(str(table(tmp_path, row | {"kind": "harmful"}, row | {"kind": "benign"})))
    with pytest.raises(DataError, match="every row is a placeholder"):
        load_items(str(table(tmp_path, row | {"prompt": "lorem ipsum"})))
    with pytest.raises(DataError, match="builtin has no revisions"):
        load_items("builtin@main")


@pytest.mark.parametrize("field", ["{prompt!x}", "{prompt:d}", "{prompt.x}"])
def test_a_prompt_that_cannot_be_filled_is_a_fault(field: str) -> None:
    with pytest.raises(DataError, match="behavior_judge"):
        check_template("behavior_judge", f"{field} {{response}}", "mine.yaml")
    check_template("behavior_judge", "{prompt!s} {response:>3}", "mine.yaml")


def test_categories_that_would_share_a_sample(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("category_id,category\n1,A b\n01,A-b\n", encoding="utf-8")
    with pytest.raises(click.UsageError, match="'01-a-b' occurs twice"):
        snca_extraction(categories=str(path))
    with pytest.raises(click.UsageError, match="prompts=None"):
        snca_behavior(prompts=None)


def test_records_that_say_more_or_less_count_each_for_what_they_say(tmp_path: Path) -> None:
    policies = pd.DataFrame(
        [{"model": "m", "category": c, "rule_type": "Conditional"} for c in ("A", "B")]
    )
    items = pd.DataFrame(
        [
            {"model": "m", "category": c, "item_id": i, "kind": "benign"}
            for c, i in (("A", "a"), ("A", "b"), ("B", "a"))
        ]
    )
    one = {"model": "m", "item_id": "a", "matched": "true", "category": "A"}
    two = {"model": "m", "item_id": "b", "matched": "true"}
    matches = read_matches([table(tmp_path, one), table(tmp_path, two, name="u.csv")])
    found = predict_behavior(policies, items, matches)
    assert found["prediction"].tolist() == ["COMPLY", "COMPLY", "UNPREDICTABLE"]
    both = read_matches(table(tmp_path, one, two | {"category": None}))
    assert predict_behavior(policies, items, both)["prediction"].tolist() == (
        found["prediction"].tolist()
    )
    against = pd.DataFrame([one | {"matched": True}, one | {"matched": False, "category": None}])
    with pytest.raises(ValueError, match=r"contradicting records for .*'item_id': 'a'"):
        predict_behavior(policies, items, against)


def test_tables_of_several_epochs_are_pooled_as_further_epochs(tmp_path: Path) -> None:
    rows = [ITEM | {"label": label} for label in ("REFUSE", "COMPLY", "REFUSE")]
    paths = [table(tmp_path, *rows), table(tmp_path, *rows[:2], name="u.csv")]
    pooled = read_observations(paths, runs="all")
    assert sorted(pooled["epoch"]) == [1, 2, 3, 4, 5]
    assert len(read_observations(paths)) == 3
