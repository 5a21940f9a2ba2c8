"""Texts of organizers as pages show them: Markdown without images, and nothing in it that could do harm."""

from __future__ import annotations

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

# Below the headings of the page itself.
FIRST_HEADING = 3
TAGS = frozenset("a blockquote br code em h3 h4 h5 h6 hr li ol p pre s strong table tbody td th thead tr ul".split())
SCHEMES = frozenset({"http", "https", "mailto"})

# Tags in the text are text. Images would be fetched from elsewhere, which pages do not do.
_parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
_parser.disable("image")


@lru_cache(maxsize=256)
def markdown(text: str) -> Markup:
    """Return what a text says, cleaned by a second program that does not trust the first."""
    tokens = _parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + FIRST_HEADING - 1, 6)}"
    html = str(_parser.renderer.render(tokens, _parser.options, {}))
    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(cleaned)  # noqa: S704
