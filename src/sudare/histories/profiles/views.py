"""What people buy as sparse profiles: one for each view of their rows.

A view is one or two columns. Its keys are the combinations of codes that occur; a person's profile in a view is a
vector over the keys, once by having them and once by the logarithm of how often, weighted by rarity (the root of the
inverse frequency among people) and of length 1, so that products are cosines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sudare.histories.profiles.coding import CodedColumn, numbered
from sudare.histories.profiles.sides import Side
from sudare.kernels.common.arrays import Bools, Floats32, Ints, Ints32
from sudare.kernels.profiles.rows import Profiles, count_keys
from sudare.showing import dataclass


class View(NamedTuple):
    """The columns of a view, and its weight in the similarity of people."""

    name: str
    columns: tuple[str, ...]
    weight: float


# Items tell most, also for people whose prices and quantities change. Quantities by themselves are a habit: they are
# compared where something is learnt of how much they tell.
VIEWS = (
    View("item", ("item",), 2),
    View("item_quantity", ("item", "quantity"), 1),
    View("item_price", ("item", "price"), 1),
    View("price_quantity", ("price", "quantity"), 1),
    View("quantity", ("quantity",), 0),
    View("item_day", ("item", "day"), 2),
)
# A row that can stand for more keys of a view than this tells next to nothing there.
MOST_KEYS = 512


@dataclass(frozen=True, slots=True, eq=False)
class ViewedSides:
    """The profiles of both sides over all views; keys of view v are below `ends[v]`.

    `weights` are those of the keys in the similarity of two people, `rarity` how rare each key is.
    """

    known: Profiles
    published: Profiles
    views: tuple[View, ...]
    ends: Ints
    weights: Floats32
    rarity: Floats32


def view_sides(known: Side, published: Side, sizes: Mapping[str, int]) -> ViewedSides:
    """Return the profiles of two sides in the same codes, in all views that their columns allow."""
    views = tuple(view for view in VIEWS if set(view.columns) <= set(sizes))
    total = 2 * sum(view.weight for view in views)
    found, weights, rarities, size = [], [], [], 0
    for view in views:
        sides, keys = _counted(view, known, published, sizes)
        rarity = _rarity(view, (known, published), sides, keys)
        found.append([_weighted(side, rarity, size, had=_is_plain(view, published)) for side in sides])
        weights.append(np.full(keys, view.weight / total, np.float32))
        rarities.append(rarity)
        size += keys
    ends = np.cumsum([len(part) for part in weights]).astype(np.int64)
    known_profiles, profiles = (_joined([parts[side] for parts in found]) for side in range(2))
    return ViewedSides(known_profiles, profiles, views, ends, np.concatenate(weights), np.concatenate(rarities))


class _Counts(NamedTuple):
    """The keys of each person and how often they occur."""

    starts: Ints
    keys: Ints32
    counts: Ints32


def _counted(view: View, known: Side, published: Side, sizes: Mapping[str, int]) -> tuple[tuple[_Counts, _Counts], int]:
    """Return the keys of a view for both sides, numbered alike, and how many there are."""
    counted = [_count(side.starts, *row_keys(view, side, sizes)) for side in (known, published)]
    # Keys that only one side has count for how much somebody buys.
    _, numbers = numbered(np.concatenate([keys for _, keys, _ in counted]))
    cut = len(counted[0][1])
    parts = numbers[:cut], numbers[cut:]
    sides = [_Counts(starts, keys, counts) for (starts, _, counts), keys in zip(counted, parts, strict=True)]
    return (sides[0], sides[1]), int(numbers.max(initial=-1)) + 1


def row_keys(view: View, side: Side, sizes: Mapping[str, int]) -> tuple[Ints, Ints]:
    """Return the keys of all rows, row by row, and how many each row has."""
    columns = [side.columns[name] for name in view.columns]
    there = np.logical_and.reduce([column.numbers >= 0 for column in columns])
    if all(column.starts is None for column in columns):
        keys = np.zeros(len(there), np.int64)
        for name, column in zip(view.columns, columns, strict=True):
            keys = keys * sizes[name] + column.numbers
        return (keys if there.all() else keys[there]), there.astype(np.int64)
    return _expanded(
        [_cells(column, sizes[name]) for name, column in zip(view.columns, columns, strict=True)],
        [sizes[name] for name in view.columns],
        there,
    )


def _cells(column: CodedColumn, size: int) -> tuple[Ints32, Ints, Ints32]:
    """Return the cell of each row, and the codes of the cells."""
    if column.starts is None or column.codes is None:
        single = np.arange(size + 1)
        return column.numbers, single, single[:-1].astype(np.int32)
    return column.numbers, column.starts, column.codes


def _expanded(columns: Sequence[tuple[Ints32, Ints, Ints32]], sizes: Sequence[int], there: Bools) -> tuple[Ints, Ints]:
    """Return every combination of the codes of a row's cells; none if they are too many."""
    counts = there.astype(np.int64)
    for numbers, starts, _ in columns:
        # A deleted cell is -1, which is the last of these: there may be no others.
        counts *= np.append(np.diff(starts), 0)[numbers]
    counts[counts > MOST_KEYS] = 0
    rows = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    keys = np.zeros(len(rows), np.int64)
    for (numbers, starts, codes), size in zip(columns, sizes, strict=True):
        cells = numbers[rows]
        own = starts[cells + 1] - starts[cells]
        keys = keys * size + codes[starts[cells] + within % own]
        within //= own
    return keys, counts


def _count(starts: Ints, keys: Ints, per_row: Ints) -> tuple[Ints, Ints, Ints32]:
    """Return the different keys of each person, and how often each occurs."""
    ends = np.concatenate([[0], np.cumsum(per_row)])
    own_starts = ends[starts]
    found_starts, found = np.empty(len(starts), np.int64), np.empty(len(keys), np.int64)
    counts = np.empty(len(keys), np.int32)
    count_keys(own_starts, keys, found_starts, found, counts)
    size = int(found_starts[-1])
    return found_starts, found[:size].copy(), counts[:size].copy()


def _rarity(view: View, sides: tuple[Side, Side], counted: tuple[_Counts, _Counts], keys: int) -> Floats32:
    """Return the logarithm of all people to those who have a key, half a person being added.

    Of groups whose cells can be many things, nobody knows who has a key.
    """
    people, holders = 0, np.zeros(keys, np.int64)
    for side, found in zip(sides[: 2 if _is_plain(view, sides[1]) else 1], counted, strict=False):
        people += len(side)
        holders += np.bincount(found.keys, minlength=keys)
    return np.log((people + 1) / (holders + 0.5)).astype(np.float32)


def _is_plain(view: View, published: Side) -> bool:
    """Say whether the published cells of a view are one code each."""
    return all(published.columns[name].starts is None for name in view.columns)


def _weighted(side: _Counts, rarity: Floats32, base: int, *, had: bool) -> Profiles:
    """Return the values of profiles; where cells only can be their values, having one counts by how often too."""
    roots = np.sqrt(rarity)[side.keys]
    often = roots * np.log1p(side.counts).astype(np.float32)
    values: list[Floats32] = []
    for value in (roots if had else often, often):
        squares = np.concatenate([[0.0], np.cumsum(value.astype(np.float64) ** 2)])
        lengths = np.sqrt(np.maximum(np.diff(squares[side.starts]), 1e-12))
        values.append((value / np.repeat(lengths, np.diff(side.starts))).astype(np.float32))
    return Profiles(side.starts, side.keys + np.int32(base), *values)


def _joined(parts: Sequence[Profiles]) -> Profiles:
    """Return the profiles of several views as one, those of a person one view after the other."""
    counts = np.array([np.diff(part.starts) for part in parts])
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))]).astype(np.int64)
    size = int(starts[-1])
    keys, values = np.empty(size, np.int32), [np.empty(size, np.float32) for _ in range(2)]
    before = starts[:-1].copy()
    for part, own in zip(parts, counts, strict=True):
        places = np.arange(len(part.keys)) + np.repeat(before - part.starts[:-1], own)
        keys[places] = part.keys
        for target, value in zip(values, part[2:], strict=True):
            target[places] = value
        before += own
    return Profiles(starts, keys, *values)
