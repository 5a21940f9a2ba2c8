"""A lower bound on the loss of every table with cells of its own whose classes are large and diverse enough.

A class is a group of records that lie in one box, a product of cells (`box_records`). A box that a class can have holds
at least k persons and l values of each sensitive attribute, since the class does. Two bounds follow.

**The cheapest box.** A record of a class loses what its box costs, and no less than its cheapest box that holds enough.
The mean of these minima over the records is a bound. A walk through iceberg cubes finds it exactly
(`sudare.kernels.table_bounds.costs`).

**Prices.** Give each record a price such that no group of at least k persons and l values within a box has prices that
sum to more than the group costs in the box. Then the prices of all records sum to no more than any table loses: sum
over its classes. (This is the dual of the linear program that covers the records by groups.) The minima above are such
prices. They leave room: a record in a sparse region takes k - 1 records of a dense region along, which lose more than
their minima, so its own price can be higher. Prices are raised for all records, then lowered box by box where a group
is too dear. Lower prices are never too dear in boxes that were looked at before, so that one walk through the boxes
makes any prices right (`sudare.kernels.table_bounds.prices`). Repeated with smaller and smaller steps, this is a
subgradient method with projections onto one constraint after the other.

**Blocks.** The nodes of a box in some attributes are a box of these attributes that holds at least as much. So minima
of blocks of attributes add up to a bound, which is what there is if the time is over before all attributes are done.

**Suppression.** A suppressed record loses the cost of the box of all records. If at most m records are, the prices sum
to no more than the loss and what the m dearest prices are above that cost.

Entropy and recursive l-diversity imply l different values; t-closeness, k-map and presence only leave fewer tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline
from sudare.kernels.table_bounds.costs import least_costs
from sudare.kernels.table_bounds.prices import TOLERANCE, Prices, lower_prices
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.statistics.distinct import sum_by
from sudare.tables.anonymize.box_records import BoxRecords, Costs, box_column, new_walk
from sudare.tables.anonymize.class_search.columns import SearchColumn, search_column
from sudare.tables.anonymize.registry import CellKind, Request
from sudare.tables.anonymize.weights import LocalLoss
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table

# Steps by which prices are raised, as shares of the mean loss by the cheapest boxes. In the first rounds, prices then
# fall in proportion to what they are above the minima, later evenly: on Adult that begins faster, and ends higher.
_STEPS = (0.7, 0.3, 0.1, 0.05, 0.035)
_EVEN_STEP = 0.018
_MOST_ROUNDS = 24
# This share of the last change of the prices is made once more with the next step.
_MOMENTUM = 0.7
_LEAST_GAIN = 0.0005

EVERYTHING = slice(0, None)


def local_bound(
    table: Table,
    quasi: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    sensitive: str | Sequence[str] | None = None,
    loss: LocalLoss = "entropy",
    cells: CellKind = "nodes",
    microaggregate: Sequence[str] = (),
    suppress: float = 0.0,
    population: Table | None = None,
    seconds: float | None = None,
    progress: Progress = silent,
) -> float | None:
    """Return a lower bound on the loss per record, in bits or NCP, of every table with such cells; None without any.

    The classes of the table have at least `k` persons and `l` values of each `sensitive` attribute, and at most the
    share `suppress` of the records is suppressed. The other options are those of local recoding. After `seconds` the
    bound is what has been proven until then.
    """
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive or ())
    columns = [_column(table, name, hierarchies, (loss, cells, name in microaggregate), population) for name in quasi]
    records = _records(table, columns, names, k=k, l=math.ceil((l or 1) - TOLERANCE))
    if not columns or not _feasible(records):
        return None
    with Deadline(seconds) as deadline:
        prices = _prices(records, deadline, progress)
    most = math.floor(suppress * records.counts.sum() + TOLERANCE)
    bound = _mean(records, prices, most) / (len(columns) if loss == "ncp" else 1)
    return max(bound - TOLERANCE, 0.0)


def requested_bound(request: Request, *, seconds: float | None = None) -> float | None:
    """Return a loss a record that no table which satisfies a request is below."""
    criteria = request.criteria.criteria
    return local_bound(
        request.table,
        request.roles.quasi,
        request.hierarchies,
        k=criteria.k,
        l=criteria.l,
        sensitive=request.roles.sensitive if criteria.l is not None else (),
        loss=cast(LocalLoss, request.loss),
        cells=request.cells,
        microaggregate=request.microaggregate,
        suppress=criteria.suppress,
        population=request.population,
        seconds=seconds,
        progress=request.progress,
    )


def _column(
    table: Table,
    name: str,
    hierarchies: Mapping[str, Hierarchy],
    asked: tuple[LocalLoss, CellKind, bool],
    population: Table | None,
) -> SearchColumn:
    """Return a column with the kind of cells that it gets; what only the population has is lost by nobody."""
    loss, cells, mean = asked
    (place,) = table.positions([name])
    values, counts = table.values[place], sum_by(table.codes[place], table.counts, len(table.values[place]))
    hierarchy = hierarchies.get(name)
    if population is not None:
        (there,) = population.positions([name])
        cells = _kind(name, tuple(dict.fromkeys([*values, *population.values[there]])), cells)
    return search_column(name, values, counts, hierarchy=hierarchy, cells=cells, loss=loss, mean=mean)


def _kind(name: str, values: tuple[str | None, ...], cells: CellKind) -> CellKind:
    """Return the kind of the cells of a column with these values."""
    counts = np.ones(len(values), np.int64)
    found = search_column(name, values, counts, hierarchy=None, cells=cells, loss="entropy")
    return "sets" if found.sets else "ranges" if found.tree is None else "nodes"


def _records(
    table: Table,
    columns: Sequence[SearchColumn],
    sensitive: Sequence[str],
    *,
    k: int,
    l: int,  # noqa: E741
) -> BoxRecords:
    """Return the records with the attributes of many nodes first: these leave the fewest rows to what follows."""
    trees = sorted(((box_column(column), column) for column in columns), key=lambda one: -len(one[0].begin))
    codes = table.codes[table.positions([column.attribute for _, column in trees])]
    places = [column.places[code] for (_, column), code in zip(trees, codes, strict=True)]
    return BoxRecords(
        columns=tuple(tree for tree, _ in trees),
        places=np.asarray(places, np.int32).reshape(len(trees), len(table.counts)),
        counts=table.counts,
        persons=np.zeros(0, np.int32) if table.persons is None else table.persons,
        sensitive=np.ascontiguousarray(table.codes[table.positions(sensitive)]),
        k=k,
        l=l,
    )


def _feasible(records: BoxRecords) -> bool:
    """Tell whether all records together are a class that has enough."""
    people = len(np.unique(records.persons)) if len(records.persons) else int(records.counts.sum())
    return people >= max(records.k, 1) and all(len(np.unique(column)) >= records.l for column in records.sensitive)


def _mean(records: BoxRecords, prices: Costs, suppressed: int) -> float:
    """Return the mean of what prices are above what records cost that keep their values.

    Of the dearest records, up to the number `suppressed`, prices count no more than what the box of all records costs.
    """
    above = np.maximum(prices - records.highest(EVERYTHING), 0.0)
    order = np.argsort(-above)
    counts = records.counts[order]
    taken = np.clip(suppressed - (np.cumsum(counts) - counts), 0, counts)
    total = float((prices - records.own) @ records.counts) - float(above[order] @ taken)
    return total / int(records.counts.sum())


def _prices(records: BoxRecords, deadline: Deadline, progress: Progress) -> Costs:
    """Return prices of the rows that are feasible, the higher the more time there is."""
    depths = len(records.columns)
    rests = np.zeros((depths + 1, len(records.counts)))
    for first in reversed(range(depths)):
        progress(message("progress.loss_bounds"), depths - 1 - first, depths + _MOST_ROUNDS)
        found = _minima(records, slice(first, None), rests[first:], deadline)
        if found is None:
            return np.asarray(rests[first + 1] + _single_minima(records, first + 1, deadline))
        rests[first] = found
    return _raised(records, rests, deadline, progress)


def _single_minima(records: BoxRecords, end: int, deadline: Deadline) -> Costs:
    """Return the sum of the minima of each of the first attributes alone, for which there is always time."""
    nothing = np.zeros((2, len(records.counts)))
    found = [_minima(records, slice(a, a + 1), nothing, deadline) for a in range(end)]
    return np.asarray(sum((costs for costs in found if costs is not None), nothing[0]))


def _minima(records: BoxRecords, block: slice, rests: Costs, deadline: Deadline) -> Costs | None:
    """Return what the rows cost at least in a block of attributes; None if the time is over."""
    crowd, numbers, firsts = records.crowd(block)
    trees = records.trees(block)
    least = records.highest(block)[firsts]
    rests = np.ascontiguousarray(rests[:, firsts])
    ended = least_costs(crowd, trees, rests, new_walk(crowd, trees), least, deadline.halt)
    return least[numbers] if ended else None


def _raised(records: BoxRecords, rests: Costs, deadline: Deadline, progress: Progress) -> Costs:
    """Return the best feasible prices that rounds of raising and lowering find."""
    crowd, numbers, firsts = records.crowd(EVERYTHING)
    trees = records.trees(EVERYTHING)
    walk, rests = new_walk(crowd, trees), np.ascontiguousarray(rests[:, firsts])

    def lower(prices: Costs, evenly: bool) -> bool:
        return lower_prices(crowd, trees, rests, walk, Prices(prices, rests[0], evenly), deadline.halt)

    floors, own, depths = rests[0], records.own[firsts], len(records.columns)
    unit = (floors > own + TOLERANCE) * (float((floors - own) @ crowd.counts) / int(crowd.counts.sum()))
    last = best = prices = floors
    for number in range(_MOST_ROUNDS if unit.any() else 0):
        progress(message("progress.loss_bounds"), depths + number, depths + _MOST_ROUNDS)
        evenly = number >= len(_STEPS)
        raised = prices + unit * (_EVEN_STEP if evenly else _STEPS[number]) + _MOMENTUM * (prices - last)
        if not lower(raised, evenly):
            break
        last, prices = prices, raised
        gain = _gain(prices, best, crowd.counts)
        best = prices if gain > 0 else best
        if evenly and gain < _LEAST_GAIN * _gain(best, own, crowd.counts):
            break
    return np.asarray(best[numbers])


def _gain(prices: Costs, others: Costs, counts: NDArray[np.int64]) -> float:
    return float((prices - others) @ counts)
