"""RESULTS.md: one section for each benchmark, and a summary made of the numbers that sections keep.

A section keeps its numbers for the summary in a comment under its heading, so that the summary can be made anew when
only some benchmarks were run.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

HEADING = """\
# Benchmarks

Written by `./dev bench`. Compare ratios, not seconds: all numbers of a section come from one run on one machine, and \
each section says when, of what and where it was measured. `tools/fetch_data.py` says where the real data come from.

The ratio is that of the best alternative to sudare: above 1, sudare needs less. rows^1 is linear growth.
"""


@dataclass(frozen=True)
class Line:
    """A line of the summary: what sudare needs for some work, and what alternatives need (less is better)."""

    work: str
    ours: float
    others: dict[str, float] = field(default_factory=dict)
    unit: str = "s"
    # e, if the time was measured to grow as rows^e.
    exponent: float | None = None


@dataclass(frozen=True)
class Found:
    """What a benchmark returns: the text of its section and its lines of the summary."""

    text: str
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Section:
    """A section of the file; `name` is that of the benchmark, `loaded` if the machine is known to have been."""

    name: str
    title: str
    stamp: str
    loaded: bool
    found: Found

    def __str__(self) -> str:
        kept = {"name": self.name, "loaded": self.loaded, "lines": [asdict(line) for line in self.found.lines]}
        return f"## {self.title}\n\n<!-- {json.dumps(kept)} -->\n{self.stamp}\n\n{self.found.text}\n"


def read(path: Path) -> dict[str, Section]:
    """Return the sections of a file by the names of their benchmarks, in their order."""
    if not path.exists():
        return {}
    return {found.name: found for found in map(parsed, path.read_text(encoding="utf-8").split("\n## ")[1:])}


def parsed(text: str) -> Section:
    title, _, rest = text.partition("\n\n")
    mark, _, rest = rest.partition("\n")
    stamp, _, body = rest.partition("\n\n")
    kept = json.loads(mark.removeprefix("<!-- ").removesuffix(" -->"))
    lines = tuple(Line(**line) for line in kept["lines"])
    return Section(kept["name"], title, stamp, kept["loaded"], Found(body.strip(), lines))


def put(path: Path, section: Section) -> None:
    """Write a section in place of the one of the same benchmark, and the summary; other sections stay as they are."""
    sections = {**read(path), section.name: section}
    text = "\n".join([HEADING, *summary(list(sections.values())), "", *map(str, sections.values())])
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def summary(sections: list[Section]) -> list[str]:
    """Return the table of all lines that sections keep."""
    rows = [summary_row(line, section) for section in sections for line in section.found.lines]
    head = "| work | sudare | best alternative | ratio | time grows as | section |"
    return [head, "|---|---:|---|---:|---:|---|", *rows]


def summary_row(line: Line, section: Section) -> str:
    best, ratio = "none measured", ""
    if line.others:
        name = min(line.others, key=lambda other: line.others[other])
        best = f"{name}, {amount(line.others[name], line.unit)}"
        ratio = f"{shown(line.others[name] / line.ours)} x"
    grows = "" if line.exponent is None else f"rows^{line.exponent:.2f}"
    anchor = re.sub(r"[^\w\- ]", "", section.title.lower()).replace(" ", "-")
    where = f"[{section.name}](#{anchor})" + (" (loaded machine)" if section.loaded else "")
    return f"| {line.work} | {amount(line.ours, line.unit)} | {best} | {ratio} | {grows} | {where} |"


def amount(value: float, unit: str) -> str:
    return f"{shown(value)} {unit}"


def shown(value: float) -> str:
    """Return a number with about three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"
