"""The one catalogue of what sudare says to people, in English and Japanese: `en.toml`, `ja.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from decimal import Decimal, Inexact, localcontext
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import ceil, floor

from sudare.errors import OptionNotUsable

LANGUAGES = ("en", "ja")


class Texts:
    """The texts of one language, by dotted key; values in braces are filled in."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise OptionNotUsable(f"There is no language {language!r}.\nHint: {' or '.join(LANGUAGES)}.")
        self.language = language

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with its values filled in."""
        table, _, name = key.rpartition(".")
        return _table(self.language, table)[name].format(**values)

    def exact_percent(self, share: Fraction | float) -> str:
        """Return a share as percentage with all its digits: what is promised is not rounded. A third stays 1/3."""
        exact = Fraction(str(share))
        with localcontext(prec=400) as context:
            context.traps[Inexact] = True
            try:
                value = f"{(Decimal(exact.numerator) * 100 / Decimal(exact.denominator)).normalize():f}"
            except Inexact:
                return str(exact)
        return self("report.number.percent", value=value)

    def upper_percent(self, share: Fraction | float) -> str:
        """Return a bound as percentage, rounded up: one that is too low would be none."""
        return self.exact_percent(Fraction(ceil(Fraction(share) * 10**6), 10**6))

    def lower_percent(self, share: Fraction | float) -> str:
        """Return a lower bound as percentage, rounded down: one that is too high would be none."""
        return self.exact_percent(Fraction(floor(Fraction(share) * 10**6), 10**6))

    def listed(self, texts: Sequence[str]) -> str:
        """Join texts as one does in the language: a, b and c."""
        if len(texts) < 2:
            return "".join(texts)
        return self("list.comma").join(texts[:-1]) + self("list.and") + texts[-1]


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return all texts of a language by dotted key."""
    tables = _written_tables(language)
    return {f"{table}.{name}": text for table in tables for name, text in _table(language, table).items()}


@cache
def _table(language: str, table: str) -> dict[str, str]:
    """Return the texts of a table by name. Parsing all tables would take 20 ms, and a command needs a few of them."""
    return tomllib.loads(_written_tables(language)[table])


@cache
def _written_tables(language: str) -> dict[str, str]:
    """Return the tables of a language as they are written in its file."""
    found = files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    _, *parts = re.split(r"^\[(.+)\]$", found, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))
