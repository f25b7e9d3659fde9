"""What the framing figures share: results and their settings, origins, frames and scenarios."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes

from negation_evals.analysis.common.labels import settings_labels
from negation_evals.analysis.common.results import row_keys
from negation_evals.analysis.framing.columns import RESULTS
from negation_evals.analysis.framing.summary import HIGH_FROM, ROBUST_BELOW
from negation_evals.framing.frames import load_frames
from negation_evals.report.figures.axes import in_order
from negation_evals.report.figures.figure import Tables
from negation_evals.report.figures.style import BLUE, GREEN, SOFT, VERMILION, Mark, marks
from negation_evals.report.figures.text import LABEL_WIDTH, printable, wrap, wrapped
from negation_evals.schema.framing import STANDARD

ORIGINS: Final = {"US": Mark(BLUE, "o"), "CN": Mark(VERMILION, "s"), "OSS": Mark(GREEN, "^")}
NSI_AXIS: Final = "NSI: 0 same stance in all frames, 1 stance reversed"
NSI_SPAN: Final = (-0.02, 1.02)


def origin_marks(tables: Tables, table: pd.DataFrame | None = None) -> dict[str, Mark]:
    """The origins of the audit, or those in a table, with the marks they have in every figure."""
    origins = marks(tables["compliance"]["origin"], ORIGINS)
    if table is None:
        return origins
    present = set(table["origin"])
    return {origin: mark for origin, mark in origins.items() if origin in present}


def by_settings(
    table: pd.DataFrame, settings: Sequence[str] | None = None
) -> list[tuple[str, pd.DataFrame]]:
    """The parts of a table that share these settings, with a title for each.

    One part without a title where none varies. Default: all settings that the table carries.
    """
    settings = RESULTS.carried_settings(table) if settings is None else list(settings)
    if not settings:
        return [("", table)]
    groups = list(table.groupby(settings, sort=False, dropna=False))
    groups.sort(key=lambda group: [_rank(value) for value in group[0]])
    return [(settings_labels(part.iloc[:1], settings)[0], part) for _, part in groups]


def panel_settings(tables: Tables) -> list[str]:
    """The settings that panels over several results keep apart, as the tables over models do."""
    ranking = tables["ranking"]
    return RESULTS.across_models(ranking, RESULTS.carried_settings(ranking))


def _rank(value: Any) -> tuple[int, float, str]:
    """Settings in order: numbers, then the standard, then other words; the unset last."""
    if pd.isna(value):
        return 3, 0.0, ""
    if isinstance(value, str):
        return (1, 0.0, "") if value == STANDARD else (2, 0.0, value)
    return 0, float(value), ""


def result_rows(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    """For each row which result it belongs to, to join tables by."""
    return row_keys(table, ["model", *RESULTS.carried_settings(table)])


def result_ticks(table: pd.DataFrame) -> list[str]:
    """Labels of results; if one is long, the settings of all stand on lines of their own."""
    labels, settings = RESULTS.labels(table), RESULTS.settings_labels(table)
    if not any(settings) or all(len(label) <= LABEL_WIDTH for label in labels):
        return wrapped(labels)
    names = wrapped(table["model"].astype(str))
    below = wrapped(f"({words})" for words in settings)
    return [f"{name}\n{words}" for name, words in zip(names, below, strict=True)]


def scenario_order(tables: Tables, table: pd.DataFrame) -> list[str]:
    """The scenarios of a table in the order of the scenario ranking."""
    return in_order(s for s in tables["nsi_by_scenario"]["scenario"] if s in set(table["scenario"]))


def class_borders(axes: Axes) -> None:
    """Lines where NSI changes its class."""
    for border in (ROBUST_BELOW, HIGH_FROM):
        axes.axvline(border, color=SOFT, lw=0.8, ls=(0, (4, 3)), zorder=1)


@cache
def _frames() -> dict[str, tuple[str, bool]]:
    return {frame.id: (frame.pattern, frame.negated) for frame in load_frames().values()}


def is_negated(frame: str) -> bool:
    """Does the frame negate? False for one that is not of this suite."""
    return _frames().get(frame, ("", False))[1]


def frame_label(frame: str, spelled_out: bool) -> str:
    """A frame's tick: its name, and its wording where there is room or else whether it negates."""
    if not spelled_out:
        return f"{printable(frame)}\nnot" if is_negated(frame) else printable(frame)
    pattern = _frames().get(frame, ("", False))[0]
    wording = pattern.format(action="A", goal="G", gerund="doing A")
    return f"{printable(frame)}\n{wrap(wording, 22)}".strip()
