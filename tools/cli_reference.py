"""Writes docs/reference/cli.md from the commands and their help; a test checks that the page is up to date.

Options that many commands take, with the same text, are documented once; a command says which of them it takes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer.main

from sudare.cli.app import COMMANDS, GROUPS, app, group_summary
from sudare.cli.help import SECTIONS, help_text
from sudare.cli.settings import settle

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
# An option is documented once if this number of commands takes it with the same text and default.
SHARED_BY = 5
HEAD = """\
# Commands

`sudare GROUP COMMAND FILE [OPTIONS]`: the first argument is the file, `-o` what the command is for.
Every command answers `--help`.
Results go to stdout; progress, notes and errors go to stderr.

| exit code | meaning |
|---:|---|
| 0 | done |
| 2 | the input or the call is wrong; one message says what, where and what to do |
| 3 | done, and the answer is no: a limit is exceeded, data are unsafe, a file breaks the rules, an attack succeeded |
| 130, 143 | interrupted by Ctrl-C or SIGTERM; nothing is left half-written |
| 1 | a defect in sudare |
"""
TITLES = {
    "reading": "Options for reading a file",
    "engine": "Options of the engine",
    "search": "Options of searches and samples",
    "output": "Options of the output",
    "general": "Options of every command",
    "options": "Other options that several commands take",
}


@dataclass(frozen=True)
class Entry:
    """An argument or option of a command: the part of the help it stands in, how it is written, and its help."""

    section: str
    words: str
    text: str

    @property
    def name(self) -> str:
        """Its long name, without a value."""
        return next(iter(re.findall(r"--[a-z-]+", self.words)), self.words)

    @property
    def row(self) -> str:
        """Its line of a table."""
        return f"| `{_cell(self.words)}` | {_cell(self.text)} |"


def reference() -> str:
    """Return the page, in English: what commands share, then every command with its own arguments and options."""
    settle(["--lang", "en"])
    listed = {words: entries(words) for words in COMMANDS}
    counts = Counter(entry for found in listed.values() for entry in found if entry.section != "arguments")
    shared = [entry for entry, count in counts.items() if count >= SHARED_BY]
    parts = [HEAD, f"{_lines(help_text('', 'outputs'))}\n[More](reading.md#output)\n", *_shared_parts(shared)]
    for group in (*GROUPS, ""):
        title = f"sudare {group}\n\n{group_summary(group)}" if group else "Without a group"
        parts.append(f"## {title}\n")
        parts += [_command(words, listed[words], shared) for words in COMMANDS if words.rpartition(" ")[0] == group]
    return "\n".join(parts)


def entries(words: str) -> list[Entry]:
    """Return the arguments and options of a command, as its help has them."""
    command: Any = typer.main.get_command(app)
    for word in words.split():
        command = command.commands[word]
    context = typer.Context(command, info_name=f"sudare {words}")
    sections = command.sections(context)
    return [
        Entry(section, re.sub(r" <(str|path|list\[str\])>$", "", words), text)
        for section, records in sections.items()
        for words, text in records
    ]


def _shared_parts(shared: list[Entry]) -> Iterator[str]:
    yield "## Shared options\n\nA command lists the names of those it takes.\n"
    for section in (*SECTIONS, "options"):
        rows = [entry.row for entry in shared if entry.section == section]
        if rows:
            yield "\n".join([f"### {TITLES[section]}\n", "| option | meaning |", "|---|---|", *rows, ""])


def _command(words: str, found: list[Entry], shared: list[Entry]) -> str:
    own = [entry for entry in found if entry not in shared]
    arguments = [entry.words for entry in own if entry.section == "arguments"]
    lines = [f"### sudare {words}\n", f"{help_text(words, 'summary')}\n{_lines(help_text(words, 'text'))}".rstrip("\n")]
    lines += ["", f"```sh\n{help_text(words, 'example').strip()}\n```", ""]
    lines += [f"Usage: `{' '.join(['sudare', words, *arguments, '[OPTIONS]'])}`", ""]
    if own:
        lines += ["| word | meaning |", "|---|---|", *(entry.row for entry in own), ""]
    for section in (*SECTIONS, "options"):
        names = [f"`{entry.name}`" for entry in found if entry in shared and entry.section == section]
        if names and section != "general":
            lines.append(f"- [{TITLES[section]}](#{_anchor(TITLES[section])}): {', '.join(names)}")
    return "\n".join([*lines, ""])


def _lines(text: str) -> str:
    """Return a text with a line for each sentence."""
    return re.sub(r"(?<=\.) (?=[A-Z])", "\n", text)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _cell(text: str) -> str:
    """Return a text as a cell of a table."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


if __name__ == "__main__":
    text = reference()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        sys.exit()
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE}")
