"""The provider `simulated`."""

from typing import Any

import click
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from negation_evals.errors import DataError
from negation_evals.models.simulated.respondents import BEHAVIOURS, Respondent
from negation_evals.models.simulated.test_takers import HABITS, Chooser, Shown
from negation_evals.schema.framing import ALIGNMENT_FIELDS, REASONING, SampleKey
from negation_evals.schema.nubench import ItemKey


@modelapi(name="simulated")
class SimulatedAPI(ModelAPI):
    """Inspect's model provider over `Respondent`; `-M` takes its arguments."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (the signature Inspect calls)
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        chooses = model_name in HABITS
        known = ("letter", "share", "seed") if chooses else ("p", "share", "seed", "spread")
        unknown = sorted(set(model_args) - set(known))
        try:
            if unknown:
                raise DataError(
                    f"simulated: unknown -M {unknown[0]!r}: known are {', '.join(known)}"
                )
            if not chooses and model_name not in BEHAVIOURS:
                names = ", ".join([*BEHAVIOURS, *HABITS])
                raise DataError(f"unknown respondent {model_name!r}: known are {names}")
            self.simulated: Respondent | Chooser = (Chooser if chooses else Respondent)(
                model_name, **model_args
            )
        except DataError as error:
            raise click.UsageError(str(error)) from error

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the sample and epoch named in the last message's metadata."""
        completion = self._answer(input[-1], greedy=config.temperature == 0)
        output = ModelOutput.from_content(f"simulated/{self.model_name}", completion)
        # Without usage Inspect would count tokens with an encoding that it downloads.
        words = sum(len(message.text.split()) for message in input)
        answered = len(completion.split())
        output.usage = ModelUsage(
            input_tokens=words, output_tokens=answered, total_tokens=words + answered
        )
        return output

    def _answer(self, question: ChatMessage, greedy: bool) -> str:
        asked = question.metadata or {}
        if isinstance(self.simulated, Chooser) and asked.get(ItemKey.ITEM) is not None:
            shown = Shown(asked[ItemKey.OPTIONS], asked["texts"])
            return self.simulated.answer(asked[ItemKey.ITEM], shown, int(asked["epoch"]))
        if isinstance(self.simulated, Respondent) and asked.get(SampleKey.SCENARIO) is not None:
            return self.simulated.answer(
                asked[SampleKey.SCENARIO],
                asked[SampleKey.FRAME],
                bool(asked[SampleKey.NEGATED]),
                int(asked["epoch"]),
                [name for name in (*ALIGNMENT_FIELDS, REASONING) if f'"{name}":' in question.text],
                greedy,
            )
        raise DataError(
            f"simulated/{self.model_name} answers the tasks "
            f"{'nubench' if isinstance(self.simulated, Chooser) else 'negation_framing and sff'} "
            "of negation_evals only: the message does not name what is asked (was the task's "
            "solver replaced?)"
        )

    def max_connections(self) -> int:
        """Answers cost nothing, so as many as Inspect likes."""
        return 100
