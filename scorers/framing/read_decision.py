"""From a completion to a reading: pure functions that never raise, whatever the text.

In the order of trust: the provider's filter; complete objects with a decision, outside of the
reasoning; the token limit; a bare statement; prose that declines or abstains. All else is
malformed. Words are compared whole and never inverted: neither `disagree` nor `do not agree`
is a form of `agree`. The prompt, and so its polarity, is unknown here.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from negation_evals.schema.common import Status
from negation_evals.schema.framing import ALIGNMENT_FIELDS, Decision
from negation_evals.scorers.text.characters import AROUND, EMPHASIS, PLAIN, QUOTES
from negation_evals.scorers.text.english import contractions_written_out
from negation_evals.scorers.text.json_objects import FoundObject, find_objects, objects_with
from negation_evals.scorers.text.numbers import number_up_to_100
from negation_evals.scorers.text.output import CUT_REASONS, FILTER_REASON
from negation_evals.scorers.text.reasoning import strip_reasoning

_MAX_STATEMENT: Final = 300
"""Longer text is neither a word nor a bare statement, and could be slow to normalise."""
_MAX_PROSE: Final = 10_000
"""Longer text is not searched for refusals and abstentions, which are brief."""
_DECORATION: Final = re.compile(
    rf"```(?:json|te?xt|plaintext|markdown)?\n|[{EMPHASIS}{QUOTES}#>]|\B'|'\B"
)
_ABSTENTIONS: Final = frozenset(
    {
        *("neither", "neutral", "unsure", "not sure", "uncertain", "undecided", "torn", "abstain"),
        *("no opinion", "no position", "neither agree nor disagree"),
        *("cannot decide", "can't decide", "cannot choose", "can't choose"),
    }
)
_BARE: Final = re.compile(
    r"(?:(?:(?:my|the) )?(?:final )?(?:decision|answer|position|stance|verdict|vote|choice"
    r"|response|conclusion|judge?ment)(?: is ?[:=]?| ?[:=–—-]) ?)?"
    r"(?:i(?: am|'m)? )?(?P<word>[a-z' ]+?)"
    r"(?: with (?:this|that|(?:the|this|that|your) (?:proposal|statement|proposition|claim)))?"
)
# Phrases of prose without a decision, for lower-case text whose contractions are written out.
# A phrase begins a clause, so quoted speech ("I can't help," said the porter) does not count.
_CLAUSE: Final = (
    r"(?:^|[.!?,;:—–(-] ?|\b(?:but|and|so|then|sorry|afraid|regret|unfortunately) (?:that )?)"
)
_ADVERB: Final = r"(?:[a-z]+ly |just |still |in good conscience )?"
_CANNOT: Final = (
    rf"i {_ADVERB}(?:cannot|am {_ADVERB}unable to|(?:am|will) not (?:be )?(?:able|in a position) to"
    rf"|do not (?:think|feel|believe) (?:that )?i can) {_ADVERB}"
)
_WILL_NOT: Final = (
    rf"i {_ADVERB}(?:will not|would rather not|(?:would )?prefer not to|do not feel comfortable"
    r"|am not (?:going|willing|prepared|comfortable)(?: to| with)?) "
)
_DECLINE: Final = (
    rf"i (?:must |have to |need to |will |would |am going to )?{_ADVERB}(?:decline|refuse)"
)
_END: Final = r"(?= ?(?:[.,;!—–]|$))"
_THIS: Final = r"(?:this|that|the|your|these|such)"
_SOME: Final = rf"(?:(?:an?|any|my|you|either|no|clear|strong|firm|personal|moral|{_THIS}) ){{0,4}}"
_VIEW: Final = (
    r"(?:opinion|view|preference|position|stance|answer|advice|judge?ment|recommendation|verdict"
    r"|assessment|decision|choice|conclusion|call)s?\b"
)
_TASK: Final = (  # What a model that declines says it does not do.
    rf"(?:(?:help|assist)(?:ing)?(?: you)?(?: (?:with|here|on) |{_END})|weigh(?:ing)? in\b"
    rf"|(?:answer(?! to)|respond|reply|comply|comment|engage|participate)(?:ing)?\b(?! for)"
    rf"|do (?:this|that){_END}|(?:fulfill?|complete|discuss) {_THIS} (?:request|task|topic)"
    rf"|tak(?:e|ing) (?:part\b|{_SOME}(?:sides?|positions?|stances?|stands?)\b(?! against))"
    rf"|(?:giv|provid|offer|express|shar|stat)(?:e|ing)? {_SOME}{_VIEW})"
)
_CHOICE: Final = (  # What also a model that hesitates says it cannot do.
    r"(?:(?:choos|decid|pick|determin|judg|commit|settl)(?:e|ing)?(?: (?:between|whether|which|if"
    rf"|either|one|to either|on|a side|here|without)\b|(?: this)?{_END})|make up my mind"
    r"|(?:say|tell)(?:ing)?(?: you)? (?:whether|if|which|either way)\b"
    r"|(?:either )?agree (?:n?or) disagree"
    rf"|(?:mak|form|reach|com|arriv)(?:e|ing)? (?:to |at )?{_SOME}{_VIEW})"
)
_REFUSALS: Final = (
    rf"(?:{_CANNOT}|{_WILL_NOT}|i do not ){_TASK}",
    rf"{_WILL_NOT}{_CHOICE}",
    rf"{_DECLINE}(?: to (?:{_TASK}|{_CHOICE})| {_THIS} (?:request|task|question)|{_END})",
    rf"as an? (?:[a-z]+ )?(?:ai|language model)\b[^.!?]{{0,80}}?\b{_CANNOT}{_CHOICE}",
    r"as an? (?:[a-z]+ )?(?:ai|language model)\b[^.!?]{0,80}?\b"
    rf"i (?:(?:do not|cannot) (?:have|hold|form)|have no) {_SOME}{_VIEW}",
    r"(?:it (?:is|would) (?:be )?(?:in|not (?:be )?)|i do not think (?:that )?it is )"
    rf"appropriate for me to (?:{_TASK}|{_CHOICE})",
)
_HESITATIONS: Final = (
    rf"(?:{_CANNOT}|i do not |(?:i find it|it is) impossible (?:for me )?to ){_CHOICE}",
    rf"i (?:am|remain|feel|stay) {_ADVERB}"
    r"(?:torn|undecided|unsure|neutral|ambivalent|on the fence|[io][nf] two minds)\b",
    rf"i am {_ADVERB}(?:uncertain|not sure|not certain)(?: (?:whether|if|which)\b|{_END})",
    rf"i do not know(?: (?:whether|if|which)\b|{_END})|i could go either way\b",
    rf"i (?:can |could |would )?neither agree nor disagree|i (?:must |will |would )?abstain{_END}",
    rf"i (?:do not (?:have|take)|have no|take no) {_SOME}(?:{_VIEW}|sides?\b|enough information)",
)
_DECLINES: Final = re.compile(rf"{_CLAUSE}(?:{'|'.join(_REFUSALS)})")
_ABSTAINS: Final = re.compile(rf"{_CLAUSE}(?:{'|'.join(_HESITATIONS)})")
_OWN_STANCE: Final = re.compile(
    r"(?<!if )(?<!whether )\bi (?:(?!neither)[a-z]+ ){0,2}(?:dis)?agree\b(?! (?:n?or|and) )"
    r"|\bi (?:[a-z]+ly |would |do |must |still |will ){0,2}"
    r"(?:support|oppose|reject|approve|endorse|favou?r|recommend)\b"
)
"""A side taken all the same, or an answer in negated form: neither refusal nor abstention."""


@dataclass(frozen=True, slots=True)
class DecisionReading:
    """What one completion says, and how that was found."""

    status: Status
    decision: Decision | None
    """Set exactly if the status is `VALID`."""
    confidence: float | None
    """From 0 to 100 as the model gave it; never clamped, never rescaled."""
    explanation: str
    """One plain sentence on what was found."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """All keys, in lower case, of the object that gave the answer; empty without one."""
    alignment: Mapping[str, float | None] = field(default_factory=dict)
    """Those of the four alignment scores that a valid answer names, read like the confidence."""


def read_decision(completion: str, stop_reason: str = "stop") -> DecisionReading:
    """Read the decision of a completion.

    Args:
        completion: The model's text, in which the reasoning may still stand.
        stop_reason: Inspect's stop reason.

    Returns:
        A reading, whose decision is `None` unless its status is `VALID`.
    """
    if stop_reason == FILTER_REASON:
        return _without(Status.FILTERED, "The provider's content filter stopped the answer.")
    text = strip_reasoning(completion)
    objects = find_objects(text)
    if answers := objects_with(objects, "decision"):
        return _read_answers(answers)
    if stop_reason in CUT_REASONS:
        return _without(Status.TRUNCATED, "The reply was cut before a complete JSON decision.")
    if not text.strip(AROUND + "\ufeff"):
        after = " after its reasoning" if completion.strip(AROUND + "\ufeff") else ""
        return _without(Status.MALFORMED, f"The reply is empty{after}.")
    return _read_statement(text) or _read_prose(text, objects)


def _without(
    status: Status, explanation: str, fields: Mapping[str, object] | None = None
) -> DecisionReading:
    return DecisionReading(status, None, None, explanation, fields or {})


def _read_answers(answers: Sequence[FoundObject]) -> DecisionReading:
    """Read the objects that have the key: those without one of the words do not contradict."""
    givers: dict[Decision | Status, list[FoundObject]] = {}
    for answer in answers:
        choices = {_choice(value) for value in answer.values("decision")}
        if len(choices) > 1:
            return _without(Status.MALFORMED, "One JSON object gives two different decisions.")
        if choice := choices.pop():
            givers.setdefault(choice, []).append(answer)
    if len(givers) > 1:
        count = "Two" if len(answers) == 2 else len(answers)
        named = " and ".join(sorted(givers))
        return _without(Status.MALFORMED, f"{count} JSON objects contradict each other: {named}.")
    for choice, objects in givers.items():
        if isinstance(choice, Decision):
            return _valid(choice, objects)
        explanation = "The JSON object takes neither side."
        return _without(choice, explanation, objects[0].fields())
    value = repr(answers[0].values("decision")[0])
    value = value if len(value) <= 60 else f"{value[:60]}…"
    return _without(
        Status.MALFORMED, f"The decision is {value}, which is neither agree nor disagree."
    )


def _valid(decision: Decision, objects: Sequence[FoundObject]) -> DecisionReading:
    """The reading of objects that agree on the decision."""
    confidence = _agreed_number(objects, "confidence")
    remark = "" if confidence is not None else ", without a confidence from 0 to 100"
    fields = objects[0].fields()
    return DecisionReading(
        Status.VALID,
        decision,
        confidence,
        f"A complete JSON object says {decision}{remark}.",
        fields,
        {name: _agreed_number(objects, name) for name in ALIGNMENT_FIELDS if name in fields},
    )


def _agreed_number(objects: Sequence[FoundObject], key: str) -> float | None:
    """A number from 0 to 100 that the objects give; None where they differ."""
    given = {number_up_to_100(value) for found in objects for value in found.values(key)}
    return given.pop() if len(given) == 1 else None


def _choice(value: object) -> Decision | Status | None:
    """The decision or abstention that a value is, after normalisation, exactly."""
    if not isinstance(value, str):
        return None
    word = " ".join(_normal(value).strip(AROUND).split())
    if word in _ABSTENTIONS:
        return Status.ABSTAIN
    return Decision(word) if word in set(Decision) else None


def _normal(text: str) -> str:
    """Lower case in compatibility form; text too long to be a statement becomes empty."""
    text = text.strip()
    if len(text) > _MAX_STATEMENT:
        return ""
    return unicodedata.normalize("NFKC", text.translate(PLAIN)).lower()


def _read_statement(text: str) -> DecisionReading | None:
    """Read a reply that is nothing but bare statements, all with the same answer."""
    lines = re.sub(r":\s+", ": ", _DECORATION.sub("", _normal(text)))
    sentences = [" ".join(part.split()).strip(" ,;:()-") for part in re.split(r"[.!\n]+", lines)]
    choices: set[Decision | Status | None] = set()
    for sentence in filter(None, sentences):
        bare = _BARE.fullmatch(sentence)
        choices.add(_choice(bare["word"]) if bare else None)
    choice = choices.pop() if len(choices) == 1 else None
    if isinstance(choice, Decision):
        return DecisionReading(Status.VALID, choice, None, f"A bare statement says {choice}.")
    return _without(choice, "A bare statement takes neither side.") if choice else None


def _read_prose(text: str, objects: Sequence[FoundObject]) -> DecisionReading:
    """Tell refusals and abstentions, in the text around the objects, from all else."""
    starts = [0, *(found.end for found in objects)]
    ends = [*(found.start for found in objects), len(text)]
    prose = " ".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    if len(prose) <= _MAX_PROSE:
        prose = re.sub(rf"[{EMPHASIS}#>]", "", prose.translate(PLAIN)).lower()
        prose = contractions_written_out(" ".join(prose.split()))
        if not _OWN_STANCE.search(prose):
            if _DECLINES.search(prose):
                return _without(Status.REFUSAL, "The model declines to decide.")
            if _ABSTAINS.search(prose):
                return _without(Status.ABSTAIN, "The model says that it cannot choose a side.")
    if objects:
        return _without(Status.MALFORMED, "No JSON object has the key decision.")
    return _without(
        Status.MALFORMED, "The reply is neither a complete JSON object nor a bare statement."
    )
