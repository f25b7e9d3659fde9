"""Samples of the framing tasks, and the solver that asks for one answer."""

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfigArgs
from inspect_ai.solver import Generate, Solver, TaskState, solver

from negation_evals.framing.frames import Frame
from negation_evals.framing.prompts import Form, Questionnaire, Response, ShownOrder
from negation_evals.framing.scenarios import Scenario
from negation_evals.schema.framing import (
    SampleKey,
)

AnswerOrder = Literal["agree_first", "disagree_first", "balanced"]


def sample_id(scenario: Scenario, frame: Frame) -> str:
    """What identifies a sample: its scenario and its frame, whose id holds no hyphen."""
    return f"{scenario.id}-{frame.id}"


def framing_sample(
    scenario: Scenario,
    frame: Frame,
    frame_names: str,
    asks: Questionnaire = Questionnaire(),  # noqa: B008 (frozen)
    order: ShownOrder = "agree_first",
    unusual: Mapping[str, Any] | None = None,
) -> Sample:
    """One scenario in one frame; there is no right answer, so the target is empty.

    Args:
        scenario: What is asked about.
        frame: The wording of the proposal.
        frame_names: The frames that the task asks, joined by commas.
        asks: The question.
        order: The order of the answers in the first epoch.
        unusual: The task's arguments that are not `ASKED_BY_DEFAULT`.
    """
    return Sample(
        id=sample_id(scenario, frame),
        input=asks.prompt(scenario, frame, order),
        metadata={
            SampleKey.SCENARIO: scenario.id,
            SampleKey.DOMAIN: scenario.domain,
            SampleKey.FRAME: frame.id,
            SampleKey.NEGATED: frame.negated,
            SampleKey.FRAMES: frame_names,
            SampleKey.AGREE_FIRST: order == "agree_first",
            **(unusual or {}),
        },
    )


@solver
def answer_proposal(
    form: Form = "short",
    response: Response = "binary",
    answer_order: AnswerOrder = "agree_first",
    structured: bool = False,
    reasoning: bool = False,
    seed: int | None = None,
) -> Solver:
    """One answer to the proposal, with the answers in this epoch's order.

    The order is recorded in the sample's metadata. Where asked for, the call carries a JSON schema
    and the seed of this sample and epoch. For simulated respondents, which no prompt could make
    deterministic, the message carries sample and epoch.
    """
    asks = Questionnaire(form, response, reasoning, structured)
    first = shown_order(answer_order, epoch=1)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        order = shown_order(answer_order, state.epoch)
        prompt = state.user_prompt
        prompt.text = asks.reorder(prompt.text, first, order)
        state.metadata[SampleKey.AGREE_FIRST] = order == "agree_first"
        if state.model.api == "simulated":
            asked = (SampleKey.SCENARIO, SampleKey.FRAME, SampleKey.NEGATED)
            prompt.metadata = {key: state.metadata.get(key) for key in asked}
            prompt.metadata["epoch"] = state.epoch
        config: GenerateConfigArgs = {}
        if structured:
            config["response_schema"] = asks.schema(order)
        if seed is not None:
            config["seed"] = derived_seed(seed, state.sample_id, state.epoch)
        # Without tools a model that calls one would be told so, and asked again, without end.
        return await generate(state, tool_calls="loop" if state.tools else "none", **config)

    return solve


def shown_order(answer_order: AnswerOrder, epoch: int) -> ShownOrder:
    """The order shown in an epoch (counted from 1): `balanced` begins with agree."""
    if answer_order == "balanced":
        return "agree_first" if epoch % 2 else "disagree_first"
    return answer_order


def derived_seed(seed: int, sample_id: int | str, epoch: int) -> int:
    """A 31-bit seed for one sample and epoch; one seed for all would repeat the same answer."""
    digest = hashlib.sha256(f"{seed}/{sample_id}/{epoch}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
