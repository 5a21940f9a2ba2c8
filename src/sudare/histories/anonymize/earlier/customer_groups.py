"""Groups of customers whom no class may mix, and the check that what is published keeps to them.

Whoever links the pseudonyms of two releases knows in which class of each a customer is, so that the crowd of a customer
is the intersection of both. If every class lies within one group, that of the class of the earlier release, then the
intersection is the class, and has its k members.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.published_classes import published_classes


def published_groups(groups: NDArray[np.int64], customers: int, k: int) -> list[NDArray[np.int64]]:
    """Return the places of the customers of each group that has k or more; the others cannot be published.

    `groups` has the number of the group of each customer.
    """
    if groups.shape != (customers,):
        raise OptionNotUsable("errors.anonymize.groups", count=groups.size, customers=customers)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order])) + 1
    found = [members for members in np.split(order, starts) if len(members) >= k]
    if not found:
        raise OptionNotUsable("errors.anonymize.small_groups", k=k)
    return found


def check_crowds(original: CellHistory, history: CellHistory, groups: NDArray[np.int64], k: int) -> None:
    """Make sure that the customers of a group who have the same published rows are k or more."""
    kept = np.flatnonzero(~history.deleted)
    pids, first = np.unique(history.persons[kept], return_index=True)
    found = published_classes(history)
    customers = np.searchsorted(np.unique(original.persons), original.persons[kept[first]])
    _, crowds = np.unique(np.stack([found.classes, groups[customers]]), axis=1, return_counts=True)
    if (found.pids != pids).any() or crowds.min() < k:
        raise AssertionError(f"A class has fewer than {k} members of a group.")
