"""The message catalogue: a folder per language, files by subject, a table per topic."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

Language = Literal["en", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
# A text, or its forms by number: `one` and `other`.
Entry = str | Mapping[str, str]


def entry(language: Language, key: str) -> Entry:
    """Return what stands under a dotted key."""
    table, _, name = key.rpartition(".")
    found: Entry = _table(language, table)[name]
    return found


def has_entry(language: Language, key: str) -> bool:
    """Say whether there is a text under a dotted key."""
    table, _, name = key.rpartition(".")
    return table in _written_tables(language) and name in _table(language, table)


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Return all texts of a language by dotted key; forms by number have keys of their own."""
    found: dict[str, str] = {}
    for table in _written_tables(language):
        for name, text in _table(language, table).items():
            forms = {"": text} if isinstance(text, str) else {f".{form}": said for form, said in text.items()}
            found |= {f"{table}.{name}{form}": said for form, said in forms.items()}
    return found


@cache
def _table(language: Language, table: str) -> dict[str, Entry]:
    """Return the texts of a table by name. Parsing all tables would take 20 ms, and a command needs a few of them."""
    return tomllib.loads(_written_tables(language)[table])


@cache
def _written_tables(language: Language) -> dict[str, str]:
    """Return the tables of a language as they are written in its files."""
    folder = files(__package__).joinpath(language)
    found_files = sorted(folder.iterdir(), key=lambda file: file.name)
    read = [file.read_text(encoding="utf-8") for file in found_files if file.name.endswith(".toml")]
    found: dict[str, str] = {}
    for text in read:
        _, *parts = re.split(r"^\[(.+)\]$", text, flags=re.MULTILINE)
        found |= zip(parts[::2], parts[1::2], strict=True)
    return found
