"""Purchase histories in which every pseudonym can be one of k customers, and every customer one of k pseudonyms.

k-concealment after Tassa, Mazza, Gionis: k-Concealment: an alternative model of k-type anonymity (2012), for purchase
histories: published histories need not be identical. The rows of a pseudonym cover different rows of each of its k
customers. First the sets of customers are chosen, and the cells that cover them, as cheap for one member as for
another. Then the truth is drawn: one of all ways to give every pseudonym a customer of its set, no customer twice, each
equally probable. So the published rows say nothing about which way it is, whatever is known of the method, and the
probability to be broken is that of the best guesses against matchings drawn likewise.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.class_search.model import AlignedClass, aligned_class
from sudare.histories.anonymize.classes import MOST_TOGETHER, time_for
from sudare.histories.anonymize.concealment_sets import FAST, THOROUGH, choose_sets
from sudare.histories.anonymize.published_cells import publish_groups
from sudare.histories.anonymize.rows import MOST_ITEMS, SearchRows, history_rows
from sudare.histories.attack.known import know_history
from sudare.histories.attack.linkage import Linkage
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.matching_safety import MatchingSafety, matching_safety
from sudare.histories.safety.matchings import SAMPLES, Matchings
from sudare.histories.safety.thresholds import CONTEST_ALPHA, CONTEST_P
from sudare.histories.utility.cost import cell_utility
from sudare.kernels.histories import concealment as kernels
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share

# What it costs that two customers meet in one set more, as a share of the sets.
SPREAD = 0.01
_HISTORIES_AT_ONCE = 64
# The shares of the time that the sets may take, and of what is left then the alignment of their rows; the rest is for
# what the published rows are worth to attackers.
_SETS_SHARE = 0.4
_ALIGNING_SHARE = 0.45


@dataclass(frozen=True, slots=True)
class ConcealedHistory(Result):
    """A history in which each pseudonym can be k customers, what it costs, and how safe it is.

    `candidates` are the customers in the set of each pseudonym, k by design, in pseudonym order. `safety` is that of
    the design. `utility` is U, the mean error of all cells (0 is best). `converged` says whether the search ended
    before its time limit.
    """

    history: CellHistory = field(repr=False)
    k: int
    seed: int
    spread: float
    customers: int
    rows: int
    deleted_rows: int
    candidates: dict[int, tuple[int, ...]] = field(repr=False)
    safety: MatchingSafety
    utility: float
    converged: bool
    seconds: float
    model: str = "concealment"
    bound: float = 0.0

    @property
    def gap(self) -> float:
        """The largest possible reduction of U, as a share of U: no bound is known."""
        return 1.0 if self.utility > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows and the candidates as plain values."""
        names = (
            "model", "k", "seed", "spread", "customers", "rows", "deleted_rows", "utility", "bound", "gap", "converged",
            "seconds",
        )  # fmt: skip
        return {**{name: getattr(self, name) for name in names}, "safety": self.safety.to_dict()}


@checked
def conceal_history(
    original: CellHistory,
    k: int,
    *,
    spread: float = SPREAD,
    seed: int = 0,
    seconds: float | None = None,
    rounds: int | None = None,
    fast: bool = False,
    threads: int | None = None,
    most_items: int = MOST_ITEMS,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    attacks: int = 1,
    samples: int = SAMPLES,
    progress: Progress = silent,
) -> ConcealedHistory:
    """Publish rows for each pseudonym that k customers can have, with every customer behind k pseudonyms.

    The greater `spread`, the less the sets of customers overlap, and the greater U. `seconds` limits everything: the
    choice of the sets, the alignment of their rows and the drawing of matchings, of which there are then fewer.
    `rounds` sets the number of cooling rounds; then only an explicit `seconds` limits the time. The same seed gives the
    same history unless time ended the search, whatever the number of threads.
    """
    started = time.perf_counter()
    rng = np.random.default_rng(seed)
    effort = FAST if fast else THOROUGH
    effort = effort if rounds is None else replace(effort, rounds=rounds)
    whole = Deadline(time_for(seconds, rounds, fast=fast))
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        rows = history_rows(original, most_items=most_items)
        _check(rows, k, spread)
        with whole.part(_SETS_SHARE) as deadline:
            sets, settled = choose_sets(
                rows, k, spread, effort, pool=pool, deadline=deadline, rng=rng, progress=progress
            )
        with whole.part(_ALIGNING_SHARE) as deadline:
            templates, of_pid = _templates(rows, sets, pool, deadline, progress)
            aligned = not deadline.over
    matchings = Matchings(sets.tolist())
    truth = matchings.draw_all(1, rng)[0]
    history = _publish(original, rows, templates, of_pid, truth, rng)
    candidates = _by_pseudonym(original, rows, history, sets, truth)
    _verify(original, history, candidates)
    safety = matching_safety(
        matchings, p=p, alpha=alpha, attacks=attacks, samples=samples, seconds=whole.part(1).rest, seed=seed,
        progress=progress,
    )  # fmt: skip
    return ConcealedHistory(
        history, k, seed, spread, len(rows.customers), len(rows), int(history.deleted.sum()), candidates, safety,
        cell_utility(original, history, most=0).utility, settled and aligned, time.perf_counter() - started,
    )  # fmt: skip


def _check(rows: SearchRows, k: int, spread: float) -> None:
    customers = len(rows.customers)
    if k < 2:
        raise OptionNotUsable("errors.anonymize.k_of_concealment", k=k)
    if k > customers:
        raise OptionNotUsable("errors.anonymize.few_customers", count=customers, k=k)
    if customers > MOST_TOGETHER:
        raise OptionNotUsable("errors.anonymize.many_to_conceal", most=MOST_TOGETHER, customers=customers)
    if not 0 <= spread < np.inf:
        raise OptionNotUsable("errors.anonymize.spread", spread=spread, default=SPREAD)


def _templates(
    rows: SearchRows, sets: NDArray[np.int64], pool: ThreadPoolExecutor, deadline: Deadline, progress: Progress
) -> tuple[list[AlignedClass], NDArray[np.int64]]:
    """Align the rows of each different set, and say which one each pseudonym has.

    Sets with few rows come first: they gain most in a time. When it is over, rows are taken as they come.
    """
    different, of_pid = np.unique(np.sort(sets, axis=1), axis=0, return_inverse=True)
    found: dict[int, AlignedClass] = {}

    def task(place: int) -> None:
        found[place] = aligned_class(rows, different[place], deadline)
        progress(message("progress.aligning_rows"), len(found), len(different))

    list(pool.map(task, np.argsort(rows.lengths[different].min(axis=1), kind="stable").tolist()))
    return [found[place] for place in range(len(different))], of_pid.reshape(-1)


def _publish(
    original: CellHistory,
    rows: SearchRows,
    templates: Sequence[AlignedClass],
    of_pid: NDArray[np.int64],
    truth: NDArray[np.int32],
    rng: np.random.Generator,
) -> CellHistory:
    """Return the history in which each customer has the rows of the pseudonym that the truth gives it."""
    firsts = np.concatenate([[0], np.cumsum([len(template.rows) for template in templates])])
    group = np.full(len(rows), -1, np.int64)
    for place, customer in zip(of_pid.tolist(), truth.tolist(), strict=True):
        template = templates[place]
        own = template.rows[:, template.members == customer][:, 0]
        group[own] = firsts[place] + np.arange(len(own))
    return publish_groups(original, rows, templates, group, rng)


def _by_pseudonym(
    original: CellHistory,
    rows: SearchRows,
    history: CellHistory,
    sets: NDArray[np.int64],
    truth: NDArray[np.int32],
) -> dict[int, tuple[int, ...]]:
    """Return the customers in the set of each pseudonym, by the numbers that are written."""
    kept = ~history.deleted
    pid_of = dict(zip(original.persons[kept].tolist(), history.persons[kept].tolist(), strict=True))
    found = {
        pid_of[int(rows.customers[customer])]: tuple(np.sort(rows.customers[members]).tolist())
        for members, customer in zip(sets, truth.tolist(), strict=True)
    }
    return dict(sorted(found.items()))


@checked
def covered_customers(original: CellHistory, anonymized: CellHistory) -> dict[int, tuple[int, ...]]:
    """Return for each pseudonym the customers who have distinct rows that its rows cover, one each.

    As far as the cells tell, these are all customers that a published history can belong to.
    """
    linkage = Linkage(know_history(original), anonymized)
    found = [covered for part in _covered(linkage) for covered in part]
    return {
        pid: tuple(np.sort(linkage.customers[found[group]]).tolist())
        for pid, group in zip(linkage.pids.tolist(), linkage.groups.tolist(), strict=True)
    }


def fewest_covered(original: CellHistory, anonymized: CellHistory) -> int:
    """Return how many customers the pseudonym covers that covers the fewest; 0 if nothing is published.

    The work ends at a pseudonym that covers one: fewer than the true customer it cannot be.
    """
    fewest = 0
    for part in _covered(Linkage(know_history(original), anonymized)):
        found = int(part.sum(axis=1).min())
        fewest = min(fewest or found, found)
        if fewest <= 1:
            break
    return fewest


def _covered(linkage: Linkage) -> Iterator[NDArray[np.bool_]]:
    """Yield whether different histories cover customers, some histories at a time."""
    packed = linkage.all_columns
    for begin in range(0, len(linkage.group_sizes), _HISTORIES_AT_ONCE):
        groups = np.arange(begin, min(begin + _HISTORIES_AT_ONCE, len(linkage.group_sizes)))
        rows, starts = linkage.rows_of(groups)
        part = np.empty((len(groups), len(linkage.customers)), np.bool_)
        kernels.covered_customers(packed.published(rows), starts, packed.known, part)
        yield part


def _verify(original: CellHistory, history: CellHistory, candidates: dict[int, tuple[int, ...]]) -> None:
    """Make sure that the rows of every pseudonym cover those of all its customers."""
    covered = covered_customers(original, history)
    for pid, customers in candidates.items():
        if not set(customers) <= set(covered[pid]):
            raise AssertionError(f"The rows of {pid} do not cover all of its {len(customers)} customers.")
