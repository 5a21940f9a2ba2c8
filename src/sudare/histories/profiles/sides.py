"""The two sides of a comparison: people who are known, and pseudonyms that were published, in the same codes.

Pseudonyms whose rows are the same are one *group*: nothing tells them apart, so they are compared once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.purchases import RoleColumns, role_columns, unit
from sudare.histories.profiles.coding import CodedColumn, Coding, Ranges, Sets, code_ranges, code_sets
from sudare.histories.safety.published_classes import PersonRows, classes_of
from sudare.kernels.common.arrays import Bools, Floats, Ints
from sudare.showing import dataclass
from sudare.sources.spellings import plain


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The rows of people, by person: those of person p begin at `starts[p]`.

    `columns` are codes by role, `numbers` the values of columns of numbers, in the middle of their cells; not-a-number
    where deleted. `days` are those of the rows; None if cells of them are ranges or deleted.
    """

    starts: Ints
    columns: Mapping[str, CodedColumn]
    numbers: Mapping[str, Floats]
    days: Ints | None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> Ints:
        """How many rows each person has."""
        return np.diff(self.starts)

    @property
    def owners(self) -> Ints:
        """The person of each row."""
        return np.repeat(np.arange(len(self)), self.rows)

    def taken(self, chosen: Bools) -> tuple[Side, Ints]:
        """Return the people who have some of the chosen rows, with only these, and who they are."""
        counts = np.add.reduceat(np.append(chosen, False), self.starts[:-1], dtype=np.int64) if len(self) else self.rows
        people = np.flatnonzero(counts)
        starts = np.concatenate([[0], np.cumsum(counts[people])]).astype(np.int64)
        rows = np.flatnonzero(chosen)
        columns = {role: column.taken(rows) for role, column in self.columns.items()}
        numbers = {role: values[rows] for role, values in self.numbers.items()}
        return Side(starts, columns, numbers, None if self.days is None else self.days[rows]), people

    def of_people(self, people: NDArray[Any]) -> Side:
        """Return only some people, in the order of their numbers."""
        wanted = np.zeros(len(self), np.bool_)
        wanted[people] = True
        return self.taken(np.repeat(wanted, self.rows))[0]


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Known people and groups of pseudonyms in the same codes.

    Known person p is number `customers[p]` of their history. Pseudonym i is number `pids[i]` of its history and in the
    group `groups[i]`; a group has `multiplicity` of them. `sizes` says how many codes the column of a role has, and
    `item_codes` which of them each of the `items` has. Where published cells overlap, codes are single values.
    """

    known: Side
    published: Side
    customers: Ints
    pids: Ints
    groups: Ints
    multiplicity: Ints
    sizes: Mapping[str, int]
    items: tuple[str, ...]
    item_codes: Ints
    overlapping: bool

    @property
    def grouped(self) -> bool:
        """Whether any pseudonyms have the same rows."""
        return bool((self.multiplicity > 1).any())

    def item_name(self, code: int, most: int = 3) -> str:
        """Return the name of an item by its code, or those of several that have the same code."""
        names = [self.items[item] for item in np.flatnonzero(self.item_codes == code)[: most + 1].tolist()]
        return names[0] if len(names) == 1 else f"{{{';'.join(names[:most])}{';…' if len(names) > most else ''}}}"


def make_sides(known: CellHistory, published: CellHistory, *, days: bool = False) -> Sides:
    """Bring two histories into the same codes; with `days`, the day is one of the columns."""
    own, other = role_columns(known), role_columns(published)
    people, persons = PersonRows.of(known), PersonRows.of(published)
    if not len(people.pids) or not len(persons.pids):
        raise OptionNotUsable("errors.profiles.empty")
    found = classes_of(published, persons)
    firsts = np.unique(found.classes, return_index=True)[1]
    chosen = np.isin(np.arange(len(found.pids)), firsts)
    rows = persons.rows[np.repeat(chosen, np.diff(persons.starts))]
    starts = np.concatenate([[0], np.cumsum(np.diff(persons.starts)[firsts])]).astype(np.int64)
    codings, items = _codings(own, other, people.rows, rows, days=days)
    sides = (
        _side(people.starts, {role: coding.known for role, coding in codings.items()}, codings, own, people.rows),
        _side(starts, {role: coding.published for role, coding in codings.items()}, codings, other, rows),
    )
    return Sides(
        *sides, people.pids, found.pids, found.classes, found.sizes,
        {role: coding.size for role, coding in codings.items()}, items, codings["item"].code_of,
        any(coding.overlapping for role, coding in codings.items() if role != "day"),
    )  # fmt: skip


def places_of(rising: Ints, wanted: Ints) -> Ints:
    """Return where numbers stand in a rising row of them, -1 where they do not."""
    places = np.minimum(np.searchsorted(rising, wanted), len(rising) - 1)
    return np.where(rising[places] == wanted, places, -1)


def _codings(
    known: RoleColumns, published: RoleColumns, own: NDArray[np.int32], other: NDArray[np.int32], *, days: bool
) -> tuple[dict[str, Coding], tuple[str, ...]]:
    names, (first, second) = _common_names(known.item, published.item)
    codings = {
        "item": code_sets(_sets(known.item, first, own), _sets(published.item, second, other), len(names)),
    }
    for role in ("price", "quantity"):
        if role in known.ordered and role in published.ordered:
            one, two = known.ordered[role], published.ordered[role]
            # Whole numbers in one file may have fractions in the other.
            scale = max(unit(one), unit(two))
            codings[role] = code_ranges(_ranges(one, own, scale // unit(one)), _ranges(two, other, scale // unit(two)))
    if days:
        codings["day"] = code_ranges(_ranges(known.day, own), _ranges(published.day, other))
    return codings, names


def _common_names(*columns: ItemColumn) -> tuple[tuple[str, ...], list[Ints]]:
    """Return the names of the items of all columns, however they are spelled, and the place of each item there."""
    places: dict[str, int] = {}
    found = [[places.setdefault(plain(name), len(places)) for name in column.names] for column in columns]
    return tuple(places), [np.asarray(part, np.int64) for part in found]


def _sets(column: ItemColumn, places: Ints, rows: NDArray[np.int32]) -> Sets:
    return Sets(column.sets[rows], column.starts, places[column.members])


def _ranges(column: OrderedColumn, rows: NDArray[np.int32], scale: int = 1) -> Ranges:
    low = column.low[rows] * scale
    high = low if column.high is column.low else column.high[rows] * scale
    return Ranges(low, high, np.asarray(column.kinds[rows] == Kind.DELETED))


def _side(
    starts: Ints,
    columns: dict[str, CodedColumn],
    codings: Mapping[str, Coding],
    of: RoleColumns,
    rows: NDArray[np.int32],
) -> Side:
    numbers: dict[str, Floats] = {
        role: _middles(columns[role], codings[role].values) for role in ("price", "quantity") if role in columns
    }
    day = of.day
    exact = bool((day.kinds[rows] != Kind.DELETED).all() and (day.low is day.high or (day.low == day.high)[rows].all()))
    return Side(starts, columns, numbers, day.low[rows] if exact else None)


def _middles(column: CodedColumn, values: Floats) -> Floats:
    """Return the number in the middle of each cell: of its code, or of the least and the greatest code."""
    if column.starts is None or column.codes is None:
        return np.append(values, np.nan)[column.numbers]
    if not len(column.codes):
        return np.full(len(column.numbers), np.nan)
    least = column.codes[np.minimum(column.starts[:-1], len(column.codes) - 1)]
    greatest = column.codes[np.maximum(column.starts[1:] - 1, 0)]
    middles = np.where(np.diff(column.starts) > 0, (values[least] + values[greatest]) / 2, np.nan)
    return np.append(middles, np.nan)[column.numbers]
