"""Characters that stand around, between and instead of those that count: for all readers."""

from typing import Final

INVISIBLE: Final = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"))
"""Characters that nobody sees, for `str.translate`."""
PLAIN: Final = INVISIBLE | str.maketrans(dict.fromkeys("’‘ʼ‛＇´", "'"))
"""The same, and one apostrophe for all, for `str.translate`."""
PLAIN_QUOTES: Final = PLAIN | str.maketrans(
    dict.fromkeys("`ʹ′", "'") | dict.fromkeys("“”„‟«»", '"') | {"\xa0": " "}
)
"""The same for prose, in which a backtick is an apostrophe; and one double quote for all."""
EMPHASIS: Final = "*_`"
"""Marks of emphasis in Markdown."""
QUOTES: Final = '"“”„‟«»'
"""Double quotes."""
AROUND: Final = f" \t\r\n\f\v'{QUOTES}{EMPHASIS}.!,;:"
"""What may stand around a word that is an answer, for `str.strip`."""
