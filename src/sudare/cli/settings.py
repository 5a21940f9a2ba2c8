"""Settings for a whole run: language, verbosity, and defaults from a file."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sudare.cli import signals
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import LANGUAGES, Language, Texts
from sudare.messages.reasons import reason_of

# Read where the command is run, without being asked for.
CONFIG = "sudare.toml"
# In this order, as for other programs.
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_GENERAL = ("-q", "--quiet", "-v", "--verbose", "--lang", "--config")


class Settings:
    """The settings of the run, known before the words of the command are parsed: errors in them have a language too."""

    words: tuple[str, ...] = ()
    language: Language = "en"
    json = False
    quiet = False
    verbose = False
    config = ""
    defaults: Mapping[str, Any] = {}
    command: Any = None


def settle(words: Sequence[str]) -> None:
    """Take the settings from the words of a command, the environment and the file of defaults."""
    Settings.words, Settings.command = tuple(words), None
    Settings.config, Settings.defaults = "", {}
    Settings.json = "--json" in words
    Settings.quiet, Settings.verbose = (
        not {*names}.isdisjoint(words) for names in (("-q", "--quiet"), ("-v", "--verbose"))
    )
    Settings.language = _language(_value(words, "--lang"), os.environ.get("SUDARE_LANG"))
    given = _value(words, "--config")
    Settings.config = given or (CONFIG if Path(CONFIG).is_file() else "")
    Settings.defaults = _read(Path(Settings.config)) if Settings.config else {}
    Settings.language = _language(_value(words, "--lang"), os.environ.get("SUDARE_LANG"), Settings.defaults.get("lang"))
    signals.interrupted = Texts(Settings.language)("notes.interrupted")
    Settings.quiet = Settings.quiet or Settings.defaults.get("quiet") is True
    Settings.verbose = Settings.verbose or Settings.defaults.get("verbose") is True


def command_line() -> str:
    """Return the command as it was typed, for whoever wants to repeat it."""
    return shlex.join(["sudare", *Settings.words])


def without_general(words: Sequence[str]) -> list[str]:
    """Return the words without the general options before a command, which were taken already."""
    left, kept = list(words), []
    while left and left[0].startswith("-"):
        name = left[0].partition("=")[0]
        if name not in _GENERAL:
            kept.append(left[0])
        del left[: 2 if left[0] in ("--lang", "--config") else 1]
    return kept + left


def _value(words: Sequence[str], option: str) -> str:
    """Return what stands behind an option, wherever it stands; the last wins, as in parsing."""
    found = [
        after if word == option else word.removeprefix(f"{option}=")
        for word, after in pairwise([*words, ""])
        if word == option or word.startswith(f"{option}=")
    ]
    return found[-1] if found else ""


def _language(*wanted: object) -> Language:
    """Return the first language that is spoken here, of those asked for, then that of the locale."""
    locale = next((os.environ[name] for name in LOCALE_VARIABLES if os.environ.get(name)), "")
    for name in (*wanted, locale[:2]):
        for language in LANGUAGES:
            if name == language:
                return language
    return LANGUAGES[0]


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SourceNotReadable("errors.config.not_readable", path=path, why=reason_of(error)) from None
    except tomllib.TOMLDecodeError as error:
        raise OptionNotUsable("errors.config.not_toml", path=path, why=reason_of(error)) from None


def check_defaults(commands: Collection[str], is_option: Callable[[str], bool]) -> None:
    """Refuse tables of the file that do not name a command, and options for all commands that none has."""
    _check_table(Settings.defaults, "", {*commands, *(words.rpartition(" ")[0] for words in commands)}, is_option)


def _check_table(
    table: Mapping[str, Any], words: str, known: Collection[str], is_option: Callable[[str], bool]
) -> None:
    for name, value in table.items():
        inner = f"{words} {name}".strip()
        if isinstance(value, Mapping):
            if not any(one == inner or one.startswith(f"{inner} ") for one in known):
                raise OptionNotUsable("errors.config.no_command", path=Settings.config, name=inner.replace(" ", "."))
            _check_table(value, inner, known, is_option)
        elif not is_option(name.replace("-", "_")):
            raise OptionNotUsable("errors.config.no_such_option", path=Settings.config, name=name)


def defaults_of(words: str) -> dict[str, Any]:
    """Return the defaults that the file has for a command: its own, those of its groups, and those for all commands."""
    found: dict[str, Any] = {}
    table: Any = Settings.defaults
    for name in ("", *words.split()):
        table = table.get(name, {}) if name else table
        if not isinstance(table, Mapping):
            raise OptionNotUsable("errors.config.not_table", path=Settings.config, name=name)
        found |= {key.replace("-", "_"): value for key, value in table.items() if not isinstance(value, Mapping)}
    return found


def own_defaults(words: str) -> set[str]:
    """Return the names that the file has in the table of a command itself."""
    table: Any = Settings.defaults
    for name in words.split():
        table = table.get(name, {})
    return {key for key, value in table.items() if not isinstance(value, Mapping)}
