"""Errors in how a command was called, in the reader's language, with what to type instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from typer._click.exceptions import (
    BadOptionUsage,
    BadParameter,
    MissingParameter,
    NoArgsIsHelpError,
    NoSuchOption,
    UsageError as UsageError,
)

from sudare.cli.frame import tell_error
from sudare.cli.help import help_text
from sudare.cli.settings import Settings, without_general
from sudare.errors import OptionNotUsable
from sudare.messages import Joined, Message, message

# How alike an option must be to be suggested: a name that is merely similar may be that of a secret file.
NEAR = 0.75
_NUMBERS = {int: "whole_number", float: "number"}


def tell_usage(error: UsageError, commands: Sequence[str]) -> int:
    """Say what is wrong with the words, and return the exit code; without a command, help is what was wanted."""
    if isinstance(error, NoArgsIsHelpError):
        error.show()
        return error.exit_code
    key, values = _problem(error, commands)
    return tell_error(OptionNotUsable(f"errors.usage.{key}", help=f"{_typed_command(commands)} --help", **values))


def _typed_command(commands: Sequence[str]) -> str:
    """Return the command or group that was typed, as far as there is one."""
    found = "sudare"
    for word in without_general(Settings.words):
        if not any(f"sudare {command} ".startswith(f"{found} {word} ") for command in commands):
            break
        found = f"{found} {word}"
    return found


def _problem(error: UsageError, commands: Sequence[str]) -> tuple[str, dict[str, object]]:
    if isinstance(error, MissingParameter):
        name = _name(error.param)
        meaning = help_text(getattr(error.cmd, "words", ""), str(error.param.name)) if error.param else ""
        return "missing", {"name": name, "meaning": meaning}
    if isinstance(error, BadParameter):
        return "bad_value", {"name": _name(error.param), "must_be": _must_be(error)}
    if isinstance(error, NoSuchOption):
        near = Joined(get_close_matches(error.option_name, error.possibilities or [], cutoff=NEAR), "or")
        return ("like_option" if near.parts else "no_option"), {"name": error.option_name, "near": near}
    if isinstance(error, BadOptionUsage):
        return "needs_value", {"name": error.option_name}
    return _command_problem(error, commands)


def _command_problem(error: UsageError, commands: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Say which command does not exist, and which have its name elsewhere or a name like it; else what is too much."""
    if error.ctx is None or not hasattr(error.cmd, "commands"):
        extra = re.search(r"\((.*)\)", error.message)
        return "too_many", {"words": extra[1] if extra else ""}
    words = [*error.ctx._protected_args, *error.ctx.args]
    typed = words[0] if words else error.message.partition("'")[2].partition("'")[0]
    here = error.ctx.command_path.removeprefix("sudare").strip()
    names = [name for name in commands if typed in name.split()]
    if not names:
        siblings = {name: f"{here} {name}".strip() for name in error.cmd.commands}  # type: ignore[union-attr]
        names = [siblings[name] for name in get_close_matches(typed, siblings)]
    if names:
        return "like_command", {"name": typed, "near": Joined([f"sudare {name}" for name in names[:3]], "or")}
    return "no_command", {"name": typed}


def _name(param: Any) -> str:
    """Name an argument or option as it is written."""
    if param is None:
        return ""
    return str(max(param.opts, key=len) if param.param_type_name == "option" else param.metavar or param.name.upper())


def _must_be(error: BadParameter) -> Message | str:
    """Say which values there are; what a value's own reader says of it is said as it is."""
    param: Any = error.param
    descriptor = getattr(param, "type_descriptor", None)
    if descriptor is None or descriptor.parameter_info.parser is not None:
        return error.message
    if descriptor.choices:
        return message("errors.usage.one_of", values=Joined(list(map(str, descriptor.choices)), "or"))
    kind = _NUMBERS.get(descriptor.annotation, "")
    if not kind:
        return error.message
    what = message(f"errors.usage.{kind}")
    low, high = descriptor.parameter_info.min, descriptor.parameter_info.max
    if low is None and high is None:
        return message("errors.usage.any_number", what=what)
    limits = "between" if None not in (low, high) else "at_least" if high is None else "at_most"
    return message(f"errors.usage.{limits}", what=what, low=low, high=high)
