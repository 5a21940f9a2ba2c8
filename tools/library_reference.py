"""Writes docs/reference/names.md from the library itself: every public name with its signature and what it says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import sudare

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "names.md"
HEAD = """\
# Public names

Every public name of the library, with its signature and its documentation.
[Library](library.md) shows how they work together.
"""
PACKAGES: tuple[ModuleType, ...] = (
    sudare,
    sudare.histories,
    sudare.tables,
    sudare.baskets,
    sudare.contest,
    sudare.gate,
)


def reference() -> str:
    """Return the page: each package with its classes and functions in order."""
    return "\n".join([HEAD, *(part for package in PACKAGES for part in _package(package))])


def _package(package: ModuleType) -> Iterator[str]:
    yield f"## {package.__name__}\n"
    for name in sorted(package.__all__, key=str.casefold):
        found = getattr(package, name)
        # What stands in two packages is described where it is defined.
        if isinstance(found, ModuleType) or name.startswith("_") or (package is not sudare and name in sudare.__all__):
            continue
        yield from _class(package, name, found) if inspect.isclass(found) else _function(package, name, found)


def _class(package: ModuleType, name: str, found: type) -> Iterator[str]:
    yield f"### {package.__name__}.{name}\n\n{_text(found)}\n"
    members = [(member, value) for member, value in vars(found).items() if not member.startswith("_")]
    methods = [(member, value) for member, value in members if inspect.isfunction(value)]
    properties = [(member, value) for member, value in members if isinstance(value, property)]
    rows = [f"| `{member}` | {_line(value)} |" for member, value in properties]
    rows += [f"| `{_call(member, value)}` | {_line(value)} |" for member, value in methods]
    if rows:
        yield "\n".join(["| member | what it is |", "|---|---|", *rows, ""])


def _function(package: ModuleType, name: str, found: Any) -> Iterator[str]:
    if not callable(found):
        yield f"### {package.__name__}.{name}\n\n`{type(found).__name__}`\n"
        return
    yield f"### {package.__name__}.{name}\n\n```text\n{_call(name, found)}\n```\n\n{_text(found)}\n"


def _call(name: str, function: Any) -> str:
    """Return how a function is called: names, and defaults where there are some."""
    parts, keywords = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            parts, keywords = [*parts, "*"], True
        default = "" if parameter.default is parameter.empty else f"={_default(parameter.default)}"
        parts.append(f"{'*' if parameter.kind is parameter.VAR_POSITIONAL else ''}{parameter.name}{default}")
    return f"{name}({', '.join(parts)})"


def _default(value: object) -> str:
    """Return a default as one writes it; a function by its name."""
    return value.__name__ if inspect.isfunction(value) else repr(value)


def _text(found: Any) -> str:
    """Return a documentation with a line for each sentence, examples as they are."""
    return "\n\n".join(_paragraph(part) for part in (inspect.getdoc(found) or "").split("\n\n"))


def _paragraph(text: str) -> str:
    is_code = all(line.startswith("    ") for line in text.split("\n"))
    return f"```python\n{dedent(text)}\n```" if is_code else _sentences(text)


def _sentences(text: str) -> str:
    return re.sub(r"(?<=[.:]) (?=[A-Z`])", "\n", " ".join(text.split()))


def _line(found: Any) -> str:
    """Return the first paragraph of a documentation as a cell of a table."""
    text = " ".join((inspect.getdoc(found) or "").split("\n\n")[0].split())
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
