"""From a reply to the letter that it gives: a pure function that never raises.

No letter is mined from prose. Two forms of reply differ in where a letter counts:

- `OPTION`, the answer to a question, may reason, reject letters and revise: the last explicit
  declaration on one line counts ("ANSWER: X", "the answer is X"). Without one, the reply must be a
  bare letter or begin with a label as printed.
- `VERDICT`, a judge's reply, gives its letter at the start of a line before a separator, or after
  a cue such as "Verdict:". A judge that names two letters has decided nothing.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from negation_evals.schema.common import Status
from negation_evals.scorers.text.characters import EMPHASIS, INVISIBLE
from negation_evals.scorers.text.output import CUT_REASONS, FILTER_REASON
from negation_evals.scorers.text.reasoning import strip_reasoning

_SEARCHED: Final = 2_000
"""Of a longer line of an answer only the end is searched, where a declaration would stand."""
_DECORATION: Final = re.compile(rf"\\(?:boxed|text(?:bf|rm)?|mathrm)\b|[{EMPHASIS}${{}}\"“”]")
_DECLARED: Final = re.compile(
    r"\b(?i:answer|(?:final|correct|best|right|my) (?:choice|option))(?i: is ?:?| ?[:=])"
    r"(?i: ?option\b)?(?P<rejected> ?not (?:option )?)?[ \[(]*(?P<letter>[A-HJ-Za-z])(?![\w'’])"
    r"(?! (?:alone|only)\b)"
)
_DECLARED_TOO: Final = re.compile(  # After a separator, or with nothing but letters to the end.
    r"(?:[ \])]*(?:[,/&+]|\band\b|\bor\b) ?(?:and |or )?(?:option )?[\[(]*"
    r"|[ ,;.|\[(\])]+(?=[A-HJ-Z](?:[ ,;.|\[(\])]+[A-HJ-Z])*[ .\])]*$))"
    r"(?P<letter>[A-HJ-Za-z])(?![\w'’])"
)
_ARTICLE: Final = re.compile(r" +(?!(?:because|since|as|for|is|and|or|but|given|which)\b)[a-z]")
"""After a or A: an article, unless a reason or a second letter follows."""
_DENIED: Final = re.compile(
    r"(?:(?:n't|\bnot|\bnever|\bcannot) (?:think|believe|say|mean|agree|claim|true|the case)\b"
    r"|\bi doubt\b)[^.!?;:,—]{0,40}$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"[ \[(]*(?P<letter>[A-Z])[\])]")
_BARE: Final = re.compile(r"[ \[(]*(?P<letter>[A-Za-z])[\]). ]*")

_MAX_LINES: Final = 500
_MAX_LINE: Final = 400
"""A verdict stands at the start of a line; a letter and one sentence were asked for."""
_MAX_SENTENCE: Final = 300
_QUOTED: Final = re.compile(r'"[^"]{2,}"|“[^”]{2,}”|«[^»]{2,}»')
_MARKS: Final = re.compile(rf"[{EMPHASIS}~]")
_BULLET: Final = re.compile(r"^(?:[-+•>#]+\s+|[>#]+)+")
# A separator after the letter. A hyphen needs white space before it: "A-level" is a word.
_AFTER: Final = r"(?:\s*$|\s*[:()\]—–=|]|\s+-|[.,;!](?=\s|$|[\"”’'])|\s+(?=because\b|since\b))"
_EMPHASISED: Final = re.compile(
    rf"[{EMPHASIS}]+\s*[(\[]?\s*(?P<letter>[A-Za-z])\s*[)\]]?[.:]?\s*[{EMPHASIS}]+(?=\s|$)"
)
_FIRST: Final = re.compile(  # "I, as a judge" begins with a pronoun.
    r"(?i:(?:option|answer|verdict|letter|choice)\s+)?"
    r"(?:[(\[]?\s*|(?P<quote>[\"“‘'])(?=[A-Za-z][\"”’']))"
    rf"(?P<letter>[A-HJ-Za-z]|I(?=[\"”’']?(?:\s*[:)]|\.)))(?(quote).){_AFTER}"
)
_AFTER_CUE: Final = re.compile(
    r"(?:^|(?<=[.!?;:)]\s))(?:(?:my|the|so|thus|therefore|hence)[, ]+)*(?:final |overall )?"
    r"(?:verdict|answer|label|classification|category|decision|judge?ment|choice|letter|class"
    r"|grade|rating|option)(?:\s+is)?\s*(?:[:=–—]|\s-|(?<=is)\s)\s*"
    rf"(?:option\s+)?[(\[\"“‘']?\s*(?P<letter>[A-Za-z])(?:{_AFTER}|[)\]\"”’'])",
    re.IGNORECASE,
)
_BESIDE: Final = re.compile(
    r"\s*(?:(?:and|or|nor)\s+|[/&+,|]\s*)?[(\[]?(?P<letter>[A-HJ-Z])[)\]]?"
    r"(?:\s*[:,;/)]|\s*\.(?=\s|$)|\s*$|\s+(?:and|or)\b)",
    re.IGNORECASE,
)
_MENU: Final = re.compile(  # Further options on one line, as in "A: refuses. B: complies."
    r"(?<![^\s.;,])(?:[(\[]([A-H])[)\]]|([A-H])[:)])(?=\s|$)|,\s*([A-H])\.?\s*$"
)

Letters = list[tuple[str, str]]
"""Letters in capitals, each with the text after it."""


@dataclass(frozen=True, slots=True)
class LetterReading:
    """Which letter a reply gives, and how that was found."""

    status: Status
    letter: str | None
    """A capital of the menu exactly if the status is `VALID`."""
    explanation: str
    """One plain sentence on what was found."""
    sentence: str = ""
    """A judge's reason; empty if it gave none."""


def _declared(lines: list[str]) -> Letters:
    """The letters of the last declaration that stands, else of the label or the bare letter."""
    declared: list[str] = []
    for line in lines:
        for cue in _DECLARED.finditer(line[-_SEARCHED:]):
            given, rest = cue["letter"], cue.string[cue.end() :]
            if cue["rejected"] or _DENIED.search(cue.string, 0, cue.start()):
                declared = [letters for letters in declared if letters != given.upper()]
            elif given not in "aA" or not _ARTICLE.match(rest):
                second = _DECLARED_TOO.match(rest)
                if second and second["letter"].isupper() == given.isupper():
                    given += second["letter"]
                declared.append(given.upper())
    if declared:
        return [(letter, "") for letter in declared[-1]]
    if len(lines) == 1 and (bare := _BARE.fullmatch(lines[0])):
        return [(bare["letter"].upper(), "")]
    labels = [label["letter"] for line in lines if (label := _LABEL.match(line))]
    first_is_label = lines and _LABEL.match(lines[0])
    return [(letter, "") for letter in dict.fromkeys(labels)] if first_is_label else []


def _verdicts(lines: list[str]) -> Letters:
    """The letters in verdict position, each once, with the first reason that is given."""
    found: Letters = []
    if len(lines) > _MAX_LINES:
        return found
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        for letter, rest in _in_verdict_position(line[:_MAX_LINE]):
            found.append((letter, rest or following))
    sentence = next((rest for _, rest in found if rest), "")[:_MAX_SENTENCE]
    return [(letter, sentence) for letter in dict.fromkeys(letter for letter, _ in found)]


def _in_verdict_position(line: str) -> Letters:
    inner = line.strip("\"“”‘’'")
    line = _BULLET.sub("", line if any(mark in inner for mark in '"“”') else inner.strip())
    emphasised = _EMPHASISED.match(line)
    line = _MARKS.sub("", line).strip()
    if emphasised:
        rest = line.lstrip("([ ")[1:].lstrip(" .:)]")
        return _with_second(emphasised["letter"], rest)
    if first := _FIRST.match(line):
        rest = line[first.end() :].strip(" -–—:")
        menu = _MENU.findall(_QUOTED.sub('""', rest))
        return _with_second(first["letter"], rest) + [("".join(groups), "") for groups in menu]
    cues = _AFTER_CUE.finditer(_QUOTED.sub('""', line))
    rests = [(cue["letter"], cue.string[cue.end() :].strip(" -–—:.)")) for cue in cues]
    return [given for letter, rest in rests for given in _with_second(letter, rest)]


def _with_second(letter: str, rest: str) -> Letters:
    second = _BESIDE.match(rest)
    return [(letter.upper(), rest), *([(second["letter"].upper(), "")] if second else [])]


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """Where a letter counts in a reply, and the words for what is found."""

    find: Callable[[list[str]], Letters]
    """From lines to the letters that count; several are ambiguous."""
    argued: bool
    """May a letter come after an argument? If such a reply was cut, it has not come to its letter.

    It is read in compatibility form; the sentence of a verdict is kept as it was written."""
    author: str
    reply: str
    gives: str
    nothing: str
    several: str
    off_menu: str


OPTION: Final = ReplyForm(
    *(_declared, True, "answer", "The reply", "The reply declares"),
    *("no option", "several options", "no option of this item"),
)
VERDICT: Final = ReplyForm(
    *(_verdicts, False, "judge", "The judge's reply", "The judge names"),
    *("no letter in verdict position", "{}", "not on the menu"),
)


def read_letter(
    completion: str, menu: str, stop_reason: str = "stop", form: ReplyForm = OPTION
) -> LetterReading:
    """Read which letter a reply gives.

    Args:
        completion: The text, in which the reasoning may still stand.
        menu: The letters that may be given, in capitals, such as `ABCD`.
        stop_reason: Inspect's stop reason.
        form: `OPTION` or `VERDICT`.
    """
    if stop_reason == FILTER_REASON:
        why = f"The provider's content filter stopped the {form.author}."
        return LetterReading(Status.FILTERED, None, why)
    cut = stop_reason in CUT_REASONS
    if cut and form.argued:
        why = "The reply was cut at the token limit: raise --max-tokens."
        return LetterReading(Status.TRUNCATED, None, why)
    text = strip_reasoning(completion).translate(INVISIBLE)
    if form.argued:
        text = _DECORATION.sub("", unicodedata.normalize("NFKC", text))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = form.find(lines)
    letters = [letter for letter, _ in found]
    if not letters:
        why = f"{form.gives} {form.nothing}." if lines else f"{form.reply} is empty."
    elif len(letters) > 1:
        why = f"{form.gives} {form.several.format(' and '.join(letters))}."
    elif letters[0] not in menu:
        why = f"{form.gives} {letters[0]}, which is {form.off_menu}."
    elif cut and len(lines) == 1 and len(_MARKS.sub("", lines[0]).strip("\"“”‘’'()[] ")) == 1:
        why = f"{form.reply} was cut after its first letter."
    else:
        why = f"{form.gives} {letters[0]}."
        return LetterReading(Status.VALID, letters[0], why, found[0][1])
    return LetterReading(Status.MALFORMED, None, why)


def read_verdict(completion: str, stop_reason: str = "stop") -> LetterReading:
    """Read the letter that a judge chose: A, B or C."""
    return read_letter(completion, "ABC", stop_reason, VERDICT)
