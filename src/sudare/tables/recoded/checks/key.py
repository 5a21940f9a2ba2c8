"""The secret key of a published file, read again and compared with the rows of the source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.engine import fresh_name, scratch_engine
from sudare.messages import message
from sudare.tables.model import Table

Numbers = NDArray[np.int64]


def wrong_entries(path: Path, table: Table, key: NDArray[np.integer]) -> int:
    """Count what is wrong in a key file: lines without a record of theirs, and records with too many or few entries.

    `key[i]` is the distinct row of the table that line i stands for: the record of that line must have its values.
    """
    records, lines = key_entries(path)
    published = lines > 0
    named = np.bincount(lines[published & (lines <= len(key))], minlength=len(key) + 1)[1:]
    twice = int(published.sum()) - int((named > 0).sum())
    known = published & (lines <= len(key))
    wrong = int((named == 0).sum()) + twice + _wrong_records(table, records)
    return wrong + _different(table, records[known], np.asarray(key)[lines[known] - 1])


def key_entries(path: Path) -> tuple[Numbers, Numbers]:
    """Return the record and the line of each entry; the line is 0 for a suppressed record, -1 if it is not a number."""
    with scratch_engine() as engine:
        parquet = path.suffix.lower() == ".parquet"
        names = ["record", "line"]
        source = engine.parquet(path) if parquet else engine.csv(path, columns=names, delimiter=",", header=True)
        line = "CASE WHEN line IS NULL THEN 0 ELSE coalesce(TRY_CAST(line AS BIGINT), -1) END"
        query = f"SELECT coalesce(TRY_CAST(record AS BIGINT), 0) AS record, {line} AS line FROM {source}"
        found = engine.people_columns(query, message("errors.people.records"))
    return found["record"].astype(np.int64), found["line"].astype(np.int64)


def _wrong_records(table: Table, records: Numbers) -> int:
    """Count the records that do not have an entry for each record that their row stands for."""
    entries = fresh_name("key_entries")
    table.engine.attach(entries, {"record": records})
    counted = f"SELECT record, count(*) AS entries FROM {entries} GROUP BY record"
    wanted = "r.weight" if table.weight else "1"
    try:
        (wrong,) = table.engine.total(
            f"SELECT count(*) FROM {table.rows()} AS r FULL JOIN ({counted}) AS c ON c.record = r.record "
            f"WHERE c.entries IS DISTINCT FROM {wanted} OR r.record IS NULL"
        )
    finally:
        table.engine.drop(entries)
    return int(wrong)


def _different(table: Table, records: Numbers, rows: Numbers) -> int:
    """Count the records of the source that do not have the values of the given rows of the table."""
    names = [fresh_name("key_expected") for _ in range(len(table.attributes) + 1)]
    codes = {f"c{a}": table.codes[a][rows] for a in range(len(table.attributes))}
    joins = " ".join(f"JOIN {name} AS v{a} ON v{a}.code = e.c{a}" for a, name in enumerate(names[1:]))
    same = " AND ".join(f"v{a}.value IS NOT DISTINCT FROM r.a{a}" for a in range(len(table.attributes)))
    try:
        table.engine.attach(names[0], {"record": records, **codes})
        for name, values in zip(names[1:], table.values, strict=True):
            table.engine.attach(name, {"code": np.arange(len(values)), "value": np.array(values, object)})
        (right,) = table.engine.total(
            f"SELECT count(*) FROM {names[0]} AS e JOIN {table.rows()} AS r ON r.record = e.record {joins} WHERE {same}"
        )
    finally:
        table.engine.drop(*names)
    return len(records) - int(right)
