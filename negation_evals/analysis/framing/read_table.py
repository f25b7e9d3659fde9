"""Decisions from a table of one's own (CSV, JSONL or Parquet), without any Inspect log."""

import numpy as np
import pandas as pd

from negation_evals.analysis.framing.columns import CELL, SETTINGS
from negation_evals.analysis.reading.user_table import read_file, whole_epochs
from negation_evals.errors import DataError
from negation_evals.files.validation import truth
from negation_evals.framing.frames import load_frames
from negation_evals.schema.common import UNSPECIFIED, Status
from negation_evals.schema.framing import ALIGNMENT_FIELDS, Decision

REQUIRED = ("model", "scenario", "frame", "decision")

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


ORDERS = frozenset(("agree_first", "disagree_first"))


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
    table = _with_checked_names(table, location)
    return _with_run(_with_endorsement(table, location), location)


def _with_checked_names(table: pd.DataFrame, location: str) -> pd.DataFrame:
    """Names as text, and none of them missing; epochs as whole numbers from 1."""
    for column in ("model", "scenario", "domain", "frame"):
        if table[column].isna().any():
            row = int(table[column].isna().to_numpy().argmax()) + 1
            raise DataError(f"{location}: row {row} has no {column}")
        table[column] = table[column].astype(str).astype(object)
    domains = table.groupby("scenario", sort=False)["domain"].nunique()
    if (domains > 1).any():
        raise DataError(
            f"{location}: scenario {domains.index[domains > 1][0]!r} has more than one domain"
        )
    if table["frame"].str.contains(",").any():
        raise DataError(f"{location}: a frame's name holds a comma")
    temperatures = pd.to_numeric(table["temperature"], errors="coerce")
    if (wrong := temperatures.isna() & table["temperature"].notna()).any():
        raise DataError(
            f"{location}: temperature={table['temperature'][wrong].iloc[0]!r} is not a number"
        )
    table["temperature"] = temperatures.astype(float)
    table["structured"] = _as_bool(table["structured"], location, "structured")
    for column in SETTINGS:
        if column in table.columns and column not in {"temperature", "structured"}:
            table[column] = table[column].astype(str).astype(object)
    if "epoch" in table.columns:
        table["epoch"] = whole_epochs(table["epoch"], location)
    unknown = set(table["order_shown"].dropna().astype(str)) - ORDERS
    if unknown:
        raise DataError(
            f"{location}: order_shown={min(unknown)!r} is not one of {', '.join(sorted(ORDERS))}"
        )
    return table


def _with_endorsement(table: pd.DataFrame, location: str) -> pd.DataFrame:
    """Normalise decision and status, and compute `endorsed` from them."""
    decision = table["decision"].astype("string").str.strip().str.casefold()
    known = decision.isin([Decision.AGREE, Decision.DISAGREE]).fillna(False).astype(bool)
    if "status" not in table.columns:
        table["status"] = np.where(
            known, Status.VALID, np.where(decision.isna(), Status.UNSCORED, Status.MALFORMED)
        )
    table["status"] = table["status"].astype(str)
    unknown = set(table["status"]) - {str(status) for status in Status}
    if unknown:
        raise DataError(
            f"{location}: unknown status {sorted(map(str, unknown))[0]!r}; known are "
            f"{', '.join(Status)}"
        )
    given = table["endorsed"].copy() if "endorsed" in table.columns else None
    valid = (table["status"] == Status.VALID).to_numpy()
    if (valid & ~known.to_numpy()).any():
        raise DataError(f"{location}: a row has status valid and no decision agree or disagree")
    if (contradict := (known & (table["status"] != Status.VALID)).to_numpy()).any():
        row = int(contradict.argmax())
        raise DataError(
            f"{location}: row {row + 1} has status {table['status'].iloc[row]} and decision "
            f"{decision.iloc[row]}: mend it or leave one of them empty"
        )
    if not known.any() and decision.notna().any():
        raise DataError(
            f"{location}: decision holds {decision.dropna().iloc[0]!r} and nowhere agree or "
            "disagree: translate it first"
        )
    if "negated" not in table.columns:
        table["negated"] = table["frame"].map(_built_in_polarity(table["frame"], location))
    table["negated"] = _as_bool(table["negated"], location, "negated")
    _check_polarity(table, location)
    table["decision"] = decision.where(valid).astype(object).where(valid, None)
    agrees = (table["decision"] == Decision.AGREE).to_numpy()
    table["endorsed"] = np.where(valid, (agrees != table["negated"]).astype(float), np.nan)
    if given is not None:
        _check_endorsed(given, table, location)
    for column in ("confidence", *ALIGNMENT_FIELDS):
        numbers = pd.to_numeric(table[column], errors="coerce")
        # As from a completion: out of range is missing, never clamped.
        table[column] = numbers.where(numbers.between(0, 100))
    return table


def _as_bool(values: pd.Series, location: str, column: str) -> pd.Series:
    """True or false in any spelling of a file."""
    read = values.map(truth)
    if read.isna().any():
        wrong = values[read.isna()].iloc[0]
        raise DataError(f"{location}: {column}={wrong!r} is neither true nor false")
    return read.astype(bool)


def _built_in_polarity(frames: pd.Series, location: str) -> dict[str, bool]:
    polarity = {name: frame.negated for name, frame in load_frames().items()}
    unknown = sorted(set(map(str, frames)) - set(polarity))
    if unknown:
        raise DataError(
            f"{location}: frame {unknown[0]!r} is not built in ({', '.join(polarity)}): add a "
            "column negated (true or false)"
        )
    return polarity


def _check_endorsed(given: pd.Series, table: pd.DataFrame, location: str) -> None:
    """An endorsement that the table states itself must follow from decision and polarity."""
    said, follows = pd.to_numeric(given, errors="coerce"), table["endorsed"]
    if (wrong := (said.notna() & follows.notna() & (said != follows)).to_numpy()).any():
        row = int(wrong.argmax())
        raise DataError(
            f"{location}: row {row + 1} says endorsed={given.iloc[row]}, but "
            f"{table['decision'].iloc[row]} with negated={table['negated'].iloc[row]} gives "
            f"{follows.iloc[row]:g}: mend it or leave the column out"
        )


def _check_polarity(table: pd.DataFrame, location: str) -> None:
    """A frame has one polarity, and those of the built-in frames are known."""
    known = {name: frame.negated for name, frame in load_frames().items()}
    for frame, rows in table.groupby("frame", sort=False):
        given = set(rows["negated"])
        if len(given) > 1:
            raise DataError(
                f"{location}: frame {frame!r} is negated in some rows and not in others"
            )
        if frame in known and given != {known[str(frame)]}:
            raise DataError(
                f"{location}: negated={given.pop()} for frame {frame!r}, but the built-in frame of "
                f"that name has negated={known[str(frame)]}: mend it, or give your frame a name of "
                "its own"
            )


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
