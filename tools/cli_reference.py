"""Writes docs/reference/cli.md from the commands themselves; a test checks that the page is up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer.main

from sudare.cli.app import app
from sudare.cli.files import OUTPUT_RULE

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"


def reference() -> str:
    """Return the page: every command with its help, arguments and options."""
    parts = [
        "# Command line\n\nEvery command answers `--help`. Results go to stdout, progress and notes to stderr. "
        "Exit codes: 0 done, 2 something in the input or the options must be mended (one message says what, where and "
        "how), 3 the work was done and the answer is no (`sudare baskets`: not safe, or not what a certificate says), "
        "130 interrupted, 143 ended by SIGTERM (nothing is left half-written), 1 an error of sudare itself.\n",
        f"{OUTPUT_RULE} [More](../reading.md#output)\n",
    ]
    root = typer.main.get_command(app)
    parts.append(section("sudare", root))
    return "\n".join([*parts, *commands("sudare", root)])


def commands(name: str, group: Any) -> list[str]:
    found = []
    for word, command in sorted(group.commands.items()):
        full = f"{name} {word}"
        if hasattr(command, "commands"):
            found += commands(full, command)
        else:
            found.append(section(full, command))
    return found


def section(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    usage = " ".join([name, *(argument.metavar for argument in arguments), "[OPTIONS]"])
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n"))
    lines = [f"## {name}\n", f"```\n{usage}\n```\n", text, ""]
    if arguments or options:
        lines += ["| word | meaning | default |", "|---|---|---|"]
        lines += [row(parameter.metavar, parameter) for parameter in arguments]
        lines += [row(option_words(parameter), parameter) for parameter in options if not parameter.hidden]
    return "\n".join([*lines, ""])


def option_words(parameter: Any) -> str:
    words = "/".join([*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False):
        return words
    return f"{words} {parameter.metavar}"


def row(words: str, parameter: Any) -> str:
    default = parameter.default
    shown = "" if default is None or default is False or parameter.required or callable(default) else f"`{default}`"
    return f"| `{words.replace('|', chr(92) + '|')}` | {parameter.help or ''} | {shown} |"


if __name__ == "__main__":
    text = reference()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        sys.exit()
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE}")
