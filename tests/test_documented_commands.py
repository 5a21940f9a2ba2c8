"""Every command line in README and docs, in every language, is one that the real commands take."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

from sudare.cli.app import app
from tests.pages import blocks, calls, command_lines, page_name, pages, prose

COMMAND = typer.main.get_command(app)
# Options of other programs that pages name.
OTHERS = {"--quick", "--check", "--strict"}


def refusal(words: list[str]) -> str:
    """Return why the command line refuses a call, "" if it does not; nothing is run. A name alone is a mention."""
    command: Any = COMMAND
    rest = list(words)
    while rest and hasattr(command, "commands") and not rest[0].startswith("-"):
        if rest[0] not in command.commands:
            return f"no command {rest[0]!r}"
        command = command.commands[rest.pop(0)]
    try:
        if rest:
            command.make_context("sudare", rest)
    except typer.Exit:  # --help and --version
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@cache
def options(command: Any = COMMAND) -> set[str]:
    """Return every option of every command."""
    own = {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)}
    return own.union(*(options(inner) for inner in getattr(command, "commands", {}).values()), {"--help"})


@pytest.mark.parametrize("page", pages(), ids=page_name)
def test_every_command_line_is_understood(page: Path) -> None:
    # The reference also shows how commands are called: sudare table risk FILE [OPTIONS].
    found = [(line, words) for line, words in command_lines(page) if "[OPTIONS]" not in words]
    read = [(line, words, refusal(words)) for line, words in found]
    assert [f"{page_name(page)}:{line}: sudare {' '.join(words)}: {why}" for line, words, why in read if why] == []


@pytest.mark.parametrize("page", pages(), ids=page_name)
def test_every_option_that_a_sentence_names_is_one(page: Path) -> None:
    known = options() | OTHERS
    named = [(line, option) for line, text in prose(page) for option in re.findall(r"`(--[a-z][a-z-]*)", text)]
    assert [f"{page_name(page)}:{line}: {option}" for line, option in named if option not in known] == []


def test_lines_of_shell_are_taken_apart() -> None:
    assert calls("$ sudare demo --force  # try it") == [["demo", "--force"]]
    assert calls("zcat a.gz | SUDARE_LANG=ja sudare history attackers - > out.txt && sudare demo") == [
        ["history", "attackers", "-"],
        ["demo"],
    ]
    assert calls("sudare table risk a.csv --delimiter ';'") == [["table", "risk", "a.csv", "--delimiter", ";"]]
    assert calls("pip install sudare") == []


def test_there_are_command_lines_on_most_pages() -> None:
    with_some = [page for page in pages() if command_lines(page)]
    assert len(with_some) > 20
    assert sum(len(command_lines(page)) for page in with_some) > 200


@pytest.mark.parametrize(
    "line",
    [
        "sudare nothing",
        "sudare demo --nothing",
        "sudare contest check --rules x",
        "sudare generate table x.csv --records many",
    ],
)
def test_a_wrong_line_is_noticed(line: str) -> None:
    assert all(refusal(words) for words in calls(line))


def test_blocks_have_the_language_of_what_is_in_them() -> None:
    """Keep calls of sudare out of blocks whose language hides them from these tests."""
    hidden = [
        f"{page_name(page)}:{block.line}"
        for page in pages()
        for block in blocks(page)
        if block.language in ("text", "output") and re.search(r"^\$? ?sudare ", block.text, re.M)
    ]
    assert hidden == []
