"""Tables derived from others, with added records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import Engine
from sudare.showing import dataclass
from sudare.sources.opening import open_source
from sudare.sources.options import SourceOptions
from sudare.sources.readings import Reading
from sudare.sources.spellings import Spelling
from sudare.tables.collapsed import CollapsedTable, group_rows, new_name, reading_of, value_tables
from sudare.tables.model import Table
from sudare.tables.read import fetch_table
from sudare.tables.rows import case_counts, cell_names, choose_columns, load_rows, table_spellings


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A table derived from another one, `origin`.

    `codes[a][v]` is the number that value v of attribute a of the origin became. `added` says how added records were
    read, if there are any.
    """

    origin: Table
    table: Table
    codes: tuple[NDArray[np.int32], ...]
    added: Reading | None = None

    @checked
    def then(self, later: Derived) -> Derived:
        """Return a table derived from this one as derived from the original table."""
        codes = tuple(new[old] for old, new in zip(self.codes, later.codes, strict=True))
        return Derived(self.origin, later.table, codes, later.added or self.added)


@checked
def add_records(
    table: Table,
    source: object,
    *,
    missing_values: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    time_zone: str | None = None,
) -> Derived:
    """Return the table with records added from a file or dataframe that has the same columns, and may have more.

    `added` says how the new records were read; the `reading` of the new table counts respelled values in both sources,
    and values that differ only by case across the two.
    """
    engine, name = table.engine, new_name()
    with ExitStack() as cleanup:
        form = SourceOptions(delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, time_zone=time_zone)
        opened = open_source(source, engine, form, cleanup)
        columns = choose_columns(opened, table.attributes, table.weight, table.person)
        cleanup.callback(engine.drop, f"{name}_added")
        load_rows(engine, opened, columns, missing_values, f"{name}_added")
        values = {key: f"(SELECT {key} AS value FROM {name}_added)" for key in value_tables(name, columns)}
        spellings = table_spellings(engine, opened, columns, missing_values, values)
        more = reading_of(opened, engine.total(f"SELECT count(*) FROM {name}_added")[0], columns, spellings)
        cells = ", ".join(cell_names(columns))
        engine.hold(
            name,
            f"SELECT record, {cells} FROM {table.rows()} UNION ALL "
            f"SELECT record + {table.reading.rows}, {cells} FROM {name}_added",
        )
    grouped = group_rows(engine, name, name, columns)
    reading = _together(engine, table, more, value_tables(name, columns))
    shape = (table.missing, table.weight, table.person)
    collapsed = CollapsedTable(engine, reading, table.attributes, grouped, name, *shape)
    try:
        made = fetch_table(collapsed)
    finally:
        collapsed.drop_numbers()
    return Derived(table, made, number_values(table.values, made), more)


def _together(engine: Engine, table: Table, more: Reading, values: Mapping[str, str]) -> Reading:
    """Return how a table and further records were read."""
    old = table.reading
    titles = {f"a{number}": attribute for number, attribute in enumerate(table.attributes)}
    cases = {titles.get(key, table.person): count for key, count in case_counts(engine, values).items()}
    written = [spelling for reading in (old, more) for spelling in reading.spellings]
    spellings = tuple(
        Spelling(
            str(column),
            sum(spelling.rows for spelling in written if spelling.column == column),
            sum(spelling.merged for spelling in written if spelling.column == column),
            case,
        )
        for column, case in cases.items()
    )
    return Reading(
        f"{old.source} + {more.source}", old.format, {}, old.guesses, old.rows + more.rows,
        spellings=tuple(spelling for spelling in spellings if spelling.remarkable), clock=old.clock or more.clock,
        others=old.others,
    )  # fmt: skip


def number_values(values: Sequence[Sequence[str | None]], table: Table) -> tuple[NDArray[np.int32], ...]:
    """Return the numbers that values have in a table, attribute by attribute."""
    numbers = [{text: number for number, text in enumerate(held)} for held in table.values]
    return tuple(
        np.asarray([held[text] for text in texts], np.int32) for texts, held in zip(values, numbers, strict=True)
    )
