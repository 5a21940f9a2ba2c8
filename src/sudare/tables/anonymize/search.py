"""Safe levels and the least loss among them: input for the kernel, and the exhaustive search."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.tables import grouping, levels as kernel
from sudare.messages import Message, message
from sudare.progress import Progress
from sudare.statistics.distinct import sum_by
from sudare.tables.anonymize.losses import ColumnLevel, Loss
from sudare.tables.hierarchies.model import Hierarchy, level_codes
from sudare.tables.model import Table

# What is told of the best levels; nothing where none are safe.
NUMBERS = ("best", "loss", "suppressed", "classes", "smallest")
# How often progress is told.
STEPS = 100

Levels = dict[str, int]
Codes = Sequence[NDArray[np.int32]]
Counts = NDArray[np.float64]


class Judge:
    """The distinct rows of a table, which can be put at any levels: the records suppressed there, and the loss.

    `names` are the known attributes in the order of the search, `top` is the highest level of each, and `base` what it
    adds to the loss at each level without suppression.
    """

    # Whether there is a place for what is known of each combination of levels.
    whole = False
    # All levels above safe ones are safe.
    monotone = True

    def __init__(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        known: Sequence[str],
        *,
        size: int,
        allowed: int,
        loss: Loss,
    ) -> None:
        # Attributes with many values come first: raising them makes the tables of all later ones small. Of 40 random
        # orders none was faster on Adult.
        self._known = known
        self.names = sorted(known, key=lambda name: -len(table.values[table.positions([name])[0]]))
        places = table.positions(self.names)
        codes = [_codes(hierarchies.get(name), table.values[a]) for name, a in zip(self.names, places, strict=True)]
        columns = [table.codes[a] for a in places]
        counts = [
            sum_by(column, table.counts, len(c[0])).astype(np.float64) for column, c in zip(columns, codes, strict=True)
        ]
        self._lattice = _lattice(codes, counts, table.records, size, allowed, loss)
        self._walk = _walk(self._lattice, columns, table.counts, nodes=math.prod(map(len, codes)) if self.whole else 0)
        self.top = [len(c) - 1 for c in codes]
        self.base = [row[: len(c)] for row, c in zip(self._lattice.base.tolist(), codes, strict=True)]

    def judge(self, levels: Sequence[int], depth: int | None = None) -> tuple[int, float]:
        """Return the suppressed records at some levels, and the loss of the first `depth` attributes (None: of all).

        Of fewer attributes, discernibility is not known, and 0 here.
        """
        depth = len(self.top) if depth is None else depth
        at = np.asarray([*levels[:depth], *self.top[depth:]], np.int64)
        suppressed, loss = kernel.judge(self._lattice, self._walk, self._projected(depth), self._scratch, at, depth)
        return int(suppressed), float(loss)

    def least_crowding(self, levels: Sequence[int], depth: int) -> float:
        """Return a discernibility that no safe levels fall below that begin with `depth` given ones.

        Each record is in a class of the right size, and with all records that it is equal to at the lowest levels.
        """
        at = np.asarray([*levels[:depth], *([0] * (len(self.top) - depth))], np.int64)
        kernel.group(self._lattice, self._walk, 0, self._scratch, at)
        sizes = self._walk.weights[self._scratch, : self._walk.rows[self._scratch]].astype(np.float64)
        return float((sizes * np.clip(sizes, min(self._lattice.small, self._lattice.records), None)).sum())

    def details(self, levels: Sequence[int]) -> dict[str, Any]:
        """Return what becomes of the table at some safe levels, by the names of LevelsFound."""
        kernel.group(self._lattice, self._walk, 0, self._scratch, np.asarray(levels, np.int64))
        sizes = self._walk.weights[self._scratch, : self._walk.rows[self._scratch]]
        kept = sizes[sizes >= self._lattice.small]
        # As counted, not as a walk holds it beside the loss, in floating point.
        return {"suppressed": int(sizes.sum() - kept.sum()), "classes": len(kept), "smallest": int(kept.min())}

    def named(self, levels: Sequence[int]) -> Levels:
        """Return levels by attribute, in the order in which these were given."""
        by_name = dict(zip(self.names, map(int, levels), strict=True))
        return {name: by_name[name] for name in self._known}

    @property
    def _scratch(self) -> int:
        return len(self._walk.rows) - 1

    def _projected(self, depth: int) -> int:
        """Return the table in which all attributes but the first ones are at their highest levels."""
        if depth < len(self.top) and self._walk.rows[depth + 1] < 0:
            at = np.asarray([*([0] * depth), *self.top[depth:]], np.int64)
            kernel.group(self._lattice, self._walk, 0, depth + 1, at)
        return depth + 1 if depth < len(self.top) else 0


class Search(Judge):
    """The search through all combinations of levels."""

    whole = True

    def run(self, progress: Progress) -> None:
        """Find the safe nodes, then the best one."""
        # A class at higher levels is a union of classes at lower ones. So a record that is in a class of k at some
        # levels is so at all higher ones, and what is suppressed there is part of what is suppressed here: safe nodes
        # have only safe ones above, unsafe ones only unsafe ones below.
        self._through(kernel.find_safe, message("progress.safe_levels"), progress)
        # Without suppression no loss falls when a level is raised, and all minimal nodes have been measured. With it,
        # a higher level may save records from suppression, so that all safe nodes count.
        if self._lattice.allowed:
            self._walk.rows[1:] = -1
            self._through(kernel.find_best, message("progress.least_loss"), progress)

    def _through(
        self, walk: Callable[[grouping.Lattice, grouping.Walk, int, int], int], step: Message, progress: Progress
    ) -> None:
        nodes, node = len(self._walk.status), 0
        while node < nodes:
            progress(step, node, nodes)
            node = walk(self._lattice, self._walk, node, min(nodes, node + max(1, nodes // STEPS)))
        progress(step, nodes, nodes)

    def answer(self) -> dict[str, Any]:
        """Return what was found, by the names of LevelsFound."""
        safe = self._walk.status == kernel.SAFE
        minimal = np.flatnonzero(minimal_nodes(safe.reshape([levels for levels in self._lattice.levels if levels > 1])))
        return {
            "nodes": len(safe),
            "evaluated": int(self._walk.seen.sum()),
            "safe_choices": int(safe.sum()),
            "highest": self.named(self.top),
            "minimal": tuple(
                sorted(
                    (self.named(self._levels(node)) for node in minimal.tolist()),
                    key=lambda found: list(found.values()),
                )
            ),
            **self._best(),
        }

    @property
    def least(self) -> float:
        """The least loss found, infinite if there are no safe levels."""
        return float(self._walk.best[kernel.LOSS])

    def _levels(self, node: int) -> list[int]:
        digits: list[int] = (node // self._lattice.stride % self._lattice.levels).tolist()
        return digits

    def _best(self) -> dict[str, Any]:
        node = int(self._walk.best[kernel.NODE])
        if node < 0:
            return dict.fromkeys(NUMBERS)
        levels = self._levels(node)
        return {"best": self.named(levels), "loss": self.least, **self.details(levels)}


def _codes(hierarchy: Hierarchy | None, values: Sequence[str | None]) -> list[NDArray[np.int32]]:
    return level_codes(hierarchy, values) if hierarchy else [np.arange(len(values), dtype=np.int32)]


def minimal_nodes(safe: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which nodes are safe and have no direct lower neighbour that is; each axis is an attribute's levels."""
    minimal = safe.copy()
    for axis in range(safe.ndim):
        np.moveaxis(minimal, axis, 0)[1:] &= ~np.moveaxis(safe, axis, 0)[:-1]
    return minimal


def _lattice(
    codes: Sequence[Codes], counts: Sequence[Counts], records: int, size: int, allowed: int, loss: Loss
) -> grouping.Lattice:
    levels = np.array([len(c) for c in codes], np.int64)
    cardinality = np.array([len(c) for c in counts], np.int64)
    raised, penalty, single, base = _maps(codes, counts, loss)
    word, shift = _fields(cardinality)
    return grouping.Lattice(
        word=word,
        shift=shift,
        field=np.array([(1 << _bits(n)) - 1 for n in cardinality], np.uint64),
        levels=levels,
        stride=np.append(np.cumprod(levels[:0:-1])[::-1], 1).astype(np.int64),
        first=np.append(0, np.cumsum(levels * cardinality)[:-1]),
        cardinality=cardinality,
        raised=raised,
        penalty=penalty,
        single=single,
        base=base,
        small=size,
        allowed=allowed,
        records=records,
        loss=loss.number,
    )


def _maps(codes: Sequence[Codes], counts: Sequence[Counts], loss: Loss) -> tuple[NDArray[Any], ...]:
    """Return what the kernel's Lattice has of each attribute and level: raised, penalty, single, base."""
    raised, penalty = [], []
    single = np.zeros((len(codes), max(len(column) for column in codes)), np.bool_)
    base = np.zeros(single.shape)
    for a, (column, count) in enumerate(zip(codes, counts, strict=True)):
        for level, numbers in enumerate(column):
            firsts = np.unique(numbers, return_index=True)[1]
            found = ColumnLevel.of(numbers, count, level, len(column) - 1)
            raised.append(firsts[numbers])
            penalty.append(loss.penalty(found) / loss.share(len(codes)))
            single[a, level] = len(firsts) == 1
            base[a, level] = loss.of_level(found) / loss.share(len(codes))
    return np.concatenate(raised).astype(np.uint64), np.concatenate(penalty), single, base


def _bits(cardinality: int) -> int:
    return max(1, (int(cardinality) - 1).bit_length())


def _fields(cardinality: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Lay the attributes side by side into as few 64-bit words as their order allows."""
    word, shift, at = [], [], 0
    for n in cardinality:
        if at % 64 + _bits(n) > 64:
            at += -at % 64
        word.append(at // 64)
        shift.append(at % 64)
        at += _bits(n)
    return np.array(word, np.int64), np.array(shift, np.uint64)


def _walk(
    lattice: grouping.Lattice, columns: Sequence[NDArray[np.int32]], counts: NDArray[np.int64], *, nodes: int
) -> grouping.Walk:
    tables, n = len(columns) + 2, len(counts)
    walk = grouping.Walk(
        keys=np.empty((tables, n, int(lattice.word[-1]) + 1), np.uint64),
        weights=np.empty((tables, n), np.int64),
        rows=np.full(tables, -1, np.int64),
        held=np.zeros((tables, len(columns)), np.int64),
        squares=np.zeros(tables),
        slots=np.empty(max(16, 1 << (2 * n - 1).bit_length()), np.int32),
        status=np.zeros(nodes, np.uint8),
        seen=np.zeros(nodes, np.uint8),
        best=np.array([np.inf, np.inf, -1.0]),
    )
    walk.keys[0] = 0
    for a, column in enumerate(columns):
        walk.keys[0, :, lattice.word[a]] |= column.astype(np.uint64) << lattice.shift[a]
    walk.weights[0] = counts
    walk.rows[0] = n
    return walk
