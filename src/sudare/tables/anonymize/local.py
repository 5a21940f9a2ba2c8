"""Local recoding: classes of records with cells of their own, at the least loss.

Best cuts (Mondrian: LeFevre, DeWitt, Ramakrishnan 2006, with the cut that saves most instead of the median) look at the
quasi-identifiers alone, and so do exchanges of records between neighbouring classes; sensitive values are looked at
only where classes that fail are merged, and by that in what a division costs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.kernels.table_classes import exchanges
from sudare.kernels.table_classes.secrets import Population
from sudare.messages import message
from sudare.progress import Progress
from sudare.tables.anonymize.class_search.columns import (
    SearchColumn,
    column_values,
    kernel_attributes,
    search_column,
)
from sudare.tables.anonymize.class_search.search import Owners, Problem, search_classes
from sudare.tables.anonymize.class_search.secrets import kernel_secrets
from sudare.tables.anonymize.levels import most_suppressed
from sudare.tables.anonymize.local_bound import requested_bound
from sudare.tables.anonymize.registry import Ended, Request
from sudare.tables.anonymize.weights import LocalLoss
from sudare.tables.classes.class_criteria import ClassCriteria
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.model import CellColumn, Numbers, RecodedTable, recoded, record_rows
from sudare.tables.roles import Roles

# Records that are divided one by one; weights can stand for more.
MOST_RECORDS = 50_000_000


# The bound takes this share of the time, and not more than these seconds.
BOUND_SHARE, BOUND_SECONDS = 0.2, 10.0
# Columns of the model `suppress` have no hierarchy: a value is kept or becomes `*`.
_NO_HIERARCHIES: Mapping[str, Hierarchy] = {}


def recode(request: Request) -> tuple[RecodedTable, float | None, Ended]:
    """Divide the records into classes that satisfy the criteria, and give each class cells of its own."""
    started = time.monotonic()
    bound = _bound(request)
    found, ended = _recode(replace(request, seconds=_left(request.seconds, started)), bound)
    return found, bound, ended


def suppress_cells(request: Request) -> tuple[RecodedTable, float | None, Ended]:
    """Divide the records into classes, and replace by `*` what the records of a class do not have in common."""
    return recode(replace(request, hierarchies=_NO_HIERARCHIES))


def _bound(request: Request) -> float | None:
    seconds = BOUND_SECONDS if request.seconds is None else min(BOUND_SHARE * request.seconds, BOUND_SECONDS)
    return requested_bound(request, seconds=seconds)


def _left(seconds: float | None, started: float) -> float | None:
    return None if seconds is None else max(seconds - (time.monotonic() - started), 0.0)


def _recode(request: Request, bound: float | None) -> tuple[RecodedTable, Ended]:
    problem, columns, rows = request_problem(request)
    owner, ended = search_classes(
        problem, seconds=request.seconds, seed=request.seed, threads=os.cpu_count() or 1,
        tell=partial(_tell, request.progress, bound, len(columns) if request.loss == "ncp" else 1),
    )  # fmt: skip
    owner = _suppressed(problem, owner, most_suppressed(request.criteria.criteria.suppress, len(rows)))
    return _recoded(request.table, request.roles, columns, rows, owner), ended


def request_problem(request: Request) -> tuple[Problem, list[SearchColumn], Numbers]:
    """Return what is searched for a request, the columns, and the distinct row of each record."""
    columns = [_column(request, name) for name in request.roles.quasi]
    # What loses most comes first: then a sum that is too much is known early.
    ordered = sorted(columns, key=_spread, reverse=True)
    rows = _rows(request.table)
    return _problem(request.table, ordered, rows, request.criteria, request.population), columns, rows


def _rows(table: Table) -> Numbers:
    if table.records > MOST_RECORDS:
        raise OptionNotUsable("errors.local.too_many_records", records=table.records, most=MOST_RECORDS)
    return record_rows(table)


def _column(request: Request, name: str) -> SearchColumn:
    values, counts = column_values(request.table, name, request.population)
    return search_column(
        name,
        values,
        counts,
        hierarchy=request.hierarchies.get(name),
        cells=request.cells,
        loss=cast(LocalLoss, request.loss),
        mean=name in request.microaggregate,
        blunt=request.blunt_ends,
    )


def _spread(column: SearchColumn) -> float:
    shares = column.counts[column.counts > 0] / max(column.counts.sum(), 1)
    return float(-(shares * np.log2(shares)).sum())


def _problem(
    table: Table, columns: Sequence[SearchColumn], rows: Numbers, criteria: ClassCriteria, population: Table | None
) -> Problem:
    attributes = kernel_attributes(columns)
    places = np.stack([column.places[_codes(table, column)][rows] for column in columns], axis=1).astype(np.int32)
    alone = exchanges.division_cost(attributes, places, np.arange(len(rows)), np.arange(len(rows)))
    return Problem(
        attributes,
        np.ascontiguousarray(places),
        kernel_secrets(criteria, rows, table.persons),
        _population(columns, criteria, population),
        size=criteria.criteria.k,
        base=alone,
        loss_name=columns[0].loss,
    )


def _codes(table: Table, column: SearchColumn) -> Numbers:
    (place,) = table.positions([column.attribute])
    return np.asarray(table.codes[place])


def _population(columns: Sequence[SearchColumn], criteria: ClassCriteria, population: Table | None) -> Population:
    """Return the reference population by the places of the columns."""
    wanted = criteria.criteria
    if population is None:
        return Population(np.zeros((0, len(columns)), np.int32), np.zeros(0, np.int64), 0, 1.0)
    places = [column.places[_codes_in(column, population)] for column in columns]
    return Population(
        np.ascontiguousarray(np.stack(places, axis=1).astype(np.int32)),
        population.counts,
        wanted.k_map or 0,
        1.0 if wanted.presence is None else wanted.presence,
    )


def _codes_in(column: SearchColumn, population: Table) -> Numbers:
    """Return the numbers that the values of a population have in a column."""
    (there,) = population.positions([column.attribute])
    number = {value: code for code, value in enumerate(column.values)}
    numbers = np.asarray([number[value] for value in population.values[there]], np.int32)
    return np.asarray(numbers[population.codes[there]])


def _suppressed(problem: Problem, owner: Owners, allowed: int) -> Owners:
    if not allowed:
        return owner
    return exchanges.suppress(
        problem.attributes, problem.secrets, problem.population, problem.records, np.arange(len(owner)), owner,
        problem.size, allowed,
    )  # fmt: skip


def _recoded(table: Table, roles: Roles, columns: Sequence[SearchColumn], rows: Numbers, owner: Owners) -> RecodedTable:
    kept = owner >= 0
    used, numbers = np.unique(owner[kept], return_inverse=True)
    final = np.full(len(owner), -1, np.int32)
    final[kept] = numbers
    found = [column.cells(_codes(table, column)[rows[kept]], numbers, len(used)) for column in columns]
    cells = np.stack([cell for _, cell in found]).astype(np.int32)
    known = [without_strangers(column, len(_values(table, column.attribute))) for column, _ in found]
    return recoded(table, roles, known, rows, final, cells)


def _values(table: Table, name: str) -> tuple[str | None, ...]:
    (place,) = table.positions([name])
    return table.values[place]


def without_strangers(column: CellColumn, values: int) -> CellColumn:
    """Return a column whose cells cover only its first values: those after them are of the population alone."""
    if len(column.values) == values:
        return column
    kept = column.listed < values
    before = np.append(0, np.cumsum(kept))
    return replace(
        column, values=column.values[:values], listed=column.listed[kept], begins=before[column.begins],
        ends=before[column.ends], amounts=None if column.amounts is None else column.amounts[:values],
    )  # fmt: skip


def _tell(progress: Progress, bound: float | None, parts: int, loss: float, rounds: int) -> None:
    """Say the loss reached, as the mean of some parts, and the bound if there is one."""
    loss /= parts
    if bound is None:
        progress(message("progress.local", loss=loss), rounds, rounds + 1)
    else:
        progress(message("progress.local_bound", loss=loss, bound=bound), rounds, rounds + 1)
