"""From the logs of the task `nubench` to the table `choices`."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.scorer import CORRECT, INCORRECT

from negation_evals.analysis.nubench.columns import CHOICE_SETTINGS
from negation_evals.analysis.nubench.tables import CHOICES
from negation_evals.analysis.reading.kinds import LogKind, ReadOptions, Runs
from negation_evals.analysis.reading.logs import read
from negation_evals.analysis.reading.model_patterns import ModelPattern
from negation_evals.analysis.reading.reading import Notes
from negation_evals.analysis.reading.scores import newest_score
from negation_evals.analysis.reading.sources import Source
from negation_evals.schema.common import Status
from negation_evals.schema.nubench import (
    CHOICE_SCORER,
    LETTERS,
    OPTION_CODES,
    SOLVERS,
    ChoiceKey,
    ItemKey,
    NubenchKey,
    OptionType,
)


def read_choices(
    paths: Source | Iterable[Source],
    *,
    models: Sequence[ModelPattern] | None = None,
    runs: Runs = "largest",
) -> pd.DataFrame:
    """Read NUBench logs into the table `choices`, one row per item and epoch.

    Retries and repeated runs are settled as in `read_decisions`.

    Args:
        paths: Log files, folders (searched recursively), fsspec URLs, or log objects.
        models: Patterns for origin and size tier; default `datasets/models.yaml`.
        runs: `all` pools different runs with the same settings as further epochs.

    Returns:
        The table `CHOICES`. correct is 1.0 or 0.0, a format violation 0.0, and NaN for
        a sample without a score; chosen is the type of the option chosen, or None; both per-token
        columns are empty unless likelihoods were taken. For what was left out and why, use `read`.

    Raises:
        NothingFoundError: there is no such log.
        DataError: a file named by itself cannot be read.
    """
    return read(paths, (CHOICE_LOGS,), ReadOptions(models, runs)).table


def _is_nubench(header: EvalLog) -> bool:
    metadata = header.eval.metadata or {}
    return NubenchKey.DATA_HASH in metadata and NubenchKey.SHOTS in metadata


def _choice_rows(header: EvalLog, summaries: list[EvalSampleSummary], notes: Notes) -> pd.DataFrame:
    """The rows of one log, with the settings of its header."""
    metadata = header.eval.metadata or {}
    table = pd.DataFrame([_choice_row(summary) for summary in summaries], columns=_ROW)
    standard = OptionType.STANDARD.value
    # The value counts, as in the log's own metrics: who edits a score edits that.
    right = table["value"].isin([CORRECT, 1])
    readable = (right | table.pop("value").isin([INCORRECT, 0])) & table["status"].isin(
        list(Status)
    )
    scored = ~table["status"].isin([Status.ERROR, Status.UNSCORED])
    if n := int((scored & ~readable).sum()):
        notes.warnings.append(
            f"{header.location}: {n} scores with an unknown status or a value that is neither "
            f"{CORRECT} nor {INCORRECT}: unscored"
        )
        table.loc[scored & ~readable, "status"] = str(Status.UNSCORED)
        table.loc[scored & ~readable, ["letter", "chosen", "chosen_per_token"]] = None
        scored &= readable
    table["correct"] = np.where(scored, right.astype(float), np.nan)
    edited = scored & (right != (table["chosen"] == standard))
    if edited.any():
        notes.warnings.append(
            f"{header.location}: {int(edited.sum())} scores whose value contradicts their answer "
            "(edited?): the value counts, and the option chosen is unknown"
        )
        table.loc[edited, "chosen"] = None
    per_token = table["chosen_per_token"]
    table["correct_per_token"] = np.where(
        per_token.notna(), (per_token == standard).astype(float), np.nan
    )
    return table.assign(
        split=str(metadata.get(NubenchKey.SPLIT)),
        instructions=str(metadata.get(NubenchKey.INSTRUCTIONS)),
        shots=int(metadata[NubenchKey.SHOTS]),
        demonstrations=str(metadata.get(NubenchKey.DEMONSTRATIONS) or "")[:HASH_DIGITS],
        format=str(metadata.get(NubenchKey.FORMAT)),
        cot=bool(metadata.get(NubenchKey.COT)),
        structured=bool(metadata.get(NubenchKey.STRUCTURED)),
        seed=int(metadata.get(NubenchKey.SHUFFLE_SEED, 0)),
        data_hash=str(metadata[NubenchKey.DATA_HASH]),
        dataset=str(metadata.get(NubenchKey.DATASET)),
        revision=metadata.get(NubenchKey.REVISION),
    )


HASH_DIGITS = 8
"""Of the demonstrations' hash: enough to tell two sets apart."""

_ROW = [
    "item",
    "page",
    "local_type",
    "n_options",
    "right",
    "epoch",
    "status",
    "letter",
    "value",
    "chosen",
    "chosen_per_token",
    "sample_uuid",
]

_TYPES = {code: kind.value for code, kind in OPTION_CODES.items()}
_STANDARD = OptionType.STANDARD.value[0]


def _choice_row(summary: EvalSampleSummary) -> tuple[Any, ...]:
    """The row of one summary: what the item is, and what was chosen."""
    metadata = summary.metadata
    score = newest_score(summary.scores, CHOICE_SCORER)
    marks = (score.metadata if score is not None else None) or {}
    if score is None:
        status: Any = Status.ERROR if summary.error else Status.UNSCORED
    else:
        status = marks.get(ChoiceKey.STATUS, Status.UNSCORED)
    shown = str(metadata.get(ItemKey.OPTIONS, ""))
    place = shown.find(_STANDARD)
    return (
        str(metadata.get(ItemKey.ITEM, summary.id)),
        str(metadata.get(ItemKey.PAGE, summary.id)),
        metadata.get(ItemKey.LOCAL_TYPE),
        len(shown),
        LETTERS[place] if place >= 0 else None,
        summary.epoch,
        str(status),
        score.answer if score is not None and status == Status.VALID else None,
        None if score is None else score.value,
        _TYPES.get(marks.get(ChoiceKey.CHOSEN, "")),
        _TYPES.get(marks.get(ChoiceKey.PER_TOKEN, "")),
        summary.uuid,
    )


CHOICE_LOGS: Final = LogKind(
    table=CHOICES,
    title="nubench",
    owns=_is_nubench,
    rows=_choice_rows,
    unit=("item",),
    sample=("item",),
    settings=CHOICE_SETTINGS,
    solvers=SOLVERS,
)
