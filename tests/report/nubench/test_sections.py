"""The report's section on NUBench."""

import math
from pathlib import Path
from typing import Any

import pandas as pd
from helpers.nubench import Run, full, table
from helpers.report import choice_tables, nubench_sections, reading_of

from negation_evals.analysis import read_choices
from negation_evals.analysis.framing.tables import TABLES as FRAMING_TABLES
from negation_evals.analysis.nubench.tables import TABLES as CHOICE_TABLES
from negation_evals.report import read, write_report


def test_the_report_has_a_section_of_its_own(run_nubench: Run, audit: Any, tmp_path: Path) -> None:
    logs = [run_nubench("local"), run_nubench("right"), run_nubench("right", {"seed": 7})]
    framing = audit("mirror", domains="legal", epochs=2)
    tables = write_report(read([*logs, framing]), tmp_path / "both")
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
    write_report(reading_of(choices=read_choices(logs)), tmp_path / "one")
    html = (tmp_path / "one" / "report.html").read_text(encoding="utf-8")
    assert "figure-nubench_accuracy" in html
    assert "figure-ranking" not in html


def nubench_text(tables: dict[str, pd.DataFrame]) -> str:
    (section,) = nubench_sections(tables)
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
    write_report(reading_of(choices=both[both["model"] == "bad"]), tmp_path, min_compliance=0.5)
    assert "No result is kept." in (tmp_path / "report.md").read_text(encoding="utf-8")


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
    (section,) = nubench_sections(choice_tables(made))
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


def test_a_report_removes_every_table_that_it_lacks(
    run_nubench: Run, audit: Any, tmp_path: Path
) -> None:
    out = tmp_path / "report"
    framing = write_report(read(audit("mirror", domains="legal", epochs=1)), out)
    assert set(framing) == {table.name for table in FRAMING_TABLES}
    (out / "tables" / "mine.csv").write_text("x\n", encoding="utf-8")
    tables = write_report(read(run_nubench("right")), out)
    left = {path.stem for path in (out / "tables").iterdir()}
    assert left == {"mine", *tables}
    assert set(tables) == {table.name for table in CHOICE_TABLES}
