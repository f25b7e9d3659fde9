"""A kind of log: whose logs they are, the table that they become, and what tells its rows apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from inspect_ai.log import EvalLog, EvalSampleSummary

from negation_evals.analysis.common.columns import DESCRIPTIONS
from negation_evals.analysis.common.tables import Table
from negation_evals.analysis.reading.model_patterns import ModelPattern
from negation_evals.analysis.reading.reading import Notes

Runs = Literal["largest", "all"]


@dataclass(frozen=True)
class ReadOptions:
    """What every reader may be told."""

    models: Sequence[ModelPattern] | None = None
    """Patterns for origin and size class; default `datasets/models.yaml`."""
    runs: Runs = "largest"
    """Of several runs with the same settings the largest counts, or `all` as further epochs."""
    pool_data: bool = False
    """Let scenario data of different content count as the same."""


@dataclass(frozen=True)
class LogKind:
    """One kind of log, and the table that such logs become."""

    table: Table
    """Its columns, and the least of them in a table of the user's."""
    title: str
    """As in "no usable framing log"."""
    owns: Callable[[EvalLog], bool]
    """Is a log, by its header, of this kind?"""
    rows: Callable[[EvalLog, list[EvalSampleSummary], Notes], pd.DataFrame]
    """One row per sample and epoch; the reader adds the columns of every kind of log."""
    unit: tuple[str, ...]
    """Within these the largest run is chosen, so that the parts of an audit that was split add up:
    the scenario, or what identifies the item."""
    sample: tuple[str, ...]
    """What identifies a sample within a run, without the epoch."""
    settings: tuple[str, ...]
    """What makes a result of its own."""
    descriptions: tuple[str, ...] = DESCRIPTIONS
    """What the models file says of a model, as columns."""
    poolable: bool = True
    """Can several runs count as further epochs?"""
    solvers: tuple[str, ...] = ()
    """The task's own solvers: another one in their place is a setting."""
    read_table: Callable[[str], pd.DataFrame] | None = None
    """Reads a user's table of this kind; without it, tables are left out."""
    prepare: Callable[[pd.DataFrame, ReadOptions, Notes], pd.DataFrame] | None = None
    """Before runs are settled."""
    finish: Callable[[pd.DataFrame, Notes], pd.DataFrame] | None = None
    """After runs are settled."""
    repeats_another: bool = False
    """The same logs make another table as well, whose notes say it all."""
