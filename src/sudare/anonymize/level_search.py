"""The search for safe levels and the least loss among them: what the kernel needs, and its answer by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.data.distinct import sum_by
from sudare.data.hierarchy import Hierarchy, level_codes
from sudare.data.table import Table
from sudare.kernels import levels as kernel
from sudare.progress import Progress

# In the order of the kernel's numbers.
LOSSES = ("entropy", "discernibility", "precision")
# How often progress is told.
STEPS = 100

Levels = dict[str, int]
Codes = Sequence[NDArray[np.int32]]
Counts = NDArray[np.float64]


class Search:
    """The arrays of one search."""

    def __init__(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        known: Sequence[str],
        *,
        size: int,
        allowed: int,
        loss: str,
    ) -> None:
        # Attributes with many values come first: raising them makes the tables of all later ones small. Of 40 random
        # orders none was faster on Adult.
        self._known = known
        self._names = sorted(known, key=lambda name: -len(table.values[table.positions([name])[0]]))
        places = table.positions(self._names)
        codes = [_codes(hierarchies.get(name), table.values[a]) for name, a in zip(self._names, places, strict=True)]
        columns = [table.codes[a] for a in places]
        counts = [
            sum_by(column, table.counts, len(c[0])).astype(np.float64) for column, c in zip(columns, codes, strict=True)
        ]
        self._lattice = _lattice(codes, counts, table.records, size, allowed, LOSSES.index(loss))
        self._walk = _walk(self._lattice, columns, table.counts)

    def run(self, progress: Progress) -> None:
        """Find the safe nodes, then the best one."""
        # A class at higher levels is a union of classes at lower ones. So a record that is in a class of k at some
        # levels is so at all higher ones, and what is suppressed there is part of what is suppressed here: safe nodes
        # have only safe ones above, unsafe ones only unsafe ones below.
        self._through(kernel.find_safe, "safe levels", progress)
        # Without suppression no loss falls when a level is raised, and all minimal nodes have been measured. With it,
        # a higher level may save records from suppression, so that all safe nodes count.
        if self._lattice.allowed:
            self._walk.rows[1:] = -1
            self._through(kernel.find_best, "least loss", progress)

    def _through(self, walk: Any, step: str, progress: Progress) -> None:
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
            "highest": self._named(len(safe) - 1),
            "minimal": tuple(
                sorted((self._named(node) for node in minimal.tolist()), key=lambda found: list(found.values()))
            ),
            **self._best(),
        }

    def _levels(self, node: int) -> NDArray[np.int64]:
        digits: NDArray[np.int64] = node // self._lattice.stride % self._lattice.levels
        return digits

    def _named(self, node: int) -> Levels:
        by_name = dict(zip(self._names, self._levels(node).tolist(), strict=True))
        return {name: by_name[name] for name in self._known}

    def _best(self) -> dict[str, Any]:
        loss, _, node = self._walk.best
        if node < 0:
            return dict.fromkeys(("best", "loss", "suppressed", "classes", "smallest"))
        scratch = len(self._walk.rows) - 1
        kernel.group(self._lattice, self._walk, 0, scratch, self._levels(int(node)))
        sizes = self._walk.weights[scratch, : self._walk.rows[scratch]]
        kept = sizes[sizes >= self._lattice.small]
        return {
            "best": self._named(int(node)),
            "loss": float(loss),
            # As counted, not as the walk held it beside the loss, in floating point.
            "suppressed": int(sizes.sum() - kept.sum()),
            "classes": len(kept),
            "smallest": int(kept.min()),
        }


def _codes(hierarchy: Hierarchy | None, values: Sequence[str | None]) -> list[NDArray[np.int32]]:
    return level_codes(hierarchy, values) if hierarchy else [np.arange(len(values), dtype=np.int32)]


def minimal_nodes(safe: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which nodes are safe and have no direct lower neighbour that is; each axis is an attribute's levels."""
    minimal = safe.copy()
    for axis in range(safe.ndim):
        np.moveaxis(minimal, axis, 0)[1:] &= ~np.moveaxis(safe, axis, 0)[:-1]
    return minimal


def _lattice(
    codes: Sequence[Codes], counts: Sequence[Counts], records: int, size: int, allowed: int, loss: int
) -> kernel.Lattice:
    levels = np.array([len(c) for c in codes], np.int64)
    cardinality = np.array([len(c) for c in counts], np.int64)
    raised, penalty, single, base = _maps(codes, counts, loss)
    word, shift = _fields(cardinality)
    return kernel.Lattice(
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
        loss=loss,
    )


def _maps(codes: Sequence[Codes], counts: Sequence[Counts], loss: int) -> tuple[NDArray[Any], ...]:
    """Return what the kernel's Lattice has of each attribute and level: raised, penalty, single, base."""
    raised, penalty = [], []
    single = np.zeros((len(codes), max(len(column) for column in codes)), np.bool_)
    base = np.zeros(single.shape)
    for a, (column, count) in enumerate(zip(codes, counts, strict=True)):
        used = count > 0
        for level, numbers in enumerate(column):
            firsts = np.unique(numbers, return_index=True)[1]
            crowd = np.bincount(numbers, count)[numbers]
            raised.append(firsts[numbers])
            penalty.append(np.log2(count.sum() / np.maximum(crowd, 1)))
            single[a, level] = len(firsts) == 1
            if loss == kernel.ENTROPY:
                base[a, level] = (count[used] * np.log2(crowd[used] / count[used])).sum()
            elif loss == kernel.PRECISION and level:
                base[a, level] = level / (len(column) - 1) / len(codes)
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


def _walk(lattice: kernel.Lattice, columns: Sequence[NDArray[np.int32]], counts: NDArray[np.int64]) -> kernel.Walk:
    tables, n, nodes = len(columns) + 2, len(counts), int(np.prod(lattice.levels))
    walk = kernel.Walk(
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
