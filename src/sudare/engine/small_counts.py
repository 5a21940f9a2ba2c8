"""Counts that are too small to leave an engine, and how they are handled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sudare.errors import NotOnEngine
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Lines that are about too few are left out."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """If a line is about too few, nothing leaves the engine, and an error is raised.

    It is made of a count, which is the expression `few` over the small lines (by default how many these are about
    together), and the smallest count that may leave.
    """

    error: Callable[[int, int], NotOnEngine]
    few: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """Lines are merged on the engine until every one is about enough: the smallest key of them, and sums of the rest.

    The answer has the columns `of` (if there is one), the key and the sums, the smallest first. Lines that answer
    several `questions` have in the column `of` which one: those of each are merged among themselves.
    """

    key: str
    sums: Sequence[str]
    of: str = ""
    questions: int = 0

    @property
    def columns(self) -> str:
        """The columns of the answer, for a SELECT."""
        return ", ".join([*([self.of] if self.of else []), self.key, *self.sums])


def merge_small(lines: str, merge: Merge, *, cell: str, least: int) -> str:
    """Return a query in which every line is about at least `least`; none at all if together they are about fewer.

    A small line is about less than `least`, so small lines in the order of the key, divided where their running total
    passes a multiple of twice `least`, make groups of more than `least`, if what is left at the end joins the last
    group. If all small lines together are too few, they join the other line of the smallest key: a merged line is told
    as its smallest key, and that one is told most nearly as it is. Lines of different `of` stay apart.
    """
    key, of = merge.key, merge.of
    apart, kept = (f"PARTITION BY {of} ", f"{of}, ") if of else ("", "")
    marked = f"SELECT *, CASE WHEN {cell} < {least} THEN {cell} ELSE 0 END AS small FROM ({lines})"
    summed = (
        f"SELECT *, sum(small) OVER ({apart}ORDER BY {key}) - small AS passed, sum(small) OVER ({apart}) AS total, "
        f"min(CASE WHEN small = 0 THEN {key} END) OVER ({apart}) AS other FROM ({marked})"
    )
    last = f"greatest(floor(total / {2 * least}) - 1, 0)"
    part = f"least(floor(passed / {2 * least}), {last})"
    joined = f"CASE WHEN small = 0 THEN {key} WHEN total < {least} THEN other ELSE -1 - {part} END"
    added = ", ".join(f"sum({name}) AS {name}" for name in merge.sums)
    return (
        f"SELECT {kept}min({key}) AS {key}, {added} FROM (SELECT *, {joined} AS part FROM ({summed})) "
        f"GROUP BY {kept}part HAVING sum({cell}) >= {least}"
    )
