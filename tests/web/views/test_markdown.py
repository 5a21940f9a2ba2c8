"""Texts of organizers: Markdown, and nothing in it that could do harm."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings, strategies as st

from sudare.web.views.markdown import SCHEMES, TAGS, markdown


class Tags(HTMLParser):
    """Reads the tags of a text and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found = list[tuple[str, dict[str, str | None]]]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    reader = Tags()
    reader.feed(html)
    return reader.found


@pytest.mark.parametrize(("text", "html"), [
    ("**prizes**", "<p><strong>prizes</strong></p>\n"),
    ("# One\n\n## Two", "<h3>One</h3>\n<h4>Two</h4>\n"),
    ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
    ("a < b & c", "<p>a &lt; b &amp; c</p>\n"),
    ("賞品は**本**です", "<p>賞品は<strong>本</strong>です</p>\n"),
    ("", ""),
])  # fmt: skip
def test_markdown_is_shown(text: str, html: str) -> None:
    assert str(markdown(text)) == html


def test_links_tell_nothing_of_the_page_and_tables_stay() -> None:
    [_, (tag, attributes)] = tags(markdown("[rules](https://example.org/x)"))
    assert (tag, attributes["href"]) == ("a", "https://example.org/x")
    assert set((attributes["rel"] or "").split()) == {"noopener", "noreferrer", "nofollow"}
    assert "<td>1</td>" in markdown("| a |\n|---|\n| 1 |")


EVIL = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "![x](https://example.org/pixel.png)",
    "<a href='javascript:alert(1)'>x</a>",
    "<iframe src=//example.org></iframe>",
    "<form action=/logout method=post><button>x",
    "[x]: javascript:alert(1)\n\n[x]",
    '[x](https://e.org "" onmouseover=alert(1) x="")',
    '<https://example.org/"onmouseover=alert(1)>',
    "```\n</code></pre><script>alert(1)</script>\n```",
    "<style>*{display:none}</style>",
    "<svg/onload=alert(1)>",
]


PIECES = [*EVIL, "\n", " ", "[", "](", ")", "<", ">", "*", "`", '"', "x"]


@pytest.mark.parametrize("text", EVIL)
def test_nothing_in_a_text_does_harm(text: str) -> None:
    harmless(text)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_nothing_in_texts_made_of_them_does_harm(text: str) -> None:
    harmless(text)


def harmless(text: str) -> None:
    for tag, attributes in tags(markdown(text)):
        assert tag in TAGS
        assert set(attributes) <= {"href", "title", "rel", "start"}
        scheme = re.match(r"\s*([A-Za-z][\w+.-]*):", attributes.get("href") or "")
        assert scheme is None or scheme[1].casefold() in SCHEMES


def test_deep_texts_are_shown_at_once() -> None:
    for text in (">" * 10_000, "[" * 10_000, "*a" * 5_000, "- " * 5_000, "`" * 10_000):
        assert len(markdown(text)) < 400_000
