"""Histories of generalized cells as Parquet files that other programs can read.

A column `person` (missing in a deleted row), and for each column x of cells `x_kind` (exact, range, set, deleted) with
either `x_low` and `x_high` (dates, decimals, whole numbers) or `x_items` (a list of texts), missing where deleted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import DuckDBEngine, quote_name, quote_text, scratch_engine
from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.histories.generalized.item_names import shown_name
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn, OrderedForm
from sudare.messages import message
from sudare.sources.local.files import check_readable
from sudare.sources.writing import check_ending, keeps_inputs, whole_file

PERSON = "person"
KINDS = tuple(kind.name.lower() for kind in Kind)
# How the whole numbers that are held become values of a type, and back.
_VALUE = {
    "date": "DATE '1970-01-01' + CAST({} AS INTEGER)",
    "decimal": "CAST(CAST({} AS DECIMAL(16, 0)) * CAST(0.01 AS DECIMAL(2, 2)) AS DECIMAL(18, 2))",
    "integer": "{}",
}
_NUMBER = {
    "date": "CAST({} AS DATE) - DATE '1970-01-01'",
    "decimal": "CAST({} * 100 AS BIGINT)",
    "integer": "CAST({} AS BIGINT)",
}
# What an engine that shows no people does not show.
_ROWS = message("errors.people.rows")


@checked
@keeps_inputs()
def write_cells_parquet(history: CellHistory, path: str | Path) -> None:
    """Write a history to a Parquet file, whole or not at all. The file is secret: keep it to its owner.

    Row i belongs to row i of the original, which links rows to people; `publish` writes what others may have.
    """
    path = Path(path)
    check_ending(path, (".parquet",))
    with whole_file(path, private=True) as target, scratch_engine() as engine:
        columns: dict[str, NDArray[np.generic]] = {"place": np.arange(len(history)), "person": history.persons}
        chosen, joins = [f"CASE WHEN person > 0 THEN person END AS {PERSON}"], []
        for number, column in enumerate(history.columns):
            columns[f"kind{number}"] = column.kinds
            chosen.append(f"{_kind_text(number)} AS {quote_name(f'{column.name}_kind')}")
            if isinstance(column, ItemColumn):
                columns[f"set{number}"] = column.sets
                joins.append(_attach_sets(engine, column, number))
                chosen.append(f"items{number}.items AS {quote_name(f'{column.name}_items')}")
            else:
                columns |= {f"low{number}": column.low, f"high{number}": column.high}
                chosen += [_end_text(column, number, end) for end in ("low", "high")]
        engine.attach("cell", columns)
        engine.write(f"SELECT {', '.join(chosen)} FROM cell {' '.join(joins)} ORDER BY place", target)


def _kind_text(number: int) -> str:
    return f"CASE kind{number} {' '.join(f'WHEN {code} THEN {quote_text(k)}' for code, k in enumerate(KINDS))} END"


def _end_text(column: OrderedColumn, number: int, end: str) -> str:
    value = _VALUE[column.form].format(f"{end}{number}")
    return f"CASE WHEN kind{number} != {Kind.DELETED:d} THEN {value} END AS {quote_name(f'{column.name}_{end}')}"


def _attach_sets(engine: DuckDBEngine, column: ItemColumn, number: int) -> str:
    """Make a table of the sets as lists of names, and return how the rows are joined with it."""
    owners = np.repeat(np.arange(len(column.sizes)), column.sizes)
    engine.attach(f"member{number}", {"place": np.arange(len(owners)), "owner": owners, "item": column.members})
    _attach_names(engine, f"name{number}", column.names)
    engine.run(
        f"CREATE TEMP TABLE items{number} AS SELECT owner, list(name ORDER BY place) AS items "
        f"FROM member{number} JOIN name{number} ON number = item GROUP BY owner"
    )
    return f"LEFT JOIN items{number} ON items{number}.owner = set{number}"


def _attach_names(engine: DuckDBEngine, table: str, names: tuple[str, ...]) -> None:
    _check_text(names)
    engine.attach(table, {"number": np.arange(len(names)), "name": np.array(names, object)})


def _check_text(names: tuple[str, ...]) -> None:
    odd = next((name for name in names if any("\udc80" <= letter <= "\udcff" for letter in name)), None)
    if odd is not None:
        raise OptionNotUsable("errors.cells.parquet_item", item=shown_name(odd))


@checked
def read_cells_parquet(path: str | Path, original: CellHistory | None = None) -> CellHistory:
    """Read a history from a Parquet file with the columns that `write_cells_parquet` writes.

    The items are those that occur, sorted, or those of the original, whose numbers an anonymized history shares. A
    written history is read back unchanged.
    """
    path = Path(path)
    check_readable(path)
    with scratch_engine() as engine:
        table = engine.parquet(path)
        forms = _forms(engine.describe(table), path)
        engine.run(f"CREATE TEMP TABLE cell AS SELECT row_number() OVER () AS place, * FROM {table}")
        _check(engine, forms, path)
        query = f"SELECT CAST(coalesce({PERSON}, 0) AS BIGINT) AS person FROM cell ORDER BY place"
        persons = engine.people_columns(query, _ROWS)
        columns = [
            _read_ordered(engine, name, form) if form else _read_items(engine, name, original, path)
            for name, form in forms.items()
        ]
    sources = original.sources if original is not None else ()
    found = CellHistory(np.asarray(persons["person"], np.int64), tuple(columns), (str(path), *sources))
    return found.in_file(path)


def _forms(types: dict[str, str], path: Path) -> dict[str, OrderedForm | None]:
    """Return the columns of cells and their forms, None for items, from the names and types of the file's columns."""
    if PERSON not in types:
        raise SourceNotReadable("errors.cells.parquet_person", path=path, column=PERSON)
    forms: dict[str, OrderedForm | None] = {}
    for name in (column.removesuffix("_kind") for column in types if column.endswith("_kind")):
        kind = types.get(f"{name}_low", types.get(f"{name}_items"))
        if kind is None or (kind == types.get(f"{name}_low")) != (f"{name}_high" in types):
            raise SourceNotReadable("errors.cells.parquet_values", path=path, column=name)
        if f"{name}_items" in types:
            forms[name] = None
        else:
            forms[name] = "date" if kind == "DATE" else "decimal" if kind.startswith("DECIMAL") else "integer"
    return forms


def _check(engine: DuckDBEngine, forms: dict[str, OrderedForm | None], path: Path) -> None:
    """Refuse rows whose kinds and values do not fit together."""
    wrong = []
    for name, form in forms.items():
        kind = quote_name(f"{name}_kind")
        if form:
            low, high = quote_name(f"{name}_low"), quote_name(f"{name}_high")
            right = (
                f"({kind} = 'deleted' OR ({kind} = 'exact' AND {low} = {high}) OR "
                f"({kind} = 'range' AND {low} <= {high}))"
            )
            missing = low
        else:
            missing = quote_name(f"{name}_items")
            right = (
                f"({kind} = 'deleted' OR ({kind} = 'exact' AND len({missing}) = 1) OR ({kind} = 'set' AND "
                f"len({missing}) > 0 AND len(list_distinct({missing})) = len({missing})))"
            )
        alone = f"({PERSON} IS NOT NULL OR {kind} = 'deleted')"
        wrong.append(f"NOT coalesce({right} AND ({kind} = 'deleted') = ({missing} IS NULL) AND {alone}, false)")
    where = " OR ".join([f"{PERSON} <= 0", *wrong])
    rows, first = engine.total(f"SELECT count(*), min(place) FROM cell WHERE {where}")
    if rows:
        raise BadRows("errors.cells.parquet_rows", path=path, count=int(rows), first=int(first))


def _kinds(name: str) -> str:
    return f"CAST(list_position({list(KINDS)!r}, {quote_name(f'{name}_kind')}) - 1 AS UTINYINT)"


def _read_ordered(engine: DuckDBEngine, name: str, form: OrderedForm) -> OrderedColumn:
    low, high = (f"coalesce({_NUMBER[form].format(quote_name(f'{name}_{end}'))}, 0)" for end in ("low", "high"))
    query = f"SELECT {_kinds(name)} AS kind, {low} AS low, {high} AS high FROM cell ORDER BY place"
    found = engine.people_columns(query, _ROWS)
    kinds, lows, highs = (np.asarray(found[key]) for key in ("kind", "low", "high"))
    return OrderedColumn(name, form, kinds.astype(np.uint8), lows.astype(np.int64), highs.astype(np.int64))


def _read_items(engine: DuckDBEngine, name: str, original: CellHistory | None, path: Path) -> ItemColumn:
    items = quote_name(f"{name}_items")
    names = _names(engine, items, original.column(name) if original is not None else None)
    _attach_names(engine, "name", names)
    engine.run(
        f"CREATE OR REPLACE TEMP TABLE several AS SELECT {items} AS items, "
        f"{len(names)} - 1 + row_number() OVER (ORDER BY min(place)) AS number FROM cell WHERE len({items}) > 1 "
        f"GROUP BY {items}"
    )
    members = engine.people_columns(
        "SELECT s.number AS owner, coalesce(n.number, -1) AS item FROM (SELECT number, unnest(items) AS item, "
        "generate_subscripts(items, 1) AS place FROM several) AS s LEFT JOIN name AS n ON n.name = s.item "
        "ORDER BY s.number, s.place",
        _ROWS,
    )
    rows = engine.people_columns(
        f"SELECT {_kinds(name)} AS kind, CASE WHEN {items} IS NULL THEN -1 WHEN len({items}) = 1 THEN "
        f"coalesce(n.number, -2) ELSE s.number END AS number FROM cell LEFT JOIN name AS n ON len({items}) = 1 AND "
        f"n.name = {items}[1] LEFT JOIN several AS s ON s.items = {items} ORDER BY place",
        _ROWS,
    )
    sets, others = np.asarray(rows["number"]).astype(np.int32), np.asarray(members["item"]).astype(np.int32)
    if (sets < -1).any() or (others < 0).any():
        raise BadRows("errors.cells.parquet_items", path=path, column=name)
    owners = np.concatenate([np.arange(len(names)), np.asarray(members["owner"]).astype(np.int64)])
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(owners))]).astype(np.int64)
    every = np.concatenate([np.arange(len(names), dtype=np.int32), others])
    return ItemColumn(name, np.asarray(rows["kind"]).astype(np.uint8), sets, starts, every, names)


def _names(engine: DuckDBEngine, items: str, column: Column | None) -> tuple[str, ...]:
    if isinstance(column, ItemColumn):
        return column.names
    found = engine.people(f"SELECT DISTINCT unnest({items}) AS item FROM cell ORDER BY item", _ROWS)
    return tuple(str(name) for (name,) in found)
