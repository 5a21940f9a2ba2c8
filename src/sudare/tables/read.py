"""Reading tables: distinct rows are counted on an engine and fetched from it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sudare.arguments import checked
from sudare.engine import Engine
from sudare.errors import MemoryNotEnough
from sudare.messages import Language, message
from sudare.progress import Progress, silent
from sudare.sources.cell_text import MissingRule
from sudare.statistics.distinct import row_order
from sudare.tables.collapsed import RARE, CollapsedTable, collapse_table, key_values
from sudare.tables.model import Table
from sudare.tables.person_kinds import fetch_person_kinds


@checked
def read_table(
    source: object,
    *,
    attributes: Sequence[str] | None = None,
    weight: str | None = None,
    person: str | None = None,
    missing: MissingRule = "value",
    missing_values: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    time_zone: str | None = None,
    rejects: str | Path | None = None,
    language: Language = "en",
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Table:
    """Read a table from a CSV, Parquet, Excel, SQLite or DuckDB file, a DuckDB relation or any dataframe.

    Files may be compressed, a pattern such as "2011-*.csv" stands for all matching files, and "-" for standard input.
    `sheet` selects a sheet of an Excel file, `table` a table of a database.

    `attributes` selects columns (None: all except weight and person). Cells are normalized to Unicode NFKC and stripped
    of surrounding blanks; `reading` says where this merged several spellings. Timestamps with a time zone are converted
    to `time_zone` (None: UTC). Empty cells and the `missing_values` are missing. A missing value is a value of its own
    (`missing="value"`) or equals every other value (`missing="any"`). `weight` names the column with the number of
    records a row stands for. `person` names the column identifying the person; class sizes then count persons. Lines
    that do not split into the columns and rows without a usable weight or person are refused; `rejects` names a CSV
    file that receives all of them, with row, column and reason in `language`.
    """
    collapsed = collapse_table(
        source,
        attributes=attributes,
        weight=weight,
        person=person,
        missing=missing,
        missing_values=missing_values,
        delimiter=delimiter,
        header=header,
        encoding=encoding,
        sheet=sheet,
        table=table,
        time_zone=time_zone,
        rejects=rejects,
        language=language,
        engine=engine,
        progress=progress,
    )
    try:
        found = fetch_table(collapsed)
    except BaseException:
        collapsed.close()
        raise
    collapsed.drop_numbers()
    found._own_engine = collapsed.own_engine
    progress(message("progress.reading"), 2, 2)
    return found


@checked
def fetch_table(collapsed: CollapsedTable) -> Table:
    """Fetch the distinct rows of a table from its engine; the result is usable until `collapsed` is closed.

    Rows that stand for fewer records than may leave the engine are refused, and so are more rows than this machine can
    hold.
    """
    engine, keys = collapsed.engine, collapsed.keys
    by_kinds = collapsed.person is not None and not engine.shows_people
    _refuse_huge(collapsed)
    query = f"SELECT {', '.join([*keys, 'records'])} FROM {collapsed.numbered}"
    if by_kinds:
        arrays = fetch_person_kinds(engine, query, collapsed.name, len(collapsed.attributes))
    else:
        arrays = engine.count_columns(query, cell="records", small=RARE)
    values = [key_values(collapsed, key) for key in keys if key != "person"]
    numbers = np.vstack([np.asarray(arrays[key], dtype=np.int32) for key in keys])
    order = row_order(numbers)
    persons, codes = (numbers[0][order], numbers[1:]) if collapsed.person else (None, numbers)
    counts = np.asarray(arrays["records"], dtype=np.int64)[order]
    return Table(
        engine, collapsed.reading, collapsed.attributes, np.take(codes, order, axis=1), counts, tuple(values),
        collapsed.name, missing=collapsed.missing, persons=persons, weight=collapsed.weight, person=collapsed.person,
        _later=collapsed.later,
    )  # fmt: skip


def _refuse_huge(collapsed: CollapsedTable) -> None:
    """Refuse more distinct rows than the memory of this machine can hold."""
    # As they are fetched, and as they are stacked; the counts.
    needed = collapsed.distinct * (8 * len(collapsed.keys) + 8)
    if needed > machine_bytes():
        raise MemoryNotEnough(
            "errors.tables.too_large",
            source=collapsed.reading.source,
            rows=collapsed.distinct,
            attributes=message("count.attributes", count=len(collapsed.attributes)),
            needed=needed / 1e9,
            memory=machine_bytes() / 1e9,
        )


def machine_bytes() -> int:
    """Return the memory of this machine in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
