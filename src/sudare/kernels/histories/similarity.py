"""How far item similarities move, without storing the similarities after the move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Floats, Items
from sudare.kernels.entry import entry


class Scores(NamedTuple):
    """Scores by customer or by item: where those of each begin, whose they are, and the scores."""

    starts: Items
    places: Items
    scores: Floats


@entry
def moved(starts: Items, others: Items, weights: Floats, customer: Scores, item: Scores) -> float:
    """Return the sum of |w - w'| over the pairs of items that had a similarity w before.

    Pairs (i, j) are `others[starts[i] : starts[i + 1]]` with their `weights`. `customer` and `item` are the scores
    after the move, by customer and by item, each as starts, places and scores; similarities w' are their products.
    """
    customer_starts, items, scores = customer
    item_starts, customers, own_scores = item
    products = np.zeros(len(starts) - 1)
    total = 0.0
    for i in range(len(starts) - 1):
        if starts[i] == starts[i + 1]:
            continue
        for n in range(item_starts[i], item_starts[i + 1]):
            for m in range(customer_starts[customers[n]], customer_starts[customers[n] + 1]):
                products[items[m]] += own_scores[n] * scores[m]
        for n in range(starts[i], starts[i + 1]):
            total += abs(weights[n] - products[others[n]])
        for n in range(item_starts[i], item_starts[i + 1]):
            for m in range(customer_starts[customers[n]], customer_starts[customers[n] + 1]):
                products[items[m]] = 0.0
    return total
