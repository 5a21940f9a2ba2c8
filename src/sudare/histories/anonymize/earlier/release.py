"""Releases that were published before: their files, and who was published alike in each of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import BadRows, ColumnNotFound
from sudare.histories.attackers.published_rows import check_rows
from sudare.histories.generalized.conversion import HistoryRows
from sudare.histories.generalized.model import CellHistory
from sudare.histories.safety.published_classes import published_classes
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# The class of all customers of whom a release has nothing: whoever knows the release may know that.
_ABSENT = -1


@dataclass(frozen=True, slots=True, eq=False)
class EarlierRelease:
    """What was published before: the original rows, and the same rows anonymized; row i belongs to row i.

        first = history.anonymize(k=3)
        before = sudare.histories.EarlierRelease(first.rows, first.history)
        history.anonymize(k=3, seed=1, earlier=[before])

    `read_earlier_release` makes one from files.
    """

    rows: HistoryRows
    anonymized: CellHistory

    def __post_init__(self) -> None:
        check_rows(self.rows.history, self.anonymized)

    def classes(self) -> dict[str, int]:
        """Return the number of the class of each customer of whom something was published, by the customer's name."""
        found = published_classes(self.anonymized)
        kept = np.flatnonzero(~self.anonymized.deleted)
        # The pseudonyms of both are ascending.
        first = kept[np.unique(self.anonymized.persons[kept], return_index=True)[1]]
        names = _names(self.rows, self.rows.history.persons[first])
        return dict(zip(names, found.classes.tolist(), strict=True))


@checked
def read_earlier_release(
    original: HistoryRows, published: str | Path, key: str | Path, *, progress: Progress = silent
) -> EarlierRelease:
    """Read a release that was published before, with the secret key file that was written beside it.

    `original` are the rows it was made from. The key file (`write_aligned`) has to cover them row by row, and has to be
    that of the published file; BadRows says which it is not.
    """
    try:
        aligned = original.read_aligned(key, progress=progress)
    except (BadRows, ColumnNotFound):
        raise BadRows("errors.written_cells.other_original", key=key) from None
    read = original.read_published(published, progress=progress)
    if original.published_rows(aligned) != original.published_rows(read):
        raise BadRows("errors.written_cells.other_key", key=key, published=published)
    return EarlierRelease(original, aligned)


def earlier_groups(rows: HistoryRows, earlier: Sequence[EarlierRelease]) -> NDArray[np.int64]:
    """Return the number of a group for each customer, customers ascending: those who were alike in every release.

    Customers are the same if they have the same name. All customers of whom a release has nothing are alike in it,
    whether they are new or were deleted.
    """
    names = _names(rows, np.unique(rows.history.persons))
    before = [release.classes() for release in earlier]
    classes = np.array([[found.get(name, _ABSENT) for name in names] for found in before], np.int64)
    _, groups = np.unique(classes, axis=1, return_inverse=True)
    return groups.reshape(-1).astype(np.int64)


def _names(rows: HistoryRows, persons: NDArray[np.int64]) -> list[str]:
    """Return what customers are called in their source: in a contest file by their numbers."""
    return [rows.customers[person - 1] if rows.customers else str(person) for person in persons.tolist()]
