"""A table whose values are generalized to levels of hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np

from sudare.arguments import checked
from sudare.engine import fresh_name
from sudare.errors import OptionNotUsable
from sudare.statistics.distinct import collapse
from sudare.tables.derived import Derived
from sudare.tables.hierarchies.model import Hierarchy, loaded_hierarchies
from sudare.tables.model import Table


@checked
def generalize_table(
    table: Table, hierarchies: Mapping[str, Hierarchy | str | Path], levels: Mapping[str, int]
) -> Derived:
    """Return the table with its values at the given levels; attributes without a level stay unchanged."""
    hierarchies = loaded_hierarchies(hierarchies)
    table.positions(list(levels))
    texts = [_raised(table, a, hierarchies, levels.get(name, 0)) for a, name in enumerate(table.attributes)]
    values = [sorted(set(raised), key=lambda text: (text is None, text)) for raised in texts]
    numbers = [{text: number for number, text in enumerate(column)} for column in values]
    codes = tuple(
        np.asarray([held[text] for text in raised], np.int32) for raised, held in zip(texts, numbers, strict=True)
    )
    stacked = np.vstack([new[old] for new, old in zip(codes, table.codes, strict=True)])
    if table.persons is not None:
        stacked = np.vstack([stacked, table.persons[None, :]])
    rows, counts = collapse(stacked, table.counts)
    made = replace(
        table,
        codes=np.ascontiguousarray(rows[: len(codes)]),
        counts=counts,
        values=tuple(map(tuple, values)),
        persons=None if table.persons is None else rows[-1],
        _name=_generalized_rows(table, texts),
        _own_engine=False,
        _later=None,
    )
    return Derived(table, made, codes)


def _raised(table: Table, a: int, hierarchies: Mapping[str, Hierarchy], level: int) -> list[str | None]:
    name, values = table.attributes[a], list(table.values[a])
    if not level:
        return values
    if name not in hierarchies or not 0 <= level < hierarchies[name].levels:
        raise OptionNotUsable("errors.levels.without_hierarchy", attribute=name, level=level)
    return hierarchies[name].generalize(values, level, missing=table.missing)


def _generalized_rows(table: Table, texts: list[list[str | None]]) -> str:
    """Make the table of all rows with generalized values on the engine and return its name."""
    name = fresh_name(f"{table.rows()}_at_levels")
    changed = [a for a, values in enumerate(table.values) if texts[a] != list(values)]
    with ExitStack() as cleanup:
        for a in changed:
            columns = {"value": np.array(table.values[a], object), "general": np.array(texts[a], object)}
            table.engine.attach(f"{name}_{a}", columns)
            cleanup.callback(table.engine.drop, f"{name}_{a}")
        joins = " ".join(f"JOIN {name}_{a} AS g{a} ON g{a}.value IS NOT DISTINCT FROM r.a{a}" for a in changed)
        cells = [f"g{a}.general AS a{a}" if a in changed else f"r.a{a}" for a in range(len(texts))]
        apart = [f"r.{column}" for column in ("weight", "person") if getattr(table, column) is not None]
        shown = ", ".join(["r.record", *cells, *apart])
        table.engine.hold(name, f"SELECT {shown} FROM {table.rows()} AS r {joins}")
    return name
