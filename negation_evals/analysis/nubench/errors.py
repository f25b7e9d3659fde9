"""What wrong NUBench choices are (arXiv:2506.14397, Section 5.3, Appendix Q)."""

import numpy as np
import pandas as pd

from negation_evals.analysis.common.formulas import WRONG, error_shares
from negation_evals.analysis.nubench.accuracy import _mean
from negation_evals.analysis.nubench.columns import _require_result, _results, choice_keys
from negation_evals.schema.common import Status
from negation_evals.schema.nubench import LETTERS, OptionType


def choice_errors(choices: pd.DataFrame) -> pd.DataFrame:
    """What the wrong choices are, as shares; format violations are no choices (Appendix Q).

    Returns:
        The keys and: n_valid (choices), n_wrong, n_violations, and the share of the wrong choices
        that are a local negation, contradiction, paraphrase (NaN without any).

    Raises:
        ValueError: a column is missing.
    """
    _require_result(choices, ("status", "chosen", "correct"), "choice_errors")
    rows = []
    for key, group in _results(choices):
        valid = group[group["status"] == Status.VALID]
        wrong = valid.loc[valid["chosen"] != OptionType.STANDARD, "chosen"]
        scored = int(group["correct"].notna().sum())
        row = {"n_valid": len(valid), "n_wrong": len(wrong), "n_violations": scored - len(valid)}
        rows.append(key | row | error_shares(valid["chosen"].tolist()))
    columns = ["n_valid", "n_wrong", "n_violations", *(kind.value for kind in WRONG)]
    return pd.DataFrame(rows, columns=[*choice_keys(choices), *columns])


def choice_confusion(choices: pd.DataFrame) -> pd.DataFrame:
    """How often the local negation is taken for the standard one, by its construction.

    Returns:
        The keys and: local_type, n_valid (choices on items of that type), n_local, confusion (the
        share that chose the local negation; NaN without any choice).

    Raises:
        ValueError: a column is missing.
    """
    _require_result(choices, ("status", "chosen", "local_type"), "choice_confusion")
    keys = choice_keys(choices)
    rows = []
    for key, group in _results(choices):
        valid = group[(group["status"] == Status.VALID) & group["local_type"].notna()]
        for local_type in sorted(group["local_type"].dropna().unique()):
            chosen = valid.loc[valid["local_type"] == local_type, "chosen"]
            n_local = int((chosen == OptionType.LOCAL).sum())
            rows.append(
                key
                | {
                    "local_type": local_type,
                    "n_valid": len(chosen),
                    "n_local": n_local,
                    "confusion": n_local / len(chosen) if len(chosen) else np.nan,
                }
            )
    return pd.DataFrame(rows, columns=[*keys, "local_type", "n_valid", "n_local", "confusion"])


def choice_letters(choices: pd.DataFrame) -> pd.DataFrame:
    """Which letters are chosen, and where the right option stands: a habit shows as a difference.

    Returns:
        The keys and: letter, chosen (share of the choices), right (share of the same items whose
        right option has that letter).

    Raises:
        ValueError: a column is missing.
    """
    _require_result(choices, ("status", "letter", "right", "n_options"), "choice_letters")
    rows = []
    for key, group in _results(choices):
        valid = group[group["status"] == Status.VALID]
        for letter in LETTERS[: int(group["n_options"].max())]:
            rows.append(
                key
                | {
                    "letter": letter,
                    "chosen": _mean(valid["letter"] == letter),
                    "right": _mean(valid["right"] == letter),
                }
            )
    return pd.DataFrame(rows, columns=[*choice_keys(choices), "letter", "chosen", "right"])
