"""All assignments of different customers to pseudonyms, where each can be one of several.

All ways (perfect matchings) are equally probable to who knows no more. In parts of the graph with few matchings all are
listed; in others matchings are drawn by a chain of changes along alternating paths (the directed loops of Sandvik,
Moessner: Correlations and confinement in nonplanar two-dimensional dimer models, 2006, for any bipartite graph), in
which all ways are equally probable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.histories import matchings as kernels
from sudare.showing import dataclass

# For what is drawn whatever the time.
_NEVER = np.zeros(1, np.bool_)
# Parts of the last drawings, whose spread gives an interval.
BATCHES = 20
# Parts with at most this number of pseudonyms and matchings are listed.
_MOST_LISTED_PIDS = 10
_MOST_LISTED = 10_000
# Matchings that are drawn each time: to choose guesses, to compare the best, to judge. And cells of memory for them.
SAMPLES = 40_000
MOST_DRAWN_CELLS = 50_000_000
# Choices between two drawings and before the first, for each pseudonym of a part.
_CHOICES_BETWEEN = 2
_CHOICES_BEFORE = 200


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Pseudonyms and customers that nothing joins to others; `listed` has all matchings if they are few."""

    pids: Ints
    listed: Ints | None


class Matchings:
    """All ways to assign each pseudonym one of the customers it can be, no customer twice, equally probable.

    Pseudonyms are 0, 1, ...; `candidates[p]` are the numbers of the customers that p can be.
    """

    @checked
    def __init__(self, candidates: Sequence[Sequence[int]]) -> None:
        chosen = [sorted(set(line)) for line in candidates]
        self.starts: Ints = np.concatenate([[0], np.cumsum([len(line) for line in chosen])]).astype(np.int64)
        self.edges: Ints = np.array([j for line in chosen for j in line], np.int64)
        if not len(self.edges):
            raise OptionNotUsable("errors.safety.no_candidates")
        self.customers = int(self.edges.max()) + 1
        self.pids: Ints = np.repeat(np.arange(len(self)), np.diff(self.starts))
        shape = (len(self), self.customers)
        self._graph = csr_array((np.ones(len(self.edges)), (self.pids, self.edges)), shape=shape)
        self._match: Ints = maximum_bipartite_matching(self._graph, perm_type="column").astype(np.int64)
        if (self._match < 0).any():
            raise OptionNotUsable("errors.safety.no_matching")
        self._owner: Ints = np.full(self.customers, -1, np.int64)
        self._owner[self._match] = np.arange(len(self))
        self._changes: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def degrees(self) -> Ints:
        """How many customers each pseudonym can be."""
        return np.diff(self.starts)

    @cached_property
    def parts(self) -> list[_Part]:
        """The connected components of the graph."""
        count = len(self) + self.customers
        joined = csr_array((np.ones(len(self.edges)), (self.pids, len(self) + self.edges)), shape=(count, count))
        _, part_of = connected_components(joined, directed=False)
        order = np.argsort(part_of[: len(self)], kind="stable")
        cuts = np.flatnonzero(np.diff(part_of[order])) + 1
        return [_Part(pids, self._listed(pids)) for pids in np.split(order, cuts)]

    @cached_property
    def part_of(self) -> Ints:
        """The component of each pseudonym."""
        found = np.empty(len(self), np.int64)
        for number, part in enumerate(self.parts):
            found[part.pids] = number
        return found

    def _listed(self, pids: Ints) -> Ints | None:
        """Return all matchings of a part, a line each; None if there are too many."""
        if len(pids) > _MOST_LISTED_PIDS:
            return None
        candidates = [self.edges[self.starts[p] : self.starts[p + 1]].tolist() for p in pids]
        found = []
        for way in _ways(candidates, 0, frozenset()):
            found.append(way)
            if len(found) > _MOST_LISTED:
                return None
        return np.array(found, np.int64)

    def _draw(self, part: _Part, count: int, rng: np.random.Generator, halt: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Draw matchings of a part, a line each with the customers of its pseudonyms; fewer if halted."""
        if part.listed is not None:
            return part.listed[rng.integers(0, len(part.listed), count)].astype(np.int32)
        first = int(part.pids[0])
        if first not in self._changes:
            self._changes[first] = self._settle(part, rng)
        found = np.empty((count, len(part.pids)), np.int32)
        arguments = self.starts, self.edges, part.pids, self._match, self._owner
        drawn, _ = kernels.draw_matchings(*arguments, self._changes[first], rng, found, halt)
        return found[:drawn]

    def _settle(self, part: _Part, rng: np.random.Generator) -> int:
        """Change the matching of a part until it does not depend on the first; return the changes for a new one."""
        size, changes, choices = len(part.pids), 0, 0
        one = np.empty((1, size), np.int32)
        while choices < _CHOICES_BEFORE * size:
            _, more = kernels.draw_matchings(
                self.starts, self.edges, part.pids, self._match, self._owner, size, rng, one, _NEVER
            )
            choices += more
            changes += size
        return -(-_CHOICES_BETWEEN * size * changes // choices)

    @checked
    def draw_all(self, count: int, rng: np.random.Generator) -> NDArray[np.int32]:
        """Draw matchings of the whole graph: one row per matching, with the customer of each pseudonym."""
        if count < 0:
            raise OptionNotUsable("errors.safety.count", number=count)
        return self._draw_until(count, rng, Deadline(None))

    def _draw_until(self, count: int, rng: np.random.Generator, deadline: Deadline) -> NDArray[np.int32]:
        """Draw `count` matchings, or fewer if time runs out, but at least as many as there are batches."""
        found = np.empty((count, len(self)), np.int32)
        drawn = count
        for part in self.parts:
            if deadline.over:
                drawn = min(drawn, BATCHES)
            lines = self._draw(part, drawn, rng, deadline.halt)
            if len(lines) < min(BATCHES, drawn):
                lines = np.concatenate([lines, self._draw(part, min(BATCHES, drawn) - len(lines), rng, _NEVER)])
            drawn = len(lines)
            found[:drawn, part.pids] = lines
        return found[:drawn]

    @checked
    def hits(self, guesses: Ints, drawn: NDArray[np.int32]) -> tuple[Floats, bool]:
        """Return the probabilities of 0, 1, ... hits, one row per batch of draws, and whether they are exact.

        Parts are independent of each other: the hits of each are counted separately, without drawing where all
        matchings are listed.
        """
        if guesses.ndim != 2 or guesses.shape[1] != 2 or not np.isin(guesses[:, 0], np.arange(len(self))).all():
            raise OptionNotUsable("errors.safety.guess_pairs")
        if drawn.ndim != 2 or drawn.shape[1] != len(self):
            raise OptionNotUsable("errors.safety.drawn", pseudonyms=len(self))
        found = np.ones((BATCHES, 1))
        exact = True
        for number in np.unique(self.part_of[guesses[:, 0]]).tolist():
            part = self.parts[number]
            inside = guesses[self.part_of[guesses[:, 0]] == number]
            if part.listed is None:
                exact = False
                batches = np.array_split((drawn[:, inside[:, 0]] == inside[:, 1]).sum(axis=1), BATCHES)
            else:
                places = np.searchsorted(part.pids, inside[:, 0])
                batches = [(part.listed[:, places] == inside[:, 1]).sum(axis=1)]
            counted = [np.bincount(batch, minlength=len(inside) + 1) / len(batch) for batch in batches]
            counted *= BATCHES // len(counted)
            found = np.array([np.convolve(one, other) for one, other in zip(found, counted, strict=True)])
        return found, exact


def _ways(candidates: Sequence[Sequence[int]], place: int, taken: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to take a different number from each list."""
    if place == len(candidates):
        yield ()
        return
    for chosen in candidates[place]:
        if chosen not in taken:
            for others in _ways(candidates, place + 1, taken | {chosen}):
                yield (chosen, *others)
