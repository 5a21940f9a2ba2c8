"""A published table, read again beside its original, for attacks and measures of use where only files are left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import fresh_name
from sudare.errors import BadRows, OptionNotUsable
from sudare.messages import message
from sudare.sources.local.names import not_found
from sudare.statistics.distinct import first_rows, number_rows
from sudare.tables.hierarchies.model import Hierarchy, find_hierarchies, loaded_hierarchies
from sudare.tables.hierarchies.suggest import suggest_hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.checks.file import PublishedFile, columns_of, read_published
from sudare.tables.recoded.checks.key import key_entries, wrong_entries
from sudare.tables.recoded.checks.meanings import read_meanings
from sudare.tables.recoded.model import CellColumn, RecodedTable, recoded
from sudare.tables.roles import ColumnRole, Role, Roles

Numbers = NDArray[np.int64]


@checked
def read_recoded(
    path: str | Path,
    table: Table,
    *,
    key: str | Path,
    known: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    hierarchies: str | Path | None = None,
) -> RecodedTable:
    """Return what a file publishes of a table; `key` is the secret file that says which record each line stands for.

    `known` are the quasi-identifiers, by default all published columns but `sensitive` ones. Their cells are values,
    nodes of the hierarchies in a folder (of suggested ones where it has none), ranges and sets; columns of means are
    refused, since a mean does not say which values it stands for. Every line must cover the values of its record.
    """
    path, key = Path(path), Path(key)
    _check(path, key, table)
    names = columns_of(path)
    roles = _roles(table, names, known, sensitive)
    file = read_published(path, names)
    rows, owner = _records(key, path, table, file)
    numbers, found = number_rows(_codes(file, roles.quasi))
    firsts = first_rows(numbers, found)
    given = loaded_hierarchies(find_hierarchies(hierarchies, table.attributes)) if hierarchies is not None else {}
    columns = [_column(path, file, table, name, given.get(name)) for name in roles.quasi]
    classes = (
        np.where(owner >= 0, numbers[owner], -1).astype(np.int32) if file.lines else np.full(len(rows), -1, np.int32)
    )
    made = recoded(table, roles, columns, rows.astype(np.int32), classes, _codes(file, roles.quasi)[:, firsts])
    _check_covered(made, file, owner, key, path)
    return made


def _check(path: Path, key: Path, table: Table) -> None:
    for file in (path, key):
        if not file.is_file():
            raise not_found(file)
    if table.persons is not None:
        raise OptionNotUsable("errors.recoded.persons")


def _roles(table: Table, names: Sequence[str], known: Sequence[str] | None, sensitive: Sequence[str]) -> Roles:
    """Return the roles of the columns of a table; those that the file does not have were dropped."""
    table.positions([*names, *(known or ()), *sensitive])
    asked = [name for name in names if name not in sensitive] if known is None else list(known)
    missing = next((name for name in (*asked, *sensitive) if name not in names), None)
    if missing is not None:
        raise OptionNotUsable("errors.recoded.not_published", attribute=missing)
    roles: dict[str, Role] = dict.fromkeys(names, "kept")
    roles.update(dict.fromkeys(asked, "quasi"))
    roles.update(dict.fromkeys(sensitive, "sensitive"))
    return Roles(tuple(ColumnRole(name, roles.get(name, "dropped"), None, "named") for name in table.attributes))


def _codes(file: PublishedFile, names: Sequence[str]) -> NDArray[np.int32]:
    return np.ascontiguousarray(np.vstack([file.column(name)[1] for name in names]), np.int32)


def _records(key: Path, path: Path, table: Table, file: PublishedFile) -> tuple[Numbers, Numbers]:
    """Return for each record its distinct row in the table and its line in the file, -1 for none."""
    numbers, rows = _distinct_rows(table)
    records, lines = key_entries(key)
    places = np.searchsorted(numbers, records)
    of_table = (places < len(numbers)) & (numbers[np.minimum(places, len(numbers) - 1)] == records)
    if not of_table.all() or (lines > file.lines).any() or (lines < 0).any():
        raise _other_key(key, path, table)
    entries = rows[places]
    by_line = np.zeros(file.lines, np.int64)
    by_line[lines[lines > 0] - 1] = entries[lines > 0]
    if wrong_entries(key, table, by_line):
        raise _other_key(key, path, table)
    return entries, lines - 1


def _distinct_rows(table: Table) -> tuple[Numbers, Numbers]:
    """Return the numbers of the rows of a source, rising, and the distinct row that each is."""
    names = [fresh_name("published_values") for _ in table.attributes]
    joins = " ".join(f"JOIN {name} AS v{a} ON v{a}.value IS NOT DISTINCT FROM r.a{a}" for a, name in enumerate(names))
    codes = ", ".join(f"v{a}.code AS c{a}" for a in range(len(names)))
    try:
        for name, values in zip(names, table.values, strict=True):
            table.engine.attach(name, {"code": np.arange(len(values)), "value": np.array(values, object)})
        query = f"SELECT r.record AS record, {codes} FROM {table.rows()} AS r {joins} ORDER BY r.record"
        found = table.engine.people_columns(query, message("errors.people.records"))
    finally:
        table.engine.drop(*names)
    own = np.vstack([found[f"c{a}"].astype(np.int32) for a in range(len(names))])
    # The distinct rows stand first, so that each has its own number.
    numbers, _ = number_rows(np.ascontiguousarray(np.hstack([table.codes, own])))
    return found["record"].astype(np.int64), numbers[len(table.counts) :]


def _column(path: Path, file: PublishedFile, table: Table, name: str, given: Hierarchy | None) -> CellColumn:
    """Return the cells of a column: a node of its hierarchy before a range or a set."""
    texts, _ = file.column(name)
    place = table.attributes.index(name)
    values = table.values[place]
    hierarchy = given or _suggested(table, place)
    nodes = read_meanings(texts, values, hierarchy=hierarchy, cells="nodes")
    others = read_meanings(texts, values, hierarchy=None, cells="sets")
    listed = []
    for number, text in enumerate(texts):
        covered = nodes.covered(number)
        found = np.flatnonzero(covered if covered.any() else others.covered(number))
        if not len(found):
            raise BadRows(
                "errors.recoded.cell", path=path, attribute=name, text=text or "", source=table.reading.source
            )  # fmt: skip
        listed.append(found)
    ends = np.cumsum([len(found) for found in listed], dtype=np.int64)
    joined = np.concatenate(listed) if listed else np.zeros(0, np.int64)
    return CellColumn(name, values, texts, joined.astype(np.int32), np.append(0, ends[:-1])[: len(ends)], ends)


def _suggested(table: Table, place: int) -> Hierarchy:
    """Return the hierarchy that a table was anonymized with if none was given."""
    codes, values = table.codes[place], table.values[place]
    counts = np.bincount(codes, weights=table.counts, minlength=len(values)).astype(np.int64)
    return suggest_hierarchy(table.attributes[place], values, counts=counts.tolist()).hierarchy


def _check_covered(made: RecodedTable, file: PublishedFile, owner: Numbers, key: Path, path: Path) -> None:
    """Refuse a key by which a line does not cover the values of its record, or has others than it."""
    there = made.published
    for a, column in enumerate(made.columns):
        cells, codes = made.cells[a][made.owner[there]], made.codes(column.attribute)[there]
        if not column.covers(cells, codes).all():
            raise _other_key(key, path, made.table)
    for name in made.roles.named("sensitive", "kept"):
        texts, codes = file.column(name)
        values = made.table.values[made.table.attributes.index(name)]
        written = np.array([values.index(text) if text in values else -1 for text in texts], np.int64)
        if (written[codes[owner[there]]] != made.codes(name)[there]).any():
            raise _other_key(key, path, made.table)


def _other_key(key: Path, path: Path, table: Table) -> BadRows:
    return BadRows("errors.recoded.other_key", key=key, path=path, source=table.reading.source)
