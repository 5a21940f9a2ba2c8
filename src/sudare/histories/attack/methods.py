"""The attack methods: each assigns every pseudonym a customer, or none, with a confidence.

The known ones of the contests (Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018):
rows that only one customer has, sets of items with the number of rows, and joins on two or three columns where cells
were left exact. The strong ones: the rarity-weighted scoreboard, feasibility, likelihood, assignment over all
pseudonyms, and all of them together. And the one of somebody who has other rows of the same people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.histories.attack.another_time import recognize_later
from sudare.histories.attack.candidates import Candidates, find_candidates
from sudare.histories.attack.fits import Fits, fit_candidates
from sudare.histories.attack.linkage import Linkage
from sudare.histories.attack.one_to_one import assign
from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.histories.attack_rows import RARE, UNIQUE
from sudare.messages import Joined
from sudare.progress import Progress, silent
from sudare.showing import dataclass

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
# Who uses it knows people from another time: the earlier half of the period, of what is published the later half.
PROFILES = "profiles"
METHODS = ("unique-rows", "item-sets", *JOINS, *STRONG, PROFILES)
DEFAULT_METHOD = "best"


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """For each pseudonym the number of a customer (-1: none) and how probable it is."""

    customers: Ints
    confidence: Floats
    tried: int


class Attacks:
    """The methods on one published history; what several of them need is made once."""

    def __init__(self, linkage: Linkage, *, progress: Progress = silent) -> None:
        self.linkage = linkage
        self._progress = progress

    def run(self, method: str) -> Links:
        """Return what a method finds.

        Which of its customers goes to which pseudonym of a group nothing can tell; the seed decides, not the order in
        which they were compared, so that attacks with other seeds are other attacks.
        """
        found = self._run(method)
        mixed = self.linkage.mix_groups()
        return Links(found.customers[mixed], found.confidence[mixed], found.tried)

    def _run(self, method: str) -> Links:
        check_method(method)
        if method in JOINS:
            return self._join(JOINS[method])
        own: dict[str, Callable[[], Links]] = {
            "unique-rows": self._unique_rows,
            "item-sets": self._item_sets,
            "scoreboard": lambda: self._first_and_second(self._scored),
            "feasibility": lambda: self._nearest(self.fits.feasible),
            "likelihood": lambda: self._nearest(self.fits.likely),
            "assignment": lambda: self._assigned(self.fits.likely),
            "best": lambda: self._assigned((self.fits.likely + self.fits.feasible) / 2),
            PROFILES: lambda: Links(*recognize_later(self.linkage, progress=self._progress)),
        }
        return own[method]()

    @cached_property
    def _scored(self) -> Candidates:
        """The customers of the best scores, whether they meet all rows or not."""
        return find_candidates(self.linkage, self.linkage.all_columns, progress=self._progress)

    @cached_property
    def fits(self) -> Fits:
        """The customers who can be behind each group of pseudonyms, and how probable each is."""
        linkage = self.linkage
        if linkage.knowledge.complete:
            found = find_candidates(
                linkage, linkage.all_columns, complete=True, compared=False, progress=self._progress
            )
        else:
            found = self._scored
        return fit_candidates(linkage, found, progress=self._progress)

    def _unique_rows(self) -> Links:
        """Let each exact row that one customer alone has vote for him; one vote more is for nobody."""
        found = self._exact(self.linkage.names, UNIQUE)
        return self._links(found, found.scores / (found.totals[found.groups] + 1))

    def _join(self, names: Sequence[str]) -> Links:
        missing = next((name for name in names if name not in self.linkage.names), None)
        if missing is not None:
            raise OptionNotUsable("errors.attack.join", columns=Joined(names), missing=missing)
        return self._first_and_second(self._exact(names, RARE))

    def _exact(self, names: Sequence[str], votes: int) -> Candidates:
        """Score customers by the rows that say one value in each of some columns."""
        packed, exact = self.linkage.pack(names), self.linkage.exact_rows(names)
        return find_candidates(self.linkage, packed, usable=exact, votes=votes, progress=self._progress)

    def _item_sets(self) -> Links:
        """Take customers who have an item of each row and no fewer rows; of these the one with the nearest number."""
        names = self.linkage.item_names
        if not names:
            raise OptionNotUsable("errors.attack.item_sets")
        complete, packed = self.linkage.knowledge.complete, self.linkage.pack(names)
        usable = packed.has_items()
        found = find_candidates(self.linkage, packed, usable=usable, complete=complete, progress=self._progress)
        beyond = np.maximum(found.met - np.diff(found.starts), 0)
        groups = found.groups
        more = self.linkage.customer_sizes[found.customers] - self.linkage.group_sizes[groups]
        chosen = (found.hits == found.rows[groups]) & ((more >= 0) | (not complete))
        found, more = found.taken(chosen), np.abs(more[chosen])
        groups = found.groups
        least = np.full(len(found.rows), np.iinfo(np.int64).max)
        np.minimum.at(least, groups, more)
        nearest = more == least[groups]
        number = np.bincount(groups[nearest], minlength=len(found.rows)) + beyond
        return self._links(found.taken(nearest), 1 / number[groups[nearest]])

    def _first_and_second(self, found: Candidates) -> Links:
        """Take the customer of the greatest score; how far the others are behind makes the confidence.

        Scores are logarithms of likelihood ratios: e to their power is how likely a customer is against others.
        """
        groups = found.groups
        weights = np.exp(found.scores - found.scores[found.starts[groups]])
        beyond = np.maximum(found.met - np.diff(found.starts), 0)
        sums = np.bincount(groups, weights, len(found.rows)) + beyond
        return self._links(found, weights / sums[groups])

    def _nearest(self, probabilities: Floats) -> Links:
        return self._links(self.fits.candidates, probabilities)

    def _links(self, candidates: Candidates, probabilities: Floats) -> Links:
        """Give each pseudonym the most probable candidate of its group, equal pseudonyms different ones if possible."""
        linkage = self.linkage
        order = np.lexsort((-probabilities, candidates.groups))
        rank = _rank_in_group(linkage.groups)
        counts = np.diff(candidates.starts)[linkage.groups]
        there = counts > 0
        places = order[(candidates.starts[linkage.groups] + rank % np.maximum(counts, 1))[there]]
        customers, confidence = np.full(len(counts), -1), np.zeros(len(counts))
        customers[there] = candidates.customers[places]
        # One of m equal pseudonyms is a customer with no more than the probability 1/m.
        confidence[there] = np.minimum(probabilities[places], (1 / linkage.multiplicity[linkage.groups])[there])
        return Links(customers, confidence, self._tried(candidates))

    def _assigned(self, probabilities: Floats) -> Links:
        linkage, found = self.linkage, self.fits.candidates
        places = assign(linkage.groups, found.starts, found.customers, probabilities, len(linkage.customers))
        customers, confidence = np.append(found.customers, -1)[places], np.append(probabilities, 0.0)[places]
        return Links(customers, confidence, self._tried(found))

    def _tried(self, candidates: Candidates) -> int:
        return int(self.linkage.multiplicity[candidates.tried].sum())


def check_method(method: str) -> None:
    """Refuse a method that does not exist."""
    if method not in METHODS:
        raise OptionNotUsable("errors.attack.method", method=method, methods=Joined(list(METHODS), "or"))


def _rank_in_group(groups: Ints) -> Ints:
    """Return how many pseudonyms of the same group come before each."""
    order = np.argsort(groups, kind="stable")
    counts = np.bincount(groups)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - starts
    return ranks
