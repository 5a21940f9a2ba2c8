"""Purchase histories in which every customer has the same published rows as k - 1 others.

The model that won the contest of Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018,
at the least utility loss U that the search finds, with a bound below that of any other such history.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, fields, replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.bounds import bound_terms, class_bound
from sudare.histories.anonymize.class_search.alignment import align_given
from sudare.histories.anonymize.class_search.model import AlignedClass, ClassSearch
from sudare.histories.anonymize.class_search.search import search_classes
from sudare.histories.anonymize.earlier.customer_groups import check_crowds, published_groups
from sudare.histories.anonymize.pairs import pair_costs, pair_terms
from sudare.histories.anonymize.published_cells import publish_classes
from sudare.histories.anonymize.rows import MOST_ITEMS, SearchRows, history_rows, some_customers
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.utility.cost import cell_utility
from sudare.interruption import answer_found
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass

# Seconds that a search takes at most, and a fast one.
SECONDS = 600.0
FAST_SECONDS = 40.0
# Customers whose pairs are looked at together: their costs take 0.4 GB. More are divided by their numbers of rows.
MOST_TOGETHER = 5_000
# The shares of the time that the costs of pairs and the bound may take.
_PAIRS_SHARE = 0.4
_BOUND_SHARE = 0.35


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to search: cheapest pairs of each customer, precision of costs and bounds, annealing of classes.

    `rounds` are those of exchanges for the worse; `most_rounds` end every other step that goes on while it gains.
    """

    wanted: int
    last_step: float
    bound_step: float
    steps_per_customer: int
    rounds: int
    heat: float
    most_rounds: float = inf


THOROUGH = Effort(wanted=32, last_step=0.01, bound_step=0.003, steps_per_customer=10_000, rounds=600, heat=0.02)
FAST = Effort(wanted=16, last_step=0.05, bound_step=0.03, steps_per_customer=2_000, rounds=20, heat=0.003)


@dataclass(frozen=True, slots=True)
class AnonymizedHistory(Result):
    """A history in equivalence classes of at least k customers with the same published rows, and what it costs.

    `utility` is U, the mean error of all cells (0 is best); no history of this model is below `bound`, which is 0 if
    there was no time to compute it. `sizes` are the class sizes, counted in the published rows. `converged` says
    whether the search ended before its time limit.
    """

    history: CellHistory = field(repr=False)
    k: int
    seed: int
    customers: int
    rows: int
    deleted_rows: int
    sizes: tuple[int, ...] = field(repr=False)
    utility: float
    bound: float
    converged: bool
    seconds: float
    model: str = "classes"

    @property
    def safety(self) -> None:
        """None: the classes determine how safe the history is."""
        return None

    @property
    def gap(self) -> float:
        """The largest possible reduction of U, as a share of U."""
        return 1 - self.bound / self.utility if self.utility > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain values."""
        names = ("k", "seed", "customers", "rows", "deleted_rows", "utility", "bound", "gap", "converged", "seconds")
        return {"model": self.model, **{name: getattr(self, name) for name in names}, "sizes": list(self.sizes)}


@dataclass(frozen=True, slots=True)
class GroupedHistory(AnonymizedHistory):
    """A history whose classes do not mix groups of customers, such as those who were together in earlier releases.

    `groups` are those with k customers or more. The `unpublished_customers` of smaller ones are not published at all:
    all their rows are deleted.
    """

    groups: int = 0
    unpublished_customers: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain values."""
        own = {"groups": self.groups, "unpublished_customers": self.unpublished_customers}
        return {**AnonymizedHistory.to_dict(self), **own}


@checked
def anonymize_history(
    original: CellHistory,
    k: int,
    *,
    groups: NDArray[np.int64] | None = None,
    seed: int = 0,
    seconds: float | None = None,
    rounds: int | None = None,
    fast: bool = False,
    threads: int | None = None,
    most_items: int = MOST_ITEMS,
    ranges: bool = True,
    progress: Progress = silent,
) -> AnonymizedHistory:
    """Give every customer of a history of exact cells the same published rows as k - 1 others, at the least U found.

    The search ends when it finds nothing better or after `seconds`; then the best so far is the answer. `rounds` limits
    each of its steps; then only an explicit `seconds` limits the time. The same seed gives the same history unless time
    ended the search, whatever the number of threads. Sets have at most `most_items` items; with one item and without
    `ranges`, cells are exact or deleted (suppression only).

    `groups` are numbers, one per customer, the customers in ascending order of their numbers: no class mixes customers
    of different groups, customers of groups with fewer than k are not published, and the result is a `GroupedHistory`.
    """
    started = time.perf_counter()
    with Deadline(time_for(seconds, rounds, fast=fast)) as deadline:
        rows = history_rows(original, most_items=most_items, ranges=ranges)
        rng = np.random.default_rng(seed)
        apart = None if groups is None else published_groups(groups, len(rows.customers), k)
        found = search_history(
            rows, k, groups=apart, rng=rng, deadline=deadline, rounds=rounds, fast=fast, threads=threads, final=True,
            progress=progress,
        )  # fmt: skip
    history = publish_classes(original, rows, found.classes, rng)
    sizes = published_classes(history).sizes
    if sizes.min() < k:
        raise AssertionError(f"A class has {sizes.min()} members, fewer than {k}.")
    made = AnonymizedHistory(
        history, k, seed, len(rows.customers), len(rows), int(history.deleted.sum()), tuple(np.sort(sizes).tolist()),
        cell_utility(original, history, most=0).utility, found.bound / rows.cells, found.converged,
        time.perf_counter() - started,
    )  # fmt: skip
    if groups is None or apart is None:
        return made
    check_crowds(original, history, groups, k)
    plain = {part.name: getattr(made, part.name) for part in fields(made)}
    return GroupedHistory(**plain, groups=len(apart), unpublished_customers=made.customers - int(sizes.sum()))


@dataclass(frozen=True, slots=True)
class FoundClasses:
    """Aligned classes of a history, a bound below the cost of any, and whether the search ended before its time."""

    classes: list[AlignedClass] = field(repr=False)
    bound: float
    converged: bool


def search_history(
    rows: SearchRows,
    k: int,
    *,
    rng: np.random.Generator,
    deadline: Deadline,
    groups: Sequence[NDArray[np.int64]] | None = None,
    rounds: int | None = None,
    fast: bool = False,
    threads: int | None = None,
    final: bool = False,
    bounded: bool = True,
    progress: Progress = silent,
) -> FoundClasses:
    """Divide the customers into classes of at least k and align their rows, at the least cost found.

    `groups` are the places of customers that may be in a class together, k or more each; who is in none is in no class.
    `final` classes are an answer by themselves: who may stop the search gets the best so far. Without need of a bound
    (`bounded`) none is computed.
    """
    _check(rows, k)
    effort = FAST if fast else THOROUGH
    effort = effort if rounds is None else replace(effort, rounds=rounds, most_rounds=rounds)
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        work = _Work(rows, k, effort, deadline, deadline.left, final, bounded, pool, progress)
        if groups is None:
            return work.run([np.arange(len(rows.customers))], rng=rng)
        # Fewer than 2 k customers can only be one class: there is nothing to search.
        only = [group for group in groups if len(group) < 2 * k]
        return work.run([group for group in groups if len(group) >= 2 * k], only, rng=rng)


def time_for(seconds: float | None, rounds: int | None, *, fast: bool) -> float | None:
    """Return the seconds that a search may take: None, without end, if its rounds are given, and no time."""
    if rounds is not None and rounds < 1:
        raise OptionNotUsable("errors.anonymize.rounds", rounds=rounds)
    if seconds is None and rounds is not None:
        return None
    return seconds or (FAST_SECONDS if fast else SECONDS)


def _check(rows: SearchRows, k: int) -> None:
    if k < 2:
        raise OptionNotUsable("errors.anonymize.k", k=k)
    if k > len(rows.customers):
        raise OptionNotUsable("errors.anonymize.few_customers", count=len(rows.customers), k=k)


@dataclass(frozen=True, slots=True)
class _Work:
    """One search, group by group, in parts of customers of similar numbers of rows if there are many."""

    rows: SearchRows
    k: int
    effort: Effort
    deadline: Deadline
    seconds: float | None
    final: bool
    bounded: bool
    pool: ThreadPoolExecutor
    progress: Progress

    def run(
        self,
        groups: Sequence[NDArray[np.int64]],
        only: Sequence[NDArray[np.int64]] = (),
        *,
        rng: np.random.Generator,
    ) -> FoundClasses:
        """Return the classes of groups of customers, and of those who can be `only` one class each.

        Time is shared by numbers of rows, and what few rows do not need is left for many. There is a bound if all
        groups are searched, each as a whole; whoever is in none of them costs all their cells.
        """
        parts = sorted((part for group in groups for part in self.parts(group)), key=self.rows_of)
        bounded = self.bounded and len(parts) == len(groups) and not only
        left, found = sum(map(self.rows_of, [*only, *parts])), []
        rest = self.rows.row_cost * (len(self.rows) - left)
        if only:
            given = sum(map(self.rows_of, only))
            with self.deadline.part(given / left) as deadline:
                found.append(self.align(only, deadline, final=self.final and not parts))
            left -= given
        for number, part in enumerate(parts, start=1):
            final = self.final and number == len(parts)
            with self.deadline.part(self.rows_of(part) / left) as deadline:
                found.append(self.search(part, deadline, bounded=bounded, final=final, rng=rng))
            left -= self.rows_of(part)
        bound = rest + sum(one.bound for one in found) if bounded else 0.0
        classes = [aligned for one in found for aligned in one.classes]
        return FoundClasses(classes, bound, all(one.converged for one in found))

    def rows_of(self, customers: NDArray[np.int64]) -> int:
        """Return the number of rows of some customers."""
        return int(self.rows.lengths[customers].sum())

    def parts(self, group: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Divide many customers into parts of similar numbers of rows."""
        customers = group[np.argsort(self.rows.lengths[group], kind="stable")]
        count = -(-len(customers) // max(MOST_TOGETHER, 2 * self.k))
        cuts = np.linspace(0, len(customers), count + 1).astype(np.int64)
        return [np.sort(customers[first:last]) for first, last in pairwise(cuts.tolist())]

    def align(self, classes: Sequence[NDArray[np.int64]], deadline: Deadline, *, final: bool) -> FoundClasses:
        """Return classes whose members are given, without a bound."""
        found = align_given(self.rows, classes, pool=self.pool, deadline=deadline, final=final, progress=self.progress)
        return FoundClasses(found, 0.0, not deadline.over)

    def search(
        self,
        customers: NDArray[np.int64],
        deadline: Deadline,
        *,
        bounded: bool,
        final: bool,
        rng: np.random.Generator,
    ) -> FoundClasses:
        """Return classes of some customers and, if asked for, a bound: classes across parts could be cheaper."""
        rows, places = some_customers(self.rows, customers)
        effort, k = self.effort, self.k
        with deadline.part(_PAIRS_SHARE) as part:
            pairs = pair_costs(
                rows, max(effort.wanted, 2 * k), terms=pair_terms(rows), last_step=effort.last_step, pool=self.pool,
                deadline=part, progress=self.progress, step=message("progress.pair_costs"),
            )  # fmt: skip
        if final:
            # With these costs good classes are found in a moment.
            answer_found()
        with deadline.part(_BOUND_SHARE / (1 - _PAIRS_SHARE)) as part:
            bound = self.bound(rows, part) if bounded else 0.0
        cells = self.rows.cells

        def tell(cost: float) -> None:
            step = message("progress.classes", utility=cost / cells, bound=bound / cells)
            if self.seconds is None or self.deadline.left is None:
                self.progress(step, 0, 1)
                return
            spent = self.seconds - self.deadline.left
            self.progress(step, int(spent), int(self.seconds))

        search = ClassSearch(rows, k, pairs, self.pool, deadline, rng, tell, effort.most_rounds)
        search_classes(search, effort.steps_per_customer * len(rows.customers), effort.rounds, effort.heat)
        classes = [AlignedClass(one.members, places[one.rows], one.cost) for one in search.classes]
        return FoundClasses(classes, bound, search.converged)

    def bound(self, rows: SearchRows, deadline: Deadline) -> float:
        """Return a bound below the cost of any classes."""
        terms, step = bound_terms(rows, self.k), self.effort.bound_step
        pairs = pair_costs(
            rows, max(self.effort.wanted, 2 * self.k), terms=terms, last_step=step, pool=self.pool, deadline=deadline,
            progress=self.progress, step=message("progress.utility_bound"),
        )  # fmt: skip
        return class_bound(rows, self.k, pairs, terms=terms, last_step=step, deadline=deadline)
