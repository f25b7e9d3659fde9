"""Which rows count: retries of one run, and several runs with the same settings. For all families.

Logs that share Inspect's task id are one run and its retries: of overlapping rows the later valid
one wins. Different runs with the same settings are independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from negation_evals.analysis.common.columns import DESCRIPTIONS
from negation_evals.analysis.reading.model_patterns import (
    ModelPattern,
    describe_model,
    load_model_patterns,
)
from negation_evals.analysis.reading.reading import Notes
from negation_evals.errors import DataError
from negation_evals.schema.common import Status

Runs = Literal["largest", "all"]


@dataclass(frozen=True)
class Identity:
    """The columns that tell one row of a kind of log from another."""

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


def settle_runs(
    rows: pd.DataFrame,
    notes: Notes,
    identity: Identity,
    runs: Runs,
    models: Sequence[ModelPattern] | None,
) -> pd.DataFrame:
    """The rows that count, with what is known of their models.

    Args:
        rows: Those of one kind of log, with `status` and the columns of `logs.run_columns`.
        notes: Takes what is left out, and warnings about unfinished runs.
        identity: What tells samples, settings and runs apart.
        runs: `largest` counts, of several runs with the same settings, the one with the most
            planned samples, without those that have no score (of equals the latest); `all` pools
            them as further epochs where they can be pooled.
        models: Patterns for origin and size class; default `datasets/models.yaml`.

    Raises:
        DataError: `runs` is neither, or tables contradict each other about a model.
    """
    if runs not in ("largest", "all"):
        raise DataError(f"runs={runs!r} is not one of largest, all")
    rows = _latest_of_retries(rows, [*identity.sample, "epoch"], notes)
    _warn_about_unfinished(rows, notes)
    rows = _choose_runs(rows, identity, runs, notes)
    rows = _describe_models(rows, identity.descriptions, models)
    if unscored := int((~_scored(rows)).sum()):
        notes.warnings.append(
            f"{unscored} samples have no score (errors, runs stopped before scoring, replies or "
            "judges that gave nothing): they are missing, not counted as any answer"
        )
    for source in notes.sources:
        own = rows["log"] == source["source"]
        source["used"] = int((own & (rows["status"] != Status.ERROR)).sum())
    return rows


def _scored(rows: pd.DataFrame) -> pd.Series:
    """Which rows have a score: no errors, nor samples that no scorer reached."""
    return ~rows["status"].isin([Status.UNSCORED, Status.ERROR])


def _latest_of_retries(rows: pd.DataFrame, keys: list[str], notes: Notes) -> pd.DataFrame:
    """Within a run, one row per sample and epoch: the later valid one, else the later."""
    ranked = rows.assign(valid=rows["status"] == Status.VALID)
    ranked = ranked.sort_values("valid", kind="stable").drop_duplicates(["run", *keys], keep="last")
    dropped = rows.drop(index=ranked.index)
    for log, group in dropped.groupby("log", sort=True):
        notes.leave_out(str(log), "superseded by a later row of the same run", len(group))
    return rows.loc[ranked.index.sort_values()]


def _choose_runs(rows: pd.DataFrame, identity: Identity, runs: Runs, notes: Notes) -> pd.DataFrame:
    """Of several runs with the same settings the largest, or all of them as further epochs."""
    kept = []
    rows = rows.assign(failed=~_scored(rows))
    for _, group in rows.groupby(["model", *identity.settings], sort=False, dropna=False):
        if (group["run"] == group["run"].iloc[0]).all():
            kept.append(group)
            continue
        by_run = group.groupby("run", sort=False).agg(
            finished=("run", "size"),
            failed=("failed", "sum"),
            planned=("planned", "max"),
            complete=("log_status", lambda statuses: (statuses == "success").any()),
            created=("created", "max"),
            epochs=("epochs_planned", "max"),
        )
        if runs == "all" and identity.poolable:
            offsets = by_run.sort_values("created")["epochs"].cumsum() - by_run["epochs"]
            kept.append(group.assign(epoch=group["epoch"] + group["run"].map(offsets)))
            continue
        # Samples stopped early count as planned, those of a broken run only if they finished, and
        # those that failed never.
        by_run["size"] = by_run["planned"].where(by_run["complete"], by_run["finished"])
        by_run["size"] -= by_run["failed"]
        order = by_run.sort_values(["size", "created"], kind="stable").index
        rank = group["run"].map({run: place for place, run in enumerate(order)})
        chosen = rank == rank.groupby(
            [group[name] for name in identity.unit], dropna=False
        ).transform("max")
        kept.append(group[chosen])
        for (_, log), left in group[~chosen].groupby(["run", "log"], sort=False):
            notes.leave_out(
                str(log),
                f"another run of {left['model'].iloc[0]} on the same {identity.unit[-1]} with "
                "the same settings is larger or later"
                + ("; --runs all pools them" if identity.poolable else ""),
                len(left),
            )
    return pd.concat(kept, ignore_index=True).drop(columns="failed")


def _describe_models(
    rows: pd.DataFrame, columns: Sequence[str], models: Sequence[ModelPattern] | None
) -> pd.DataFrame:
    """Origin, size tier, family and variant of each model, where a table has not said them."""
    patterns = load_model_patterns() if models is None else models
    names = rows["model"].unique()
    known = {name: describe_model(name, patterns) for name in names}
    for column in columns:
        described = {name: getattr(known[name], column) or name for name in names}
        if column in rows.columns:
            # A table may say so itself: one value for each model.
            given = rows.dropna(subset=column).astype({column: str}).groupby("model")[column]
            if (given.nunique() > 1).any():
                name = str(given.nunique().idxmax())
                values = " and ".join(given.unique()[name])
                raise DataError(f"{name}: {column} is {values}: give the model one in all tables")
            described |= given.first().to_dict()
        rows[column] = rows["model"].map(described)
    return rows


def _warn_about_unfinished(rows: pd.DataFrame, notes: Notes) -> None:
    """Runs that no log of theirs completed; a retry that completed one settles it."""
    for (model, _), run in rows.groupby(["model", "run"], sort=False):
        planned = int(run["planned"].max())
        if "success" not in set(run["log_status"]):
            last = run.sort_values("created", kind="stable").iloc[-1]
            finished = int((run["status"] != Status.ERROR).sum())
            notes.warnings.append(
                f"{last['log']}: {model}, status {last['log_status']}, {finished} of {planned} "
                "planned samples finished: not a complete run"
            )
