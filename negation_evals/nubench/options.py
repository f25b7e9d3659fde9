"""The options of the task `nubench` that say how an item is asked."""

from typing import Final, Literal, Self

from pydantic import model_validator

from negation_evals.task_arguments import TaskOptions

Instructions = Literal["definition", "detailed"]
Format = Literal["option", "completion"]

SHOTS: Final = (0, 1, 5, 10)
SEED: Final = 1234
"""The paper's seed of its few-shot error analysis (arXiv:2506.14397, Appendix Q)."""


class NubenchOptions(TaskOptions):
    """How an item is asked; the names are those of `NubenchKey`."""

    instructions: Instructions = "definition"
    shots: int = 0
    format: Format = "option"
    cot: bool = False
    structured: bool = False
    seed: int = SEED

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.shots not in SHOTS:
            raise ValueError(f"shots={self.shots} is not one of {', '.join(map(str, SHOTS))}")
        if self.format == "completion" and (self.cot or self.structured):
            raise ValueError("cot and structured need format=option: a likelihood is no reply")
        if self.cot and self.structured:
            raise ValueError(
                "cot=true and structured=true exclude each other: a schema leaves no room to think"
            )
        return self
