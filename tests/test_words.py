"""Turns of phrase that a native engineer would not write, and second terms for one idea, appear nowhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import sudare
from sudare.messages import catalogue
from tests.pages import ROOT, page_name, pages, prose

SOURCES = Path(sudare.__file__).parent

# What is not written, and what to write instead.
ENGLISH = {
    # "There is no such file" and "is no longer used" are idiomatic.
    r"(?<!there )(?<!there may )\b(?:is|are|was|were|be) no (?=[a-z])(?!longer\b|\w+ than\b)": "is not a",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\b(?:go|goes|going|gone|went) through\b": "check, visit, enumerate, search, try",
    r"\b(?:if not given|unless given otherwise)\b": "by default, or (None: ...)",
    r"\bso (?:many|much)\b": "that many, the number of, `argument` itself",
    r"\bso long at most\b": "at most SECONDS",
    r"\bof them that\b": "of those that, or only the noun",
    r"\bsuch an?\b": "this, the, or the noun again",
    r"\bbe it\b": "whether ... or",
    r"\bfor want of\b": "without, because there is no",
    r"\bthe like\b": "similar ..., or name it",
    r"\bwhose (?:a|an|the) (?:record|row) is\b|\bwhose the (?:record|row)s are\b": "identifying the person",
    r"\b(?:go|goes|going|went) on with\b": "continue with, reuse",
    r"\bone (?:row|line|record|entry|column|file|array) an? (?=[a-z])": "one ... per ...",
    r"\bthere are 1\b": "a plural form (`key.one`)",
}
# One term for one idea.
JAPANESE = {
    "仮顧客|仮ID|匿名ID": "仮名ID",
    "等価クラス|同値クラス": "同値類",
    "報告書": "レポート",
    "試験(?!的)": "テスト",
    # 匿名加工情報 is the legal term; the others are titles of papers.
    "匿名加工(?!情報|・再識別コンテスト|データの攻撃者モデル)": "匿名化",
    "擬似識別子|疑似識別子": "準識別子",
    "カラム|コラム": "列",
    "ユーザ(?!ー)": "ユーザー",
}


def complaints(texts: Iterator[tuple[str, str]], words: Mapping[str, str]) -> list[str]:
    """Return where a phrase stands and what to write instead."""
    patterns = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in words.items()]
    return [
        f"{place}: {found[0]!r} in {line.strip()!r}; write: {better}"
        for place, text in texts
        for line in [" ".join(text.split())]
        for pattern, better in patterns
        for found in pattern.finditer(line)
    ]


def sentences(language: str) -> Iterator[tuple[str, str]]:
    """Yield the prose of every page of a language, line by line; `code` is not looked at."""
    for page in [*pages(), *([ROOT / "CONTRIBUTING.md"] if language == "en" else [])]:
        name = page_name(page)
        if ("ja/" in name or name.endswith(".ja.md")) == (language == "ja"):
            for number, line in prose(page):
                yield f"{name}:{number}", re.sub(r"`[^`]*`", "`", line)


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield every docstring of the sources."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = getattr(node, "name", "module")
                yield f"{path.relative_to(SOURCES)} {name}", ast.get_docstring(node) or ""


def comments() -> Iterator[tuple[str, str]]:
    """Yield every comment of the sources that has lines of its own; lines that follow each other are one text."""
    for path in sorted(SOURCES.rglob("*.py")):
        for found in re.finditer(r"^ *#.*(?:\n *#.*)*", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield str(path.relative_to(SOURCES)), re.sub(r"^ *#", "", found[0], flags=re.MULTILINE)


@pytest.mark.parametrize(("language", "words"), [("en", ENGLISH), ("ja", JAPANESE)])
def test_catalogues_and_pages_use_the_words_of_the_project(language: str, words: dict[str, str]) -> None:
    texts = iter(catalogue(language).items())  # type: ignore[arg-type]  # one of the two languages
    assert complaints(texts, words) == []
    assert complaints(sentences(language), words) == []


def test_docstrings_and_comments_use_the_words_of_the_project() -> None:
    assert complaints(docstrings(), ENGLISH) == []
    assert complaints(comments(), ENGLISH) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("data.bin is no text file.", 1),
        ("There is no text file.", 0),
        ("The set is no longer maximal.", 0),
        ("Sets are gone through by\nmemory.", 1),
        ("600 if not given.", 1),
        ("There are so many sets that a sample is drawn.", 1),
        ("Draw so many samples.", 1),
        ("Mend the rows and go on with them.", 2),
    ],
)
def test_phrases_are_found_in_context(text: str, found: int) -> None:
    assert len(complaints(iter([("here", text)]), ENGLISH)) == found
