"""What stands on the pages of the documentation: blocks of code, command lines, headings and links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# What a reader types stands in blocks of these languages, or in indented ones.
SHELL = ("", "sh", "shell", "bash", "console")


@dataclass(frozen=True)
class Block:
    """A block of code: the language of its fence ("" if it has none or is indented), its text, and its line."""

    language: str
    text: str
    line: int


def pages() -> list[Path]:
    """Return every page for users, in every language."""
    return [*sorted(ROOT.glob("README*.md")), *sorted(DOCS.rglob("*.md"))]


def page_name(page: Path) -> str:
    """Return the path of a page from the root of the project."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """Return the blocks of code of a page, in order."""
    return [found for found in _parts(page) if isinstance(found, Block)]


def prose(page: Path) -> list[tuple[int, str]]:
    """Return the lines of a page that are not in a block of code, with their numbers."""
    return [found for found in _parts(page) if not isinstance(found, Block)]


def _parts(page: Path) -> Iterator[Block | tuple[int, str]]:
    lines = page.read_text(encoding="utf-8").splitlines()
    number, after_blank = 0, True
    while number < len(lines):
        line = lines[number]
        if fence := re.match(r"\s*```(\w*)", line):
            end = next(n for n in range(number + 1, len(lines)) if lines[n].lstrip().startswith("```"))
            yield Block(fence[1], "\n".join(lines[number + 1 : end]), number + 1)
            number = end + 1
        elif after_blank and line.startswith("    "):
            end = next(
                (n for n in range(number, len(lines)) if lines[n].strip()[:1] and lines[n][:4].strip()), len(lines)
            )
            yield Block("", "\n".join(text.strip() for text in lines[number:end]), number + 1)
            number = end
        else:
            yield number + 1, line
            number += 1
        after_blank = number < len(lines) and not lines[number - 1].strip()


def command_lines(page: Path) -> list[tuple[int, list[str]]]:
    """Return the calls of `sudare` on a page as words, in blocks and in sentences, with their lines."""
    found = []
    for block in blocks(page):
        if block.language in SHELL:
            text = block.text.replace("\\\n", " ")
            found += [(block.line, words) for line in text.splitlines() for words in calls(line)]
    for number, line in prose(page):
        found += [(number, words) for code in re.findall(r"`([^`]+)`", line) for words in calls(code)]
    return found


def calls(line: str) -> list[list[str]]:
    """Return the calls of `sudare` in a line of shell: pipes and comments end one, redirections are left out."""
    if "sudare " not in line:
        return []
    reader = shlex.shlex(line.removeprefix("$ "), posix=False, punctuation_chars="|&;<>")
    reader.whitespace_split = True
    try:
        words = list(reader)
    except ValueError:
        return []
    found: list[list[str]] = [[]]
    for before, word in pairwise(["", *words]):
        if set(word) <= set("|&;"):
            found.append([])
        elif not set(word) <= set("<>") and not (before and set(before) <= set("<>")):
            found[-1] += shlex.split(word)
    plain = [_without_settings(call) for call in found]
    return [call[1:] for call in plain if call and Path(call[0]).name == "sudare"]


def _without_settings(words: list[str]) -> list[str]:
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    return words


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as both the site and code hosts make them."""
    return {anchor(line) for _, line in prose(page) if line.startswith("#")}


def anchor(heading: str) -> str:
    """Return the anchor of a heading: words in small letters, joined by hyphens."""
    plain = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading.lstrip("# ")).lower()
    return re.sub(r"[^\w\s-]", "", plain).strip().replace(" ", "-")


def links(page: Path) -> list[tuple[int, str, str]]:
    """Return the links of a page to other pages and files: line, target ("" for the page itself) and anchor."""
    found = []
    for number, line in prose(page):
        for target in re.findall(r"(?:\]\(|src=\")([^)\"\s]+)[)\"]", re.sub(r"`[^`]*`", "", line)):
            if not re.match(r"[a-z]+:", target):
                path, _, place = target.partition("#")
                found.append((number, path, place))
    return found
