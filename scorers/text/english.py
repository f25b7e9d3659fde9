"""English in replies: contractions, and whether a text is English at all."""

import re
from typing import Final

from negation_evals.scorers.text.characters import PLAIN_QUOTES

_CONTRACTIONS: Final = (
    (re.compile(r"\b(?:can't|cant|can not)\b"), "cannot"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bdont\b"), "do not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'d\b"), " would"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"\b(it|that|this|there)'s\b"), r"\1 is"),
)

# A text is evidently English if enough of its words are English function words and no sentence
# is in another language. Latin script alone proves nothing.
_ENGLISH: Final = frozenset(
    {
        *("the", "and", "you", "your", "with", "that", "this", "are", "from", "they", "it", "to"),
        *("which", "would", "there", "what", "when", "their", "have", "be", "for", "not", "by"),
        *("how", "if", "can", "could", "should", "these", "those", "than", "then", "them", "his"),
        *("her", "she", "we", "our", "my", "i", "who", "where", "while", "because", "into"),
        *("about", "but", "or", "of", "is", "it's", "i'm", "you're", "don't", "let's", "here"),
    }
)
_FOREIGN: Final = frozenset(
    {
        *("ich", "nicht", "und", "das", "der", "ist", "mit", "für", "dabei", "leider", "wir"),
        *("eine", "einen", "auf", "dass", "bei", "kann", "sie", "ihnen", "dir"),
        *("je", "ne", "vous", "pas", "est", "les", "des", "une", "dans", "désolé", "nous", "cette"),
        *("peux", "aider", "puis", "mais", "avec", "cela", "votre", "il", "du"),
        *("que", "los", "las", "una", "siento", "puedo", "ayudarte", "ayudar", "pero", "esto"),
        *("não", "você", "uma", "posso", "isso", "com", "para", "desculpe", "ajudar"),
        *("che", "della", "sono", "mi", "dispiace", "questo", "aiutarti", "perché", "con"),
        *("het", "een", "niet", "van", "ik", "dat", "kan", "voor", "helaas", "helpen"),
        *("nie", "się", "mogę", "jest", "przykro", "att", "och", "inte", "jag", "kunna"),
        *("ikke", "jeg", "hjælpe", "hjelpe", "det", "tidak", "saya", "yang", "dan", "bir"),
    }
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SENTENCE_END: Final = re.compile(r"[.!?:;\n]+")
_OTHER_SCRIPT: Final = re.compile(r"[^\W\d_\u0000-\u024f]")
_ENGLISH_SHARE: Final = 0.15
_OTHER_SCRIPT_SHARE: Final = 0.02


def contractions_written_out(text: str) -> str:
    """A text in lower case without contractions: "can't" and "cant" become "cannot"."""
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return text


def evidently_english(text: str) -> bool:
    """Whether a text is plainly English, so that a list of English phrases can speak for it."""
    words = _WORD.findall(text.translate(PLAIN_QUOTES).lower())
    if not words:
        return False
    letters = sum(map(len, words))
    if len(_OTHER_SCRIPT.findall(text)) > _OTHER_SCRIPT_SHARE * letters:
        return False
    if any(_foreign_sentence(sentence) for sentence in _SENTENCE_END.split(text)):
        return False
    english = [word for word in words if word in _ENGLISH]
    return len(set(english)) >= 2 and len(english) >= _ENGLISH_SHARE * len(words)


def _foreign_sentence(sentence: str) -> bool:
    """Whether another language's function words outnumber the English ones."""
    words = _WORD.findall(sentence.translate(PLAIN_QUOTES).lower())
    foreign = [word for word in words if word in _FOREIGN]
    return len(set(foreign)) >= 2 and len(foreign) > sum(word in _ENGLISH for word in words)
