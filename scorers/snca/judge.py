"""The judge of the SNCA scorers: the model role `judge`, asked again where it gives no verdict."""

from collections.abc import Callable
from dataclasses import dataclass
from logging import getLogger
from typing import Final, Generic, Protocol, TypeVar

from inspect_ai.model import GenerateConfig, Model, ModelName, ModelOutput, get_model
from inspect_ai.util import LimitExceededError

from negation_evals.schema.common import Status
from negation_evals.schema.snca import JUDGE_ROLE
from negation_evals.scorers.text.output import stop_reason

logger = getLogger(__name__)

JUDGE_TEMPERATURE: Final = 0.0
JUDGE_MAX_TOKENS: Final = 2048
"""Both unless the role says otherwise: `--model-role 'judge={model: ..., max_tokens: ...}'`. The
task's own limits are the audited model's."""


class Reading(Protocol):
    """What every reading of a judge's reply says."""

    @property
    def status(self) -> Status:
        """`VALID` exactly if the reply is a verdict."""

    @property
    def explanation(self) -> str:
        """One plain sentence on what was found."""


ReadingT = TypeVar("ReadingT", bound=Reading)


@dataclass(frozen=True)
class Judged(Generic[ReadingT]):
    """What became of asking the judge."""

    reading: ReadingT | None
    """The valid verdict; None if two calls gave none."""
    judge: str
    """Name of the judging model."""
    failure: str
    """Why there is no verdict; empty if there is one."""
    output: ModelOutput | None = None
    """What the judge said last; None if it could not be reached."""


def require_judge() -> Model:
    """The model bound to the role `judge`.

    Raises:
        PrerequisiteError: the role is not bound; there is no default, since a model that judges
            itself would go unnoticed.
    """
    config = GenerateConfig(temperature=JUDGE_TEMPERATURE, max_tokens=JUDGE_MAX_TOKENS)
    # inspect-evals-lint: ignore[get_model_location] -- called by solvers and scorers alone
    return get_model(role=JUDGE_ROLE, required=True, config=config)


class Judge:
    """Asks the judge; one object per scorer, so that a warning is given once."""

    def __init__(self) -> None:
        self._warned: set[str] = set()

    async def ask(
        self,
        prompt: str,
        read: Callable[[str, str], ReadingT],
        reminder: str,
        audited: str | ModelName,
    ) -> Judged[ReadingT]:
        """Ask for a verdict; after an invalid one once more, with a reminder of the form.

        A judge that cannot be reached gives no verdict: what the audited model said stays in the
        log, and `inspect score` can ask again. It never becomes a class.

        Args:
            prompt: The whole prompt.
            read: From completion and stop reason to a reading.
            reminder: What is added to the prompt of the second call.
            audited: The model under audit, which should not judge itself.
        """
        model = require_judge()
        name = str(model)
        self._warn(name, str(audited))
        failure, output = "", None
        for text in (prompt, f"{prompt}\n\n{reminder}"):
            try:
                output = await model.generate(text)
            except LimitExceededError:
                raise
            except Exception as error:
                reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
                logger.warning("the judge %s cannot be reached: %s", name, reason)
                return Judged(None, name, f"The judge cannot be reached: {reason}")
            reading = read(output.completion, stop_reason(output))
            if reading.status == Status.VALID:
                return Judged(reading, name, "", output)
            failure = reading.explanation
        return Judged(None, name, failure, output)

    def _warn(self, judge: str, audited: str) -> None:
        if judge == audited and judge not in self._warned:
            self._warned.add(judge)
            logger.warning(
                "the judge is the model under audit (%s): it judges itself; bind another model "
                "with --model-role judge=...",
                judge,
            )
