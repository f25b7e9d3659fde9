"""Sentence-negation pairs as chat-format JSONL, for supervised fine-tuning (Appendix N.3)."""

import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path

from negation_evals.errors import DataError
from negation_evals.files.write import write_files
from negation_evals.nubench.dataset import PairRow
from negation_evals.nubench.options import Instructions
from negation_evals.nubench.prompts import TEXTS

ASK = "Write the standard negation of the sentence, and nothing else."


def export_pairs(
    pairs: Sequence[PairRow],
    out: Path,
    *,
    instructions: Instructions = "definition",
    validation_share: float = 0.1,
    seed: int = 1234,
) -> dict[str, int]:
    """Write `train.jsonl` and `validation.jsonl`, one chat of two messages a line.

    Args:
        pairs: Those of `load_pairs`.
        out: Folder, created if it does not exist.
        instructions: Those that stand before each sentence.
        validation_share: In [0, 1), rounded up to whole sentences.
        seed: Draws which sentences are for validation: the same on every machine.

    Returns:
        How many pairs each file holds.

    Raises:
        DataError: a share out of range or so large that no pair is left for training, or the
            folder cannot be written.
    """
    parts = split_pairs(pairs, validation_share, seed)
    if not parts["train"]:
        raise DataError(f"validation share {validation_share!r} leaves no pair for training")
    try:
        write_files(
            out, {f"{name}.jsonl": _lines(part, instructions) for name, part in parts.items()}
        )
    except OSError as error:
        raise DataError(f"{out}: cannot be written: {error.strerror}") from error
    return {name: len(part) for name, part in parts.items()}


def _lines(pairs: Sequence[PairRow], instructions: Instructions) -> str:
    chats = (json.dumps(chat(pair, instructions), ensure_ascii=False) for pair in pairs)
    return "".join(f"{line}\n" for line in chats)


def chat(pair: PairRow, instructions: Instructions) -> dict[str, list[dict[str, str]]]:
    """One pair as a question and its answer."""
    question = f"{TEXTS[instructions]}\n\n{ASK}\n\nSentence: {pair.premise}"
    return {
        "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": pair.hypothesis},
        ]
    }


def split_pairs(
    pairs: Sequence[PairRow], validation_share: float, seed: int
) -> dict[str, list[PairRow]]:
    """The pairs for training and for validation, in the order given; no sentence is in both.

    Raises:
        DataError: a share out of range.
    """
    if not 0 <= validation_share < 1:
        raise DataError(f"validation share {validation_share!r} is not in [0, 1)")

    def rank(premise: str) -> bytes:
        return hashlib.sha256(f"{seed}/{premise}".encode()).digest()

    premises = sorted({pair.premise for pair in pairs}, key=rank)
    held = set(premises[: math.ceil(validation_share * len(premises))])
    return {
        "train": [pair for pair in pairs if pair.premise not in held],
        "validation": [pair for pair in pairs if pair.premise in held],
    }
