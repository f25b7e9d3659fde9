"""Confidence levels of intervals."""


def error_per_side(confidence_level: float, function: str) -> float:
    """The error that an interval allows on each side.

    Raises:
        ValueError: the level is not between 0 and 1; names the function that was called.
    """
    if not 0 < confidence_level < 1:
        raise ValueError(
            f"{function}: confidence_level is {confidence_level}, expected a value between 0 and 1 "
            "such as 0.95"
        )
    return (1 - confidence_level) / 2
