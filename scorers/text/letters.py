"""From a reply to the letter of an option: a pure function that never raises.

The last explicit declaration on one line counts ("ANSWER: X", "the answer is X"). Without one, the
reply must be a bare letter or begin with a label as printed. No letter is mined from prose.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from negation_evals.schema.common import Status
from negation_evals.scorers.text.clean import CUT_REASONS, INVISIBLE, strip_reasoning

_MAX_LINE: Final = 2_000
"""Of a longer line only the end is searched, where a declaration would stand."""

_DECORATION: Final = re.compile(r"\\(?:boxed|text(?:bf|rm)?|mathrm)\b|[$*_{}`\"“”]")
_CUE: Final = re.compile(
    r"\b(?:answer|(?:final|correct|best|right|my) (?:choice|option))(?: is ?:?| ?[:=])"
    r"(?: ?option\b)?",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(
    r"(?P<rejected> ?not (?:option )?)?[ \[(]*(?P<letter>[A-HJ-Za-z])(?![\w'’])"
    r"(?! (?:alone|only)\b)"
)
_SECOND: Final = re.compile(
    r"[ \])]*(?:[,/&+]|\band\b|\bor\b) ?(?:and |or )?(?:option )?[\[(]*"
    r"(?P<letter>[A-HJ-Za-z])(?![\w'’])"
)
_LISTED: Final = re.compile(
    r"[ ,;.|\[(\])]+(?P<letter>[A-HJ-Z])(?:[ ,;.|\[(\])]+[A-HJ-Z])*[ .\])]*$"
)
"""Nothing but further letters to the end of the line, such as A B C D."""
_REJECTED: Final = "not "
_ARTICLE: Final = re.compile(r" +(?!(?:because|since|as|for|is|and|or|but|given|which)\b)[a-z]")
"""After a or A: an article, unless a reason or a second letter follows."""
_DENIED: Final = re.compile(
    r"(?:(?:n't|\bnot|\bnever|\bcannot) (?:think|believe|say|mean|agree|claim|true|the case)\b"
    r"|\bi doubt\b)[^.!?;:,—]{0,40}$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"[ \[(]*(?P<letter>[A-Z])[\])]")
_BARE: Final = re.compile(r"[ \[(]*(?P<letter>[A-Za-z])[\]). ]*")


@dataclass(frozen=True, slots=True)
class LetterReading:
    """What one reply chooses, and how that was found."""

    status: Status
    letter: str | None
    """An upper-case letter of the item's options exactly if the status is `VALID`."""
    explanation: str
    """One plain sentence on what was found."""


def read_letter(completion: str, letters: str, stop_reason: str = "stop") -> LetterReading:
    """Read which option a reply chooses.

    Args:
        completion: The model's text, in which the reasoning may still stand.
        letters: The letters of the item's options, such as `ABCD`.
        stop_reason: Inspect's stop reason.
    """
    if stop_reason == "content_filter":
        return _none(Status.FILTERED, "The provider's content filter stopped the answer.")
    if stop_reason in CUT_REASONS:
        return _none(Status.TRUNCATED, "The reply was cut at the token limit: raise --max-tokens.")
    text = unicodedata.normalize("NFKC", strip_reasoning(completion)).translate(INVISIBLE)
    lines = [_DECORATION.sub("", line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        return _none(Status.MALFORMED, "The reply is empty.")
    declared: list[str] = []
    for found in (found for line in lines for found in _declarations(line)):
        if found.startswith(_REJECTED):
            declared = [letter for letter in declared if letter != found.removeprefix(_REJECTED)]
        else:
            declared.append(found)
    found = declared[-1] if declared else _undeclared(lines)
    if len(found) == 1 and found in letters:
        return LetterReading(Status.VALID, found, f"The reply chooses option {found}.")
    if not found:
        return _none(Status.MALFORMED, "The reply declares no option.")
    several = "several options" if len(found) > 1 else f"{found}, which is no option of this item"
    return _none(Status.MALFORMED, f"The reply declares {several}.")


def _declarations(line: str) -> list[str]:
    """What each declaration on a line gives: a letter, several letters, or `not` and a letter."""
    line = line[-_MAX_LINE:]
    found = []
    for cue in _CUE.finditer(line):
        letter = _LETTER.match(line, cue.end())
        if letter is None:
            continue
        given = letter["letter"]
        if letter["rejected"] or _DENIED.search(line, 0, cue.start()):
            found.append(_REJECTED + given.upper())
            continue
        if given in "aA" and _ARTICLE.match(line, letter.end()):
            continue
        second = _SECOND.match(line, letter.end()) or _LISTED.match(line, letter.end())
        if second and second["letter"].isupper() == given.isupper():
            given += second["letter"]
        found.append(given.upper())
    return found


def _undeclared(lines: list[str]) -> str:
    """The letter of a bare reply, or of a reply that begins with a label; else nothing."""
    if len(lines) == 1 and (bare := _BARE.fullmatch(lines[0])):
        return bare["letter"].upper()
    labels = [match["letter"] for line in lines if (match := _LABEL.match(line))]
    if labels and _LABEL.match(lines[0]):
        return "".join(dict.fromkeys(labels))
    return ""


def _none(status: Status, explanation: str) -> LetterReading:
    return LetterReading(status, None, explanation)
