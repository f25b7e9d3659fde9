"""When an adaptive audit looks at its answers, as its log states it."""

import re
from dataclasses import asdict, dataclass
from typing import Final

from negation_evals.errors import DataError

FIRST_LOOK: Final = 10
"""Epochs before the first look: the floor. A look at 5 settles little more than an NSI of 1, costs
the later looks their error, and would rest on two or three answers where some are malformed."""

LOOK_EVERY: Final = 5
"""Epochs from one look to the next."""

MAX_EPOCHS: Final = 100
"""Epochs after which an undecided domain is left undecided."""

ERROR: Final = 0.05
"""Allowed over all looks together."""

EARLY: Final = 7.0
"""Look k before the last gets error / (7 k), all of them together half of it at the most, and the
last look the rest. So strongly framed domains are settled at once, whatever the cap, and the last
look, which decides about most calls, is little weaker than that of a fixed n. Another rule would
change what the schedules in logs mean."""


@dataclass(frozen=True)
class Schedule:
    """When an adaptive audit looks, and the error allowed over all its looks.

    Raises:
        DataError: epochs that are not 1 <= first <= max_epochs, or an error not in (0, 1).
    """

    first: int = FIRST_LOOK
    """Epochs before the first look."""
    every: int = LOOK_EVERY
    """Epochs between looks."""
    max_epochs: int = MAX_EPOCHS
    """Epochs at the last look."""
    error: float = ERROR
    """Probability allowed that any of a domain's intervals misses its NSI."""

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.max_epochs or self.every < 1:
            raise DataError(
                f"adaptive: looks every {self.every} epochs from {self.first} to "
                f"{self.max_epochs} are none: expected 1 <= min_epochs <= max_epochs"
            )
        if not 0 < self.error < 1:
            raise DataError(f"adaptive: error={self.error} is not a probability in (0, 1)")

    @property
    def looks(self) -> tuple[int, ...]:
        """The epochs after which the audit looks; the last is `max_epochs`."""
        return (*range(self.first, self.max_epochs, self.every), self.max_epochs)

    @property
    def errors(self) -> tuple[float, ...]:
        """The error a_k of each look, see `EARLY`; they sum to `error`."""
        import numpy as np  # here, because only an adaptive audit needs it

        early = 1 / np.arange(1, len(self.looks))
        early /= max(EARLY, 2 * float(early.sum()))
        return tuple(self.error * float(share) for share in (*early, 1 - early.sum()))

    def __str__(self) -> str:
        """As text that `read` takes, such as `first=10 every=5 max_epochs=100 error=0.05`."""
        return " ".join(f"{name}={value}" for name, value in asdict(self).items())

    @classmethod
    def read(cls, text: str) -> "Schedule":
        """The schedule of a log, from the text in its metadata.

        Raises:
            DataError: the text is no schedule.
        """
        fields = dict(re.findall(r"(\w+)=(\S+)", text))
        try:
            error = float(fields.pop("error"))
            return cls(**{name: int(value) for name, value in fields.items()}, error=error)
        except (KeyError, TypeError, ValueError) as fault:
            raise DataError(f"{text!r} is not a schedule such as {str(cls())!r}") from fault
