"""The methods of attack: each gives every pseudonym a customer, or none, and a confidence.

The known ones of the contests (Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018):
rows that only one customer has, sets of items with the number of rows, and joins on two or three columns where cells
were left exact. The strong ones: the rarity-weighted scoreboard, feasibility, likelihood, assignment over all
pseudonyms, and all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.attack.assignment import assign_customers
from sudare.attack.candidates import Candidates, find_candidates
from sudare.attack.fits import Fits, fit_candidates
from sudare.attack.linkage import Linkage
from sudare.errors import OptionNotUsable
from sudare.kernels.attack_rows import DIVIDED, UNIQUE
from sudare.progress import Progress, silent

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

JOINS = {
    f"{'-'.join(names)}-join": names
    for names in (
        ("date", "quantity"),
        ("item", "price"),
        ("item", "quantity"),
        ("item", "date"),
        ("item", "price", "quantity"),
        ("item", "date", "quantity"),
    )
}
STRONG = ("scoreboard", "feasibility", "likelihood", "assignment", "best")
METHODS = ("unique-rows", "item-sets", *JOINS, *STRONG)
DEFAULT_METHOD = "best"


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """For each pseudonym the number of a customer (-1: none) and how probable it is."""

    customers: Integers
    confidence: Numbers
    tried: int


class Attacks:
    """The methods on one published history; what several of them need is made once."""

    def __init__(self, linkage: Linkage, *, progress: Progress = silent) -> None:
        self.linkage = linkage
        self._progress = progress

    def run(self, method: str) -> Links:
        """Return what a method finds."""
        check_method(method)
        if method in JOINS:
            return self._join(JOINS[method])
        own: dict[str, Callable[[], Links]] = {
            "unique-rows": self._unique_rows,
            "item-sets": self._item_sets,
            "scoreboard": self._scoreboard,
            "feasibility": lambda: self._nearest(self._fits.feasible),
            "likelihood": lambda: self._nearest(self._fits.likely),
            "assignment": lambda: self._assigned(self._fits.likely),
            "best": lambda: self._assigned((self._fits.likely + self._fits.feasible) / 2),
        }
        return own[method]()

    @cached_property
    def _scored(self) -> Candidates:
        """The customers of the best scores, whether they meet all rows or not."""
        return find_candidates(self.linkage, self.linkage.all_columns, progress=self._progress)

    @cached_property
    def _fits(self) -> Fits:
        linkage = self.linkage
        if linkage.knowledge.complete:
            found = find_candidates(linkage, linkage.all_columns, complete=True, progress=self._progress)
        else:
            found = self._scored
        return fit_candidates(linkage, found, progress=self._progress)

    def _unique_rows(self) -> Links:
        return self._votes(self.linkage.names, UNIQUE)

    def _join(self, names: Sequence[str]) -> Links:
        missing = next((name for name in names if name not in self.linkage.names), None)
        if missing is not None:
            raise OptionNotUsable(
                f"The join on {', '.join(names)} needs the column {missing!r}, which is not known.\n"
                "Hint: another --method, or more --known-columns."
            )
        return self._votes(names, DIVIDED)

    def _votes(self, names: Sequence[str], votes: int) -> Links:
        """Let each row whose cells are exact vote for the customers who have it; one vote more is for nobody."""
        packed, exact = self.linkage.pack(names), self.linkage.exact_rows(names)
        found = find_candidates(
            self.linkage, packed, usable=exact, weights=np.ones(len(exact)), votes=votes, progress=self._progress
        )
        return self._links(found, found.scores / (found.totals[found.groups] + 1))

    def _item_sets(self) -> Links:
        """Take customers who have an item of each row and no fewer rows; of these the one with the nearest number."""
        names = self.linkage.item_names
        if not names:
            raise OptionNotUsable("The method item-sets needs items, which are not known.\nHint: another --method.")
        complete, packed = self.linkage.knowledge.complete, self.linkage.pack(names)
        there = (packed.published.sets >= 0).any(axis=1)
        found = find_candidates(self.linkage, packed, usable=there, complete=complete, progress=self._progress)
        groups = found.groups
        more = self.linkage.customer_sizes[found.customers] - self.linkage.group_sizes[groups]
        chosen = (found.hits == found.rows[groups]) & ((more >= 0) | (not complete))
        found, more = found.taken(chosen), np.abs(more[chosen])
        groups = found.groups
        least = np.full(len(found.rows), np.iinfo(np.int64).max)
        np.minimum.at(least, groups, more)
        nearest = more == least[groups]
        number = np.bincount(groups[nearest], minlength=len(found.rows))
        return self._links(found.taken(nearest), 1 / number[groups[nearest]])

    def _scoreboard(self) -> Links:
        """Take the customer of the greatest score; how far the second is behind makes the confidence."""
        found = self._scored
        groups = found.groups
        best = found.scores[found.starts[groups]]
        weights = np.exp(found.scores - best)
        beyond = np.maximum(found.met - found.starts[1:] + found.starts[:-1], 0)
        sums = np.bincount(groups, weights, len(found.rows)) + beyond
        return self._links(found, weights / sums[groups])

    def _nearest(self, probabilities: Numbers) -> Links:
        return self._links(self._fits.candidates, probabilities)

    def _links(self, candidates: Candidates, probabilities: Numbers) -> Links:
        """Give each pseudonym the most probable candidate of its group; equal pseudonyms different ones, if possible."""
        linkage = self.linkage
        order = np.lexsort((-probabilities, candidates.groups))
        rank = _rank_in_group(linkage.groups)
        counts = np.diff(candidates.starts)[linkage.groups]
        places = candidates.starts[linkage.groups] + rank % np.maximum(counts, 1)
        chosen = order[np.minimum(places, len(order) - 1)] if len(order) else np.zeros(len(counts), np.int64)
        there = counts > 0
        if not len(order):
            return Links(np.full(len(counts), -1), np.zeros(len(counts)), self._tried(candidates))
        customers = np.where(there, candidates.customers[chosen], -1)
        # One of m equal pseudonyms is a customer with no more than the probability 1/m.
        most = 1 / linkage.multiplicity[linkage.groups]
        confidence = np.where(there, np.minimum(probabilities[chosen], most), 0.0)
        return Links(customers, confidence, self._tried(candidates))

    def _assigned(self, probabilities: Numbers) -> Links:
        customers, confidence = assign_customers(self.linkage, self._fits.candidates, probabilities)
        return Links(customers, confidence, self._tried(self._fits.candidates))

    def _tried(self, candidates: Candidates) -> int:
        return int(self.linkage.multiplicity[candidates.tried].sum())


def check_method(method: str) -> None:
    """Refuse a method that does not exist."""
    if method not in METHODS:
        raise OptionNotUsable(f"There is no method {method!r}.\nHint: {', '.join(METHODS)}.")


def _rank_in_group(groups: Integers) -> Integers:
    """Return how many pseudonyms of the same group come before each."""
    order = np.argsort(groups, kind="stable")
    counts = np.bincount(groups)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - starts
    return ranks
