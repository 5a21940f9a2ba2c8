"""One name, one person: how names are normalized, and what is reported about different spellings.

Cells are taken in Unicode's form NFKC and without blanks at their ends, so that `１２５`, `125` and `125 ` are one
customer. Case stays: `a` and `A` may be two, and where names differ by it alone, that is said.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from sudare.engine import Engine
from sudare.engine.protocol import BLANKS
from sudare.engine.small_counts import LeaveOut
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the names in a column were written.

    `rows` were written in another form of Unicode than NFKC, `merged` is how many fewer names there are than ways in
    which they were written, blanks included, and `case` how many differ from another one by case alone.
    """

    column: str
    rows: int
    merged: int
    case: int

    @property
    def remarkable(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.rows or self.merged or self.case)


def plain(text: str) -> str:
    """Return a text as engines take cells: in NFKC, without blanks at its ends."""
    return unicodedata.normalize("NFKC", text).strip(BLANKS)


def as_written(expression: str, type_: str, text: str) -> str:
    """Return an expression for a cell as it was written where that is not how it is taken (`text`), else NULL."""
    return f"nullif({expression}, {text})" if type_ == "VARCHAR" else "CAST(NULL AS STRING)"


def find_spellings(
    engine: Engine, rows: str, columns: Mapping[str, str], *, names: Mapping[str, str] | None = None
) -> tuple[Spelling, ...]:
    """Return what is to be told of the names in columns of rows on an engine, given as name of a column -> its title.

    Beside each column NAME there is NAME_was, as made by `as_written`. `names` are tables of the different names of a
    column, where there are such. Counts that are too small to leave the engine are not told.
    """
    found = told_counts(engine, [f"count({name}_was)" for name in columns], rows)
    told = []
    for (name, title), rewritten in zip(columns.items(), found, strict=True):
        different = (names or {}).get(name) or f"(SELECT DISTINCT {name} AS name FROM {rows} WHERE {name} IS NOT NULL)"
        (case,) = told_counts(engine, ["count(*) - count(DISTINCT lower(name))"], different)
        changed = merged = 0
        if rewritten:
            # Cells that were only trimmed are not another form of Unicode.
            (changed,) = told_counts(engine, ["count(*)"], f"{rows} WHERE trimmed({name}_was) <> {name}")
            written = f"SELECT DISTINCT coalesce({name}_was, {name}) FROM {rows} WHERE {name} IS NOT NULL"
            both = f"(SELECT 1 AS one FROM ({written}) UNION ALL SELECT -1 AS one FROM {different})"
            (merged,) = told_counts(engine, ["sum(one)"], both)
        told.append(Spelling(title, changed, merged, case))
    return tuple(spelling for spelling in told if spelling.remarkable)


def told_counts(engine: Engine, counts: Sequence[str], rows: str) -> list[int]:
    """Return counts over rows on an engine; those that are too small to leave it are 0."""
    named = ", ".join(f"{count} AS n{place}" for place, count in enumerate(counts))
    lines = f"SELECT 0 AS place, n0 AS n FROM (SELECT {named} FROM {rows})"
    if len(counts) > 1:
        one = " ".join(f"WHEN {place} THEN n{place}" for place in range(len(counts)))
        places = ", ".join(f"({place})" for place in range(len(counts)))
        lines = (
            f"SELECT place, CASE place {one} END AS n FROM (SELECT {named} FROM {rows}) "
            f"CROSS JOIN (VALUES {places}) AS p(place)"
        )
    told: dict[int, int] = dict(engine.counts(lines, cell="n", small=LeaveOut()))
    return [int(told.get(place, 0)) for place in range(len(counts))]


def spelled_names(title: str, times: Mapping[str, int]) -> Spelling:
    """Return how names were written, from each way and how often it occurs."""
    names = Counter(plain(way) for way in times)
    rows = sum(count for way, count in times.items() if unicodedata.normalize("NFKC", way) != way)
    return Spelling(title, rows, len(times) - len(names), len(names) - len({name.lower() for name in names}))
