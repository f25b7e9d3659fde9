"""Tables are as declared, users' tables are read by the declarations, and the docs list them."""

import runpy
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from helpers.paths import ROOT
from helpers.report import choice_tables, report_tables, snca_audit, snca_tables
from helpers.snca import whole_audit
from inspect_ai import eval as run_eval
from inspect_ai import task_with
from inspect_ai.model import get_model

from negation_evals import nubench
from negation_evals.analysis import (
    compare_audits,
    judge_agreement,
    majority_labels,
    read_choices,
    read_decisions,
    read_matches,
    read_observations,
    read_policies,
    repeatability,
    score_items,
)
from negation_evals.analysis.common.columns import DESCRIPTIONS
from negation_evals.analysis.common.tables import Table, flag, number, share, text, whole
from negation_evals.analysis.framing import tables as framing
from negation_evals.analysis.nubench import tables as of_nubench
from negation_evals.analysis.snca import tables as of_snca
from negation_evals.analysis.snca.audit import settle
from negation_evals.errors import DataError
from negation_evals.framing.consensus import framing_consensus
from negation_evals.framing.task import negation_framing, sff
from negation_evals.report.framing.published import published_tables
from negation_evals.report.snca.published import published_snca

DECLARED = {
    table.name: table
    for table in (
        *(*framing.READ, *framing.TABLES, *framing.PUBLISHED, *framing.OTHERS),
        *(*of_nubench.READ, *of_nubench.TABLES),
        *(*of_snca.READ, *of_snca.TABLES, *of_snca.OTHERS),
    )
}


def assert_as_declared(found: dict[str, pd.DataFrame]) -> None:
    """Names in order but for keys that vary, dtypes where there are rows, values in range."""
    for name, frame in found.items():
        declared = DECLARED[name]
        always = [column.name for column in declared.columns if not column.varies]
        varying = set(declared.names) - set(always)
        assert [column for column in frame.columns if column not in varying] == always, name
        if len(frame):
            declared.check(frame)
            wrong = [c for c in frame if not declared[c].fits(frame[c])]
            assert not wrong, (name, wrong, frame.dtypes[wrong])
        # Neither in a file of the report.
        assert declared.typed(frame).to_csv() == frame.to_csv(), name


def test_tables_of_framing_are_as_declared(audit, tmp_path) -> None:
    for respondent, settings in (
        ("mirror", {"temperature": 0.7}),
        ("yeasayer", {"temperature": 0.0}),
        ("polarity-blind", {"temperature": 0.7, "answer_order": "balanced"}),
        ("polarity-blind", {"temperature": 0.7, "task": sff, "reasoning": True}),
        ("malformed", {"temperature": 0.7}),
    ):
        audit(respondent, domains="legal,medical", epochs=3, **settings)
    audit("mirror", task=sff, domains="legal", epochs=2)
    one = audit("polarity-blind", domains="legal", epochs=3, log_dir=tmp_path / "one")
    decisions, alone = read_decisions(tmp_path / "logs"), read_decisions(one)
    for table in (decisions, alone):
        assert_as_declared({"decisions": table, "repeatability": repeatability(table)})
        for least in (0.0, 0.9):
            tables = report_tables(table, least)
            assert list(tables) == [table.name for table in framing.TABLES]
            assert_as_declared(tables | published_tables(tables))
    assert_as_declared({"comparison": compare_audits(decisions, alone).table})


def test_tables_of_a_mitigation_are_as_declared(audit, tmp_path) -> None:
    audit("polarity-blind", domains="legal", epochs=2)
    mitigated = partial(task_with, solver=framing_consensus())
    audit(
        "polarity-blind",
        task=lambda **args: mitigated(negation_framing(**args)),
        domains="legal",
        epochs=2,
    )
    tables = report_tables(read_decisions(tmp_path / "logs"))
    assert len(tables["mitigation"])
    assert_as_declared(tables)


def test_tables_of_nubench_are_as_declared(tmp_path) -> None:
    for shots, seed in ((0, 1), (0, 2), (1, 1)):
        for name in ("right", "shortest"):
            run_eval(
                nubench("builtin", shots=shots, seed=seed),
                model=get_model(f"simulated/{name}", memoize=False),
                limit=20,
                log_dir=str(tmp_path),
            )
    choices = read_choices(tmp_path)
    for least in (0.0, 0.99):
        tables = choice_tables(choices, least)
        assert list(tables) == [table.name for table in of_nubench.TABLES]
        assert_as_declared({"choices": choices} | tables)


def test_tables_of_snca_are_as_declared(tmp_path) -> None:
    folders = [tmp_path / name for name in ("gpt-5-mini", "grok-4-1")]
    for folder in folders:
        folder.mkdir()
        whole_audit(folder, folder.name)
    logs = [folder / "logs" for folder in folders]
    policies, observations, matches = (
        read(logs) for read in (read_policies, read_observations, read_matches)
    )
    audit = settle(snca_audit(policies, observations, matches))
    tables = snca_tables(audit)
    names = [table.name for table in of_snca.TABLES]
    assert [name for name in names if name in tables] == list(tables)
    assert_as_declared(tables | published_snca(tables))
    assert_as_declared({"policies": policies, "observations": observations, "matches": matches})
    assert_as_declared({"majority_labels": majority_labels(observations)})
    items = score_items(policies, observations, matches)
    new = [name for name in of_snca.SCORED_ITEMS.names if name in items.columns]
    assert_as_declared({"score_items": items[new]})
    assert_as_declared({"judge_agreement": judge_agreement(policies, policies)})


EXAMPLE = Table(
    "example",
    "One row.",
    (
        text("name", required=True),
        text("word", values=("yes", "no"), nullable=True),
        flag("sure"),
        whole("n"),
        share("rate"),
        text("task", varies=True),
    ),
)
GOOD = {"name": "a", "word": "yes", "sure": True, "n": 1, "rate": 0.5}


def test_a_table_knows_its_columns() -> None:
    assert EXAMPLE.names == ("name", "word", "sure", "n", "rate", "task")
    assert EXAMPLE.required == ("name",)
    empty = EXAMPLE.empty()
    assert list(empty.columns) == ["name", "word", "sure", "n", "rate"]
    assert all(EXAMPLE[name].fits(empty[name]) for name in empty.columns)
    frame = pd.DataFrame([GOOD], dtype=object)
    EXAMPLE.check(frame)
    assert EXAMPLE.typed(frame).dtypes.astype(str).to_dict() == {
        **{"name": "object", "word": "object", "sure": "bool", "n": "int64"},
        "rate": "float64",
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": None}, "row 2: name=None is not text"),
        ({"word": "maybe"}, "row 2: word='maybe' is not one of yes, no, or missing"),
        ({"sure": "yes"}, "row 2: sure='yes' is not true or false"),
        ({"n": 1.5}, "row 2: n=1.5 is not a whole number from 0"),
        ({"n": -1}, "row 2: n=-1 is not a whole number from 0"),
        ({"rate": 1.1}, r"row 2: rate=1.1 is not a number in \[0, 1\], or missing"),
    ],
)
def test_values_are_checked(change: dict, message: str) -> None:
    frame = pd.DataFrame([GOOD, GOOD | change], dtype=object)
    with pytest.raises(ValueError, match=f"example: {message}"):
        EXAMPLE.check(frame)
    with pytest.raises(ValueError, match="lacks 'n'"):
        EXAMPLE.check(frame.drop(columns="n"))


def test_the_words_for_true_and_false_are_the_same_everywhere(tmp_path: Path) -> None:
    words = {True: ("true", "Yes", "1", "1.0"), False: ("FALSE", "no", "0", "0.0")}
    for said, spellings in words.items():
        for word in spellings:
            path = tmp_path / "t.csv"
            path.write_text(f"model,scenario,frame,decision,negated\nm,s,X,agree,{word}\n")
            assert read_decisions(path)["negated"].tolist() == [said]
            path.write_text(f"model,item_id,matched\nm,1,{word}\n")
            assert read_matches(path)["matched"].tolist() == [said]


def test_the_row_is_named_and_numbers_out_of_range_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = "model,category,rule_type,confidence\nm,a,opaque,150\nm,b,ABSOLUTE,80\n"
    path.write_text(rows)
    policies = read_policies(path)
    assert policies["rule_type"].tolist() == ["Opaque", "Absolute"]
    assert policies["confidence"].isna().tolist() == [True, False]
    path.write_text(rows + "m,c,vague,1\n")
    with pytest.raises(DataError, match="row 3: rule_type='vague' is not one of Absolute"):
        read_policies(path)


def test_tables_declare_each_column_once() -> None:
    lists = (framing, of_nubench, of_snca)
    count = sum(
        len(getattr(m, n, ())) for m in lists for n in ("READ", "TABLES", "PUBLISHED", "OTHERS")
    )
    assert len(DECLARED) == count
    for table in DECLARED.values():
        assert len(set(table.names)) == len(table.names), table.name
    assert set(DESCRIPTIONS) < set(framing.DECISIONS.names)
    assert number("x").nullable


def test_the_page_is_what_the_declarations_give() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "make_tables.py"))
    written = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    assert written == script["page"](), "run python docs/make_tables.py"
