"""The search for classes: best cuts, merging of classes that fail, then rounds of exchanges between neighbours.

Classes are searched block by block. A block has classes that are close in some order: at first that of the cuts, then
that of their boxes, attribute by attribute, in a random order of the attributes. So the work of a round grows with the
number of records, and blocks are worked on side by side; yet every two neighbours meet in some round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline
from sudare.errors import AnswerIsNo
from sudare.interruption import settle
from sudare.kernels.table_classes import exchanges as kernels
from sudare.kernels.table_classes.boxes import Attributes
from sudare.kernels.table_classes.cuts import cut
from sudare.kernels.table_classes.presence import presence
from sudare.kernels.table_classes.secrets import Population, Secrets
from sudare.showing import dataclass
from sudare.tables.anonymize.class_search.secrets import with_own_memory
from sudare.tables.anonymize.registry import Ended

Owners = NDArray[np.int64]
# Classes in a block: finding the neighbours of a class takes about as long as dividing a pool then.
_BLOCK_CLASSES = 2500
# Blocks at least, so that several processors have work, however many there are; and classes in a block then.
_LEAST_BLOCKS, _LEAST_CLASSES = 4, 100
# Trials for each class in a round, and for each class that is too large to grow from single records; for a block.
_TRIALS, _MORE_TRIALS = 4, 16
_LEAST_TRIALS = 1000
# A round that saves less than this share of the loss is the last one.
_LEAST_GAIN = 0.001
_MOST_ROUNDS = 200
_ROUNDING = 1e-9
# Up to these sizes of classes, that many neighbours are pooled, and classes grow in this share of the pools. By NCP,
# which cuts often leave classes too large, all grow rather (measured on Adult).
_POOLS = ((7, 5, 1.0, 1.0), (20, 3, 0.7, 1.0), (50, 3, 0.3, 1.0), (inf, 3, 0.0, 0.7))
_NEAR = 8


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched: records by place, what a class must satisfy, and how many records it has at least.

    `base` is what the records would weigh alone: a division loses what it costs more.
    """

    attributes: Attributes
    records: NDArray[np.int32]
    secrets: Secrets
    population: Population
    size: int
    base: float
    loss_name: str

    @property
    def simple(self) -> bool:
        """Whether a class needs nothing but its size."""
        return not len(self.secrets.least) and not len(self.population.counts)

    def loss(self, cost: float) -> float:
        """Return what a record loses on average."""
        return (cost - self.base) / max(len(self.records), 1)


@dataclass(slots=True, eq=False)
class ClassSearch:
    """The best division so far, and what is needed to find a better one."""

    problem: Problem
    deadline: Deadline
    pool: ThreadPoolExecutor
    seed: int
    tell: Callable[[float, int], None]
    owner: Owners = field(default_factory=lambda: np.zeros(0, np.int64))
    cost: float = np.inf
    rounds: int = 0

    @property
    def loss(self) -> float:
        """What a record loses on average in the best division so far."""
        return self.problem.loss(self.cost)

    def start(self) -> None:
        """Cut the records into classes and merge those that fail.

        Where a class needs more than its size, larger sizes are tried too, as long as the loss becomes less: cuts that
        do not look at secrets may have to be undone otherwise.
        """
        size = self.problem.size
        while size <= max(len(self.problem.records) // 2, self.problem.size):
            owner, cost, held = self._merged(self._cut(size))
            if cost >= self.cost * (1 + _LEAST_GAIN):
                break
            if held and cost < self.cost:
                self.owner, self.cost = owner, cost
                self.problem = replace(self.problem, size=size)
            if self.problem.simple or self.deadline.over:
                break
            size *= 2
        if not len(self.owner):
            raise AnswerIsNo("errors.local.no_classes")
        self.tell(self.loss, 0)

    def improve(self, rounds: int = _MOST_ROUNDS) -> Ended:
        """Exchange records between neighbouring classes, round by round, until that saves next to nothing."""
        while self.rounds < rounds:
            if self.deadline.over:
                return "time"
            before = self.loss
            self._round()
            self.tell(self.loss, self.rounds)
            if before - self.loss <= _LEAST_GAIN * before and not self.deadline.over:
                return "converged"
        return "converged"

    def part_present(self) -> None:
        """Merge classes that cover the same people of the population, until nobody is too likely in the table."""
        population = self.problem.population
        while population.most < 1:
            shares, classes = presence(
                self.problem.attributes, population, self.problem.records, self.owner, np.zeros(1, np.bool_)
            )
            likely = np.flatnonzero(shares > population.most * (1 + _ROUNDING))
            if not len(likely):
                return
            merged = _paired(classes[likely[np.argsort(-shares[likely], kind="stable")]], int(self.owner.max()) + 1)
            self.owner, self.cost, held = self._merge(merged[self.owner], np.arange(len(self.owner)))
            if not held or not (merged != np.arange(len(merged))).any():
                raise AnswerIsNo("errors.local.no_classes")
            self.owner = np.unique(self.owner, return_inverse=True)[1].astype(np.int64)

    def _cut(self, size: int) -> Owners:
        rng = np.random.default_rng([self.seed, 0, size])
        # Cuts take little time, and without them there is nothing: they end only by themselves.
        return cut(self.problem.attributes, self.problem.records, size, rng, np.zeros(1, np.bool_))

    def _merged(self, owner: Owners) -> tuple[Owners, float, bool]:
        """Merge the classes that fail, first with others of their block, then with any; say whether all hold."""
        if self.problem.simple:
            return owner, self._cost(owner), True
        blocks = self._blocks(owner, np.arange(int(owner.max()) + 1))
        found = self.pool.map(lambda block: self._merge(owner, block), blocks)
        held = self._joined(owner, zip(blocks, (one for one, _, _ in found), strict=True))
        return self._merge(held, np.arange(len(owner)))

    def _merge(self, owner: Owners, block: Owners) -> tuple[Owners, float, bool]:
        problem = self.problem
        numbered = np.unique(owner[block], return_inverse=True)[1].astype(np.int64)
        return kernels.merge(
            problem.attributes, with_own_memory(problem.secrets), problem.population,
            np.ascontiguousarray(problem.records[block]), block, numbered,
        )  # fmt: skip

    def _cost(self, owner: Owners) -> float:
        return kernels.division_cost(self.problem.attributes, self.problem.records, np.arange(len(owner)), owner)

    def _round(self) -> None:
        """Exchange records within blocks."""
        blocks = self._blocks(self.owner, self._class_order())
        tasks = [(block, self._effort(block), number) for number, block in enumerate(blocks)]
        found = list(self.pool.map(lambda task: self._exchange(*task), tasks))
        self.owner = self._joined(self.owner, zip(blocks, (owner for owner, _ in found), strict=True))
        self.cost = sum(cost for _, cost in found)
        self.rounds += 1

    def _exchange(self, block: Owners, effort: kernels.Effort, number: int) -> tuple[Owners, float]:
        problem = self.problem
        numbered = np.unique(self.owner[block], return_inverse=True)[1].astype(np.int64)
        return kernels.exchange(
            problem.attributes, with_own_memory(problem.secrets), problem.population,
            np.ascontiguousarray(problem.records[block]), block, numbered, effort,
            np.random.default_rng([self.seed, 1, self.rounds, number]), self.deadline.halt,
        )  # fmt: skip

    def _effort(self, block: Owners) -> kernels.Effort:
        size = self.problem.size
        _, neighbours, *grown = next((pool for pool in _POOLS if size <= pool[0]), _POOLS[-1])
        classes = len(np.unique(self.owner[block]))
        mean = -(-len(block) // max(classes, 1))
        return kernels.Effort(
            size=size,
            trials=max((_TRIALS if size <= _POOLS[-2][0] else _MORE_TRIALS) * classes, _LEAST_TRIALS),
            pooled=neighbours,
            near=_NEAR,
            most=min(4 * max(size, mean) * (neighbours + 1), max(len(block), 1)),
            grown=grown[self.problem.loss_name == "ncp"],
        )

    def _class_order(self) -> Owners:
        """Return the classes in the order of the cuts, or of their boxes by the attributes in random order."""
        classes = int(self.owner.max()) + 1
        if not self.rounds:
            return np.arange(classes)
        rng = np.random.default_rng([self.seed, 2, self.rounds])
        lows = np.full((self.problem.records.shape[1], classes), np.iinfo(np.int32).max, np.int32)
        for low, column in zip(lows, self.problem.records.T, strict=True):
            np.minimum.at(low, self.owner, column)
        return np.lexsort(lows[rng.permutation(len(lows))])

    def _blocks(self, owner: Owners, order: Owners) -> list[Owners]:
        """Return the records of blocks of classes that follow each other in an order."""
        sizes = np.bincount(owner, minlength=len(order))
        used = order[sizes[order] > 0]
        parts = max(-(-len(used) // _BLOCK_CLASSES), min(_LEAST_BLOCKS, max(len(used) // _LEAST_CLASSES, 1)))
        rank = np.empty(len(order), np.int64)
        rank[used] = np.arange(len(used)) * parts // len(used)
        block = rank[owner]
        records = np.argsort(block, kind="stable")
        return np.split(records, np.searchsorted(block[records], np.arange(1, parts)))

    @staticmethod
    def _joined(owner: Owners, found: Iterable[tuple[Owners, Owners]]) -> Owners:
        """Return the classes of all records, where blocks number theirs from 0."""
        joined = np.empty_like(owner)
        used = 0
        for block, numbers in found:
            joined[block] = numbers + used
            used += int(numbers.max()) + 1
        return np.unique(joined, return_inverse=True)[1].astype(np.int64)


def _paired(pairs: NDArray[np.int64], classes: int) -> Owners:
    """Return a new number for each class: that of its partner in a pair, unless one of both has a partner already."""
    merged, free = np.arange(classes), np.ones(classes, np.bool_)
    for one, other in pairs.tolist():
        if other >= 0 and free[one] and free[other]:
            merged[other] = one
            free[[one, other]] = False
    return merged


def search_classes(
    problem: Problem,
    *,
    seconds: float | None,
    seed: int,
    threads: int,
    tell: Callable[[float, int], None],
) -> tuple[Owners, Ended]:
    """Return the class of each record, and how the search ended; when interrupted, the best so far stays."""
    with ThreadPoolExecutor(threads) as pool, Deadline(seconds) as deadline:
        search = ClassSearch(problem, deadline, pool, seed, tell)
        search.start()
        try:
            ended = search.improve()
        except KeyboardInterrupt:
            settle()
            ended = "interrupted"
        search.part_present()
    return search.owner, ended
