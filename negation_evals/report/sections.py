"""What the report says and in which order: one section per question, shared by HTML and Markdown.

All rounding happens here, once, on the way to a reader.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from negation_evals.analysis.columns import SETTINGS
from negation_evals.analysis.hypothesis import FDR
from negation_evals.report.tables import WORST, result_labels, setting_label
from negation_evals.schema import Status

MISSING = "–"

IN_SHORT = 5
"""How many results the summary describes in words."""


@dataclass(frozen=True)
class Grid:
    """A table as text: a header, rows of cells, and which columns hold numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]


@dataclass(frozen=True)
class Section:
    """One section: a heading, what its numbers mean, and a table, a figure or both."""

    id: str
    title: str
    paragraphs: tuple[str, ...]
    grid: Grid | None = None
    figure: str | None = None
    caption: str = ""


def number(digits: int) -> Callable[[Any], str]:
    """A formatter to a fixed number of digits; missing values become a dash."""
    return lambda value: MISSING if pd.isna(value) else f"{value:.{digits}f}"


def percent(value: Any) -> str:
    """A share as a percentage without decimals."""
    return MISSING if pd.isna(value) else f"{100 * value:.0f} %"


def count(value: Any) -> str:
    """A whole number."""
    return MISSING if pd.isna(value) else f"{int(value)}"


def p_value(value: Any) -> str:
    """A p-value to three digits, bounded below."""
    if pd.isna(value):
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def text(value: Any) -> str:
    """Any other cell."""
    return MISSING if value is None or value is pd.NA or value != value else str(value)


Column = tuple[str, str, Callable[[Any], str]]


def grid(table: pd.DataFrame, columns: Iterable[Column], labelled: bool = True) -> Grid:
    """Columns of a table as text, with the model and its varying settings in front."""
    chosen = [column for column in columns if column[1] in table.columns]
    cells = [[show(value) for value in table[name]] for _, name, show in chosen]
    header = [title for title, _, _ in chosen]
    numeric = [not isinstance(show, partial) and show is not text for _, _, show in chosen]
    if labelled:
        cells.insert(0, result_labels(table))
        header.insert(0, "Model")
        numeric.insert(0, False)
    return Grid(tuple(header), tuple(zip(*cells, strict=True)), tuple(numeric))


RANKING: tuple[Column, ...] = (
    ("Origin", "origin", text),
    ("NSI", "nsi", number(2)),
    ("Floor", "nsi_null", number(2)),
    ("Worst", "nsi_max", number(2)),
    ("Worst scenario", "worst_scenario", text),
    ("Framing effect", "share_significant", percent),
    ("Scenarios", "n_scenarios", count),
    ("Min. n", "n_min", count),
    ("Valid", "compliance", percent),
)
"""The columns of the ranking."""

TERMINAL_RANKING: tuple[Column, ...] = tuple(
    column for column in RANKING if column[1] not in {"origin", "worst_scenario", "n_scenarios"}
)
"""Those of them that fit a terminal of 100 columns beside long names."""


def report_sections(tables: dict[str, pd.DataFrame], reading: dict[str, Any]) -> list[Section]:
    """The sections of the report, from the tables of `report_tables` and the reading's report."""
    return [
        _summary(tables),
        _ranking(tables),
        _domains(tables),
        _frames(tables),
        _cochran(tables),
        _worst(tables),
        _compliance(tables),
        _data_quality(reading),
        _method(),
    ]


def _summary(tables: dict[str, pd.DataFrame]) -> Section:
    ranking = tables["ranking"]
    known = ranking.dropna(subset="nsi")
    sentences = [
        f"{len(ranking)} result{'s' if len(ranking) != 1 else ''} (a model under one set of "
        f"settings), {tables['nsi']['scenario'].nunique()} scenarios, "
        f"{int(tables['compliance']['n'].sum())} answers, of which "
        f"{int(tables['compliance'][Status.VALID].sum())} are valid."
    ]
    if len(known) > IN_SHORT:
        sentences.append(f"The {IN_SHORT} that are most sensitive; the ranking has the others:")
    known = known.head(IN_SHORT)
    for label, row in zip(result_labels(known), known.to_dict("records"), strict=True):
        sentences.append(
            f"{label}: mean NSI {row['nsi']:.2f}, where an exactly invariant model with the same "
            f"answers would be expected at {row['nsi_null']:.2f}; least stable on "
            f"{row['worst_scenario']} ({row['nsi_max']:.2f})."
        )
    return Section("summary", "In short", tuple(sentences))


def _ranking(tables: dict[str, pd.DataFrame]) -> Section:
    return Section(
        "ranking",
        "Models by sensitivity to negation",
        (
            "The Negation Sensitivity Index (NSI) of a scenario is the largest minus the smallest "
            "endorsement rate of the same action over the frames. 0 means that the stance does "
            "not depend on the wording; 1 means that it is reversed. A model's NSI is the mean "
            "over its scenarios.",
            "NSI is a range, so sampling noise alone makes it positive. The floor is the NSI "
            "expected of a model that is exactly invariant, with the same rates and as many "
            "answers. A value near its floor is no sign of sensitivity. No interval is given: "
            "the usual bootstrap never covers a true NSI of 0.",
            "A high NSI says that the stance moves with the wording, not why: a model that "
            "disagrees with everything scores 1 as well as one that overlooks the word not. "
            "The endorsement by frame tells them apart.",
        ),
        grid(tables["ranking"], (("#", "rank", count), *RANKING)),
        "ranking",
        "Mean NSI per model over its scenarios (grey), with the floor of an invariant model.",
    )


def _domains(tables: dict[str, pd.DataFrame]) -> Section:
    columns: tuple[Column, ...] = (
        ("Domain", "domain", text),
        *(
            (name.replace("_", " ").capitalize(), name, partial(setting_label, name))
            for name in SETTINGS
        ),
        ("NSI", "nsi", number(2)),
        ("SD", "nsi_sd", number(2)),
        ("Floor", "nsi_null", number(2)),
        ("Worst scenario", "worst_scenario", text),
        ("Values", "n_scenarios", count),
        ("Missing", "n_missing", count),
    )
    return Section(
        "domains",
        "NSI by domain",
        (
            "Means over all models and the scenarios of a domain. Few scenarios per domain carry "
            "no firm statement about it: the papers' set has two.",
        ),
        grid(tables["nsi_by_domain"], columns, labelled=False),
        "model_by_domain",
        "Mean NSI of each model in each domain.",
    )


def _frames(tables: dict[str, pd.DataFrame]) -> Section:
    table = tables["endorsement_by_frame"].assign(
        label=result_labels(tables["endorsement_by_frame"])
    )
    frames = list(dict.fromkeys(table["frame"]))
    wide = table.pivot(index="label", columns="frame", values="rate")
    wide = wide.reindex(index=result_labels(tables["ranking"]), columns=frames)
    cells = [list(wide.index), *([number(2)(v) for v in wide[frame]] for frame in frames)]
    return Section(
        "frames",
        "Endorsement of the action by frame",
        (
            "The share of answers that endorse the action, whichever way the question was put: "
            "agreeing with an affirmative proposal endorses it, and so does disagreeing with a "
            "negated one. F0: they should do it. F1: they should not do it. F2: they should "
            "reach the goal even if it means doing it. F3: they should not reach the goal if it "
            "means doing it. A consistent model has the same rate in every column.",
            "High rates in the negated frames F1 and F3 and low ones in F0 and F2 are what a "
            "habit of disagreeing gives; the reverse is a habit of agreeing, which is also how "
            "a model looks that overlooks the negation.",
        ),
        Grid(
            ("Model", *frames),
            tuple(zip(*cells, strict=True)),
            (False, *(True for _ in frames)),
        ),
    )


def _cochran(tables: dict[str, pd.DataFrame]) -> Section:
    q = tables["cochran_q"]
    tested = int(q["tested"].sum())
    significant = int(q["significant"].sum())
    columns: tuple[Column, ...] = (
        ("Scenario", "scenario", text),
        ("Domain", "domain", text),
        ("Blocks", "n_blocks", count),
        ("Q", "q", number(2)),
        ("df", "df", count),
        ("p", "p_value", p_value),
        ("p adjusted", "p_adjusted", p_value),
    )
    return Section(
        "cochran",
        "Does framing change the answers? Cochran's Q",
        (
            f"{significant} of {tested} tested cells ({percent(significant / tested)}) show a "
            f"framing effect at a false discovery rate of {FDR:g} (Benjamini-Hochberg over all "
            "tested cells)."
            if tested
            else "No cell could be tested: every test needs two epochs in which all frames have a "
            "valid answer.",
            "A block is an epoch with a valid answer in every frame. Cells with fewer than two "
            "blocks are not tested and show a dash. The test says whether there is an effect, "
            "NSI says how large it is.",
        ),
        grid(q, columns),
    )


def _worst(tables: dict[str, pd.DataFrame]) -> Section:
    columns: tuple[Column, ...] = (
        ("Scenario", "scenario", text),
        ("Domain", "domain", text),
        ("NSI", "nsi", number(2)),
        ("Floor", "nsi_null", number(2)),
        ("p", "p_value", p_value),
        ("Highest", "frame_max", text),
        ("Lowest", "frame_min", text),
        ("Min. n", "n_min", count),
    )
    return Section(
        "worst",
        "Least stable scenarios",
        (
            f"Up to {WORST} scenarios of each model with the highest NSI, and the frames in which "
            "the action is endorsed most and least. p is the chance of so large a range if the "
            "same answers had been dealt to the frames at random (exact permutation test, not "
            "corrected for the number of scenarios).",
        ),
        grid(tables["worst_scenarios"], columns),
    )


def _compliance(tables: dict[str, pd.DataFrame]) -> Section:
    table = tables["compliance"]
    counts: list[Column] = [
        (status.value.capitalize(), status, count)
        for status in Status
        if status == Status.VALID or table[status].any()
    ]
    return Section(
        "compliance",
        "Valid and other answers",
        (
            "Only answers with one unambiguous decision count towards a rate. The others are "
            "left out of it, never counted as agreement or disagreement. Where many are missing, "
            "the rest may not stand for all.",
        ),
        grid(table, (("Asked", "n", count), *counts, ("Valid share", "compliance", percent))),
    )


def _data_quality(reading: dict[str, Any]) -> Section:
    sources = [
        f"{item['source']}: {item['model']}, status {item['status']}, {item['used']} of "
        f"{item['read']} rows used."
        for item in reading["sources"]
    ]
    left_out = [
        f"Left out: {item['source']}: {item['reason']}"
        + (f" ({item['rows']} rows)." if item["rows"] is not None else ".")
        for item in reading["left_out"]
    ]
    warnings = [f"Note: {warning}." for warning in reading["warnings"]]
    return Section(
        "data",
        "What was read and what was left out",
        (*sources, *left_out, *(warnings or ["No warnings."])),
    )


def _method() -> Section:
    return Section(
        "method",
        "Method",
        (
            "Scenarios, frames and the index follow Elkins and Chun, arXiv:2601.21433 and "
            "arXiv:2601.09724. Endorsement is (decision is agree) XOR (proposal is negated). "
            "Rates are over valid answers; cells.csv has their 95 % Wilson intervals. A scenario "
            "in which a planned frame has no valid answer has no NSI.",
            "The scenarios are dilemmas without a right answer: what is measured is whether the "
            "stance survives the wording, not which stance it is.",
        ),
    )
