"""The task and its solver."""

import asyncio
from typing import Any

import click
import pytest
from inspect_ai.model import ChatMessageUser, ModelName
from inspect_ai.solver import TaskState

from negation_evals.nubench.task import choose_option, nubench


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shots": 3}, "shots=3 is not one of 0, 1, 5, 10"),
        ({"shots": True}, "shots=True is not a whole number"),
        ({"format": "letters"}, "format='letters' is not one of option, completion"),
        ({"cot": True, "format": "completion"}, "need format=option"),
        ({"cot": True, "structured": True}, "exclude each other"),
        ({"split": "train"}, "unknown split 'train'"),
        ({"dataset": "nowhere"}, "neither builtin, nor a file or folder, nor a name"),
        ({"seed": "x"}, "seed='x' is not a whole number"),
    ],
)
def test_wrong_arguments_end_in_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(click.UsageError, match=message):
        nubench(**{"dataset": "builtin"} | arguments)


@pytest.mark.parametrize("structured", [True, False])
def test_the_schema_allows_the_letters_of_the_item(structured: bool) -> None:
    """Of an item with three options the provider must not be asked for a D."""
    asked: list[Any] = []

    async def generate(state: TaskState, **config: Any) -> TaskState:
        asked.append(config.get("response_schema"))
        return state

    for choices in (["x", "y", "z"], ["w", "x", "y", "z"]):
        state = TaskState(
            model=ModelName("mockllm/model"),
            sample_id=1,
            epoch=1,
            input="?",
            messages=[ChatMessageUser(content="?")],
            choices=choices,
        )
        asyncio.run(choose_option(structured)(state, generate))
    enums = [one and one.json_schema.properties["answer"].enum for one in asked]
    assert enums == ([["A", "B", "C"], ["A", "B", "C", "D"]] if structured else [None, None])
