"""Recoded tables drawn at random, with cells that overlap, suppressed records and persons."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies

from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.roles import Role
from tests.tables.recoded.small import Cell, recoded_of
from tests.tables.small_tables import table_of


@dataclass(frozen=True)
class Published:
    """A recoded table, and what stands in it record by record: values, cells (None if suppressed), person."""

    table: Table
    found: RecodedTable

    @property
    def records(self) -> list[tuple[int, ...]]:
        return [tuple(int(code) for code in self.table.codes[:, row]) for row in self.found.rows]

    @property
    def cells(self) -> list[list[set[int]] | None]:
        return [None if owner < 0 else self.class_cells(int(owner)) for owner in self.found.owner]

    @property
    def persons(self) -> list[int]:
        whose = self.table.persons
        return list(range(len(self.found.rows))) if whose is None else [int(whose[row]) for row in self.found.rows]

    def class_cells(self, owner: int) -> list[set[int]]:
        columns = self.found.columns
        return [set(column.covered(self.found.cells[a, owner]).tolist()) for a, column in enumerate(columns)]

    def covering(self, record: int, places: list[int]) -> list[int]:
        """Return the published records whose cells cover the values of a record, by looking at each."""
        known = self.records[record]
        return [
            i for i, cells in enumerate(self.cells) if cells is not None and all(known[a] in cells[a] for a in places)
        ]


@strategies.composite
def published_tables(draw: strategies.DrawFn, *, sensitive: bool = False, persons: bool = True) -> Published:
    """Draw records, classes of them, and cells that cover the values of their class and perhaps more."""
    width, values = draw(strategies.integers(1, 4)) + sensitive, 4
    row = strategies.tuples(*[strategies.integers(0, values - 1)] * width)
    records = draw(strategies.lists(row, min_size=1, max_size=14))
    whose = strategies.lists(strategies.integers(0, 4), min_size=len(records), max_size=len(records))
    table = table_of(records, persons=draw(strategies.one_of(strategies.none(), whose)) if persons else None)
    classes = draw(strategies.integers(1, 4))
    numbers = strategies.lists(strategies.integers(-1, classes - 1), min_size=len(records), max_size=len(records))
    owner = draw(numbers.filter(lambda found: max(found) >= 0))
    rows = [row for row, count in enumerate(table.counts.tolist()) for _ in range(count)]
    quasi = width - sensitive
    more = strategies.sets(strategies.integers(0, values - 1), max_size=2)
    cells = [
        [cell(draw(more), table, a, [rows[i] for i, c in enumerate(owner) if c == number]) for a in range(quasi)]
        for number in range(classes)
    ]
    roles: dict[str, Role] = {table.attributes[-1]: "sensitive"} if sensitive else {}
    return Published(table, recoded_of(table, cells, owner, roles=roles))


def cell(more: set[int], table: Table, a: int, rows: list[int]) -> Cell:
    within = {value for value in more if value < len(table.values[a])}
    return tuple(sorted(within | {int(table.codes[a, row]) for row in rows})) or (0,)
