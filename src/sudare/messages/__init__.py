"""The one catalogue of what sudare says to people, in English and Japanese: `en.toml`, `ja.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from sudare.errors import OptionNotUsable

LANGUAGES = ("en", "ja")


class Texts:
    """The texts of one language, by dotted key; values in braces are filled in."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise OptionNotUsable(f"There is no language {language!r}.\nHint: {' or '.join(LANGUAGES)}.")
        self.language = language
        self._texts = catalogue(language)

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with its values filled in."""
        return self._texts[key].format(**values)

    def listed(self, texts: Sequence[str]) -> str:
        """Join texts as one does in the language: a, b and c."""
        if len(texts) < 2:
            return "".join(texts)
        return self("list.comma").join(texts[:-1]) + self("list.and") + texts[-1]


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return all texts of a language by dotted key."""
    found = files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return dict(_flat(tomllib.loads(found), ""))


def _flat(table: dict[str, Any], prefix: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in table.items():
        pairs += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return pairs
