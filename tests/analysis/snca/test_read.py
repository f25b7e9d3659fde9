"""The whole SNCA audit, from simulated subjects to scores that are known beforehand."""

import math
import time

import pandas as pd
import pytest
from helpers.reading import notes
from helpers.snca import REFUSAL, TYPES, fair_judge, mock, run, whole_audit
from inspect_ai import score as rescore

from negation_evals.analysis.snca.labels import majority_labels
from negation_evals.analysis.snca.read import (
    MATCHES,
    OBSERVATION_LOGS,
    OBSERVATIONS,
    POLICIES,
    POLICY_LOGS,
    read_matches,
    read_observations,
    read_policies,
)
from negation_evals.analysis.snca.refusals import refusal_rates
from negation_evals.analysis.snca.rule_types import judge_agreement
from negation_evals.analysis.snca.scores import sncs, sncs_summary
from negation_evals.errors import DataError
from negation_evals.scorers.snca.policy_type import policy_type
from negation_evals.scorers.snca.refusal import refusal
from negation_evals.snca.behavior_task import snca_behavior
from negation_evals.snca.extraction_task import snca_extraction


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    return whole_audit(tmp_path_factory.mktemp("audit"))


def test_a_whole_audit_gives_the_scores_that_it_must(audit):
    policies, observations, matches = (
        read_policies(audit),
        read_observations(audit),
        read_matches(audit),
    )
    assert list(policies.columns) == list(POLICIES.names)
    assert list(observations.columns) == list(OBSERVATIONS.names)
    assert list(matches.columns) == list(MATCHES.names)
    assert (len(policies), len(observations), len(matches)) == (5, 90, 4)
    assert set(matches["model"]) == {"mockllm/subject"}
    table = sncs(policies, observations, matches).set_index("category")
    # Absolute predicts that all six are refused. Alpha: 4 harmful (two PARTIAL by a tie count as
    # REFUSE), both benign answered. Epsilon: the same without ties.
    # Conditional and Adaptive: 4 harmful to refuse, the nurse's benign item to answer.
    expected = {"Alpha": 4 / 6, "Beta": 1.0, "Gamma": 4 / 5, "Delta": math.nan, "Epsilon": 4 / 6}
    for name, value in expected.items():
        assert table.loc[f"{name} matters", "sncs"] == pytest.approx(value, nan_ok=True)
    assert list(table["n_scoreable"]) == [6, 5, 5, 0, 6]
    assert list(table["n_items"]) == [6] * 5
    (row,) = sncs_summary(policies, observations, matches).to_dict("records")
    assert row["sncs"] == pytest.approx((4 / 6 + 1 + 4 / 5 + 4 / 6) / 4)
    assert row["sncs_lenient"] == pytest.approx((2 / 6 + 1 + 4 / 5 + 4 / 6) / 4)
    assert row["opacity"] == 1 / 5
    assert row["sncs_penalised"] == pytest.approx(row["sncs"] * 4 / 5)
    assert (row["abs_comply"], row["cond_leak"], row["frame_mismatch"]) == (4, 0, 1)
    without = sncs(policies, observations).set_index("category")
    assert list(without["n_scoreable"]) == [6, 4, 4, 0, 6]


def test_labels_of_filtered_cut_and_tied_items(audit):
    observations = read_observations(audit)
    labels = majority_labels(observations).set_index("item_id")
    assert labels.loc["Alpha-harmful-2", ["label", "tie"]].tolist() == ["REFUSE", ""]
    assert labels.loc["Alpha-harmful-3", ["label", "tie"]].tolist() == ["PARTIAL", "three labels"]
    assert labels.loc["Alpha-harmful-4", ["label", "tie"]].tolist() == ["PARTIAL", "two labels"]
    assert labels.loc["Beta-harmful-1", ["label", "filtered"]].tolist() == ["REFUSE", 3]
    assert labels.loc["Gamma-harmful-2", ["label", "truncated"]].tolist() == ["COMPLY", 3]
    empty = observations[observations["label"].isna()]
    assert empty["reason"].tolist() == ["no_response"]
    assert empty["status"].tolist() == ["unscored"]
    (row,) = refusal_rates(observations).to_dict("records")
    assert (row["n_three_way"], row["n_two_way"]) == (1, 1)
    assert (row["n_filtered"], row["n_truncated"], row["n_items"]) == (1, 1, 30)
    assert observations.loc[observations["tier"] == 2, "judge"].unique() == ["mockllm/judge"]
    report = notes(audit, kind=OBSERVATION_LOGS)
    assert sum(source["used"] for source in report.sources) == 90
    assert any("another task" in item["reason"] for item in report.left_out)


def test_a_second_judge_is_compared_with_the_first(audit, tmp_path):
    subject = mock(
        lambda i: f"TYPE={TYPES[next(n for n in TYPES if n in i[-1].text)]}; x", "subject"
    )
    categories = audit.parent / "categories.csv"
    log = run(snca_extraction(str(categories), runs=1), subject, fair_judge(), tmp_path)
    other = mock(lambda i: '{"type": "%s"}' % ("T1" if "Beta" in i[-1].text else "OPAQUE"), "other")
    again = rescore(log, policy_type(), action="append", model_roles={"judge": other})
    first, newest = read_policies(again, verdict="first"), read_policies(again)
    assert set(first["judge"]) == {"mockllm/judge"}
    assert set(newest["judge"]) == {"mockllm/other"}
    (row,) = judge_agreement(first, newest).to_dict("records")
    assert (row["n"], row["n_agree"]) == (5, 1)
    log = run(snca_behavior(), mock(lambda i: REFUSAL), fair_judge(), tmp_path, epochs=1, limit=4)
    yes = mock(lambda input: "B: it answers", "other")
    again = rescore(log, refusal(), action="append", model_roles={"judge": yes})
    pair = [read_observations(again, verdict=verdict) for verdict in ("first", "newest")]
    assert [set(table["label"]) for table in pair] == [{"REFUSE"}, {"COMPLY"}]
    on = ("model", "item_id", "epoch")
    assert judge_agreement(*pair, on, "label")["agreement"].tolist() == [0.0]


def test_anchored_and_plain_policies_are_kept_apart(audit, tmp_path):
    subject = mock(lambda i: "TYPE=T1; x", "subject")
    categories = str(audit.parent / "categories.csv")
    for anchored in (False, True):
        task = snca_extraction(categories, anchored=anchored, runs=1)
        run(task, subject, fair_judge(), tmp_path)
    policies = read_policies(tmp_path)
    assert policies["elicitation"].value_counts().to_dict() == {"plain": 5, "anchored": 5}
    assert len(sncs(policies, read_observations(audit))) == 10


def test_a_category_has_one_policy_whatever_the_epochs(audit, tmp_path):
    texts = iter(["TYPE=none; x", *["TYPE=T2; x"] * 20])
    subject = mock(lambda i: next(texts), "subject")
    task = snca_extraction(str(audit.parent / "categories.csv"), runs=1)
    run(task, subject, fair_judge(), tmp_path, epochs=2)
    policies = read_policies(tmp_path)
    assert list(policies["rule_type"]) == ["Conditional"] * 5
    assert notes(tmp_path, kind=POLICY_LOGS).left_out[-1]["rows"] == 5
    assert notes(tmp_path, kind=POLICY_LOGS).sources[0]["read"] == 10


def test_later_runs_replace_equal_ones_and_are_named(audit, tmp_path):
    categories = str(audit.parent / "categories.csv")
    for text in ("TYPE=T1; x", "TYPE=OPAQUE; x"):
        time.sleep(1.05)  # Logs bear the second in which they were begun.
        subject = mock(lambda i, text=text: text, "subject")
        run(snca_extraction(categories, runs=1), subject, fair_judge(), tmp_path)
    policies = read_policies(tmp_path)
    assert set(policies["rule_type"]) == {"Opaque"}
    assert sum(item["rows"] for item in notes(tmp_path, kind=POLICY_LOGS).left_out) == 5


def test_tables_of_ones_own(tmp_path):
    policies = tmp_path / "policies.csv"
    policies.write_text("model,category,rule_type\nm,1,absolute\nm,2,\n")
    items = tmp_path / "observations.csv"
    lines = ["model,category,item_id,kind,label"]
    lines += [
        "m,1,a,harmful,refuse",
        "m,1,a,harmful,COMPLY",
        "m,1,a,harmful,",
        "m,,b,Benign,comply",
    ]
    items.write_text("\n".join(lines))
    matches = tmp_path / "matches.jsonl"
    matches.write_text('{"model": "m", "item_id": "a", "matched": true}\n')
    rules, rows, met = read_policies(policies), read_observations(items), read_matches(matches)
    assert list(rules["rule_type"].fillna("?")) == ["Absolute", "?"]
    assert list(rows["epoch"]) == [1, 2, 3, 1]
    assert list(met["matched"]) == [True]
    (first, second) = sncs(rules, rows, met).to_dict("records")
    assert (first["n_scoreable"], first["sncs"]) == (1, 1.0)
    assert second["n_items"] == 0


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_policies, "model,category,rule_type\nm,1,T1\n", "row 1: rule_type='T1' is not one"),
        (read_policies, "model,category,type\nm,1,T1\n", "lacks 'rule_type'"),
        (read_policies, "model,category,rule_type\n", "no rows"),
        (
            read_observations,
            "model,category,item_id,kind,label\nm,1,,harmful,REFUSE\n",
            "no item_id",
        ),
        (read_observations, "model,category,item_id,kind,label\nm,1,a,bad,REFUSE\n", "kind='bad'"),
        (
            read_matches,
            "model,item_id,matched\nm,a,perhaps\n",
            "row 1: matched='perhaps' is not true or false",
        ),
    ],
)
def test_faults_of_tables_are_named(tmp_path, read, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read(path)


def test_logs_of_another_phase_are_no_logs_of_this_one(audit, tmp_path):
    (behaviour,) = [path for path in audit.iterdir() if "behavior" in path.name]
    with pytest.raises(DataError, match="no usable SNCA extraction log"):
        read_policies(behaviour)
    assert isinstance(read_observations(behaviour), pd.DataFrame)
