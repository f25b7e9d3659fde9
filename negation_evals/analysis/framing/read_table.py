"""Decisions from a table of the user of any format, without any Inspect log."""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from negation_evals.analysis.framing.columns import CELL, SETTINGS
from negation_evals.analysis.framing.tables import DECISIONS
from negation_evals.analysis.reading.user_table import parse_columns, read_file, refuse_rows
from negation_evals.errors import DataError
from negation_evals.framing.frames import load_frames
from negation_evals.schema.common import UNSPECIFIED, Status
from negation_evals.schema.framing import ALIGNMENT_FIELDS, Decision

REQUIRED: Final = DECISIONS.required
"""The columns that a table of decisions must have."""

DEFAULTS = {
    "domain": UNSPECIFIED,
    "task": "table",
    "condition": "standard",
    "response": "binary",
    "answer_order": UNSPECIFIED,
    "structured": False,
    "solver": "",
    "generation": "",
    "version": UNSPECIFIED,
    "data_hash": UNSPECIFIED,
    "confidence": float("nan"),
    **dict.fromkeys(ALIGNMENT_FIELDS, float("nan")),
    "temperature": float("nan"),
    "order_shown": None,
    "completion": None,
    "calls": float("nan"),
    "sample_uuid": None,
}
"""What a column holds that the user's table does not have."""


_SCORES: Final = ("confidence", *ALIGNMENT_FIELDS, "calls")
_PARSED: Final = (
    *("model", "scenario", "domain", "frame", *SETTINGS),
    *("epoch", "status", "order_shown", "negated", *_SCORES),
)


def read_table(location: str) -> pd.DataFrame:
    """Read a table of decisions with at least model, scenario, frame and decision.

    A decision is agree or disagree in any case; any other is malformed, a missing one unscored,
    unless a column `status` says what it is. `negated` is taken from the built-in frames where
    the table has none. Rows without `epoch` are numbered in the order of the file.

    Raises:
        DataError: the file cannot be read, lacks a column, holds an unknown frame without
            `negated`, an unknown status, or one decision twice.
    """
    table = read_file(location, REQUIRED)
    for column, value in DEFAULTS.items():
        if column not in table.columns:
            table[column] = value
        elif value is not None:
            table[column] = table[column].where(table[column].notna(), value)
    if "frames" in table.columns and table["frames"].isna().all():
        table = table.drop(columns="frames")
    # As from a completion: what is no number is missing.
    table = table.assign(**{name: pd.to_numeric(table[name], errors="coerce") for name in _SCORES})
    table = parse_columns(table, DECISIONS, _PARSED, location).astype({"temperature": float})
    refuse = partial(refuse_rows, table, location)
    domains = table.groupby("scenario", sort=False)["domain"].transform("nunique")
    refuse(domains > 1, ": scenario {scenario!r} has more than one domain")
    refuse(table["frame"].str.contains(","), ": the name of frame {frame!r} holds a comma")
    table = _with_polarity(_with_status(table, location), location)
    return _with_run(_with_endorsement(table, location), location)


def _with_status(table: pd.DataFrame, location: str) -> pd.DataFrame:
    """Decisions in lower case, None unless valid, and the status where the table has none."""
    decision = table["decision"].astype("string").str.strip().str.casefold().astype(object)
    known = decision.isin([Decision.AGREE, Decision.DISAGREE])
    table = table.assign(decision=decision)
    if "status" not in table.columns:
        lost = np.where(decision.isna(), Status.UNSCORED, Status.MALFORMED)
        table["status"] = np.where(known, Status.VALID, lost)
    valid = table["status"] == Status.VALID
    refuse = partial(refuse_rows, table, location)
    refuse(valid & ~known, " has status valid and no decision agree or disagree")
    contradiction = (
        " has status {status} and decision {decision}: fix it or leave one of them empty"
    )
    refuse(known & ~valid, contradiction)
    foreign = ": decision holds {decision!r} and nowhere agree or disagree: translate it first"
    refuse(decision.notna() & (not known.any()), foreign)
    return table.assign(decision=decision.where(valid, None), status=table["status"].astype(str))


def _with_polarity(table: pd.DataFrame, location: str) -> pd.DataFrame:
    """A frame has one polarity, and those of the built-in frames are known."""
    built_in = {name: frame.negated for name, frame in load_frames().items()}
    polarity = table["frame"].map(built_in)
    refuse = partial(refuse_rows, table, location)
    if "negated" not in table.columns:
        names = ", ".join(built_in)
        unknown = (
            f": frame {{frame!r}} is not built in ({names}): add a column negated (true or false)"
        )
        refuse(polarity.isna(), unknown)
        return table.assign(negated=polarity.astype(bool))
    several = table.groupby("frame", sort=False)["negated"].transform("nunique") > 1
    refuse(several, ": frame {frame!r} is negated in some rows and not in others")
    refuse(
        polarity.notna() & (table["negated"] != polarity),
        ": negated={negated} for frame {frame!r}, but the built-in frame of that name has the "
        "other polarity: fix it, or give your frame another name",
    )
    return table


def _with_endorsement(table: pd.DataFrame, location: str) -> pd.DataFrame:
    """`endorsed` from decision and polarity; one that the table states itself must follow."""
    agrees = table["decision"] == Decision.AGREE
    follows = (agrees != table["negated"]).astype(float).where(table["decision"].notna())
    if "endorsed" in table.columns:
        stated = pd.to_numeric(table["endorsed"], errors="coerce")
        refuse_rows(
            table.assign(follows=follows),
            location,
            stated.notna() & follows.notna() & (stated != follows),
            " says endorsed={endorsed}, but {decision} with negated={negated} gives {follows:g}: "
            "fix it or leave the column out",
        )
    return table.assign(endorsed=follows)


def _with_run(table: pd.DataFrame, location: str) -> pd.DataFrame:
    """A table is one run per model and settings; the rows of a cell are its epochs."""
    settings = [setting for setting in SETTINGS if setting in table.columns]
    if "frames" not in table.columns:
        # What any model was asked, all were: a model without a frame misses it.
        table["frames"] = table.groupby(settings, dropna=False)["frame"].transform(_frames_asked)
        settings.append("frames")
    else:
        table["frames"] = table["frames"].map(_frame_list)
    cell = ["model", *settings, "scenario", "frame"]
    if "epoch" not in table.columns:
        table["epoch"] = table.groupby(cell, dropna=False).cumcount() + 1
    if (repeated := table.duplicated([*cell, "epoch"], keep=False)).any():
        first = table.loc[repeated, ["model", *CELL]].iloc[0].to_dict()
        raise DataError(
            f"{location}: {int(repeated.sum())} rows share a model, scenario, frame and epoch, "
            f"first {first}: remove the repetitions or number them as further epochs"
        )
    groups = table.groupby(["model", *settings], sort=False, dropna=False).ngroup()
    table["run"] = location + "#" + groups.astype(str)
    table["log"] = location
    table["created"] = ""
    table["log_status"] = "success"
    table["planned"] = table.groupby("run")["run"].transform("size")
    table["epochs_planned"] = table.groupby("run")["epoch"].transform("max")
    return table


def _frames_asked(frames: pd.Series) -> str:
    """The frames that occur, built-in ones first, joined by commas."""
    order = [name for name in load_frames() if name in set(frames)]
    return ",".join([*order, *(name for name in frames.unique() if name not in order)])


def _frame_list(text: str) -> str:
    """A list of frames without blanks and repetitions."""
    return ",".join(dict.fromkeys(name.strip() for name in str(text).split(",") if name.strip()))
