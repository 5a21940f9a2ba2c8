"""Histories in which some customers are unchanged and every other one has the same rows as k - 1 others.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, Table 5 and section 5.3: two teams
left two customers untouched and made the others 2-anonymous, and both were re-identified. It saves the cost of the few
dearest customers and gives them away: whoever knows what they bought recognizes them.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.class_search.model import AlignedClass
from sudare.histories.anonymize.classes import AnonymizedHistory, search_history, time_for
from sudare.histories.anonymize.published_cells import publish_classes
from sudare.histories.anonymize.rows import MOST_ITEMS, SearchRows, history_rows, some_customers
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.utility.cost import cell_utility
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# How many were left untouched in the contest.
UNTOUCHED = 2
# The share of the time for the classes of all customers, by which those are chosen who are left as they were.
_CHOICE_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class UntouchedHistory(AnonymizedHistory):
    """A history in which `untouched` customers are unchanged and each other customer looks like k - 1 more.

    `exposed` of the untouched have unique published rows: whoever knows what they bought recognizes them. There is no
    bound (0).
    """

    untouched: int = 0
    exposed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain values."""
        return {**AnonymizedHistory.to_dict(self), "untouched": self.untouched, "exposed": self.exposed}


@checked
def leave_untouched(
    original: CellHistory,
    k: int,
    *,
    untouched: int = UNTOUCHED,
    seed: int = 0,
    seconds: float | None = None,
    rounds: int | None = None,
    fast: bool = False,
    threads: int | None = None,
    most_items: int = MOST_ITEMS,
    progress: Progress = silent,
) -> UntouchedHistory:
    """Leave some customers unchanged and give every other one the same published rows as at least k - 1 more.

    The untouched are taken from the classes that cost most when all customers are in classes, those with most rows
    first. The others are then put into classes anew. The other options are those of `anonymize_history`.
    """
    started = time.perf_counter()
    rows = history_rows(original, most_items=most_items)
    _check(len(rows.customers), k, untouched)
    rng = np.random.default_rng(seed)
    search: dict[str, Any] = {
        "rng": rng, "rounds": rounds, "fast": fast, "threads": threads, "bounded": False, "progress": progress,
    }  # fmt: skip
    with Deadline(time_for(seconds, rounds, fast=fast)) as deadline:
        with deadline.part(_CHOICE_SHARE) as part:
            first = search_history(rows, k, deadline=part, **search)
        left = _dearest(rows, first.classes, untouched)
        others, places = some_customers(rows, np.setdiff1d(np.arange(len(rows.customers)), left))
        found = search_history(others, k, deadline=deadline, final=True, **search)
    classes = [AlignedClass(one.members, places[one.rows], one.cost) for one in found.classes]
    history = publish_classes(original, rows, [*classes, *(_alone(rows, customer) for customer in left.tolist())], rng)
    sizes, exposed = _verified(original, history, rows.customers[left], k)
    return UntouchedHistory(
        history, k, seed, len(rows.customers), len(rows), int(history.deleted.sum()), tuple(np.sort(sizes).tolist()),
        cell_utility(original, history, most=0).utility, 0.0, first.converged and found.converged,
        time.perf_counter() - started, "untouched", untouched, exposed,
    )  # fmt: skip


def _check(customers: int, k: int, untouched: int) -> None:
    if untouched < 1:
        raise OptionNotUsable("errors.anonymize.untouched", untouched=untouched)
    if customers - untouched < k:
        raise OptionNotUsable("errors.anonymize.many_untouched", untouched=untouched, customers=customers, k=k)


def _dearest(rows: SearchRows, classes: list[AlignedClass], number: int) -> NDArray[np.int64]:
    """Return the places of customers in the classes that cost most, of a class those with most rows first."""
    order: list[int] = []
    for found in sorted(classes, key=lambda found: -found.cost):
        # A class has a row of each member in each group.
        members = np.searchsorted(rows.starts, found.rows[0], side="right") - 1
        order += sorted(members.tolist(), key=lambda customer: (-rows.lengths[customer], customer))
        if len(order) >= number:
            break
    return np.sort(np.array(order[:number], np.int64))


def _alone(rows: SearchRows, customer: int) -> AlignedClass:
    """Return the class of one customer, in which all rows are as they were."""
    own = np.arange(rows.starts[customer], rows.starts[customer + 1])
    return AlignedClass(np.array([customer]), own[:, None], 0.0)


def _verified(
    original: CellHistory, history: CellHistory, left: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], int]:
    """Return the sizes of the published classes and how many of those who are left as they were are alone in theirs."""
    found = published_classes(history)
    kept = np.flatnonzero(~history.deleted)
    pids, first = np.unique(history.persons[kept], return_index=True)
    as_they_were = np.isin(original.persons[kept[first]], left)
    of_pid = found.sizes[found.classes]
    if (found.pids != pids).any() or of_pid[~as_they_were].min() < k:
        raise AssertionError(f"A class of customers who are not left as they were has fewer than {k} members.")
    return found.sizes, int((of_pid[as_they_were] == 1).sum())
