"""A new family is an entry in FAMILIES: it is read, reported, printed, and its old files go."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from helpers.cli import run as command
from helpers.snca import mock
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.scorer import includes
from matplotlib.figure import Figure

from negation_evals.analysis.common import tables as declared
from negation_evals.analysis.reading.kinds import LogKind
from negation_evals.analysis.reading.reading import Notes, Reading
from negation_evals.report.documents.grids import Grid, count, grid, text
from negation_evals.report.documents.sections import Section
from negation_evals.report.families import FAMILIES
from negation_evals.report.family import Family, ReportOptions, Tables
from negation_evals.report.figures.figure import ReportFigure


def toy_rows(header: EvalLog, summaries: list[EvalSampleSummary], notes: Notes) -> pd.DataFrame:
    notes.warnings.append("toys are no evidence")
    rows = [{"toy": str(s.id), "epoch": s.epoch, "status": "valid"} for s in summaries]
    return pd.DataFrame(rows)


def toy_tables(reading: Reading, options: ReportOptions) -> Tables:
    toys = reading.tables["toys"]
    return {"toy_counts": toys.groupby("model").size().rename("n").reset_index()}


def toy_grid(tables: Tables) -> Grid:
    columns = (text("Model", "model"), count("Toys", "n"))
    return grid(tables["toy_counts"], columns, title="Toys by model", source="toy_counts")


def toy_sections(tables: Tables, options: ReportOptions) -> list[Section]:
    return [Section("toys", "All about toys", ("Words.",), ("toy_figure",), (toy_grid(tables),))]


def toy_drawing(tables: Tables) -> Figure:
    drawing = Figure(layout="constrained")
    drawing.subplots().plot([len(tables["toy_counts"])])
    return drawing


MODEL = declared.text("model")
TOY_TABLE = declared.Table(
    "toys",
    "One row per toy and epoch.",
    (MODEL, declared.text("toy"), declared.whole("epoch"), declared.text("status")),
)
COUNTS = declared.Table("toy_counts", "One row per model.", (MODEL, declared.whole("n")))

TOYS = Family(
    name="toy",
    title="toys",
    page_title="Audit of toys",
    tasks=("toy",),
    solvers=(),
    kinds=(
        LogKind(
            table=TOY_TABLE,
            title="toy",
            owns=lambda header: "toy" in (header.eval.metadata or {}),
            rows=toy_rows,
            unit=("toy",),
            sample=("toy",),
            settings=("task",),
        ),
    ),
    declared=(COUNTS,),
    tables=toy_tables,
    sections=toy_sections,
    figures=(ReportFigure("toy_figure", toy_drawing, "A toy."),),
    terminal=toy_grid,
)


@pytest.fixture
def _toys() -> Iterator[None]:
    FAMILIES.append(TOYS)
    yield
    FAMILIES.remove(TOYS)


@pytest.mark.usefixtures("_toys")
def test_a_fourth_family_needs_no_change_of_the_product(audit, tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    samples = [Sample("?", target="yes", id=id) for id in ("ball", "kite", "top")]
    toy = Task(samples, scorer=includes(), name="toy", metadata={"toy": True})
    run_eval(toy, model=mock(lambda input: "yes", "toy"), log_dir=str(logs))
    framing = audit("mirror", domains="legal", epochs=1)

    result = command("report", logs, "--out", out)
    assert result.exit_code == 0, result.output
    assert "Toys by model" in result.output
    assert "Note: toys are no evidence" in result.output
    assert "Left out: 0" in result.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "All about toys" in page
    assert "figure-toy_figure" in page
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert results["tables"]["toy_counts"] == [{"model": "mockllm/toy", "n": 3}]
    assert "ranking" in results["tables"]
    assert (out / "tables" / "toy_counts.csv").is_file()
    assert (out / "figures" / "toy_figure.svg").is_file()

    # Of an audit without toys nothing of theirs is left.
    assert command("report", framing.location, "--out", out).exit_code == 0
    left = {path.name for path in out.rglob("*toy*")}
    assert left == set()


def test_nothing_of_any_family_is_one_line_that_names_them_all(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("text", encoding="utf-8")
    result = command("report", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "no usable log of framing, NUBench or SNCA in" in " ".join(result.output.split())
