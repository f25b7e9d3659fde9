"""Checks of scenarios beyond their schema: do the clauses make sentences in every frame?

The rules know English by its surface. What cannot be right is an error, what may be a warning; the
rest is for someone who reads the proposals. They follow from the frames (arXiv:2601.21433, Section
3.1): a clause stands behind "They should" and "They should not". Of the 6,748 verbs in the lists of
lemminflect 0.2.3 two infinitives are taken for gerunds ("lightning", "bungling") and none for a
third person.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from negation_evals.files.validation import validate_row
from negation_evals.framing.frames import frame_pairs
from negation_evals.framing.scenarios import Scenario
from negation_evals.schema.framing import SCENARIOS_TO_CERTIFY


class Severity(StrEnum):
    """Whether a finding must be mended, or only read."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """One thing to mend or to look at."""

    scenario: str
    """The scenario's id, `row 3` where it has none, empty for the set as a whole."""
    severity: Severity
    message: str


@dataclass(frozen=True)
class ScenarioCheck:
    """What became of the rows of a file."""

    scenarios: tuple[Scenario, ...]
    """Those that keep to the schema."""
    findings: tuple[Finding, ...]
    """By row, then those of the whole set."""


CLAUSES: Final = ("action_clause", "goal_clause")
LONGEST: Final = {"text": 1500, "action_clause": 150, "goal_clause": 150, "action_gerund": 150}
"""Characters above which a field is remarkably long: the built-in texts have at most 300."""

RULES: Final = (
    (Severity.ERROR, r"(?i)^to\b", 'begins with "to": the frames bring "should"'),
    (Severity.ERROR, r"(?i)^(not|never|neither|cannot|do not|no longer|\w+n['’]t)\b",
     "begins with a negation, which the frames would double: say what is done"),
    (Severity.ERROR, r"(?i)^(should|must|could|would|shall|may|might|ought)\b(?!['’])",
     'begins with a modal verb: the frames bring "should"'),
    (Severity.ERROR, r"(?i)^(i|you|he|she|it|we|they)\b",
     'begins with a subject: the frames bring "they"'),
    (Severity.ERROR, r"[.!?;:,…]$", "ends with a punctuation mark: the frames bring the full stop"),
    (Severity.WARNING, r"(?i)^(can|will)\b(?!['’])",
     'begins with "can" or "will": right only for the verbs of cans and testaments'),
    (Severity.WARNING, r"^[A-Z][a-z]",
     'begins with a capital letter, as only a name does ("Google the applicant")'),
    (Severity.WARNING, r"(?i)\s(?<!\bor )((not|never|nothing|nobody|no longer)\b|\w+n['’]t\b)",
     "holds a negation: it is a second one in the negated frames"),
)  # fmt: skip
"""What a clause should not look like, and what is wrong about it."""

BASE_IN_S: Final = {"always", "besides", "perhaps", "sometimes", "afterwards", "summons", "lens"}
FINITE: Final = {"is", "are", "am", "was", "were", "has"}
BASE_IN_ING: Final = {"hamstring", "restring", "unstring"}
"""Words that are not what they look like: no third persons, third persons, no gerunds."""

REFUSAL = re.compile(
    r"^(\w+ly )?(?P<verb>refuse|decline|withhold|refrain|abstain|avoid|forgo|forego"
    r"|(fail|neglect|omit)(?= to\b))\b",
    re.I,
)
"""An action that is the omission of another one."""

LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
HTML = re.compile(r"</?[a-z!][^<>]*>|&(#\d+|#x[0-9a-f]+|[a-z]+\d*);", re.I)


def check_scenarios(rows: Sequence[Mapping[str, Any]]) -> ScenarioCheck:
    """Everything about the rows of a scenario file that is wrong or remarkable.

    A row that breaks the schema is an error with each of its fields, and read no further but for
    the look of its texts.
    """
    scenarios: list[Scenario] = []
    findings: list[Finding] = []
    for number, row in enumerate(rows, start=1):
        scenario, faults = validate_row(Scenario, dict(row))
        found = [(Severity.ERROR, fault) for fault in faults]
        found += [one for field in LONGEST for one in _text_faults(field, row.get(field))]
        if scenario is not None:
            scenarios.append(scenario)
            found += [one for field in CLAUSES for one in clause_faults(field, scenario)]
            found += gerund_faults(scenario)
            found += refusal_faults(scenario)
            found += skipped_faults(scenario)
        name = str(row.get("id") or f"row {number}")
        findings += [Finding(name, severity, message) for severity, message in found]
    findings += _set_faults(scenarios)
    return ScenarioCheck(tuple(scenarios), tuple(findings))


Faults = Iterator[tuple[Severity, str]]


def clause_faults(field: str, scenario: Scenario) -> Faults:
    """Whether a clause is a bare infinitive that completes "They should ..." and can be negated."""
    clause = str(getattr(scenario, field))
    for severity, pattern, wrong in RULES:
        if re.search(pattern, clause):
            yield severity, f"{field} {wrong}"
    verb = _first_word(clause)
    if is_gerund(verb.lower()):
        yield Severity.ERROR, f'{field} begins with "{verb}": the infinitive is wanted'
    if is_third_person(verb.lower()):
        yield Severity.ERROR, f'{field} begins with "{verb}", a third person: use the infinitive'
    if field == "goal_clause" and clause.casefold() == scenario.action_clause.casefold():
        yield Severity.WARNING, "goal_clause says the same as action_clause"


def is_gerund(word: str) -> bool:
    """Whether a word is an -ing form: what precedes "ing" has a vowel, unlike in "bring"."""
    return bool(re.search(r"[aeiouy].*ing$", word)) and word not in BASE_IN_ING


def is_third_person(word: str) -> bool:
    """Whether a verb is in the third person: no infinitive ends so, but for a few."""
    return word in FINITE or (bool(re.search(r"[^saiou]s$", word)) and word not in BASE_IN_S)


def gerund_faults(scenario: Scenario) -> Faults:
    """Whether the gerund is the action with its verb, or verbs, as an -ing form."""
    if scenario.action_gerund is None:
        return
    words, forms = scenario.action_clause.split(), scenario.action_gerund.split()
    changed = [both for both in zip(words, forms, strict=False) if both[0] != both[1]]
    inflected = [w[0] == form[0] and form.endswith("ing") for w, form in changed]
    if changed and all(inflected) and len(words) == len(forms):
        return
    first = _first_word(scenario.action_gerund)
    if not is_gerund(first):
        yield Severity.ERROR, f'action_gerund begins with "{first}", which is no -ing form'
    else:
        yield (
            Severity.ERROR,
            "action_gerund must be the words of action_clause with the verb as an -ing form",
        )


def refusal_faults(scenario: Scenario) -> Faults:
    """Whether the action is itself a refusal, so that some frames refuse to refuse."""
    refusal = REFUSAL.match(scenario.action_clause)
    if refusal is None:
        return
    frames = frame_pairs()["refusal"]
    if not set(frames) <= set(scenario.skip_frames):
        yield (
            Severity.WARNING,
            f'to "{refusal["verb"]}" is itself a refusal: read the frames {" and ".join(frames)}; '
            f"skip_frames: [{', '.join(frames)}] leaves them out",
        )


def skipped_faults(scenario: Scenario) -> Faults:
    """Whether it leaves out a frame that the papers ask, and a certificate needs."""
    pairs = frame_pairs()
    asked = [*pairs["simple"], *pairs["compound"]]
    if left_out := [name for name in asked if name in scenario.skip_frames]:
        yield (
            Severity.WARNING,
            f"skip_frames leaves out {', '.join(left_out)}: the scenario has no NSI over the four "
            "frames of the papers, and does not count for a certificate",
        )


def _first_word(clause: str) -> str:
    """Empty where there is none: pydantic strips fewer kinds of white space than Python splits."""
    return next(iter(clause.split()), "")


def _text_faults(field: str, value: object) -> Faults:
    """Whether a text is fit to be put into a prompt as it stands."""
    if not isinstance(value, str):
        return
    text = value.strip()
    if text != value:
        yield Severity.WARNING, f"{field} begins or ends with white space, which is taken off"
    if LINE_BREAK.search(text):
        severity = Severity.WARNING if field == "text" else Severity.ERROR
        yield severity, f"{field} holds a line break"
    if odd := [c for c in text if not c.isprintable() and not LINE_BREAK.match(c)]:
        yield Severity.WARNING, f"{field} holds the invisible character {odd[0]!a}"
    if re.search(r"[{}]", text):
        yield Severity.WARNING, f"{field} holds a brace: nothing is filled in, it is asked as it is"
    if markup := HTML.search(text):
        yield Severity.WARNING, f"{field} holds markup ({markup[0][:30]}), which is asked as it is"
    if len(text) > LONGEST[field]:
        yield Severity.WARNING, f"{field} has {len(text)} characters, over {LONGEST[field]}"


def _set_faults(scenarios: Sequence[Scenario]) -> Iterator[Finding]:
    """Whether scenarios are all different, and enough in each domain."""
    for name, times in Counter(scenario.id for scenario in scenarios).items():
        if times > 1:
            yield Finding(name, Severity.ERROR, f"the id occurs {times} times; ids must be unique")
    first: dict[str, Scenario] = {}
    for scenario in scenarios:
        other = first.setdefault(" ".join(scenario.text.casefold().split()), scenario)
        if other is scenario:
            continue
        if other.action_clause.casefold() == scenario.action_clause.casefold():
            message = f"has text and action of {other.id}: the same scenario would count twice"
            yield Finding(scenario.id, Severity.ERROR, message)
        else:
            message = f"has the text of {other.id}: statistics take scenarios for independent"
            yield Finding(scenario.id, Severity.WARNING, message)
    for domain, count in Counter(scenario.domain for scenario in scenarios).items():
        if count < SCENARIOS_TO_CERTIFY:
            message = f"domain {domain} has {count} of the {SCENARIOS_TO_CERTIFY} scenarios that"
            yield Finding("", Severity.WARNING, f"{message} certification asks for")
