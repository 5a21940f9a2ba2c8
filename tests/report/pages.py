"""What a reader sees on a page of a report."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser


def shown_text(page: str) -> str:
    """Return the text of a page as a reader sees it, spaces folded."""
    body = re.sub(r"(?s)<style>.*?</style>", "", page)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def numbers_of(page: str, row: str) -> list[float]:
    """Return the numbers of the row, or the part, with this id."""
    found = re.search(rf'(?s)<(tr|div) id="{row}"[^>]*>.*?</\1>', page)
    assert found, row
    return [float(value) for value in re.findall(r'<data value="([^"]+)">', found.group())]


def answer_of(page: str) -> str:
    """Return the name of the answer that a page gives first."""
    found = re.search(r'data-answer="(\w+)"', page)
    assert found
    return found.group(1)


class Nesting(HTMLParser):
    """Check that every element is closed where it should be."""

    VOID = ("meta", "link", "path", "line", "rect", "br")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, _: object) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag
