"""The export of pairs."""

import json
import random
from pathlib import Path

import pytest

from negation_evals.errors import DataError
from negation_evals.nubench.dataset import (
    load_pairs,
)
from negation_evals.nubench.finetuning import export_pairs


def test_no_pair_left_for_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"share 0.5 leaves no pair for training"):
        export_pairs(load_pairs("builtin")[:1], tmp_path / "out", validation_share=0.5)
    assert not (tmp_path / "out").exists()


def test_pairs_are_exported_as_chats(tmp_path: Path) -> None:
    pairs = load_pairs("builtin")
    written = export_pairs(pairs, tmp_path, validation_share=0.2, seed=3)
    assert written == {"train": 48, "validation": 12}
    lines = {
        name: (tmp_path / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for name in written
    }
    chats = [json.loads(line)["messages"] for name in written for line in lines[name]]
    assert {tuple(m["role"] for m in chat) for chat in chats} == {("user", "assistant")}
    assert sorted(chat[1]["content"] for chat in chats) == sorted(p.hypothesis for p in pairs)
    again = tmp_path / "again"
    export_pairs(random.Random(1).sample(pairs, len(pairs)), again, validation_share=0.2, seed=3)
    assert sorted((again / "validation.jsonl").read_text().splitlines()) == sorted(
        lines["validation"]
    )
