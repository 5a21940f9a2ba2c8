"""How many of an attack's guesses are right, given the truth, and how well its confidence fits."""

from __future__ import annotations

import numpy as np

from sudare.histories.profiles.attack import ProfileLinks
from sudare.histories.profiles.candidates import Candidates
from sudare.kernels.common.arrays import Bools, Floats, Ints
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import share_interval

BEST = 10
# Parts into which confidence is divided to compare it with what came true.
_BINS = 10
# Shares of the pseudonyms, the surest first, at which precision is told.
_SHARES = tuple(step / 10 for step in range(1, 11))
# Far finer than any share that is told, far coarser than rounding.
_DIGITS = 9
# The least numbers of rows of the bands that are told apart.
_BANDS = (1, 5, 10, 20, 50, 100, 200)


@dataclass(frozen=True, slots=True)
class SurestGuesses(Result):
    """The guesses an attacker is surest of: how many, the least confidence among them, and the share that is right.

    `expected` is the share that the attacker expects to be right; `right` and its `interval` are None without a truth.
    """

    share: float
    guesses: int
    confidence: float
    expected: float
    right: float | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class RowsBand(Result):
    """Pseudonyms with `least` to `most` rows (None: any more), and the share that is identified."""

    least: int
    most: int | None
    pseudonyms: int
    identified: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class ClassLinks(Result):
    """What is learnt where pseudonyms have the same rows: who is in which class, though nobody can be told apart.

    `ceiling` is the share of pseudonyms that can be identified at most, `right_class` that of the people for whom the
    most probable class is theirs; it is None without a truth.
    """

    classes: int
    smallest: int
    ceiling: float
    right_class: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """By pseudonym the probability that a guess is right, ties being broken at random.

    `alone` each by itself, `one_to_one` given that nobody is two, `assigned` by the best assignment of different people
    to all, `best_ten` whether the right person is among ten.
    """

    alone: Floats
    one_to_one: Floats
    assigned: Floats
    best_ten: Floats


def judge_links(links: ProfileLinks, truth: Ints) -> Outcome:
    """Compare guesses with the truth: by pseudonym the place of the known person behind it, -1 for a stranger."""
    sides, found = links.sides, links.candidates
    truths = Truths.of(found, sides.groups, truth, len(sides.customers))
    return Outcome(
        truths.chance(links.utilities, 1),
        truths.chance(links.shares, 1),
        _assigned(links, truth),
        truths.chance(links.shares, BEST),
    )


def _assigned(links: ProfileLinks, truth: Ints) -> Floats:
    """Return the probability that a pseudonym is given the right person by the best assignment.

    Which of the people of a group is given to which of its pseudonyms, nothing decides.
    """
    sides, places = links.sides, links.assigned()
    first = sides.groups * len(sides.customers)
    right, given = np.sort((first + truth)[truth >= 0]), first + np.append(links.candidates.people, 0)[places]
    within = np.searchsorted(right, given, side="right") - np.searchsorted(right, given)
    within[places < 0] = 0
    size = sides.multiplicity
    return np.asarray((np.bincount(sides.groups, within) / size**2)[sides.groups])


def _true_groups(links: ProfileLinks, truth: Ints) -> Ints:
    """Return by known person the group of their pseudonym, -1 if they have none."""
    groups = np.full(len(links.sides.customers), -1)
    known = truth >= 0
    groups[truth[known]] = links.sides.groups[known]
    return groups


@dataclass(frozen=True, slots=True, eq=False)
class Truths:
    """Candidates of the groups of pseudonyms, and by pseudonym where the right one is (-1: not among them).

    `known` says whose person is among the known people at all, who are `everyone`.
    """

    candidates: Candidates
    groups: Ints
    places: Ints
    known: Bools
    everyone: int

    @classmethod
    def of(cls, found: Candidates, groups: Ints, truth: Ints, everyone: int) -> Truths:
        """Look up the right ones among candidates."""
        keys = found.groups.astype(np.int64) * everyone + found.people
        order = np.argsort(keys, kind="stable")
        wanted = groups * everyone + truth
        place = np.append(order, -1)[np.searchsorted(keys[order], wanted)]
        there = (truth >= 0) & (np.append(keys, -1)[place] == wanted)
        return cls(found, groups, np.where(there, place, -1), np.asarray(truth >= 0), everyone)

    def chance(self, values: Floats, most: int) -> Floats:
        """Return the probability that the right one is among the `most` of the greatest values, ties at random.

        Places that are left go to people drawn from those who are not among the candidates. Nothing tells the
        pseudonyms of a group apart, so any of them is the right one for its person: each has the mean of the group.
        """
        counts = np.diff(self.candidates.starts)[self.groups]
        greater, equal = self._ranks(values)
        among = np.clip((most - greater) / np.maximum(equal, 1), 0.0, 1.0)
        beyond = np.minimum(np.maximum(most - counts, 0) / np.maximum(self.everyone - counts, 1), 1.0)
        return self.mean_of_groups(np.where(self.places >= 0, among, np.where(self.known, beyond, 0.0)))

    def mean_of_groups(self, values: Floats | Bools) -> Floats:
        """Return for each pseudonym the mean of its group."""
        return np.asarray((np.bincount(self.groups, values) / np.maximum(np.bincount(self.groups), 1))[self.groups])

    def _ranks(self, values: Floats) -> tuple[Ints, Ints]:
        """Return by pseudonym how many candidates are above the right one, and how many are as high."""
        starts = self.candidates.starts
        ranks = np.unique(values, return_inverse=True)[1] if len(values) else np.empty(0, np.int64)
        # One rising row of numbers: those of a group lie between two numbers that only it has.
        keys = np.sort(self.candidates.groups.astype(np.int64) * (len(values) + 1) + ranks)
        own = self.groups * (len(values) + 1) + np.append(ranks, len(values))[self.places]
        last = np.searchsorted(keys, own, side="right")
        return starts[self.groups + 1] - last, last - np.searchsorted(keys, own)


def expected_hits(chances: Floats) -> float:
    """Return how many guesses are right on the mean. Three times a third is one, whatever floating point adds."""
    return round(float(chances.sum()), _DIGITS)


def calibration_error(confidence: Floats, right: Floats) -> float:
    """Return the expected calibration error: how far confidence is from the share that is right, on the mean.

    Guesses are put in ten bins of equal width (Guo et al.: On calibration of modern neural networks, 2017).
    """
    bins = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)
    apart = np.bincount(bins, confidence, _BINS) - np.bincount(bins, right, _BINS)
    return float(np.abs(apart).sum() / max(len(confidence), 1))


def surest_guesses(confidence: Floats, right: Floats | None) -> tuple[SurestGuesses, ...]:
    """Return how many of the surest guesses are right, for a tenth of all to all of them.

    Which of equally sure ones are among them, nothing decides: each is as right as they are on the mean.
    """
    order = np.argsort(-confidence, kind="stable")
    if right is not None:
        numbers = np.unique(confidence, return_inverse=True)[1]
        right = (np.bincount(numbers, right) / np.bincount(numbers))[numbers]
    found = []
    for share in _SHARES:
        chosen = order[: max(round(share * len(order)), 1)]
        told: tuple[float | None, tuple[float, float] | None] = None, None
        if right is not None:
            hits = expected_hits(right[chosen])
            told = hits / len(chosen), share_interval(hits, len(chosen))
        sure = confidence[chosen]
        found.append(SurestGuesses(share, len(chosen), float(sure.min()), float(sure.mean()), *told))
    return tuple(found)


def by_rows(rows: Ints, right: Floats) -> tuple[RowsBand, ...]:
    """Return how many pseudonyms are identified by how many rows they have."""
    found = []
    for least, following in zip(_BANDS, (*_BANDS[1:], None), strict=True):
        chosen = (rows >= least) & (rows < (following or np.inf))
        number, hits = int(chosen.sum()), expected_hits(right[chosen])
        if number:
            most = following - 1 if following else None
            found.append(RowsBand(least, most, number, hits / number, share_interval(hits, number)))
    return tuple(found)


def class_links(links: ProfileLinks, truth: Ints | None) -> ClassLinks | None:
    """Return what is learnt of classes; None if no pseudonyms have the same rows."""
    sides = links.sides
    if not sides.grouped:
        return None
    right = None
    if truth is not None:
        right = _right_class(links, _true_groups(links, truth))
    sizes = sides.multiplicity
    return ClassLinks(len(sizes), int(sizes.min()), len(sizes) / int(sizes.sum()), right)


def _right_class(links: ProfileLinks, groups: Ints) -> float:
    """Return the share of people whose most probable class is theirs, ties being broken at random."""
    found, sides = links.candidates, links.sides
    parts = links.shares * sides.multiplicity[found.groups]
    greatest = np.zeros(len(groups))
    np.maximum.at(greatest, found.people, parts)
    best = parts == greatest[found.people]
    right = np.bincount(found.people, best & (found.groups == groups[found.people]), len(groups))
    chances = right / np.maximum(np.bincount(found.people, best, len(groups)), 1)
    there = groups >= 0
    return expected_hits(chances[there]) / int(there.sum()) if there.any() else 0.0
