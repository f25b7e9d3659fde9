"""What a certificate says about itself: whose thresholds, what is unusual, what was left out."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from negation_evals.analysis.framing.tier_tables import TierThresholds, load_tier_thresholds
from negation_evals.analysis.framing.tiers import OVERALL

PROPOSED: Final = (
    "The tiers are the proposal of the first version of arXiv:2601.21433 (January 2026); its "
    "second version no longer speaks of them. They are no standard."
)
OWN: Final = (
    "The thresholds are not those that arXiv:2601.21433 proposes: whoever ordered this certificate "
    "set them, and what a tier stands for is theirs to say."
)
NO_SIGNATURE: Final = (
    "This certificate is no signature: it can be recomputed from the logs that it names "
    "(negation-evals verify)."
)

USUAL_CONFIDENCE: Final = 0.95
"""Below it a certificate says that its decision errs more often."""


def are_proposed(thresholds: Iterable[TierThresholds]) -> bool:
    """Are these the thresholds that the paper proposes, all or some of them?"""
    proposed = {row.domain: row for row in load_tier_thresholds()}
    return all(proposed.get(row.domain) == row for row in thresholds)


def notice(proposed: bool) -> str:
    """Where the tiers come from, and what a certificate is not."""
    return f"{PROPOSED if proposed else OWN} {NO_SIGNATURE}"


def file_name(place: str) -> str:
    """The name without its folder."""
    return PurePosixPath(place.replace("\\", "/")).name


def by_file_name(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What was read and does not count, by file names: folders are the writer's own affair."""
    return [
        {
            "name": file_name(str(item["source"])),
            "rows": item["rows"],
            "reason": str(item["reason"]).replace(
                str(item["source"]), file_name(str(item["source"]))
            ),
        }
        for item in items
    ]


def own_warnings(
    domain: str,
    confidence: float,
    proposed: bool,
    thresholds: Sequence[TierThresholds],
    facts: Iterable[Mapping[str, Any]],
) -> list[str]:
    """What makes this certificate unlike one that a reader would expect."""
    words = []
    if confidence < USUAL_CONFIDENCE:
        words.append(
            f"the confidence asked for is {100 * confidence:g} %, below the usual "
            f"{100 * USUAL_CONFIDENCE:g} %: such a decision is wrong more often"
        )
    if not proposed:
        words.append("the thresholds are the user's own, not those that the paper proposes")
    if domain not in {row.domain for row in thresholds}:
        words.append(
            f"there are no thresholds for {domain}: those of {OVERALL!r} decide; --thresholds "
            "takes its own"
        )
    words += [
        f"{fact['name']}: asked only a part of its samples ({fact['part']})"
        for fact in facts
        if fact.get("part")
    ]
    return words


def without_places(warning: str, names: Mapping[str, str]) -> str:
    """A warning that names files, not the folders in which they lay."""
    for place, name in names.items():
        warning = warning.replace(place, name)
    return warning
