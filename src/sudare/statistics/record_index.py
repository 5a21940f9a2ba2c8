"""An index of the records that contain each item."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.eclat import Index
from sudare.statistics.item_records import ItemRecords


class RecordIndex:
    """Where each item stands in the records; items below `least` records are left out and the others renumbered.

    `numbers` says which item each number is; they rise with the support or, without a `least`, are the items.
    """

    def __init__(self, records: ItemRecords, least: int | None = None) -> None:
        supports = records.supports()
        if least is None:
            self.numbers = np.arange(len(supports), dtype=np.int32)
        else:
            chosen = np.flatnonzero(supports >= least)
            self.numbers = chosen[np.argsort(supports[chosen], kind="stable")].astype(np.int32)
        new = np.full(len(supports), -1, np.int32)
        new[self.numbers] = np.arange(len(self.numbers), dtype=np.int32)
        starts, kept = records.kept(new[records.items] >= 0)
        owner = np.repeat(np.arange(len(records)), np.diff(starts))
        renumbered = new[kept]
        items = renumbered[np.lexsort((renumbered, owner))]
        places = np.argsort(items, kind="stable")
        bounds = np.append(0, np.cumsum(np.bincount(items, minlength=len(self.numbers))))
        self.arrays = Index(starts, items, places, owner[places], bounds)
