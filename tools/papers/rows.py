"""What a paper prints and what sudare finds, side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

# From the name of a file of real data to its path; raises if it is not there.
Find = Callable[[str], Path]

NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Row:
    """A number, or several, of a paper: where they stand, what is printed, what was found, and the command for it.

    `printed` is empty where the paper prints nothing that could be compared. A `remark` says why numbers differ.
    """

    part: str
    what: str
    printed: str
    found: str
    command: str
    remark: str = ""

    @property
    def agrees(self) -> bool:
        """Whether what was found is what is printed, or nothing is."""
        return self.printed in ("", self.found)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: how it is cited, what the page says of it first, and how its rows are found."""

    title: str
    about: str
    rows: Callable[[Find], Iterable[Row]]

    def section(self, find: Find) -> str:
        """Return the section of the page."""
        found = list(self.rows(find))
        lines = [f"## {self.title}\n", f"{self.about}\n"]
        lines += ["| in the paper | what | printed | sudare | command |", "|---|---|---:|---:|---|"]
        remarks: list[str] = []
        for row in found:
            mark = ""
            if row.remark:
                if row.remark not in remarks:
                    remarks.append(row.remark)
                mark = f" ({remarks.index(row.remark) + 1})"
            lines.append(f"| {row.part} | {row.what} | {row.printed or '–'} | {row.found}{mark} | `{row.command}` |")
        lines.append("")
        lines += [f"{number}. {remark}" for number, remark in enumerate(remarks, start=1)]
        return "\n".join(lines).rstrip() + "\n"


def row(part: str, what: str, printed: str, values: Sequence[float], command: str, *, remark: str = "") -> Row:
    """Return a row whose found values are written as the printed ones are."""
    return Row(part, what, printed, like(printed, values), command, remark)


def like(printed: str, values: Sequence[float]) -> str:
    """Return a text with other numbers in it, each with as many decimals as the one in its place."""
    left = list(values)

    def other(match: re.Match[str]) -> str:
        decimals = len(match.group().partition(".")[2])
        return f"{left.pop(0):,.{decimals}f}"

    text = NUMBER.sub(other, printed)
    if left:
        raise ValueError(f"{printed!r} has fewer numbers than {values}")
    return text
