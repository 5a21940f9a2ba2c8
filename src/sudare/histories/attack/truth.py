"""Who is really behind each pseudonym: the answer that guesses are compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.histories.generalized.model import CellHistory


@checked
def true_customers(original: CellHistory, anonymized: CellHistory) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the true map F: the pseudonyms of an anonymized history, sorted, and the customer behind each.

    A pseudonym used for several customers, which the rules forbid, gets the customer of its first row.
    """
    kept = ~anonymized.deleted
    pids, first = np.unique(anonymized.persons[kept], return_index=True)
    return pids, original.persons[kept][first]
