"""Which scenarios and frames a task asks: the user's `-T` values, checked."""

from collections.abc import Sequence
from dataclasses import dataclass

from negation_evals.errors import DataError, unknown_name
from negation_evals.framing.frames import Frame, load_frames
from negation_evals.framing.scenarios import Scenario, ScenarioSet

DEFAULT_FRAMES = "F0,F1,F2,F3"
"""The four frames of both papers."""


@dataclass(frozen=True)
class Proposals:
    """What a task asks, by scenario, and what it leaves out."""

    asked: tuple[tuple[Scenario, Frame], ...]
    skipped: tuple[tuple[Scenario, Frame], ...]
    """Where the scenario cannot form the frame."""

    def skipped_in_short(self) -> str:
        """The skipped frames, each with the first of its scenarios and how many there are."""
        by_frame: dict[str, list[str]] = {}
        for scenario, frame in self.skipped:
            by_frame.setdefault(frame.id, []).append(scenario.id)
        return "; ".join(
            f"{frame} in {len(names)} ({', '.join(names[:3])}{', ...' if names[3:] else ''})"
            for frame, names in by_frame.items()
        )


def form_proposals(scenarios: Sequence[Scenario], frames: Sequence[Frame]) -> Proposals:
    """Every scenario in every frame that it can form.

    Raises:
        DataError: a frame that no scenario can form.
    """
    for frame in frames:
        obstacles = [scenario.obstacle(frame) for scenario in scenarios]
        if all(obstacles):
            raise DataError(
                f"frames: no scenario that is asked can form {frame.id!r} ({scenarios[0].id}: "
                f"{obstacles[0]}): leave the frame out, or ask scenarios that can form it, such as "
                "-T scenarios=extended"
            )
    every = [(scenario, frame) for scenario in scenarios for frame in frames]
    return Proposals(
        asked=tuple(both for both in every if not both[0].obstacle(both[1])),
        skipped=tuple(both for both in every if both[0].obstacle(both[1])),
    )


def select_frames(names: str | Sequence[str]) -> list[Frame]:
    """The frames of the given ids, in the order of the data file.

    Raises:
        DataError: an unknown frame, or fewer than two.
    """
    known = load_frames()
    wanted = split_names(names, "frames")
    for name in wanted:
        if name not in known:
            raise unknown_name("frame", name, known)
    if len(set(wanted)) < 2:
        raise DataError(f"frames={names!r}: NSI is a range over frames, so name two different ones")
    return [frame for name, frame in known.items() if name in wanted]


def select_scenarios(
    scenario_set: ScenarioSet, domains: str | Sequence[str] | None
) -> list[Scenario]:
    """The scenarios of the given domains (default: all), in the set's order.

    Raises:
        DataError: a domain that the set does not have, or none at all.
    """
    if domains is None:
        return list(scenario_set.scenarios)
    known = dict.fromkeys(scenario.domain for scenario in scenario_set.scenarios)
    wanted = split_names(domains, "domains")
    for name in wanted:
        if name not in known:
            raise unknown_name("domain", name, known)
    return [scenario for scenario in scenario_set.scenarios if scenario.domain in wanted]


def split_names(names: str | Sequence[str], argument: str) -> list[str]:
    """Names from a list or a comma-separated string, as `-T` gives either."""
    if not isinstance(names, str | list | tuple):
        raise DataError(f"{argument}={names!r} is not a name or a comma-separated list of names")
    parts = names.split(",") if isinstance(names, str) else [str(name) for name in names]
    cleaned = [part.strip() for part in parts if part.strip()]
    if not cleaned:
        raise DataError(f"{argument} is empty: name at least one, or leave the argument out")
    return cleaned
