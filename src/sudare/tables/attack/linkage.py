"""Linkage: somebody who knows quasi-identifiers of a person looks for the person's published record.

A missing value is known as such: it is a value like any other. Where a column publishes means, the range of the class
is taken as known, which is more than the file says.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.tables.covering import SLACK
from sudare.showing import dataclass
from sudare.statistics.intervals import mean_interval
from sudare.statistics.random_streams import stream
from sudare.tables.attack.covering import Covering, PublishedKinds, original_kinds, published_kinds
from sudare.tables.attack.results import (
    AttackClaim,
    AttackControl,
    AttackName,
    AttackReason,
    AttackVerdict,
    Interval,
    LinkageFound,
    SubsetLinkage,
    TableAttack,
    TightLinkage,
    with_controls,
)
from sudare.tables.attack.targets import Targets
from sudare.tables.classes.criteria import Criteria
from sudare.tables.recoded.model import RecodedTable

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
LARGEST_SUBSET = 3
MOST_SUBSETS = 600
CONTROL_TARGETS = 2_000


@dataclass(frozen=True, eq=False)
class Guess:
    """For each target, the number of published records in question, and of the person's own among them."""

    candidates: Counts
    own: Counts

    @property
    def success(self) -> Floats:
        """The chance that a candidate guessed at random is right."""
        return np.asarray(self.own / np.maximum(self.candidates, 1))

    def sure(self, targets: Targets) -> int:
        """Return the number of persons for whom all candidates are right."""
        return len(np.unique(targets.persons[(self.own > 0) & (self.own == self.candidates)]))

    @property
    def smallest(self) -> int:
        """The smallest set of candidates with a right one among them, 0 if there is none."""
        return int(self.candidates[self.own > 0].min(initial=np.iinfo(np.int64).max)) if self.own.any() else 0

    @property
    def tries(self) -> float | None:
        """The mean number of guesses, without repetition, until a right one: (n + 1) / (own + 1)."""
        possible = self.own > 0
        return float(np.mean((self.candidates + 1)[possible] / (self.own + 1)[possible])) if possible.any() else None


def attack_linkage(found: RecodedTable, targets: Targets, seed: int) -> LinkageFound:
    """Guess the published record of each target by all quasi-identifiers, by the tightest cells, and by subsets."""
    kinds = published_kinds(found)
    whole = _guess(targets, kinds, list(range(len(found.columns))))
    success = whole.success
    return LinkageFound(
        mean=float(np.mean(success)), interval=interval_of(success, targets.everybody), highest=float(success.max()),
        smallest=whole.smallest, sure=whole.sure(targets), guesses=whole.tries, tight=_tight(targets, kinds),
        subsets=tuple(_subset_linkage(targets, kinds, seed)), all_subsets=_number_of_subsets(len(found.columns)),
    )  # fmt: skip


def interval_of(shares: Floats, exact: bool) -> Interval:
    """Return the interval of a mean of shares: of those of a sample, or the mean itself."""
    mean, low, high = mean_interval(shares)
    return (mean, mean) if exact else (low, high)


def _guess(targets: Targets, kinds: PublishedKinds, places: list[int]) -> Guess:
    (found,) = _guesses(targets, kinds, [places])
    return found


def _guesses(targets: Targets, kinds: PublishedKinds, sets: list[list[int]]) -> Iterator[Guess]:
    """Yield the candidates for each of some sets of quasi-identifiers; equal values are looked for once."""
    search = Covering(kinds, targets.codes)
    numbered = [targets.distinct(places) for places in sets]
    queries = [
        np.ascontiguousarray(search.wanted[firsts][:, places])
        for places, (_, firsts) in zip(sets, numbered, strict=True)
    ]
    for places, (numbers, _), counts in zip(sets, numbered, search.count(queries), strict=True):
        yield Guess(counts[numbers], targets.own(targets.covered[places]))


def _tight(targets: Targets, kinds: PublishedKinds) -> TightLinkage:
    """Guess a record of the covering class with the least loss; of several, one of all their records."""
    numbers, firsts = targets.distinct(list(range(len(targets.codes))))
    least, tied, _ = (part[numbers] for part in Covering(kinds, np.ascontiguousarray(targets.codes[:, firsts])).weigh())
    owner = targets.found.owner[targets.pair_record]
    within = targets.covered.all(axis=0) & (kinds.losses[owner] <= least[targets.pair_target] + SLACK)
    own = np.bincount(targets.pair_target[within], minlength=len(targets))
    success = own / np.maximum(tied, 1)
    # A person may have records in several of the classes: each class is guessed with its share of the records.
    _, chosen = np.unique(targets.pair_target * len(kinds) + owner, return_index=True)
    chosen = chosen[within[chosen]]
    shares = kinds.sizes[owner[chosen]] / tied[targets.pair_target[chosen]]
    return TightLinkage(
        float(np.mean(success)), interval_of(success, targets.everybody), float(success.max()),
        float(shares.sum() / len(targets)),
    )  # fmt: skip


def _number_of_subsets(attributes: int) -> int:
    return sum(comb(attributes, size) for size in range(1, min(LARGEST_SUBSET, attributes) + 1))


def _subset_linkage(targets: Targets, kinds: PublishedKinds, seed: int) -> Iterator[SubsetLinkage]:
    names = targets.found.quasi
    sets = _subsets(len(names), seed)
    for places, guess in zip(sets, _guesses(targets, kinds, sets), strict=True):
        success = guess.success
        known = tuple(names[a] for a in places)
        yield SubsetLinkage(
            known, float(np.mean(success)), interval_of(success, targets.everybody), float(success.max()),
            guess.smallest, guess.sure(targets),
        )  # fmt: skip


def _subsets(attributes: int, seed: int) -> list[list[int]]:
    """Return all sets of up to three attributes, or as many drawn ones as are tried; smaller ones come first."""
    sizes = range(1, min(LARGEST_SUBSET, attributes) + 1)
    every = [list(places) for size in sizes for places in itertools.combinations(range(attributes), size)]
    if len(every) <= MOST_SUBSETS:
        return every
    drawn = stream(seed, "subsets").choice(len(every), MOST_SUBSETS, replace=False)
    return [every[i] for i in np.sort(drawn)]


def judge_linkage(
    found: RecodedTable, targets: Targets, criteria: Criteria, reached: LinkageFound, seed: int
) -> list[TableAttack]:
    """Judge what linkage reached against 1/k, with its controls."""
    controls = linkage_controls(found, targets, seed)
    worst = reached.worst_highest
    parts: list[tuple[AttackName, tuple[str, ...], LinkageFound | SubsetLinkage | TightLinkage]] = [
        ("linkage", found.quasi, reached),
        *([("linkage_subset", worst.attributes, worst)] if worst is not None else []),  # type: ignore[list-item]
        ("linkage_tight", found.quasi, reached.tight),
    ]
    return [_judged(name, known, part, targets, criteria, controls) for name, known, part in parts]


def _judged(
    name: AttackName,
    known: tuple[str, ...],
    part: LinkageFound | SubsetLinkage | TightLinkage,
    targets: Targets,
    criteria: Criteria,
    controls: tuple[AttackControl, ...],
) -> TableAttack:
    promised = 1 / criteria.k
    verdict, claim, reason = _verdict(part.highest, promised, targets, criteria.k)
    attack = TableAttack(
        name, known, verdict, reason, success=part.mean, interval=part.interval, highest=part.highest,
        chance=1 / int(targets.found.published.sum()), limit=promised, claim=claim,
    )  # fmt: skip
    return with_controls(attack, controls)


def _verdict(
    highest: float, promised: float, targets: Targets, k: int
) -> tuple[AttackVerdict, AttackClaim, AttackReason]:
    found = targets.found
    if highest > promised + SLACK:
        several = found.table.persons is not None and int(found.persons.min(initial=k)) >= k
        return "above", "proven", "several_records" if several else "somebody"
    if found.table.persons is None and int(found.sizes.min(initial=k)) >= k and covers_itself(found):
        return "within", "proven", "class_sizes"
    return ("within", "proven", "all_tried") if targets.everybody else ("within", "estimated", "sampled")


def covers_itself(found: RecodedTable) -> bool:
    """Return whether the cells of every published record cover its values: then its class is among the candidates."""
    kept = np.flatnonzero(found.published)
    owner = found.owner[kept]
    return all(
        bool(column.covers(found.cells[a][owner], found.codes(column.attribute)[kept]).all())
        for a, column in enumerate(found.columns)
    )


def linkage_controls(found: RecodedTable, targets: Targets, seed: int) -> tuple[AttackControl, ...]:
    """Attack the original, where grouping equal records says what to expect, and a truth that was shuffled."""
    some = targets.some(CONTROL_TARGETS, seed)
    return _original_control(found, some), _shuffled_control(found, some, seed)


def _original_control(found: RecodedTable, targets: Targets) -> AttackControl:
    kinds = original_kinds(found, found.quasi)
    places = list(range(len(found.columns)))
    records = targets.found.rows[targets.pair_record]
    known = targets.found.rows[targets.records][targets.pair_target]
    codes = found.table.codes[found.table.positions(list(found.quasi))]
    same = (codes[:, records] == codes[:, known]).all(axis=0)
    own = np.bincount(targets.pair_target[same], minlength=len(targets))
    (candidates,) = (guess.candidates for guess in _guesses(targets, kinds, [places]))
    reached = float(np.mean(Guess(candidates, own).success))
    expected = float(np.mean(own / _class_sizes(found, targets)))
    return AttackControl("original", reached, expected, reached >= expected - SLACK)


def _class_sizes(found: RecodedTable, targets: Targets) -> Counts:
    """Return for each target how many records of the original have its quasi-identifiers, by sorting."""
    rows = found.table.codes[found.table.positions(list(found.quasi))].T
    _, inverse = np.unique(rows, axis=0, return_inverse=True)
    sizes = np.bincount(inverse.ravel(), weights=found.table.counts).astype(np.int64)
    return np.asarray(sizes[inverse.ravel()[found.rows[targets.records]]])


def _shuffled_control(found: RecodedTable, targets: Targets, seed: int) -> AttackControl:
    """Call a random published record the right one: it is guessed with the chance 1 / (published records)."""
    published = np.flatnonzero(found.published)
    drawn = stream(seed, "shuffled").choice(published, len(targets))
    alone = Targets(found, targets.records, np.arange(len(targets)), drawn)
    guess = _guess(alone, published_kinds(found), list(range(len(found.columns))))
    mean, low, _ = mean_interval(guess.success)
    return AttackControl("shuffled", mean, 1 / len(published), low <= 1 / len(published))
