"""Pages of a report as a test reads them."""

from datetime import date
from html.parser import HTMLParser
from pathlib import Path

DAY = date(2026, 1, 1)


HOSTILE = "<script>alert(1)</script>|`x`$\\frac{1}{0}$\n# [a](b)"


class Text(HTMLParser):
    """Tags and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data) -> None:
        self.text.append(data)


def parse(path: Path) -> Text:
    page = Text()
    page.feed(path.read_text(encoding="utf-8"))
    return page
