"""Find the complete JSON-like objects in a text: linear time, no exception on any string.

The grammar is a superset of JSON, so what already parses is read as it stands, never repaired.
Beyond JSON it accepts trailing commas, single and typographic quotes as delimiters, Python's
constants, line breaks in strings and a bare `85%`. It repairs neither unescaped quotes nor
comments nor missing quotes: such an object is broken, and what it encloses is not searched.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

MAX_DEPTH: Final = 64
"""Deeper nesting is broken; it bounds the recursion here and in whoever gets the values."""

_MAX_DIGITS: Final = 300
"""Longer integers become floats (in the end infinity): `int` is quadratic and refuses them."""

_MAX_KEY: Final = 200
"""Longer keys are kept as they are: none of them is looked for, and NFKC can be slow."""

_SPACE: Final = r"[\s\ufeff\u200b]*+"
_QUOTES: Final = ('"', "'", "“”„‟", "‘’‚‛")
# A string ends at the next quote of its kind. As every opening quote would also close such a
# string, no stretch of text lies in more than one string of a kind: hence the linear time.
_STRING: Final = "|".join(rf"[{q}](?:[^{q}\\]++|\\.)*+[{q}]" for q in _QUOTES)
_NUMBER: Final = r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+(?:[ ]?%)?+"

_START: Final = re.compile(rf"\{{{_SPACE}(?:{_STRING}){_SPACE}:", re.DOTALL)
_TOKEN: Final = re.compile(
    rf"{_SPACE}(?:(?P<mark>[{{}}\[\]:,])|(?P<string>{_STRING})|(?P<number>{_NUMBER})"
    r"|(?P<word>-?[A-Za-z]++))",
    re.DOTALL,
)
_CUT_OFF: Final = re.compile(rf"{_SPACE}(?:\Z|[{''.join(_QUOTES)}])")
_BRACE: Final = re.compile(r"[{}]")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: Final[dict[str, object]] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nan": float("nan"),
    "infinity": float("inf"),
    "-infinity": float("-inf"),
}


@dataclass(frozen=True, slots=True)
class FoundObject:
    """A complete object, with the place where it stands in the text."""

    start: int
    end: int
    items: tuple[tuple[str, object], ...]
    """Keys in lower case with their values, in the order of the text; repeated keys are kept."""
    parts: tuple["FoundObject", ...]
    """The objects directly inside, arrays included."""

    def values(self, key: str) -> list[object]:
        """Every value that stands under a key; more than one if the key is repeated."""
        return [value for name, value in self.items if name == key]

    def fields(self) -> dict[str, object]:
        """The object as a plain dictionary, in which the last of repeated keys wins."""
        return dict(self.items)

    def walk(self) -> Iterator["FoundObject"]:
        """The object itself, then all that are nested in it."""
        yield self
        for part in self.parts:
            yield from part.walk()


def find_objects(text: str) -> list[FoundObject]:
    """Find the outermost complete objects that have at least one key, in the order of the text.

    An object that the end of the text cuts off hides what would be inside it. One that does not
    parse hides all up to its closing brace, counted plainly; if it has none, it hides nothing.
    """
    reader = _Reader(text)
    found: list[FoundObject] = []
    position = 0
    while candidate := _START.search(text, position):
        start = candidate.start()
        try:
            found.append(reader.object_at(start))
            position = found[-1].end
        except _CutOffError:
            break
        except _BrokenError:
            position = reader.closing_brace(start) or start + 1
    return found


def objects_with(objects: Iterable[FoundObject], key: str) -> list[FoundObject]:
    """The objects, nested ones included, that have a value of their own under a key.

    An object under the key is searched, not taken as the value: `{"decision": {"decision": …}}`
    is a wrapper around one answer.
    """
    return [
        found
        for outermost in objects
        for found in outermost.walk()
        if any(not isinstance(value, dict) for value in found.values(key))
    ]


class _BrokenError(ValueError):
    """The text does not go on as an object would."""


class _CutOffError(_BrokenError):
    """The text ends inside an object that was sound so far."""


class _Reader:
    """A recursive-descent reader that tries each opening brace once.

    Reading begins anew inside an object that proved broken, so the outcome for every nested
    object is remembered.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._complete: dict[int, FoundObject] = {}
        self._broken: set[int] = set()
        self._closing: dict[int, int] | None = None

    def object_at(self, start: int, depth: int = 0) -> FoundObject:
        """Read the object whose brace stands at `start`."""
        if depth > MAX_DEPTH or start in self._broken:
            raise _BrokenError
        if start not in self._complete:
            try:
                self._complete[start] = self._read_object(start, depth)
            except _BrokenError:
                self._broken.add(start)
                raise
        return self._complete[start]

    def closing_brace(self, start: int) -> int | None:
        """Where the braces that open at `start` are balanced again, strings disregarded."""
        if self._closing is None:
            self._closing = {}
            opened: list[int] = []
            for brace in _BRACE.finditer(self._text):
                if brace[0] == "{":
                    opened.append(brace.start())
                elif opened:
                    self._closing[opened.pop()] = brace.end()
        return self._closing.get(start)

    def _read_object(self, start: int, depth: int) -> FoundObject:
        items: list[tuple[str, object]] = []
        parts: list[FoundObject] = []
        token = self._token(start + 1)
        while token["mark"] != "}":
            colon = self._token(token.end())
            if token["string"] is None or colon["mark"] != ":":
                raise _BrokenError
            value, end = self._value(self._token(colon.end()), depth, parts)
            items.append((_normal_key(_unquoted(token["string"])), value))
            token = self._next_item(end, "}")
        return FoundObject(start, token.end(), tuple(items), tuple(parts))

    def _read_array(
        self, start: int, depth: int, parts: list[FoundObject]
    ) -> tuple[list[object], int]:
        if depth > MAX_DEPTH:
            raise _BrokenError
        values: list[object] = []
        token = self._token(start + 1)
        while token["mark"] != "]":
            value, end = self._value(token, depth, parts)
            values.append(value)
            token = self._next_item(end, "]")
        return values, token.end()

    def _value(
        self, token: re.Match[str], depth: int, parts: list[FoundObject]
    ) -> tuple[object, int]:
        """The value that begins with a token, and where it ends; objects are noted as parts."""
        if token["mark"] == "{":
            part = self.object_at(token.end() - 1, depth + 1)
            parts.append(part)
            return part.fields(), part.end
        if token["mark"] == "[":
            return self._read_array(token.end() - 1, depth + 1, parts)
        if token["string"] is not None:
            return _unquoted(token["string"]), token.end()
        if token["number"] is not None:
            return _number(token["number"]), token.end()
        word = (token["word"] or "").lower()
        if word not in _WORDS:
            raise _BrokenError
        return _WORDS[word], token.end()

    def _next_item(self, position: int, closing: str) -> re.Match[str]:
        """The first token of the next item, or the closing mark, also after a trailing comma."""
        token = self._token(position)
        if token["mark"] == ",":
            return self._token(token.end())
        if token["mark"] != closing:
            raise _BrokenError
        return token

    def _token(self, position: int) -> re.Match[str]:
        token = _TOKEN.match(self._text, position)
        if token is None:
            cut_off = _CUT_OFF.match(self._text, position)
            raise _CutOffError if cut_off else _BrokenError
        return token


def _normal_key(key: str) -> str:
    if len(key) > _MAX_KEY:
        return key
    return unicodedata.normalize("NFKC", key).strip().lower()


def _unquoted(string: str) -> str:
    """The text of a quoted string; an escape that JSON does not know stands for its letter.

    Half a surrogate pair, which no log could store, becomes the replacement character.
    """
    body = string[1:-1]
    if "\\" not in body:
        return body
    try:
        body = str(json.loads(f'"{body}"', strict=False))
    except ValueError:
        body = _ESCAPE.sub(_unescaped, body)
    return body.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _CONTROLS.get(escape[2], escape[2])


def _number(token: str) -> object:
    """An `int` or `float`; a percentage stays text, since its unit is the reader's matter."""
    if token.endswith("%"):
        return token
    if len(token) <= _MAX_DIGITS and token.lstrip("+-").isdigit():
        return int(token)
    return float(token)
