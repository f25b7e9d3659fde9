"""Which rows count: retries of one run, and several runs with the same settings. For all families.

Logs that share Inspect's task id are one run and its retries: of overlapping rows the later valid
one wins. Different runs with the same settings are independent.
"""

from collections.abc import Sequence
from typing import Final, get_args

import pandas as pd

from negation_evals.analysis.reading.kinds import LogKind, ReadOptions, Runs
from negation_evals.analysis.reading.model_patterns import (
    ModelPattern,
    describe_model,
    load_model_patterns,
)
from negation_evals.analysis.reading.reading import Notes
from negation_evals.errors import DataError
from negation_evals.schema.common import Status

RUN_COLUMNS: Final = ("created", "planned", "epochs_planned", "log_status")
"""Columns that choose between logs and runs, and then go."""


def settle_runs(
    parts: Sequence[pd.DataFrame], kind: LogKind, options: ReadOptions, notes: Notes
) -> pd.DataFrame:
    """The rows that count, in the order in which their logs were created, as the kind's table.

    Args:
        parts: The rows of each log or table, with `status` and the columns of `logs.run_columns`.
        kind: What tells samples, settings and runs apart.
        options: With what the user said of models and runs.
        notes: Takes what is left out, and warnings about unfinished runs.

    Raises:
        DataError: `options.runs` is no choice, or tables contradict each other about a model.
    """
    if options.runs not in get_args(Runs):
        raise DataError(f"runs={options.runs!r} is not one of {', '.join(get_args(Runs))}")
    parts = sorted(parts, key=lambda table: (table["created"].iloc[0], table["log"].iloc[0]))
    rows = pd.concat(parts, ignore_index=True)
    if kind.prepare is not None:
        rows = kind.prepare(rows, options, notes)
    rows = _latest_of_retries(rows, [*kind.sample, "epoch"], notes)
    notes.warnings += _unfinished(rows[["model", "run", "log", "status", *RUN_COLUMNS]])
    rows = _choose_runs(rows, kind, options.runs, notes)
    rows = rows.assign(**_descriptions(rows, kind.descriptions, options.models))
    if unscored := int((~_scored(rows)).sum()):
        notes.warnings.append(
            f"{unscored} samples have no score (errors, runs stopped before scoring, replies or "
            "judges that gave nothing): they are missing, not counted as any answer"
        )
    for source in notes.sources:
        own = rows["log"] == source["source"]
        source["used"] = int((own & (rows["status"] != Status.ERROR)).sum())
    if kind.finish is not None:
        rows = kind.finish(rows, notes)
    extra = [name for name in rows.columns if name not in (*kind.table.names, *RUN_COLUMNS)]
    return rows[[*kind.table.names, *extra]].reset_index(drop=True)


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


def _choose_runs(rows: pd.DataFrame, kind: LogKind, runs: Runs, notes: Notes) -> pd.DataFrame:
    """Of several runs with the same settings the largest, or all of them as further epochs."""
    kept = []
    rows = rows.assign(failed=~_scored(rows))
    for _, group in rows.groupby(["model", *kind.settings], sort=False, dropna=False):
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
        if runs == "all" and kind.poolable:
            offsets = by_run.sort_values("created")["epochs"].cumsum() - by_run["epochs"]
            kept.append(group.assign(epoch=group["epoch"] + group["run"].map(offsets)))
            continue
        # Samples stopped early count as planned, those of a broken run only if they finished, and
        # those that failed never.
        by_run["size"] = by_run["planned"].where(by_run["complete"], by_run["finished"])
        by_run["size"] -= by_run["failed"]
        order = by_run.sort_values(["size", "created"], kind="stable").index
        rank = group["run"].map({run: place for place, run in enumerate(order)})
        chosen = rank == rank.groupby([group[name] for name in kind.unit], dropna=False).transform(
            "max"
        )
        kept.append(group[chosen])
        for (_, log), left in group[~chosen].groupby(["run", "log"], sort=False):
            notes.leave_out(
                str(log),
                f"another run of {left['model'].iloc[0]} on the same {kind.unit[-1]} with "
                "the same settings is larger or later"
                + ("; --runs all pools them" if kind.poolable else ""),
                len(left),
            )
    return pd.concat(kept, ignore_index=True).drop(columns="failed")


def _descriptions(
    rows: pd.DataFrame, columns: Sequence[str], models: Sequence[ModelPattern] | None
) -> dict[str, "pd.Series[str]"]:
    """What is known of each row's model; a table may say so itself, one value for each model."""
    patterns = load_model_patterns() if models is None else models
    described = {name: describe_model(name, patterns) for name in rows["model"].unique()}
    values: dict[str, pd.Series[str]] = {}
    for column in columns:
        of_model = {name: getattr(model, column) or name for name, model in described.items()}
        if column in rows.columns:
            stated = rows.dropna(subset=column).astype({column: str}).groupby("model")[column]
            if (stated.nunique() > 1).any():
                name = str(stated.nunique().idxmax())
                several = " and ".join(stated.unique()[name])
                raise DataError(f"{name}: {column} is {several}: give the model one in all tables")
            of_model |= stated.first().to_dict()
        values[column] = rows["model"].map(of_model)
    return values


def _unfinished(rows: pd.DataFrame) -> list[str]:
    """Runs that no log of theirs completed; a retry that completed one settles it."""
    unfinished = []
    for (model, _), run in rows.groupby(["model", "run"], sort=False):
        planned = int(run["planned"].max())
        if "success" not in set(run["log_status"]):
            last = run.sort_values("created", kind="stable").iloc[-1]
            finished = int((run["status"] != Status.ERROR).sum())
            unfinished.append(
                f"{last['log']}: {model}, status {last['log_status']}, {finished} of {planned} "
                "planned samples finished: not a complete run"
            )
    return unfinished
