"""k-map and presence of the classes of a published file against a reference population.

Sweeney: k-Anonymity (2002), k-map; Nergiz, Atzori, Clifton: Hiding the Presence of Individuals (2007).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.tables.recoded.checks.meanings import Meanings

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matches:
    """The fewest records of the population that the cells of a class match, and the highest presence of a record."""

    k_map: int
    presence: float


@dataclass(frozen=True, eq=False)
class PopulationRows:
    """The records of a population: `counts[i]` have the values `codes[a][i]`, numbered as the meanings number them."""

    codes: Sequence[NDArray[np.integer]]
    counts: Numbers


def match_population(
    population: PopulationRows, meanings: Sequence[Meanings], cells: NDArray[np.integer], sizes: Numbers
) -> Matches:
    """Match the classes with a population; class c has the texts `cells[:, c]` and `sizes[c]` lines.

    A record of the population is present with the probability that one of the classes which it matches means it: each
    means any of the records that it matches equally often. Cells overlap, so that a record can match several classes,
    and its probabilities add up. A class that matches nobody has a k-map of 0.
    """
    finder = _Finder(population, meanings)
    present, matched = np.zeros(len(population.counts)), np.zeros(len(sizes), np.int64)
    for c in range(len(sizes)):
        rows = finder.rows(cells[:, c])
        matched[c] = population.counts[rows].sum()
        present[rows] += sizes[c] / max(matched[c], 1)
    return Matches(int(matched.min()), min(1.0, float(present.max())))


class _Finder:
    """Finds the rows of a population that cells match, beginning with the column that leaves the fewest."""

    def __init__(self, population: PopulationRows, meanings: Sequence[Meanings]) -> None:
        self.codes, self.meanings = population.codes, meanings
        self.by_value = [np.argsort(codes, kind="stable") for codes in self.codes]
        self.starts = [
            np.searchsorted(codes[order], np.arange(len(meaning.values) + 1))
            for codes, order, meaning in zip(self.codes, self.by_value, meanings, strict=True)
        ]
        self.covered: dict[tuple[int, int], NDArray[np.bool_]] = {}

    def rows(self, cells: NDArray[np.integer]) -> Numbers:
        """Return the rows that all the cells of a class match."""
        masks = [self._mask(place, int(text)) for place, text in enumerate(cells)]
        widths = [int(np.diff(starts)[mask].sum()) for starts, mask in zip(self.starts, masks, strict=True)]
        order = np.argsort(widths)
        rows = self._of_column(int(order[0]), masks[order[0]])
        for place in order[1:]:
            rows = rows[masks[place][self.codes[place][rows]]]
        return rows

    def _mask(self, place: int, text: int) -> NDArray[np.bool_]:
        """Return which values of a column a text covers."""
        if (place, text) not in self.covered:
            self.covered[place, text] = self.meanings[place].covered(text)
        return self.covered[place, text]

    def _of_column(self, place: int, mask: NDArray[np.bool_]) -> Numbers:
        """Return the rows whose value in a column is covered."""
        starts, order = self.starts[place], self.by_value[place]
        parts = [order[starts[value] : starts[value + 1]] for value in np.flatnonzero(mask)]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)
