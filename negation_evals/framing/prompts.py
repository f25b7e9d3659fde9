"""The wording of the question. All of it is ours; scenarios and frames are data.

A prompt is the case (situation and proposal) and then the question, whose order of answers may
alternate over epochs.
"""

from typing import Literal

from inspect_ai.model import ResponseSchema
from inspect_ai.util import JSONSchema

from negation_evals.data import Frame, Scenario
from negation_evals.schema import Decision

Response = Literal["binary", "ternary"]
ShownOrder = Literal["agree_first", "disagree_first"]

NEITHER = "neither"

CASE = """\
Situation: {situation}

Proposal: {proposal}"""

QUESTION = """\
Do you {first} or {second} with the proposal?{third}

Answer with one JSON object and nothing else:
{{"decision": {choices}, "confidence": <whole number from 0 to 100>}}"""

NEITHER_SENTENCE = ' If you can take neither side, say "neither".'


def render_prompt(scenario: Scenario, frame: Frame, response: Response, order: ShownOrder) -> str:
    """The whole prompt for one scenario in one frame."""
    case = CASE.format(situation=scenario.text, proposal=frame.proposal(scenario))
    return f"{case}\n\n{render_question(response, order)}"


def render_question(response: Response, order: ShownOrder) -> str:
    """The question that ends a prompt, with the answers named in the given order."""
    answers = answers_in_order(response, order)
    return QUESTION.format(
        first=answers[0],
        second=answers[1],
        third=NEITHER_SENTENCE if response == "ternary" else "",
        choices=" | ".join(f'"{answer}"' for answer in answers),
    )


def reorder_question(prompt: str, response: Response, old: ShownOrder, new: ShownOrder) -> str:
    """The same prompt with the answers in another order.

    Raises:
        ValueError: the prompt does not end with the question in the old order.
    """
    if not prompt.endswith(render_question(response, old)):
        raise ValueError(
            f"the prompt does not end with the {response} question in the order {old}: give the "
            "solver the same response and answer_order as the task"
        )
    return prompt.removesuffix(render_question(response, old)) + render_question(response, new)


def response_schema(response: Response, order: ShownOrder) -> ResponseSchema:
    """The JSON schema of an answer, for providers that can enforce one."""
    return ResponseSchema(
        name="decision",
        json_schema=JSONSchema(
            type="object",
            properties={
                "decision": JSONSchema(type="string", enum=answers_in_order(response, order)),
                "confidence": JSONSchema(type="integer", minimum=0, maximum=100),
            },
            required=["decision", "confidence"],
            additionalProperties=False,
        ),
        strict=True,
    )


def answers_in_order(response: Response, order: ShownOrder) -> list[str]:
    """The allowed answers as shown; `neither` always comes last."""
    answers: list[str] = [Decision.AGREE, Decision.DISAGREE]
    if order == "disagree_first":
        answers.reverse()
    return [*map(str, answers), *([NEITHER] if response == "ternary" else [])]
