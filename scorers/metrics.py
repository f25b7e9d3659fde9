"""What the metrics of all families share."""

import math
from collections.abc import Iterable


def mean_of_known(values: Iterable[float]) -> float:
    """The mean of what is not NaN; NaN where nothing is."""
    numbers = [value for value in values if not math.isnan(value)]
    return math.fsum(numbers) / len(numbers) if numbers else math.nan
