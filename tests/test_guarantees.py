"""The page on what is claimed names every text about safety, and tests that there are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
# Words by which a text claims something about safety. A new text that has one of them needs a place on the page.
CLAIM = re.compile(
    r"\bsafe\b|\bsafety\b|guarantee|certificate (does not )?agree|effective with|are effective|be effective|\bU below\b"
    r"|risk above|is above it|broken|all fail|all of them fail|succeeds|for certain|certainty|mean risk of each"
    r"|at least \{k\}|same rows as at least|looks? like at least|measured on the file|of at most \{bound\}",
    re.IGNORECASE,
)


def texts(part: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in part.items():
        if isinstance(value, Mapping):
            yield from texts(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", str(value)


ENGLISH = dict(texts(tomllib.loads((ROOT / "src/sudare/messages/en.toml").read_text(encoding="utf-8"))))
NAMED = [key for line in re.findall(r"^Texts: .*(?:\n.+)*", PAGE, re.M) for key in re.findall(r"`([\w.*]+)`", line)]


def test_every_text_about_safety_has_its_place_on_the_page() -> None:
    claims = [key for key, text in ENGLISH.items() if CLAIM.search(text)]
    assert [key for key in claims if not any(fnmatchcase(key, name) for name in NAMED)] == []


def test_every_text_that_the_page_names_is_there() -> None:
    assert [name for name in NAMED if not any(fnmatchcase(key, name) for key in ENGLISH)] == []


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 30
    for file, name in named:
        assert (ROOT / file).is_file(), file
        assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"


def test_every_statement_has_grounds_and_a_test() -> None:
    lines = [line for line in PAGE.splitlines() if line.count("|") == 5]
    rows = [line for line in lines if "---" not in line and "| claim |" not in line]
    assert len(rows) > 35
    assert [row for row in rows if not all(cell.strip() for cell in row.split("|")[1:-1])] == []
    assert [row for row in rows if "tests/" not in row] == []
