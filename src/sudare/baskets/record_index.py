"""Where each item stands in the records of baskets."""

from __future__ import annotations

import numpy as np

from sudare.baskets.model import Baskets


class RecordIndex:
    """Where each item stands in the records; items below `least` records are left out and the others renumbered.

    `numbers` says which item each number is; they rise with the support or, without a `least`, are the items.
    """

    def __init__(self, baskets: Baskets, least: int | None = None) -> None:
        supports = baskets.supports()
        if least is None:
            self.numbers = np.arange(len(supports), dtype=np.int32)
        else:
            chosen = np.flatnonzero(supports >= least)
            self.numbers = chosen[np.argsort(supports[chosen], kind="stable")].astype(np.int32)
        new = np.full(len(supports), -1, np.int32)
        new[self.numbers] = np.arange(len(self.numbers), dtype=np.int32)
        kept = baskets.only(new[baskets.items] >= 0)
        owner = np.repeat(np.arange(len(kept)), kept.lengths)
        renumbered = new[kept.items]
        items = renumbered[np.lexsort((renumbered, owner))]
        places = np.argsort(items, kind="stable")
        bounds = np.append(0, np.cumsum(np.bincount(items, minlength=len(self.numbers))))
        self.arrays = (kept.starts, items, places, owner[places], bounds)
