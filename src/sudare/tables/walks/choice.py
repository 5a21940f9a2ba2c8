"""How the attribute sets of a table are enumerated: in memory, on the engine, or by a sample of the records."""

from __future__ import annotations

from typing import Literal, get_args

from sudare.engine.options import bytes_of
from sudare.errors import OptionNotUsable
from sudare.limits import MOST_GROUPED_ROWS
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.collapsed import CollapsedTable

WalkName = Literal["memory", "engine", "sample"]

# What the walk in memory takes for a distinct row and for each of its cells, measured where nearly all rows differ.
ROW_BYTES = 120
CELL_BYTES = 50


@dataclass(frozen=True, slots=True)
class Walk(Result):
    """How sets were enumerated, and what decided it: the request, the size, or counts that must not leave the engine.

    `memory` and `engine` are exact, unless counts below `min_cell` were merged before they left the engine: then no
    risk is understated. For a `sample` of the records, `confidence` is that of each interval, and `error` the largest
    distance of an estimated mean or share from an end of its interval.
    """

    _optional = ("min_cell", "samples", "seed", "confidence", "error")

    how: WalkName
    decided_by: Literal["request", "size", "small counts", "kind of classes"]
    distinct_rows: int
    min_cell: int | None = None
    samples: int | None = None
    seed: int | None = None
    confidence: float | None = None
    error: float | None = None


def walk_bytes(distinct: int, attributes: int) -> int:
    """Return the approximate memory that a walk through the sets of `attributes` attributes takes."""
    return distinct * (ROW_BYTES + CELL_BYTES * attributes)


def choose_walk(
    table: CollapsedTable, *, attributes: int, sets: int, walk: WalkName | None, memory: str, class_sizes: bool
) -> Walk:
    """Choose how to enumerate attribute sets, unless `walk` says it.

    In memory, if the distinct rows fit; else on the engine, if the rows that it groups are not too many; else by a
    sample. Rows that may not leave the engine are grouped there. Classes that overlap or count persons are made in
    memory only, and the sizes of classes are told by no sample.
    """
    limit, merged = bytes_of(memory), table.engine.min_cell if table.engine.min_cell > 1 else None
    if walk is not None:
        _check(table, walk, class_sizes)
        return Walk(walk, "request", table.distinct, merged if walk != "memory" else None)
    if _only_in_memory(table):
        return Walk("memory", "kind of classes", table.distinct)
    fits = walk_bytes(table.distinct, attributes) <= limit
    rare = fits and table.rare_records() > 0
    if fits and not rare:
        return Walk("memory", "size", table.distinct)
    affordable = class_sizes or table.distinct * sets <= MOST_GROUPED_ROWS
    return Walk("engine" if affordable else "sample", "small counts" if rare else "size", table.distinct, merged)


def _only_in_memory(table: CollapsedTable) -> bool:
    return table.missing == "any" or table.person is not None


def _check(table: CollapsedTable, walk: WalkName, class_sizes: bool) -> None:
    if walk not in get_args(WalkName):
        raise OptionNotUsable("errors.walks.unknown", walk=walk)
    if walk != "memory" and table.missing == "any":
        raise OptionNotUsable("errors.walks.missing_any", walk=walk)
    if walk != "memory" and table.person is not None:
        raise OptionNotUsable("errors.walks.persons", walk=walk)
    if walk == "sample" and class_sizes:
        raise OptionNotUsable("errors.walks.class_sizes")


__all__ = ["Walk", "WalkName", "choose_walk", "walk_bytes"]
