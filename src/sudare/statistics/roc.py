"""How well scores tell two groups apart."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.intervals import Z_95


@dataclass(frozen=True, slots=True)
class Roc:
    """The area under the ROC curve, its standard error, and the largest difference of true and false positives."""

    area: float
    error: float
    advantage: float

    @property
    def interval(self) -> tuple[float, float]:
        """The interval that contains the area with 95 % confidence."""
        return max(self.area - Z_95 * self.error, 0.0), min(self.area + Z_95 * self.error, 1.0)


def roc(positive: NDArray[np.float64], negative: NDArray[np.float64]) -> Roc:
    """Compare the scores of two groups: the area is the chance that a positive scores higher, ties counting half.

    The standard error is that of DeLong, DeLong and Clarke-Pearson (1988). Both groups have members.
    """
    higher, lower = _placements(positive, negative), 1 - _placements(negative, positive)
    error = sqrt(_variance(higher) / len(positive) + _variance(lower) / len(negative))
    return Roc(float(np.mean(higher)), error, _advantage(positive, negative))


def _placements(scores: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each score the share of the others below it, equal ones counting half."""
    ordered = np.sort(others)
    below, upto = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2 * len(others)))


def _variance(placements: NDArray[np.float64]) -> float:
    return float(np.var(placements, ddof=1)) if len(placements) > 1 else 0.25


def _advantage(positive: NDArray[np.float64], negative: NDArray[np.float64]) -> float:
    bounds = np.unique(np.concatenate([positive, negative]))
    rates = [1 - np.searchsorted(np.sort(group), bounds, side="left") / len(group) for group in (positive, negative)]
    return max(float(np.max(rates[0] - rates[1])), 0.0)
