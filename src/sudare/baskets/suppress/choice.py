"""Choosing among several safe suppressions: what to keep low, and what the paper's algorithm costs."""

from __future__ import annotations

from dataclasses import astuple
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.baskets.model import Baskets
from sudare.baskets.utility import BasketLoss, basket_loss, suppressed_share

# Occurrences lost, the KL divergence, the distance of the rules, or all three: each at most what the paper's way costs.
KeepLow = Literal["items", "kl", "rules", "all"]


class Choice:
    """The best of the suppressions that were offered so far, the paper's first; `kept` are its occurrences."""

    def __init__(self, original: Baskets, keep_low: KeepLow, papers: NDArray[np.bool_]) -> None:
        self.keep_low = keep_low
        self.kept = papers.copy()
        self._original = original
        self._papers = self._loss = self._measured(papers)

    def offer(self, kept: NDArray[np.bool_]) -> bool:
        """Take a safe suppression if it is better; say whether it was."""
        loss = self._measured(kept)
        if self.keep_low == "all" and not _at_most(loss, self._papers):
            return False
        if self._order(loss) >= self._order(self._loss):
            return False
        self.kept[:] = kept
        self._loss = loss
        return True

    def _measured(self, kept: NDArray[np.bool_]) -> BasketLoss:
        shown = self._original.only(kept)
        if self.keep_low == "items":
            return BasketLoss(suppressed_share(self._original, shown), 0.0, None)
        return basket_loss(self._original, shown)

    def _order(self, loss: BasketLoss) -> tuple[float, ...]:
        items, divergence, rules = loss.suppressed_share, loss.kl_divergence, loss.rules_distance or 0.0
        if self.keep_low == "kl":
            return divergence, items, rules
        return (rules, items, divergence) if self.keep_low == "rules" else (items, divergence, rules)


def _at_most(loss: BasketLoss, other: BasketLoss) -> bool:
    """Say whether no measure is above that of another loss."""
    pairs = zip(astuple(loss), astuple(other), strict=True)
    return all(mine is None or its is None or mine <= its for mine, its in pairs)
