"""Item similarity by who buys them: the matrices of item-based recommendation.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 6.1.3. An item is a vector
over customers; the similarity of two items is the cosine. Three scores make three matrices, from the quantity q that a
customer bought of an item in all: wholesale counts dozens, floor(q / 12), up to a cap if one is given (the programs of
the contest counted 6 at most, of which the report says nothing); retail takes q up to 11 and nothing above; top takes 1
for any purchase, of the items with the most buyers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.histories.utility.drawn_rows import PlainRows
from sudare.kernels.histories.similarity import Scores, moved

DOZEN = 12
TOP = 100

# What a customer who bought a quantity of an item scores; zeros are dropped.
SCORES: dict[str, Callable[[NDArray[np.int64]], NDArray[Any]]] = {
    "wholesale": lambda quantities: quantities // DOZEN,
    "retail": lambda quantities: np.where(quantities < DOZEN, quantities, 0),
    "top": np.ones_like,
}


def top_items(rows: PlainRows, most: int = TOP) -> NDArray[np.int64]:
    """Return the items with the most buyers, of equal ones those with the greater name; fewer if there are fewer."""
    return _top(_quantities(rows, None), rows.names, most)


def item_similarities(rows: PlainRows, kind: str, *, most_dozens: int | None = None) -> Any:
    """Return the similarities of pairs of different items with a common customer, as a sparse upper triangle.

    `kind` is wholesale, retail or top; wholesale counts at most `most_dozens`.
    """
    return _similarities(_normalized(_quantities(rows, most_dozens), kind, None))


class Similarities:
    """The three matrices of original rows, and how far those of other rows are from them.

    With `most_dozens`, wholesale counts no more of them.
    """

    def __init__(self, rows: PlainRows, *, most_dozens: int | None = None) -> None:
        self._most_dozens = most_dozens
        bought = _quantities(rows, most_dozens)
        self.top = _top(bought, rows.names, TOP)
        self._matrices = {kind: _similarities(_normalized(bought, kind, self._items(kind))) for kind in SCORES}

    def _items(self, kind: str) -> NDArray[np.int64] | None:
        """Return the items that the matrix is limited to: the top items of the original, in both."""
        return self.top if kind == "top" else None

    def errors(self, rows: PlainRows) -> dict[str, float]:
        """Return the distance of each matrix by its kind, and the share of top items that are lost.

        A distance is the sum of |w - w'| over the pairs of the original in parts of the sum of w: at most 1, and 0 if
        there are no pairs; a pair without common customers has the similarity 0. `lost` is the number of the original's
        top items that are no longer among them, in parts of 100.
        """
        bought = _quantities(rows, self._most_dozens)
        lost = np.setdiff1d(self.top, _top(bought, rows.names, TOP))
        return {**{kind: self._distance(kind, bought) for kind in SCORES}, "lost": len(lost) / TOP}

    def _distance(self, kind: str, bought: Any) -> float:
        before, after = self._matrices[kind], _normalized(bought, kind, self._items(kind))
        total = float(before.data.sum())
        if not total:
            return 0.0
        distance = moved(before.indptr, before.indices, before.data, _arrays(after), _arrays(after.tocsc()))
        return min(1.0, float(distance) / total)


def _quantities(rows: PlainRows, most_dozens: int | None) -> Any:
    """Return the total quantity of each item per customer, up to a cap in dozens, as a sparse matrix."""
    from scipy import sparse

    customers, number = np.unique(rows.customers, return_inverse=True)
    shape = (len(customers), len(rows.names))
    bought = sparse.coo_array((rows.quantities, (number, rows.items)), shape).tocsr()
    if most_dozens is not None:
        np.minimum(bought.data, DOZEN * most_dozens, out=bought.data)
    return bought


def _top(bought: Any, names: tuple[str, ...], most: int) -> NDArray[np.int64]:
    buyers = np.bincount(bought.indices, minlength=len(names))
    falling = sorted(np.flatnonzero(buyers).tolist(), key=lambda item: (buyers[item], names[item]), reverse=True)
    return np.asarray(falling[:most], np.int64)


def _normalized(bought: Any, kind: str, items: NDArray[np.int64] | None) -> Any:
    """Return the scores of customers and items, divided so that each item's vector has the length 1."""
    scores = bought.astype(np.float64)
    scores.data = SCORES[kind](bought.data).astype(np.float64)
    if items is not None:
        scores.data *= np.isin(np.arange(bought.shape[1]), items)[scores.indices]
    scores.eliminate_zeros()
    lengths = np.sqrt(np.bincount(scores.indices, scores.data**2, minlength=bought.shape[1]))
    scores.data /= lengths[scores.indices]
    return scores


def _similarities(scores: Any) -> Any:
    from scipy import sparse

    return sparse.triu(scores.T @ scores, k=1, format="csr")


def _arrays(matrix: Any) -> Scores:
    return Scores(matrix.indptr, matrix.indices, matrix.data)
