"""The utility U of histories on an engine: the same measure as `sudare.histories.utility.cost`, in SQL.

Only counts and sums of errors leave the engine, by column and kind of cell; the customers and cells that cost most are
listed where the engine shows people.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from sudare.arguments import checked
from sudare.engine.small_counts import Refuse
from sudare.errors import NotOnEngine
from sudare.histories.generalized.held import HeldCells
from sudare.histories.generalized.model import Kind
from sudare.histories.generalized.rule_sets import ColumnRule
from sudare.histories.generalized.values import written
from sudare.histories.utility.cost import (
    COST_KINDS,
    DELETED,
    DELETED_ROW,
    CellCost,
    CellUtility,
    ColumnErrors,
    utility_of,
)
from sudare.messages import message

_RARE = Refuse(lambda count, least: NotOnEngine("errors.measures.rare_kinds", count=count, least=least), few="count(*)")
# What an engine that shows no people does not show.
_COSTLY = message("errors.people.costly")


@checked
def held_utility(held: HeldCells, *, most: int = 10) -> CellUtility:
    """Return U and its breakdown, with up to `most` of the customers and cells that cost most.

    An engine that does not show people omits the customers and cells. Sums of errors are floating point: engines add in
    different orders, so the last of about twelve digits may differ. Where a count of cells is above 0 and below the
    smallest that may leave the engine, NotOnEngine is raised.
    """
    deviations = _deviations(held)
    errors = [_error(i, rule, deviations[i]) for i, rule in enumerate(held.rules.cell_columns)]
    columns = _columns(held, deviations, errors)
    if not held.engine.shows_people or not most:
        return utility_of(columns, rows=held.rows)
    return utility_of(
        columns, rows=held.rows, customers=_customers(held, errors, most), cells=_cells(held, errors, most)
    )


def _deviations(held: HeldCells) -> list[float | None]:
    """Return the standard deviation of each ordered column of the original, from sums of whole numbers."""
    ordered = [i for i, rule in enumerate(held.rules.cell_columns) if rule.form != "item"]
    found: list[float | None] = [None] * len(held.rules.cell_columns)
    sums = [f"sum(CAST(v{i} AS DECIMAL(18, 0)){power.format(i)})" for i in ordered for power in ("", _SQUARE)]
    if sums:
        numbers = [int(number) for number in held.engine.total(f"SELECT {', '.join(sums)} FROM {held.table}")]
        for i, total, squares in zip(ordered, numbers[::2], numbers[1::2], strict=True):
            found[i] = sqrt(Fraction(held.rows * squares - total**2, held.rows**2))
    return found


_SQUARE = " * CAST(v{0} AS DECIMAL(18, 0))"


def _error(i: int, rule: ColumnRule, deviation: float | None) -> str:
    """Return an expression for the error of a cell (`sudare.histories.utility.cost.cell_errors`)."""
    if rule.form == "item":
        cost = f"CASE WHEN c{i} THEN 1 - 1 / CAST(n{i} AS DOUBLE) ELSE {DELETED} END"
    else:
        # Every cell holds the original value, else the history would have been refused.
        below, above, width = (f"CAST({ends} AS DOUBLE)" for ends in (f"v{i} - l{i}", f"h{i} - v{i}", f"h{i} - l{i}"))
        distance = f"({below} * {below} + {above} * {above} + {width}) / (2 * ({width} + 1))"
        cost = f"{distance} / {deviation!r}" if deviation else f"CASE WHEN h{i} > l{i} THEN {DELETED} ELSE 0 END"
    return f"CASE WHEN k{i} = {Kind.DELETED} THEN {DELETED} ELSE {cost} END"


def _columns(held: HeldCells, deviations: list[float | None], errors: list[str]) -> list[ColumnErrors]:
    every = " UNION ALL ".join(
        f"SELECT {i} AS place, CASE WHEN pid = 0 THEN {DELETED_ROW} ELSE k{i} END AS kind, CAST({error} AS DOUBLE) "
        f"AS error FROM {held.table}"
        for i, error in enumerate(errors)
    )
    dear = f"FILTER (WHERE kind = {Kind.RANGE} AND error > {DELETED})"
    lines = (
        f"SELECT place, kind, count(*) AS cells, sum(error) AS errors, count(*) {dear} AS dear, "
        f"coalesce(sum(error - {DELETED}) {dear}, 0) AS excess FROM ({every}) GROUP BY place, kind"
    )
    # The dear cells are told apart from the others of their kind.
    told = f"SELECT *, CASE WHEN dear > 0 THEN dear ELSE cells END AS least_cells FROM ({lines})"
    rows = held.engine.counts(told, cell="least_cells", small=_RARE)
    found = {(place, kind): numbers for place, kind, *numbers, _ in rows}
    columns = []
    for i, rule in enumerate(held.rules.cell_columns):
        own = [found.get((i, kind), [0, 0.0, 0, 0.0]) for kind in range(len(COST_KINDS))]
        counts, sums, dears, excesses = zip(*own, strict=True)
        columns.append(ColumnErrors(rule.name, deviations[i], counts, sums, sum(dears), float(sum(excesses))))
    return columns


def _customers(held: HeldCells, errors: list[str], most: int) -> list[tuple[int, int, int, float]]:
    total = " + ".join(f"({error})" for error in errors)
    rows = held.engine.people(
        "SELECT customer, count(*) AS own, count(*) FILTER (WHERE pid = 0) AS gone, sum(error) AS errors FROM "
        f"(SELECT customer, pid, {total} AS error FROM {held.table}) GROUP BY customer HAVING sum(error) > 0 "
        f"ORDER BY errors DESC, customer LIMIT {most}",
        _COSTLY,
    )
    return [(int(customer), int(own), int(gone), float(error)) for customer, own, gone, error in rows]


def _cells(held: HeldCells, errors: list[str], most: int) -> tuple[CellCost, ...]:
    every = " UNION ALL ".join(
        f"SELECT row, {i} AS place, {error} AS error FROM {held.table} WHERE pid > 0" for i, error in enumerate(errors)
    )
    worst = held.engine.people(
        f"SELECT row, place, error FROM ({every}) WHERE error > 0 ORDER BY error DESC, row, place LIMIT {most}",
        _COSTLY,
    )
    return tuple(_cell(held, int(row), int(place), float(error)) for row, place, error in worst)


def _cell(held: HeldCells, row: int, i: int, error: float) -> CellCost:
    rule = held.rules.cell_columns[i]
    if rule.form == "item":
        ((original, cell),) = held.engine.people(f"SELECT v{i}, w{i} FROM {held.table} WHERE row = {row}", _COSTLY)
        return CellCost(row, rule.name, original, cell, error)
    (found,) = held.engine.people(f"SELECT k{i}, v{i}, l{i}, h{i} FROM {held.table} WHERE row = {row}", _COSTLY)
    kind, value = int(found[0]), int(found[1])
    if kind == Kind.DELETED:
        return CellCost(row, rule.name, written(value, rule), "*", error)
    low, high = (written(int(end), rule) for end in found[2:])
    return CellCost(row, rule.name, written(value, rule), f"[{low};{high}]" if kind == Kind.RANGE else low, error)
