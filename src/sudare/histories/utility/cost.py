"""What generalization costs: the utility U of an anonymized history and its breakdown.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 2.4.2. U is the mean over
all cells of the error of a cell, 0 at best: how far a value drawn uniformly from the cell is expected to be from the
original one. Ordered values are measured in standard deviations of their column in the original, items by whether they
are the same; a deleted cell costs 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.item_names import shown_name
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.rule_sets import ColumnRule, RuleSet
from sudare.histories.generalized.values import written
from sudare.results import Result
from sudare.showing import dataclass

# What a deleted cell costs.
DELETED = 1.0
# Kinds of cells whose costs are told apart, in the order in which they are numbered here.
COST_KINDS = ("exact", "range", "set", "deleted_cell", "deleted_row")
DELETED_ROW = COST_KINDS.index("deleted_row")


@dataclass(frozen=True, slots=True)
class KindCost(Result):
    """What the cells of one kind contribute to U, and their share of U (0 if U is 0)."""

    kind: str
    cells: int
    utility: float
    share: float


@dataclass(frozen=True, slots=True)
class ColumnCost(Result):
    """The mean error of a column, its share of U, and its cells by kind.

    `deviation` is the standard deviation that errors are measured in, None for items. `dear_ranges` ranges cost more
    than `*`; U would fall by `saving` if they were `*`.
    """

    name: str
    utility: float
    share: float
    deviation: float | None
    dear_ranges: int
    saving: float
    kinds: tuple[KindCost, ...]


@dataclass(frozen=True, slots=True)
class CustomerCost(Result):
    """What the rows of a customer contribute to U."""

    customer: int = field(repr=False)
    rows: int
    deleted_rows: int
    utility: float
    share: float


@dataclass(frozen=True, slots=True)
class CellCost(Result):
    """The error of one cell, with the original value and the cell as written; rows count from 1."""

    row: int
    column: str
    original: str
    cell: str
    error: float


@dataclass(frozen=True, slots=True)
class CellUtility(Result):
    """U and its breakdown: columns, kinds of cells, and the customers and cells that cost most.

    Cells of deleted rows are not listed, and neither is anything that costs nothing.
    """

    _further = ("saving",)
    _rows = ("columns",)
    _row = ColumnCost

    utility: float
    rows: int
    columns: tuple[ColumnCost, ...]
    kinds: tuple[KindCost, ...]
    customers: tuple[CustomerCost, ...]
    cells: tuple[CellCost, ...]

    @property
    def saving(self) -> float:
        """By how much U would fall if every range that costs more than `*` were `*`."""
        return sum(column.saving for column in self.columns)


@dataclass(frozen=True, slots=True)
class ColumnErrors:
    """What the cells of a column cost: how many of each of `COST_KINDS` there are, and their errors in all.

    `dear_ranges` of the ranges cost more than `*`, by `excess` in all.
    """

    name: str
    deviation: float | None
    counts: tuple[int, ...]
    sums: tuple[float, ...]
    dear_ranges: int
    excess: float


@checked
def cell_utility(
    original: CellHistory, anonymized: CellHistory, *, rules: RuleSet | None = None, most: int = 10
) -> CellUtility:
    """Return U and its breakdown, with up to `most` of the customers and cells that cost most.

    Ties between cells go to the earlier cell, between customers to the smaller number. For a history without rows, U is
    0. The rules define how dates are written.
    """
    check_same_rows(original, anonymized)
    tally = _Tally(original, anonymized, rules)
    worst: list[CellCost] = []
    for column in original.columns:
        worst += tally.add(column.name, most)
    # Columns come in order and sorting is stable.
    worst.sort(key=lambda cell: (-cell.error, cell.row))
    return tally.result(tuple(worst[:most]), most)


@checked
def cell_errors(original: CellHistory, anonymized: CellHistory, column: str) -> NDArray[np.float64]:
    """Return the error of each cell of a column.

    `*` costs 1; a set of n items 1 - 1/n; a range [a;b] the mean of |x - y| over its whole numbers y, in days,
    hundredths or units, divided by the standard deviation of the column in the original. Errors are not capped at 1. If
    all original values are equal, there is nothing to divide by: a cell that holds any other value then costs 1. A cell
    that does not hold the original value, which no contest accepts, is measured in the same way.
    """
    before, after = original.column(column), anonymized.column(column)
    if isinstance(before, ItemColumn) and isinstance(after, ItemColumn):
        return _item_errors(before, after)
    if isinstance(before, OrderedColumn) and isinstance(after, OrderedColumn):
        return _ordered_errors(before, after)
    raise OptionNotUsable("errors.use_cases.other_form", column=column)


def check_same_rows(original: CellHistory, anonymized: CellHistory) -> None:
    """Raise OptionNotUsable unless both have as many rows."""
    if len(original) != len(anonymized):
        raise OptionNotUsable("errors.cells.row_numbers", rows=len(original), others=len(anonymized))


def population_deviation(values: NDArray[np.int64]) -> float:
    """Return the standard deviation of whole numbers over all of them (not of a sample); 0 of none."""
    if not len(values):
        return 0.0
    # Around a whole number near the mean the differences are exact and their sum is small: nothing cancels.
    distances = values - round(float(values.mean()))
    squares = distances.astype(np.float64) ** 2
    return sqrt(float(squares.mean()) - (int(distances.sum()) / len(values)) ** 2)


def _item_errors(before: ItemColumn, after: ItemColumn) -> NDArray[np.float64]:
    errors = np.full(len(after.sets), DELETED)
    kept = np.flatnonzero(after.kinds != Kind.DELETED)
    held = kept[_holds(after, kept, before.sets[kept])]
    errors[held] = 1 - 1 / after.sizes[after.sets[held]]
    return errors


def _holds(column: ItemColumn, cells: NDArray[np.int64], items: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say of some cells whether they hold an item."""
    found: NDArray[np.bool_] = column.sets[cells] == items
    several = np.flatnonzero(column.sizes[column.sets[cells]] > 1)
    pairs = np.repeat(np.arange(len(column.starts) - 1), column.sizes) * len(column.names) + column.members
    wanted = column.sets[cells[several]].astype(np.int64) * len(column.names) + items[several]
    pairs.sort()
    places = np.searchsorted(pairs, wanted)
    found[several] = pairs[np.minimum(places, len(pairs) - 1)] == wanted if len(pairs) else False
    return found


def _ordered_errors(before: OrderedColumn, after: OrderedColumn) -> NDArray[np.float64]:
    # As floating point numbers: squares of large prices would not fit whole numbers, and all terms are positive.
    below, above = (before.low - after.low).astype(np.float64), (after.high - before.low).astype(np.float64)
    width = above + below
    inside = (below >= 0) & (above >= 0)
    mean_distance = np.where(inside, (below**2 + above**2 + width) / (2 * (width + 1)), np.abs(below - above) / 2)
    deviation = population_deviation(before.low)
    errors = mean_distance / deviation if deviation else np.where(mean_distance > 0, DELETED, 0.0)
    errors[after.kinds == Kind.DELETED] = DELETED
    return errors


def cost_kinds(anonymized: CellHistory, column: str) -> NDArray[np.uint8]:
    """Return the kind of each cell as its place in `COST_KINDS`."""
    kinds = anonymized.column(column).kinds.copy()
    kinds[anonymized.deleted] = DELETED_ROW
    return kinds


def cell_text(column: Column, row: int, rules: RuleSet | None = None) -> str:
    """Return a cell as it is written; dates as the rules say, or with slashes."""
    kind = column.kinds[row]
    if kind == Kind.DELETED:
        return "*"
    if isinstance(column, ItemColumn):
        number = column.sets[row]
        members = column.members[column.starts[number] : column.starts[number + 1]]
        items = ";".join(shown_name(column.names[item]) for item in members)
        return f"{{{items}}}" if kind == Kind.SET else items
    known = rules.columns if rules else ()
    rule = next((rule for rule in known if rule.name == column.name), ColumnRule(column.name, column.form))
    low, high = (written(int(end[row]), rule) for end in (column.low, column.high))
    return f"[{low};{high}]" if kind == Kind.RANGE else low


class _Tally:
    """Adds up errors column by column, so that those of one column only are held at a time."""

    def __init__(self, original: CellHistory, anonymized: CellHistory, rules: RuleSet | None) -> None:
        self.original, self.anonymized, self.rules = original, anonymized, rules
        self.of_row = np.zeros(len(original))
        self.columns: list[ColumnErrors] = []

    def add(self, column: str, most: int) -> list[CellCost]:
        """Add a column and return its cells that cost most."""
        errors = cell_errors(self.original, self.anonymized, column)
        kinds = cost_kinds(self.anonymized, column)
        self.of_row += errors
        dear = (kinds == Kind.RANGE) & (errors > DELETED)
        held = self.original.column(column)
        self.columns.append(
            ColumnErrors(
                name=column,
                deviation=population_deviation(held.low) if isinstance(held, OrderedColumn) else None,
                counts=tuple(np.bincount(kinds, minlength=len(COST_KINDS)).tolist()),
                sums=tuple(float(errors[kinds == kind].sum()) for kind in range(len(COST_KINDS))),
                dear_ranges=int(dear.sum()),
                excess=float((errors[dear] - DELETED).sum()),
            )
        )
        errors[kinds == DELETED_ROW] = 0.0
        return [self._cell(row, column, float(errors[row])) for row in _largest(errors, most)]

    def _cell(self, row: int, column: str, error: float) -> CellCost:
        before, after = (
            cell_text(history.column(column), row, self.rules) for history in (self.original, self.anonymized)
        )
        return CellCost(row + 1, column, before, after, error)

    def result(self, cells: tuple[CellCost, ...], most: int) -> CellUtility:
        return utility_of(self.columns, rows=len(self.original), customers=self._customers(most), cells=cells)

    def _customers(self, most: int) -> list[tuple[int, int, int, float]]:
        """Return those who cost most: the customer, the rows, those that are deleted, and the errors."""
        customers, number = np.unique(self.original.persons, return_inverse=True)
        rows, deleted = np.bincount(number), np.bincount(number[self.anonymized.deleted], minlength=len(customers))
        errors = np.bincount(number, self.of_row).astype(np.float64)
        chosen = _largest(errors, most)
        return list(zip(*(found[chosen].tolist() for found in (customers, rows, deleted, errors)), strict=True))


def utility_of(
    columns: Sequence[ColumnErrors],
    *,
    rows: int,
    customers: Sequence[tuple[int, int, int, float]] = (),
    cells: tuple[CellCost, ...] = (),
) -> CellUtility:
    """Return U of what the columns cost, with customers (number, rows, deleted rows, errors) and cells to be shown."""
    made = _Shares(rows * len(columns), float(np.sum([column.sums for column in columns])))
    counts, sums = (np.sum([getattr(column, name) for column in columns], axis=0) for name in ("counts", "sums"))
    return CellUtility(
        utility=made.part(made.total),
        rows=rows,
        columns=tuple(made.column(column, rows) for column in columns),
        kinds=made.kinds(counts.tolist(), sums.tolist()),
        customers=tuple(
            CustomerCost(customer, own, gone, made.part(error), made.share(error))
            for customer, own, gone, error in customers
        ),
        cells=cells,
    )


@dataclass(frozen=True, slots=True)
class _Shares:
    """Turns errors into what they add to U, the mean over all cells, and into shares of U."""

    cells: int
    total: float

    def part(self, error: float) -> float:
        return error / self.cells if self.cells else 0.0

    def share(self, error: float) -> float:
        return error / self.total if self.total else 0.0

    def column(self, column: ColumnErrors, rows: int) -> ColumnCost:
        error = float(np.sum(column.sums))
        return ColumnCost(
            name=column.name,
            utility=error / rows if rows else 0.0,
            share=self.share(error),
            deviation=column.deviation,
            dear_ranges=column.dear_ranges,
            saving=self.part(column.excess),
            kinds=self.kinds(column.counts, column.sums),
        )

    def kinds(self, counts: Sequence[int], sums: Sequence[float]) -> tuple[KindCost, ...]:
        return tuple(
            KindCost(kind, count, self.part(error), self.share(error))
            for kind, count, error in zip(COST_KINDS, counts, sums, strict=True)
        )


def _largest(values: NDArray[np.float64], most: int) -> list[int]:
    """Return the places of the largest values above 0, the largest first, of equal ones the first."""
    most = min(most, len(values))
    if most < 1:
        return []
    least = np.partition(values, len(values) - most)[len(values) - most]
    above, equal = np.flatnonzero(values > least), np.flatnonzero((values == least) & (values > 0))
    chosen = np.concatenate([above, equal[: most - len(above)]])
    found: list[int] = chosen[np.argsort(-values[chosen], kind="stable")].tolist()
    return found
