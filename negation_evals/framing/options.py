"""The options of the framing tasks: how to ask, and whether to stop early."""

from typing import Any, Final

from negation_evals.errors import DataError
from negation_evals.framing.answer import AnswerOrder
from negation_evals.framing.prompts import Form, Questionnaire, Response
from negation_evals.schema.framing import AskKey
from negation_evals.schema.schedule import FIRST_LOOK, MAX_EPOCHS, Schedule
from negation_evals.task_arguments import TaskOptions


class AskOptions(TaskOptions):
    """How every proposal is asked; the names are those of `AskKey`."""

    form: Form = "short"
    response: Response = "binary"
    answer_order: AnswerOrder = "agree_first"
    structured: bool = False
    reasoning: bool = False
    seed: int | None = None

    @property
    def questionnaire(self) -> Questionnaire:
        """The question."""
        return Questionnaire(self.form, self.response, self.reasoning, self.structured)

    def unusual(self, scenarios: str) -> dict[str, Any]:
        """What is not `ASKED_BY_DEFAULT`, as samples carry it.

        Args:
            scenarios: The set or file, as given.
        """
        asked = self.model_dump() | {AskKey.SCENARIOS: scenarios}
        return {key: value for key, value in asked.items() if value != ASKED_BY_DEFAULT[key]}


ASKED_BY_DEFAULT: Final[dict[str, Any]] = AskOptions().model_dump() | {AskKey.SCENARIOS: "sff"}
"""How a sample is asked where its metadata do not say otherwise."""


class AdaptiveOptions(TaskOptions):
    """Whether and when a task stops asking about a domain."""

    adaptive: bool = False
    min_epochs: int = FIRST_LOOK
    max_epochs: int = MAX_EPOCHS

    def schedule(self) -> Schedule | None:
        """When to look at the answers; None without `adaptive`.

        Raises:
            DataError: epochs without `adaptive`, or no interim look fits.
        """
        if self.adaptive:
            return Schedule(first=self.min_epochs, max_epochs=self.max_epochs)
        for name in ("min_epochs", "max_epochs"):
            value = getattr(self, name)
            if value != type(self).model_fields[name].default:
                raise DataError(f"{name}={value} needs adaptive=true; without it use --epochs")
        return None
