"""Counts that are too small to leave an engine, merged with others before they do."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.engine import Engine
from sudare.engine.protocol import Row
from sudare.errors import OptionNotUsable


def fetch_lines(
    engine: Engine, lines: str, *, key: str, cell: str, sums: Sequence[str], of: str = "", questions: int = 0
) -> list[Row]:
    """Fetch lines of a query, the smallest key first: the key, then what may be added up.

    `cell` says how many a line is about. Where that is below the engine's `min_cell`, lines are merged on the engine
    until every one is about as many; a merged line has the smallest of the keys. Lines that answer several `questions`
    have in the column `of` which one: those of each are merged among themselves, and it comes first.
    """
    told = lines
    if engine.min_cell > 1:
        told = merge_small(lines, key=key, cell=cell, sums=sums, least=engine.min_cell, of=of)
    names = [*([of] if of else []), key, *sums]
    # Sorted here: for a few lines, an engine of many machines would need another exchange between them.
    rows = sorted(engine.rows(f"SELECT {', '.join(names)} FROM ({told})"))
    if told != lines and (len({row[0] for row in rows}) < questions if of else _is_untold(engine, lines, rows)):
        raise OptionNotUsable(
            f"All that could be told is about fewer than {engine.min_cell}, so nothing may leave the engine.\n"
            "Hint: allow smaller counts with --min-cell, or look at more data."
        )
    return rows


def _is_untold(engine: Engine, lines: str, rows: Sequence[Row]) -> bool:
    """Say whether there are lines, but none that may leave the engine."""
    return not rows and bool(engine.rows(f"SELECT count(*) FROM ({lines})")[0][0])


def merge_small(lines: str, *, key: str, cell: str, sums: Sequence[str], least: int, of: str = "") -> str:
    """Return a query in which every line is about at least `least`; none at all if together they are about fewer.

    A small line is about less than `least`, so small lines in the order of the key, divided where their running total
    passes a multiple of twice `least`, make groups of more than `least`, if what is left at the end joins the last
    group. If all small lines together are too few, they join the other line of the smallest key: a merged line is told
    as its smallest key, and that one is told most nearly as it is. Lines of different `of` stay apart.
    """
    apart, kept = (f"PARTITION BY {of} ", f"{of}, ") if of else ("", "")
    marked = f"SELECT *, CASE WHEN {cell} < {least} THEN {cell} ELSE 0 END AS small FROM ({lines})"
    summed = (
        f"SELECT *, sum(small) OVER ({apart}ORDER BY {key}) - small AS passed, sum(small) OVER ({apart}) AS total, "
        f"min(CASE WHEN small = 0 THEN {key} END) OVER ({apart}) AS other FROM ({marked})"
    )
    last = f"greatest(floor(total / {2 * least}) - 1, 0)"
    part = f"least(floor(passed / {2 * least}), {last})"
    joined = f"CASE WHEN small = 0 THEN {key} WHEN total < {least} THEN other ELSE -1 - {part} END"
    added = ", ".join(f"sum({name}) AS {name}" for name in sums)
    return (
        f"SELECT {kept}min({key}) AS {key}, {added} FROM (SELECT *, {joined} AS part FROM ({summed})) "
        f"GROUP BY {kept}part HAVING sum({cell}) >= {least}"
    )
