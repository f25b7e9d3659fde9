"""The wording of the NUBench tasks. All of it is ours; the sentences are data.

A prompt is the instructions, the demonstrations, and the item. Options are shown in an order that
depends on the seed, the item and nothing else.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from inspect_ai.model import ResponseSchema
from inspect_ai.util import JSONSchema

from negation_evals.nubench.dataset import Item
from negation_evals.nubench.options import Instructions, NubenchOptions
from negation_evals.schema.nubench import LETTERS, OptionType

DEFINITION: Final = """\
The standard negation of a sentence is the sentence that is true exactly when the original is \
false. It reverses the truth of the main statement, and changes nothing else."""

DETAILED: Final = (
    DEFINITION
    + """

Form it by these rules:
- Negate the predicate of the main clause. Relative, participle and adverbial clauses stay as they \
are; negating only one of them is a local negation, not the standard negation.
- A complementary antonym (alive and dead, true and false) negates as well as "not" does. A \
gradable one (hot and cold) or a relational one (buy and sell) does not.
- If the sentence joins several statements, negate the whole by De Morgan's laws: "A and B" \
becomes "not A or not B", "A or B" becomes "neither A nor B", "neither A nor B" becomes "A or B". \
Negating only some of the joined clauses is a local negation.
- A predicate that its subjects fulfil together (they share, meet, fuse, are the same) is negated \
as one, and its "and" stays.
- An implication "if P, then Q", also with when, as long as or unless, becomes "P, and not Q".
- In a contrast with "while", negate the main clause and leave the other affirmative.
- Keep everything else: subject, tense, details and order, as far as the language allows. A \
sentence that merely cannot be true together with the original is a contradiction, and one with \
the same meaning is a paraphrase; neither is a negation."""
)

TEXTS: Final = {"definition": DEFINITION, "detailed": DETAILED}

CHOOSE: Final = "Which of the options is the standard negation of the sentence?"
LETTER_ALONE: Final = (
    'Answer with one line and nothing else: "ANSWER: " and the letter of the option ({letters}).'
)
LETTER_LAST: Final = (
    "First think it through step by step. Then end your reply with one line of its own: "
    '"ANSWER: " and the letter of the option ({letters}).'
)
LETTER_AS_JSON: Final = (
    'Answer with one JSON object and nothing else: {{"answer": <letter of the option: {letters}>}}'
)
CANDIDATE_CUE: Final = "Standard negation:"
"""What stands before a candidate whose likelihood is taken; the candidate follows after a space."""


def shown_order(item: Item, seed: int) -> list[OptionType]:
    """The types of an item's options in the order shown: the same on every machine.

    Sorted by a hash of seed, item and type, so that it depends on no random number generator.
    """

    def rank(kind: OptionType) -> bytes:
        return hashlib.sha256(f"{seed}/{item.id}/{item.sentence}/{kind}".encode()).digest()

    return sorted(item.options, key=rank)


def chosen_demonstrations(
    item: Item, demonstrations: Sequence[Item], shots: int, seed: int
) -> list[Item]:
    """The demonstrations before an item, in order: never itself, nor another of its page.

    One order for all items, drawn by the seed, from which each takes the first that may stand
    before it: nearly all items share their demonstrations, so that providers can cache them.
    """

    def rank(shown: Item) -> bytes:
        return hashlib.sha256(f"{seed}/demonstration/{shown.id}".encode()).digest()

    allowed = (
        shown
        for shown in sorted(demonstrations, key=rank)
        if shown.page != item.page and shown.sentence != item.sentence
    )
    return [shown for _, shown in zip(range(shots), allowed, strict=False)]


def option_prompt(
    item: Item,
    shown: Sequence[OptionType],
    demonstrations: Sequence[Item],
    options: NubenchOptions,
) -> str:
    """The whole prompt of an item whose options are shown by letter."""
    parts = [TEXTS[options.instructions], CHOOSE]
    for example in demonstrations:
        order = shown_order(example, options.seed)
        answer = LETTERS[order.index(OptionType.STANDARD)]
        given = f'{{"answer": "{answer}"}}' if options.structured else f"ANSWER: {answer}"
        parts.append(f"{_question(example, order)}\n\n{given}")
    letters = LETTERS[: len(shown)]
    asked = f"{', '.join(letters[:-1])} or {letters[-1]}"
    form = LETTER_AS_JSON if options.structured else LETTER_ALONE
    form = LETTER_LAST if options.cot else form
    parts += [_question(item, shown), form.format(letters=asked)]
    return "\n\n".join(parts)


def letter_schema(n_options: int) -> ResponseSchema:
    """The JSON schema of an answer, for providers that can enforce one."""
    letter = JSONSchema(type="string", enum=list(LETTERS[:n_options]))
    return ResponseSchema(
        name="choice",
        json_schema=JSONSchema(
            type="object",
            properties={"answer": letter},
            required=["answer"],
            additionalProperties=False,
        ),
        strict=True,
    )


def completion_context(
    item: Item, demonstrations: Sequence[Item], instructions: Instructions
) -> str:
    """What stands before each candidate; a candidate follows after one space."""
    parts = [TEXTS[instructions]]
    for example in demonstrations:
        negation = example.options[OptionType.STANDARD]
        parts.append(f"Sentence: {example.sentence}\n{CANDIDATE_CUE} {negation}")
    parts.append(f"Sentence: {item.sentence}\n{CANDIDATE_CUE}")
    return "\n\n".join(parts)


def _question(item: Item, shown: Sequence[OptionType]) -> str:
    options = "\n".join(
        f"{letter}) {item.options[kind]}" for letter, kind in zip(LETTERS, shown, strict=False)
    )
    return f"Sentence: {item.sentence}\n\nOptions:\n{options}"
