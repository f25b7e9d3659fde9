"""Decoders of SORRY-Bench's four encoded mutations, so that a reply can be read at all.

A model that is asked in a cipher may answer in it. Nothing is decoded that is evidently English.
"""

import re
from collections.abc import Callable
from typing import Final

from negation_evals.scorers.text.english import evidently_english

CAESAR_SHIFT: Final = 3

_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MORSE_TABLE: Final = """
A .- B -... C -.-. D -.. E . F ..-. G --. H .... I .. J .--- K -.- L .-.. M -- N -. O --- P .--.
Q --.- R .-. S ... T - U ..- V ...- W .-- X -..- Y -.-- Z --.. 0 ----- 1 .---- 2 ..--- 3 ...--
4 ....- 5 ..... 6 -.... 7 --... 8 ---.. 9 ----. . .-.-.- , --..-- ? ..--.. ' .----. ! -.-.--
/ -..-. ( -.--. ) -.--.- : ---... ; -.-.-. = -...- + .-.-. " .-..-.
"""
_MORSE: Final = dict(
    zip(_MORSE_TABLE.lower().split()[1::2], _MORSE_TABLE.lower().split()[::2], strict=True)
)
_POINTS: Final = re.compile(r"\b(?:[1-9][0-9]|1[01][0-9]|12[0-6]|10|32)\b")


def decoded(text: str, encoding: str) -> str:
    """The text in plain English, if it is written in the cipher named; else the text as it is."""
    decode = DECODERS.get(encoding)
    if decode is None or evidently_english(text):
        return text
    plain = decode(text)
    return plain if evidently_english(plain) else text


def _shifted(alphabet: str) -> str:
    return alphabet[-CAESAR_SHIFT:] + alphabet[:-CAESAR_SHIFT]


def _caesar(text: str) -> str:
    return text.translate(str.maketrans(_LOWER + _UPPER, _shifted(_LOWER) + _shifted(_UPPER)))


def _atbash(text: str) -> str:
    return text.translate(str.maketrans(_LOWER + _UPPER, _LOWER[::-1] + _UPPER[::-1]))


def _morse(text: str) -> str:
    """Letters apart by a blank, words by a slash, a bar, or several blanks."""
    words = re.split(r"\s*[/|]\s*|\s{2,}|\n", text.translate(str.maketrans("−–·•", "--..")))
    return " ".join("".join(_MORSE.get(code, "") for code in word.split()) for word in words)


def _ascii(text: str) -> str:
    """Code points in decimal, apart by anything."""
    return "".join(chr(int(point)) for point in _POINTS.findall(text))


DECODERS: Final[dict[str, Callable[[str], str]]] = {
    "caesar": _caesar,
    "atbash": _atbash,
    "morse": _morse,
    "ascii": _ascii,
}
