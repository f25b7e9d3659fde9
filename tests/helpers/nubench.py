"""Items, runs and tables of choices."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import EvalLog

from helpers.paths import DATA
from negation_evals.nubench.dataset import (
    load_items,
)

CASES = [
    json.loads(line)
    for line in (DATA / "parser_cases.jsonl").read_text(encoding="utf-8").splitlines()
]

ROW = {
    "wikipedia_index": 7,
    "index": 1,
    "sentence": "It rained in the valley.",
    "choice1": "It did not rain in the valley.",
    "choice2": None,
    "choice2_type": None,
    "choice2_element": None,
    "choice3": "The valley was dry.",
    "choice4": "Rain fell in the valley.",
}

Run = Callable[..., EvalLog]


def cases(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {
        name: metric.value for score in log.results.scores for name, metric in score.metrics.items()
    }


ITEMS = load_items("builtin", "test", with_demonstrations=False).items


def table(rows: list[tuple[str, str, float]], **columns: Any) -> pd.DataFrame:
    """A table of choices from (item, page, correct); a wrong choice is a paraphrase."""
    made = pd.DataFrame(rows, columns=["item", "page", "correct"])
    made["chosen"] = np.where(made["correct"] == 1, "standard negation", "paraphrase")
    made["status"] = np.where(made["correct"].isna(), "error", "valid")
    given = {"model": "m", "n_options": 4, "correct_per_token": np.nan, "local_type": None}
    given |= {"shots": 0, "instructions": "definition", "format": "option", "seed": 1}
    return made.assign(**given | columns)


def full(made: pd.DataFrame) -> pd.DataFrame:
    return made.assign(letter="A", right="A")
