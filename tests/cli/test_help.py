"""The help: complete in both languages, with examples that parse, and in lines that fit a terminal."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from typer.testing import CliRunner

from sudare.cli.app import COMMANDS, GROUPS, app
from sudare.cli.help import SECTIONS, help_keys, help_text, width_of, wrapped
from sudare.cli.settings import Settings, settle
from sudare.messages import LANGUAGES, Language, catalogue
from tests.cli.conftest import BUILT

COLUMNS, LINES = 80, 24
LONGEST_SUMMARY = 72
# Options of reading that commands do not have yet.
LATER = {"table", "rejects"}
# What the help itself says, and the options of `sudare` that stand before a command.
OWN = {"help.outputs", "help.labels.default", "help.labels.required", "help.lang"}


@pytest.fixture(autouse=True)
def narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("LINES", str(LINES))


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[Language]:
    settle(["--lang", request.param])
    yield request.param
    settle(["--lang", "en"])


def built(words: str) -> Any:
    """Return a command or group as the command line has it."""
    found: Any = BUILT
    for word in words.split():
        found = found.commands[word]
    return found


def context(command: Any) -> Any:
    """Return a context in which nothing was typed."""
    return command.context_class(command, **command.context_settings)


def shown(*words: str) -> list[str]:
    result = CliRunner().invoke(app, [*words, "--help", "--lang", Settings.language])
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


@cache
def parameters(words: str) -> tuple[str, ...]:
    """Return the names of the arguments and options of a command."""
    command = built(words)
    return tuple(str(parameter.name) for parameter in command.get_params(context(command)))


def test_every_command_has_a_summary_an_example_and_a_text_for_each_option(language: Language) -> None:
    wanted = [(words, name) for words in COMMANDS for name in ("summary", "example", *parameters(words))]
    assert [pair for pair in wanted if not help_text(*pair)] == []
    groups = [group.replace(" ", "-") for group in ("sudare", *GROUPS)]
    assert [group for group in groups if not help_text("groups", group)] == []


def test_every_text_of_the_help_is_shown_somewhere(language: Language) -> None:
    texts = catalogue(language)
    used = {key for words in COMMANDS for name in ("summary", "text", "example", *parameters(words))
            for key in _first(help_keys(words, name), texts)}  # fmt: skip
    used |= {f"help.{parameter.name}" for parameter in BUILT.get_params(context(BUILT))}
    used |= {f"help.groups.{group.replace(' ', '-')}" for group in ("sudare", *GROUPS)}
    used |= {f"help.sections.{name}" for name in ("usage", "commands", "arguments", "options", "examples", *SECTIONS)}
    used |= {f"help.options.{name}" for name in LATER}
    assert {key for key in texts if key.startswith("help.")} - used - OWN == set()


def _first(keys: tuple[str, ...], texts: dict[str, str]) -> list[str]:
    """Return the key that is used, of those under which a text may be found."""
    return [key for key in keys if key in texts][:1]


def test_no_text_of_a_command_repeats_what_all_commands_would_say(language: Language) -> None:
    texts = catalogue(language)
    found = [[texts[key] for key in help_keys(words, name) if key in texts]
             for words in COMMANDS for name in parameters(words)]  # fmt: skip
    assert [said for said in found if len(said) > 1 and said[0] == said[1]] == []


def test_a_default_is_said_once(language: Language) -> None:
    label = f"[{catalogue(language)['help.labels.default']}: "
    for words in COMMANDS:
        command = built(words)
        sections = command.sections(context(command))
        twice = [row for rows in sections.values() for row in rows if row[1].count(label) > 1]
        assert twice == [], words


@pytest.mark.parametrize("words", COMMANDS)
def test_every_example_parses(words: str, language: Language) -> None:
    lines = help_text(words, "example").strip().splitlines()
    own = [line for line in lines if line.startswith(f"sudare {words}")]
    assert own, lines
    for line in lines:
        named = next(name for name in sorted(COMMANDS, key=len, reverse=True) if line.startswith(f"sudare {name}"))
        rest = shlex.split(line.removeprefix(f"sudare {named}"))
        assert built(named).make_context(named, rest).args == [], line


def test_a_command_that_the_help_names_is_there(language: Language) -> None:
    names = {*COMMANDS, *GROUPS}
    for key, text in catalogue(language).items():
        for found in re.findall(r"\bsudare ((?:[a-z-]+ ?)+)", text) if key.startswith("help.") else ():
            words = found.split()
            starts = {" ".join(words[:number]) for number in (1, 2, 3)}
            assert starts & names, f"{key}: {found}"


def test_an_option_that_the_help_names_is_one_of_the_command(language: Language) -> None:
    for words in COMMANDS:
        command = built(words)
        spelled = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        for name in ("summary", "text", *parameters(words)):
            # Options of another command stand behind its name.
            text = re.sub(r"sudare [a-z -]+", "", help_text(words, name))
            assert {*re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)} <= spelled, f"{words} {name}: {text}"


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_the_help_of_a_group_fits_a_screen_with_all_summaries(group: str, language: Language) -> None:
    lines = shown(*group.split())
    assert len(lines) <= LINES
    assert [line for line in lines if width_of(line) > COLUMNS] == []
    for name, command in built(group).commands.items():
        words = command.words
        summary = help_text("groups", words.replace(" ", "-")) if words in GROUPS else help_text(words, "summary")
        assert any(re.fullmatch(rf"  {name} +{re.escape(summary)}", line) for line in lines), summary


def test_summaries_are_short(language: Language) -> None:
    assert [words for words in COMMANDS if width_of(help_text(words, "summary")) > LONGEST_SUMMARY] == []


@pytest.mark.parametrize("words", COMMANDS)
def test_the_help_of_a_command_is_not_wider_than_the_terminal_but_for_examples(words: str, language: Language) -> None:
    lines = shown(*words.split())
    examples = lines.index(f"{catalogue(language)['help.sections.examples']}:")
    assert [line for line in lines[:examples] if width_of(line) > COLUMNS] == []


def test_options_that_stand_together_are_there() -> None:
    names = {name for words in COMMANDS for name in parameters(words)} | LATER
    listed = [name for section in SECTIONS.values() for name in section]
    assert [name for name in listed if name not in names] == []
    assert len({*listed}) == len(listed)


def test_the_usage_names_what_must_be_given() -> None:
    usage = shown("contest", "attack")[0]
    assert usage == "Usage: sudare contest attack T PUBLISHED -o GUESSES [OPTIONS]"
    assert shown("demo")[0] == "Usage: sudare demo [DIR] [OPTIONS]"


@pytest.mark.parametrize("line", ["--help --lang ja", "--lang=ja -h", "history -h --lang ja", "--lang ja demo -h"])
def test_help_is_asked_for_in_japanese_wherever_the_option_stands(line: str) -> None:
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("使い方: sudare")


def test_lines_end_where_japanese_lines_may() -> None:
    text = "既定値は自動判別です（ファイルの先頭の行から [既定値: なし]）。" * 5
    lines = wrapped(text, indent=4)
    assert "".join(line.strip() for line in lines).replace(" ", "") == text.replace(" ", "")
    assert [line for line in lines if line.strip()[0] in "。、）]:" or line[-1] in "（["] == []
    assert all(width_of(line) < COLUMNS for line in lines)
