"""Asking twice: a solver that lets an answer count only if the opposite wording confirms it."""

from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, fork, solver
from inspect_ai.util import span

from negation_evals.errors import DataError
from negation_evals.framing.answer import answer_proposal, framing_sample, shown_order
from negation_evals.framing.frames import Frame, frame_pairs, load_frames
from negation_evals.framing.options import ASKED_BY_DEFAULT
from negation_evals.framing.prompts import Questionnaire
from negation_evals.framing.scenarios import Scenario, load_scenarios
from negation_evals.schema.framing import PARTNER_ANSWER, AskKey, PartnerKey, SampleKey
from negation_evals.scorers.text.output import stop_reason

CALLS = 2
"""Model calls for one answer."""


@solver
def framing_consensus() -> Solver:
    """Ask every proposal in both polarities; answer only if both say the same about the action.

    The mitigation that arXiv:2601.21433, Section 4.3, proposes for systems of tier B. The proposal
    is asked in the sample's own frame and then, in a conversation of its own, in the other frame of
    its pair, which differs in its negation alone. The output is the model's answer to the sample's
    own proposal; the other answer lies in the sample's store (`PARTNER_ANSWER`). The scorers
    `decision` and `validity` read both with the same parser and compare the action they endorse.
    Where they agree, the answer counts as it is; where they do not, its status is `flagged`: it is
    no answer, and a case for a human.

    An answer to the sample's own proposal that holds no decision keeps its status (malformed,
    truncated, refusal, filtered, abstain): there is nothing to withhold, and the status says more.
    A decision whose partner holds none is flagged, since nothing confirms it. So what is flagged
    is exactly what would have counted without the solver and was not confirmed.

    It takes the place of the solver of `negation_framing` and `sff` (`--solver
    negation_evals/framing_consensus`). A solver so given gets none of the task's arguments: it
    finds form, response, answer order, structured, reasoning, seed and scenarios in the sample's
    metadata (`AskKey`). The partner is asked with the seed that its own sample has. `calls` in the
    sample's metadata says that the answer took two.

    Raises:
        DataError: before the sample's first call, if a frame that its task planned has no partner,
            the scenario cannot form the partner, the sample is of another task, or another solver
            changed the prompt, so that the partner's would not be its like. (Inspect shows errors
            of solvers with a traceback; the message is one line.)
    """
    partners = partner_frames()
    scenarios = cache(scenarios_by_id)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        own, partner = find_pair(state, partners)
        asked: dict[str, Any] = {
            key: state.metadata.get(key, default) for key, default in ASKED_BY_DEFAULT.items()
        }
        scenario = find_scenario(state, partner, scenarios(asked.pop(AskKey.SCENARIOS)))
        twin = partner_state(state, *(ask_in(frame, scenario, asked) for frame in (own, partner)))

        answer = answer_proposal(**asked)
        state = await answer(state, generate)
        async with span(f"asked as {partner.id}"):
            twin = await fork(twin, answer)
        state.metadata[SampleKey.CALLS] = CALLS
        state.store.set(
            PARTNER_ANSWER,
            {
                PartnerKey.FRAME: partner.id,
                PartnerKey.NEGATED: partner.negated,
                PartnerKey.COMPLETION: twin.output.completion,
                PartnerKey.STOP_REASON: stop_reason(twin.output),
            },
        )
        return state

    return solve


def partner_frames() -> dict[str, tuple[Frame, Frame]]:
    """Frame id -> the frame and its partner, which differs from it in its negation alone."""
    frames = load_frames()
    return {
        own: (frames[own], frames[partner])
        for pair in frame_pairs().values()
        for own, partner in (pair, pair[::-1])
    }


def find_pair(state: TaskState, partners: Mapping[str, tuple[Frame, Frame]]) -> tuple[Frame, Frame]:
    """The sample's frame and its partner.

    Raises:
        DataError: the sample is of another task, or a frame that its task planned has no partner.
    """
    frame = state.metadata.get(SampleKey.FRAME)
    if frame is None or SampleKey.SCENARIO not in state.metadata:
        raise DataError(
            f"framing_consensus: sample {state.sample_id} has no scenario and frame in its "
            "metadata: the solver serves the tasks negation_framing and sff only"
        )
    planned = str(state.metadata.get(SampleKey.FRAMES, frame)).split(",")
    if alone := [name for name in (*planned, frame) if name not in partners]:
        raise DataError(
            f"framing_consensus: frame {alone[0]} has no partner that differs from it in its "
            f"negation alone: ask only frames that have one, -T frames={','.join(partners)}"
        )
    return partners[frame]


def scenarios_by_id(source: str) -> dict[str, Scenario]:
    """The scenarios of a set or file by id."""
    return {scenario.id: scenario for scenario in load_scenarios(source).scenarios}


def find_scenario(state: TaskState, partner: Frame, scenarios: Mapping[str, Scenario]) -> Scenario:
    """The sample's scenario, by its id among those of the set or file that the task was given.

    Raises:
        DataError: it is not there, or cannot form the partner's frame.
    """
    name = state.metadata[SampleKey.SCENARIO]
    if name not in scenarios:
        raise DataError(
            f"framing_consensus: scenario {name!r} is not in the set that the task was given"
        )
    if obstacle := scenarios[name].obstacle(partner):
        raise DataError(
            f"framing_consensus: scenario {name!r} cannot be asked in frame {partner.id}, the "
            f"partner of {state.metadata[SampleKey.FRAME]}: {obstacle}"
        )
    return scenarios[name]


def ask_in(frame: Frame, scenario: Scenario, asked: Mapping[str, Any]) -> Sample:
    """The sample that a task with these arguments makes of a scenario in a frame."""
    asks = Questionnaire(
        asked[AskKey.FORM],
        asked[AskKey.RESPONSE],
        asked[AskKey.REASONING],
        asked[AskKey.STRUCTURED],
    )
    order = shown_order(asked[AskKey.ANSWER_ORDER], epoch=1)
    return framing_sample(scenario, frame, frame.id, asks, order)


def partner_state(state: TaskState, own: Sample, partner: Sample) -> TaskState:
    """A conversation of its own, with the partner's prompt in the place of the sample's.

    Args:
        state: The sample before its first call; what else it says, such as a system message, the
            partner is told as well.
        own: The sample as its task made it.
        partner: The same of the partner.

    Raises:
        DataError: the prompt is not that of the task.
    """
    prompt = state.user_prompt
    if prompt.text != own.input:
        raise DataError(
            f"framing_consensus: the prompt of sample {state.sample_id} is not the one that the "
            "task made, so its partner cannot be asked in the same way: use no other solver that "
            "changes the prompt"
        )
    asked = ChatMessageUser(content=str(partner.input))
    return TaskState(
        model=state.model,
        sample_id=str(partner.id),
        epoch=state.epoch,
        input=str(partner.input),
        messages=[asked if said is prompt else deepcopy(said) for said in state.messages],
        metadata=dict(partner.metadata or {}),
    )
