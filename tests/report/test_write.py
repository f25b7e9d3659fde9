"""The report: complete, the same every time, and safe from what models and files say."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from helpers.framing import complete, decisions_from_counts
from helpers.pages import DAY, HOSTILE, parse

from negation_evals.errors import DataError
from negation_evals.report import write_report
from negation_evals.report.documents.data_section import data_section
from negation_evals.report.documents.markdown import escape_markdown
from negation_evals.report.figures.draw import draw_figures
from negation_evals.report.framing.figures import FIGURES
from negation_evals.report.framing.sections import framing_sections


def full_table(counts: dict[str, dict[str, list[int]]], n: int = 10) -> pd.DataFrame:
    """Decisions of several models, with the columns that the report needs."""
    parts = [decisions_from_counts(c, n=n, model=model) for model, c in counts.items()]
    return complete(pd.concat(parts, ignore_index=True))


@pytest.fixture
def decisions() -> pd.DataFrame:
    return full_table(
        {
            "p/steady": {"a": [5, 5, 5, 5], "b": [2, 3, 2, 2]},
            "p/naysayer": {"a": [0, 10, 0, 10], "b": [0, 10, 0, 10]},
        }
    )


def test_every_file_is_there_and_agrees_with_the_tables(decisions, tmp_path) -> None:
    tables = write_report(decisions, tmp_path / "out", DAY)
    out = tmp_path / "out"
    assert {p.stem for p in (out / "tables").glob("*.csv")} == set(tables)
    for name, table in tables.items():
        read = pd.read_csv(out / "tables" / f"{name}.csv")
        assert list(read.columns) == list(table.columns)
        numbers = table.select_dtypes("number").columns
        np.testing.assert_allclose(
            read[numbers].to_numpy(dtype=float),
            table[numbers].to_numpy(dtype=float, na_value=np.nan),
        )
    ranking = tables["ranking"]
    assert list(ranking["model"]) == ["p/naysayer", "p/steady"]
    assert list(ranking["rank"]) == [1, 2]
    assert ranking["nsi"].tolist() == pytest.approx([1.0, 0.05])
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert results["schema_version"] == "2"
    assert results["generated"] == "2026-01-01"
    assert results["tables"]["ranking"][1]["nsi"] == pytest.approx(0.05)
    first = results["tables"]["nsi"][0]
    assert first["ci_low"] <= first["nsi"] <= first["ci_high"]
    assert results["tables"]["cells"][0]["frames"] == "F0,F1,F2,F3"
    markdown = (out / "report.md").read_text(encoding="utf-8")
    page = parse(out / "report.html")
    shown = " ".join(page.text)
    reading = {"sources": [], "left_out": [], "warnings": []}
    sections = framing_sections(tables, draw_figures(FIGURES, tables))
    for section in [*sections, data_section(reading, tables, 0.0)]:
        assert section.title in markdown
        assert section.title in shown
    for figure in draw_figures(FIGURES, tables):
        assert (out / "figures" / f"{figure}.png").stat().st_size > 5000
        assert f"figures/{figure}.png" in markdown


def test_html_is_self_contained(decisions, tmp_path) -> None:
    write_report(decisions, tmp_path, DAY)
    page = parse(tmp_path / "report.html")
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    for tag, attributes in page.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base"}
        for name in ("src", "href", "xlink:href"):
            target = attributes.get(name)
            if target is None or (tag == "image" and target.startswith("data:")):
                continue
            assert target.startswith("#"), (tag, target)
            assert target[1:] in ids, (tag, target)
    drawn = list((tmp_path / "figures").glob("*.svg"))
    assert sum(tag == "svg" for tag, _ in page.tags) == len(drawn) >= 5


def test_same_decisions_give_the_same_files(decisions, tmp_path) -> None:
    for name in ("one", "two"):
        write_report(decisions, tmp_path / name, DAY)
    files = sorted(p for p in (tmp_path / "one").rglob("*") if p.is_file())
    assert len(files) > 10
    for file in files:
        twin = tmp_path / "two" / file.relative_to(tmp_path / "one")
        assert file.read_bytes() == twin.read_bytes(), file.name


def test_hostile_names_are_text_everywhere(tmp_path) -> None:
    decisions = full_table({HOSTILE: {"a": [5, 5, 5, 5]}})
    decisions["domain"] = HOSTILE
    decisions.attrs["report"] = {
        "sources": [],
        "left_out": [{"source": HOSTILE, "rows": 1, "reason": HOSTILE}],
        "warnings": [HOSTILE],
    }
    write_report(decisions, tmp_path, DAY)
    page = parse(tmp_path / "report.html")
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<script", markdown)
    assert "\n# [a]" not in markdown
    assert markdown.count("\n# ") == 0
    json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))


def test_markdown_escapes() -> None:
    assert escape_markdown("# a") == r"\# a"
    assert escape_markdown("http://a.b me@c.d WWW.e.f") == r"http\://a.b me\@c.d WWW\.e.f"
    assert escape_markdown("1. a & b") == r"1\. a \& b"
    assert escape_markdown("\x1b[31mred") == r"\[31mred"
    assert escape_markdown("a|b\n<i>*x*_y_[z]`q`") == r"a\|b \<i\>\*x\*\_y\_\[z\]\`q\`"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d[d["model"] == "p/steady"],
        lambda d: d[(d["model"] == "p/steady") & (d["scenario"] == "a")],
        lambda d: d[d["epoch"] == 1],
        lambda d: d[d["frame"] != "F2"],
        lambda d: d.assign(endorsed=np.nan, status="malformed"),
        lambda d: d.assign(endorsed=1.0),
        lambda d: d.assign(endorsed=d["endorsed"].where(d["model"] == "p/steady")),
    ],
    ids=["one model", "one scenario", "one epoch", "no F2", "all malformed", "ties", "one without"],
)
@pytest.mark.filterwarnings("error", "ignore::ResourceWarning")
def test_degenerate_audits_give_a_report_without_a_warning(decisions, tmp_path, spoil) -> None:
    tables = write_report(spoil(decisions), tmp_path, DAY)
    assert (tmp_path / "report.html").stat().st_size > 5000
    assert set(tables["ranking"]["model"]) == set(spoil(decisions)["model"])


def test_unwritable_folder_is_named(decisions, tmp_path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match="the report cannot be written"):
        write_report(decisions, tmp_path / "file", DAY)
