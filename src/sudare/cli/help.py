"""The help of commands, from the catalogue, in the reader's language: options in groups, full terminal width."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperCommand

from sudare.cli.settings import Settings, defaults_of, own_defaults
from sudare.errors import OptionNotUsable
from sudare.messages import Texts, has_entry

# Which options stand together, by the names of their parameters; all others come first, as those of the command.
SECTIONS = {
    "reading": (
        "column", "attributes", "person", "weight", "written", "per", "published_form", "delimiter", "header",
        "encoding", "sheet", "table", "date_format", "time_zone", "missing", "missing_value", "bad_rows", "rejects",
        "unknown_items", "hierarchies", "hierarchy", "rules",
    ),
    "search": (
        "fast", "seconds", "rounds", "samples", "sample_records", "sets", "most_combinations", "draws", "epsilon",
        "delta", "seed", "walk",
    ),
    "output": (
        "out", "answers", "aligned", "certificate", "report", "legal", "legal_page", "evidence", "sign", "junit",
        "sarif", "customer_risks", "record_risks", "values", "class_sizes",
        "write_hierarchies", "force", "top", "sort", "every", "hide_records", "json",
    ),
    "engine": ("engine_name", "memory", "spill_dir", "min_cell", "threads"),
    "general": ("lang", "quiet", "verbose", "config", "help"),
}  # fmt: skip
HELP_OPTIONS = ("-h", "--help")
_SECTION = {name: section for section, names in SECTIONS.items() for name in names}
# The widest first column of a list; a longer entry has its text on the next line.
_FIRST_COLUMN = 30
_NARROWEST = 60
# Letters that no line of Japanese starts or ends with.
_NEVER_FIRST = "。、」）・ー～々っゃゅょッャュョァィゥェォ:;,.)]"
_NEVER_LAST = "「（[("
# What the parser says of an option behind its text, and of the numbers that it takes; errors say these.
_SAID = re.compile(r" {2}\[([^\[\]]*)\]$")
_RANGE = re.compile(r"(\d+<=?)?x([<>]=?\d+)?")


def help_text(words: str, name: str) -> str:
    """Return a text of a command: its own, else that of its group, else that for all commands."""
    texts = Texts(Settings.language)
    return next((texts(key) for key in help_keys(words, name) if has_entry(Settings.language, key)), "")


def help_keys(words: str, name: str) -> tuple[str, ...]:
    """Return the keys under which a text of a command may be found, its own first."""
    if not words:
        return (f"help.{name}",)
    dotted = words.replace(" ", ".")
    return f"help.{dotted}.{name}", f"help.{dotted.partition('.')[0]}.options.{name}", f"help.options.{name}"


def section_title(name: str) -> str:
    """Return the title of a part of the help."""
    return Texts(Settings.language)(f"help.sections.{name}")


class Command(TyperCommand):
    """A command whose help comes from the catalogue, and whose options may have defaults from a file."""

    words = ""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Give options the defaults of the file."""
        return super().make_context(info_name, args, parent, default_map=self._defaults(), **extra)

    def by_name(self) -> dict[str, Any]:
        """Return the options by their names as a file of defaults has them: without hyphens in front, _ between."""
        return {spelled.lstrip("-").replace("-", "_"): option for option in self.params for spelled in option.opts}

    def _defaults(self) -> dict[str, Any]:
        given, names = defaults_of(self.words), self.by_name()
        for name in own_defaults(self.words):
            if name.replace("-", "_") not in names:
                raise OptionNotUsable("errors.config.no_option", path=Settings.config, name=name, command=self.words)
        return {str(names[name].name): _as_words(value) for name, value in given.items() if name in names}

    def get_help_option_names(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the options that show the help."""
        return [*HELP_OPTIONS]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return arguments, the options that must be given, and that there are others."""
        param: Any
        arguments, options = [], []
        for param in self.get_params(ctx):
            if param.param_type_name == "argument":
                arguments.append(_name_of(param) if param.required else f"[{_name_of(param)}]")
            elif param.required:
                options.append(f"{min(param.opts, key=len)} {param.metavar}")
        return [*arguments, *options, "[OPTIONS]"]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, what the command does, arguments, options in groups, and examples."""
        formatter.write("\n".join(self._help_lines(ctx)) + "\n")

    def _help_lines(self, ctx: Any) -> Iterator[str]:
        yield from wrapped(f"{section_title('usage')}: {' '.join([ctx.command_path, *self.collect_usage_pieces(ctx)])}")
        for name in ("summary", "text"):
            for paragraph in help_text(self.words, name).strip().split("\n\n"):
                if paragraph:
                    yield ""
                    yield from wrapped(paragraph.replace("\n", " "))
        for section, rows in self.sections(ctx).items():
            yield from listed(section_title(section), rows)
        yield from ("", f"{section_title('examples')}:")
        yield from (f"  {line}" for line in help_text(self.words, "example").strip().splitlines())

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Return what is said of arguments and options, by the part of the help that they stand in."""
        found: dict[str, list[tuple[str, str]]] = {"arguments": [], "options": []}
        found |= {section: [] for section in SECTIONS}
        param: Any
        for param in self.get_params(ctx):
            param.help = help_text(self.words, str(param.name))
            record = param.get_help_record(ctx)
            if record and param.param_type_name == "argument":
                found["arguments"].append((_name_of(param), _labelled(record[1], required=False)))
            elif record:
                found[_SECTION.get(param.name, "options")].append((record[0], _labelled(record[1])))
        return {section: rows for section, rows in found.items() if rows}


def listed(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Return the lines of a list of names and what they mean, below its title."""
    yield from ("", f"{title}:")
    first = min(max(width_of(name) for name, _ in rows), _FIRST_COLUMN)
    for name, text in rows:
        lines = wrapped(text, indent=first + 4)
        if width_of(name) > first or not lines:
            yield f"  {name}"
        else:
            lines[0] = f"  {name}{' ' * (first - width_of(name))}  {lines[0].lstrip()}"
        yield from lines


def wrapped(text: str, indent: int = 0) -> list[str]:
    """Divide a text into lines of the width of the terminal; wide letters may end a line anywhere."""
    most = max(shutil.get_terminal_size().columns - 1, _NARROWEST) - indent
    lines, line = [], ""
    for piece in _pieces(text):
        if line and width_of(line + piece.rstrip()) > most:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [" " * indent + part for part in [*lines, line.rstrip()] if part]


def _pieces(text: str) -> Iterator[str]:
    """Divide a text where a line may end: after blanks and beside wide letters, but not within brackets' edges."""
    word = ""
    for letter in text:
        beside_wide = bool(word) and (_is_wide(letter) or _is_wide(word[-1]))
        divided = beside_wide and letter not in _NEVER_FIRST and word[-1] not in _NEVER_LAST
        if divided or (word[-1:] == " " and letter != " "):
            yield word
            word = ""
        word += letter
    if word:
        yield word


def _is_wide(letter: str) -> bool:
    return "\u2e80" <= letter <= "\uffdc"


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(2 if _is_wide(letter) else 1 for letter in text)


def _name_of(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _labelled(text: str, *, required: bool = True) -> str:
    """Put what the parser says of an option into the reader's language, and before the end of its last sentence."""
    said = _SAID.search(text)
    if said is None:
        return text
    words = Texts(Settings.language)
    kept = [part for part in said[1].split("; ") if not _RANGE.fullmatch(part) and (required or part != "required")]
    labels = [
        words("help.labels.required") if part == "required"
        else part.replace("default:", f"{words('help.labels.default')}:", 1)
        for part in kept
    ]  # fmt: skip
    start = text[: said.start()]
    end = start[-1:] if start.endswith((".", "。")) else ""
    return f"{start.removesuffix(end)} [{'; '.join(labels)}]{end}" if labels else start


def _as_words(value: Any) -> Any:
    """Return a value of the file as it would be on the command line; flags and lists stay what they are."""
    if isinstance(value, list):
        return [str(part) for part in value]
    return value if isinstance(value, bool) else str(value)
