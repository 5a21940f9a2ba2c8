"""The catalogue of texts: complete in both languages, and nothing in it that nobody says."""

from __future__ import annotations

import ast
import re
import string
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from inspect import isclass
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare import errors
from sudare.messages import LANGUAGES, Joined, Language, Texts, catalogue, message

SOURCES = Path(sudare.__file__).parent
# Rooms whose errors carry a key and values; the others are to follow.
ROOMS_WITH_KEYS = (
    "baskets",
    "cli",
    "contest",
    "engine",
    "gate",
    "histories",
    "report",
    "schemas",
    "sources",
    "statistics",
    "tables",
    "web",
)
ERRORS = {name for name, found in vars(errors).items() if isclass(found) and issubclass(found, errors.SudareError)}
WORD = r"\w+"


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_all_languages_have_the_same_keys_in_the_same_order() -> None:
    files = [sorted(path.name for path in (SOURCES / "messages" / language).iterdir()) for language in LANGUAGES]
    assert files[0] == files[1]
    english, japanese = ([_without_form(key) for key in catalogue(language)] for language in LANGUAGES)
    # Japanese says one and many alike.
    assert list(dict.fromkeys(english)) == japanese


def _without_form(key: str) -> str:
    """Return the key of a text without the form that its number chooses."""
    plural = key.removesuffix(".one").removesuffix(".other")
    return plural if f"{plural}.other" in catalogue("en") else key


def test_no_text_is_empty() -> None:
    empty = [(language, key) for language in LANGUAGES for key, text in catalogue(language).items() if not text.strip()]
    assert empty == []


def test_a_text_has_the_same_placeholders_in_all_languages() -> None:
    first, *others = LANGUAGES
    different = [
        (language, key)
        for language in others
        for key, text in catalogue(first).items()
        if key in catalogue(language) and placeholders(catalogue(language)[key]) != placeholders(text)
    ]
    assert different == []


def test_japanese_texts_are_japanese() -> None:
    english, japanese = catalogue("en"), catalogue("ja")
    same = [
        key for key, text in english.items() if japanese.get(key) == text and re.search(r"[A-Za-z]{3}", _bare(text))
    ]
    # Command lines are the same in all languages.
    assert [key for key in same if not (key.startswith("help.") and key.endswith(".example"))] == []


def test_every_text_is_said_somewhere() -> None:
    # Measures of a gate are words with hyphens.
    patterns = [re.compile(pattern.replace(WORD, r"[\w-]+")) for pattern in _spoken()]
    # Texts of the help are found by the names of commands and options: see tests/cli/test_help.py.
    keys = {
        _without_form(key).removesuffix("_hint") if key.startswith("errors.") else _without_form(key)
        for key in catalogue("en")
        if not key.startswith(("help.", "plain."))
    }
    unused = [key for key in keys if not any(pattern.fullmatch(key) for pattern in patterns)]
    assert unused == []


def test_a_text_in_plain_words_says_the_same_as_another_without_words_of_contests() -> None:
    english = catalogue("en")
    plain = {key.removeprefix("plain."): text for key, text in english.items() if key.startswith("plain.")}
    assert [key for key in plain if key not in english] == []
    words = re.compile(r"contest|effective|\b(T|A|U|H0)\b|'s rules")
    assert [key for key, text in plain.items() if words.search(re.sub(r"(^|\. )A ", "", _bare(text)))] == []


def _is_module(pattern: str) -> bool:
    """Say whether a name is that of a module, such as that of a report that nouns and results find above them."""
    return (SOURCES / pattern.replace("\\.", "/")).with_suffix(".py").is_file()


def _is_public(pattern: str) -> bool:
    """Say whether a name is that of a public function of a package, such as those that hints name."""
    package, _, name = pattern.partition("\\.")
    return name in getattr(getattr(sudare, package, None), "__all__", ())


def test_every_key_the_sources_name_exists() -> None:
    tables = {key.partition(".")[0] for key in catalogue("en")}
    file_names = (r"\.csv", r"\.html", r"\.json", r"\.svg")
    named = rf"(?:{'|'.join(tables)})(?:\\\.\w+)+"
    dotted = [p for p in _spoken() if re.match(named, p) and not p.endswith(file_names)]
    spoken = [pattern for pattern in dotted if not _is_module(pattern) and not _is_public(pattern)]
    keys = [_without_form(key) for key in catalogue("en")]
    missing = [pattern for pattern in spoken if not any(re.fullmatch(pattern, key) for key in keys)]
    assert missing == []


@pytest.mark.parametrize("room", ROOMS_WITH_KEYS)
def test_errors_are_made_with_a_key(room: str) -> None:
    keys = [(place, _python_pattern(call.args[0]) if call.args else None) for place, call in _calls(ERRORS, room)]
    assert keys
    assert [place for place, key in keys if not re.fullmatch(r"errors(\\\.(\w|\\w\+)+){2,}", key or "")] == []


def test_errors_and_messages_are_given_the_values_of_their_texts() -> None:
    english = catalogue("en")
    for place, call in _calls(ERRORS | {"message"}):
        key = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        said = [text for name, text in english.items() if _without_form(name).removesuffix("_hint") == key]
        given = {word.arg for word in call.keywords}
        assert None in given or {name for text in said for name in placeholders(text)} <= given, place


def _calls(names: Collection[str], room: str = "") -> Iterator[tuple[str, ast.Call]]:
    """Yield all calls of these names in a room, with their places."""
    for path in sorted((SOURCES / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                yield f"{path.relative_to(SOURCES)}:{node.lineno}", node


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_parsed_one_by_one_are_those_of_the_whole_files(language: Language) -> None:
    files = sorted((SOURCES / "messages" / language).glob("*.toml"))
    found = [pair for file in files for pair in _flat(tomllib.loads(file.read_text(encoding="utf-8")), "")]
    assert len(dict(found)) == len(found)
    assert catalogue(language) == dict(found)


def _flat(table: dict[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        Texts("en")("no.such.text")


def test_a_text_is_chosen_by_its_count() -> None:
    texts = Texts("en")
    assert texts("files.rows", count=1) == "1 row"
    assert texts("files.rows", count=1234) == "1,234 rows"


def test_messages_within_messages_are_said_in_the_same_language() -> None:
    asked = message("list.hint", hint=Joined([message("files.rows", count=2), "a", "b"], "or"))
    assert str(asked) == "\nHint: 2 rows, a or b"
    assert Texts("ja").say(asked) == "\nヒント: 2行、aまたはb"
    assert str(Joined([message("files.rows", count=1), "a"], "lines")) == "1 row\na"


def test_semicolons_stand_between_all_parts() -> None:
    assert str(Joined(["a, b", "c", "d"], "semicolon")) == "a, b; c; d"


def test_lines_stand_below_one_another() -> None:
    lines = Joined([message("files.rows", count=2), "a", "b"], "lines")
    assert str(lines) == "2 rows\na\nb"
    assert Texts("ja").joined(lines) == "2行\na\nb"


def _bare(text: str) -> str:
    return re.sub(r"{.*?}", "", text)


@cache
def _spoken() -> list[str]:
    """Return patterns of keys from the sources: whole keys and computed ones.

    A computed part stands for one word, so `f"knows.{part}"` is every key directly in `knows`.
    """
    return sorted(set(_patterns()))


def _patterns() -> Iterator[str]:
    for path in sorted(SOURCES.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            pattern = None if id(node) in inner else _python_pattern(node)
            if pattern and re.fullmatch(r"[\w\\.+]+", pattern) and "." in pattern:
                yield pattern
    for path in sorted(SOURCES.rglob("*.html")):
        for literal, computed in re.findall(r'"([\w.]+)"\s*(~)?', path.read_text(encoding="utf-8")):
            yield re.escape(literal) + (WORD if computed else "")


def _python_pattern(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else WORD for p in node.values)
        return "".join(parts)
    return None
