"""From a judge's reply to the letter that is its verdict: a pure function that never raises.

A letter counts at the start of a line before a separator, or after a cue such as "Verdict:". A
judge that names none, two, or one off the menu has found nothing: no letter stands in for it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from negation_evals.scorers.text.clean import CUT_REASONS, INVISIBLE, strip_reasoning

LETTERS: Final = ("A", "B", "C")

FILTER_REASON: Final = "content_filter"

_MAX_LINES: Final = 500
"""A letter and one sentence were asked for: a reply of more lines is no verdict."""
_MAX_LINE: Final = 400
"""A verdict stands at the start of a line; the rest of a long one is not read."""
_MAX_SENTENCE: Final = 300

_QUOTED: Final = re.compile(r'"[^"]{2,}"|“[^”]{2,}”|«[^»]{2,}»')
_MARKS: Final = re.compile(r"[*_`~]")
_BULLET: Final = re.compile(r"^(?:[-+•>#]+\s+|[>#]+)+")
# A separator after the letter. A hyphen needs white space before it: "A-level" is a word.
_AFTER: Final = r"(?:\s*$|\s*[:()\]—–=|]|\s+-|[.,;!](?=\s|$|[\"”’'])|\s+(?=because\b|since\b))"
_LETTER: Final = re.compile(
    rf"(?i:(?:option|answer|verdict|letter|choice)\s+)?(?:[(\[]?\s*|(?P<quote>[\"“‘'])(?=[A-Za-z][\"”’']))(?P<letter>[A-Za-z])"
    rf"(?(quote).)(?P<after>{_AFTER})"
)
_CUE: Final = re.compile(
    r"(?:^|(?<=[.!?;:)]\s))(?:(?:my|the|so|thus|therefore|hence)[, ]+)*(?:final |overall )?"
    r"(?:verdict|answer|label|classification|category|decision|judge?ment|choice|letter|class"
    r"|grade|rating|option)(?:\s+is)?\s*(?:[:=–—]|\s-|(?<=is)\s)\s*"
    rf"(?:option\s+)?[(\[\"“‘']?\s*(?P<letter>[A-Za-z])(?:{_AFTER}|[)\]\"”’'])",
    re.IGNORECASE,
)
_OPTION: Final = re.compile(
    r"(?:(?<=\s)|(?<=^)|(?<=[.;,]))(?:[(\[](?P<in>[A-H])[)\]]|(?P<before>[A-H])[:)])(?=\s|$)"
    r"|,\s*(?P<last>[A-H])\.?\s*$"
)
_SECOND: Final = re.compile(
    r"\s*(?:(?:and|or|nor)\s+|[/&+,|]\s*)?[(\[]?(?P<letter>[A-Za-z])[)\]]?"
    r"(?:\s*[:,;/)]|\s*\.(?=\s|$)|\s*$|\s+(?:and|or)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class VerdictReading:
    """The letter that a judge chose, if it chose one, and its reason."""

    letter: str | None
    sentence: str
    """The judge's reason; empty if it gave none."""
    explanation: str
    """One plain sentence on what was found."""


def read_verdict(
    completion: str, stop_reason: str = "stop", letters: Sequence[str] = LETTERS
) -> VerdictReading:
    """Read the letter in verdict position: at the start of a line, or after a cue.

    Letters of the explanation, quoted verdicts, articles and first letters of words are none.

    Args:
        completion: The judge's text, in which its reasoning may still stand.
        stop_reason: Inspect's stop reason.
        letters: The menu, in capitals.

    Returns:
        A reading whose letter is None unless exactly one letter, and one of the menu, was chosen.
    """
    if stop_reason == FILTER_REASON:
        return VerdictReading(None, "", "The provider's content filter stopped the judge.")
    text = strip_reasoning(completion).translate(INVISIBLE)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return VerdictReading(None, "", "The judge's reply is empty.")
    if len(lines) > _MAX_LINES:
        return VerdictReading(None, "", f"The judge's reply has {len(lines)} lines.")
    chosen: list[tuple[str, str]] = []
    for number, line in enumerate(lines):
        for letter, rest in _letters(line[:_MAX_LINE]):
            following = lines[number + 1] if number + 1 < len(lines) else ""
            chosen.append((letter, rest or following))
    given = list(dict.fromkeys(letter for letter, _ in chosen))
    if not given:
        return VerdictReading(None, "", "The judge names no letter in verdict position.")
    if len(given) > 1:
        return VerdictReading(None, "", f"The judge names {' and '.join(given)}.")
    if given[0] not in letters:
        return VerdictReading(None, "", f"The judge names {given[0]}, which is not on the menu.")
    if stop_reason in CUT_REASONS and _bare(lines[-1]) and len(lines) == 1:
        # The reply was cut after one letter, which may begin a word.
        return VerdictReading(None, "", "The judge's reply was cut after its first letter.")
    sentence = next((rest for _, rest in chosen if rest), "")
    return VerdictReading(given[0], sentence[:_MAX_SENTENCE], f"The judge chose {given[0]}.")


def _letters(line: str) -> list[tuple[str, str]]:
    """The letters in verdict position of one line, each with the text after it."""
    line = _BULLET.sub("", _unquoted(line))
    wrapped = re.match(r"[*_`]+\s*[(\[]?\s*([A-Za-z])\s*[)\]]?[.:]?\s*[*_`]+(?=\s|$)", line)
    line = _MARKS.sub("", line).strip()
    if wrapped:
        rest = line.lstrip("([ ")[1:].lstrip(" .:)]")
        return [(wrapped[1].upper(), rest), *_more(rest)]
    start = _LETTER.match(line)
    if start and not _pronoun(start):
        rest = line[start.end() :].strip(" -–—:")
        return [(start["letter"].upper(), rest), *_more(rest), *_menu(rest)]
    found = []
    for cue in _CUE.finditer(_QUOTED.sub('""', line)):
        rest = cue.string[cue.end() :].strip(" -–—:.)")
        found += [(cue["letter"].upper(), rest), *_more(rest)]
    return found


def _pronoun(start: re.Match[str]) -> bool:
    """Whether the letter is the word I, as in "I, as a judge"."""
    return start["letter"] == "I" and start["after"].strip() not in {":", ")", "."}


def _more(rest: str) -> list[tuple[str, str]]:
    """A second letter that stands beside the first: two letters are no verdict."""
    second = _SECOND.match(rest)
    letter = second["letter"].upper() if second else ""
    return [(letter, "")] if letter and letter != "I" else []


def _menu(rest: str) -> list[tuple[str, str]]:
    """Further options of a menu that is repeated on one line, as in "A: refuses. B: complies."."""
    return [
        (str(match[match.lastgroup or 0]), "")
        for match in _OPTION.finditer(_QUOTED.sub('""', rest))
    ]


def _unquoted(line: str) -> str:
    """A line that is quoted as a whole, without its quotes."""
    inner = line.strip("\"“”‘’'")
    return line if any(mark in inner for mark in '"“”') else inner.strip()


def _bare(line: str) -> bool:
    return len(_MARKS.sub("", line).strip("\"“”‘’'()[] ")) == 1
