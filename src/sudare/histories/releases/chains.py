"""Chains: the pseudonyms of several releases that are taken for the same person, release by release.

Each release is linked to all earlier ones together, so that what is known of somebody grows with every release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.profiles.attack import ProfileLinks, attack_profiles
from sudare.histories.profiles.periods import Period, is_same_time, period_of
from sudare.histories.profiles.sides import make_sides
from sudare.histories.releases.cells import one_of_each_class, stacked
from sudare.histories.releases.meeting import match_rows, narrowed
from sudare.kernels.common.arrays import Bools, Floats, Ints
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# A pseudonym joins a chain if it belongs there more probably than not.
LEAST_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class LinkedRelease:
    """A release whose pseudonyms have chains: `chains[i]` is that of the class with the number `pids[i]`.

    `joined` says which of them joined a chain that was there, with which `confidence`. `sizes` are those of the
    classes. The cells are those of one pseudonym of each class. `guesses` are the most probable chains of those that
    were there before, whether joined or not; 0 if nobody was like them.
    """

    cells: CellHistory
    period: Period
    pids: Ints
    chains: Ints
    joined: Bools
    guesses: Ints
    confidence: Floats
    sizes: Ints
    same_time: bool


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Releases linked to chains, and all their rows by chain.

    `cells` are the rows of all releases, of the same purchases once, with what all releases say of them; persons are
    the numbers of chains. `apart` are the same rows as single releases say them, each pseudonym being a person.
    """

    releases: tuple[LinkedRelease, ...]
    cells: CellHistory
    apart: CellHistory

    @property
    def lengths(self) -> Ints:
        """The number of releases that each chain is in."""
        numbers = np.concatenate([release.chains for release in self.releases])
        return np.bincount(numbers)[1:]


def link_releases(releases: Sequence[CellHistory], *, seed: int = 0, progress: Progress = silent) -> Chains:
    """Link the pseudonyms of releases, the earliest first, into chains.

    The attack is the untrained one: there is nothing to learn from, since nobody knows who comes again under another
    pseudonym.
    """
    if len(releases) < 2:
        raise OptionNotUsable("errors.releases.too_few")
    if any(release.deleted.all() for release in releases):
        raise OptionNotUsable("errors.profiles.empty")
    first = _first(releases[0])
    linked, known = [first], replace(first.cells, persons=_renumbered(first.cells.persons, first))
    apart = known
    for number, release in enumerate(releases[1:], start=1):
        progress(message("progress.linking_releases"), number - 1, len(releases) - 1)
        found = _link(known, release, int(known.persons.max()), seed=seed)
        linked.append(found)
        own = replace(found.cells, persons=_renumbered(found.cells.persons, found))
        unlinked = replace(own, persons=np.searchsorted(found.pids, found.cells.persons) + 1 + int(apart.persons.max()))
        known, apart = _joined(known, apart, own, unlinked, same_time=found.same_time)
    return Chains(tuple(linked), known, apart)


def _first(history: CellHistory) -> LinkedRelease:
    found = one_of_each_class(history)
    pids = np.unique(found.cells.persons)
    size = len(pids)
    new = np.zeros(size, np.bool_), np.zeros(size, np.int64), np.ones(size)
    return LinkedRelease(
        found.cells, period_of(history), pids, np.arange(1, size + 1), *new, found.sizes, same_time=False
    )


def _renumbered(persons: Ints, release: LinkedRelease) -> Ints:
    return release.chains[np.searchsorted(release.pids, persons)]


def _link(known: CellHistory, history: CellHistory, chains: int, *, seed: int) -> LinkedRelease:
    """Give each pseudonym of a release a chain that is there, or a new one."""
    found = one_of_each_class(history)
    period = period_of(history)
    same = is_same_time(period_of(known), period)
    sides = make_sides(known, found.cells, days=same)
    links = attack_profiles(sides, trained=False, calibrated=False, same_time=same, seed=seed)
    chain, confidence = _taken(links)
    joined, best = chain > 0, links.best()
    guesses = np.where(best >= 0, sides.customers[np.append(links.candidates.people, 0)[best]], 0)
    chain[~joined] = chains + 1 + np.arange(int((~joined).sum()))
    return LinkedRelease(found.cells, period, sides.pids, chain, joined, guesses, confidence, found.sizes, same)


def _taken(links: ProfileLinks) -> tuple[Ints, Floats]:
    """Return by pseudonym the number of the known one it is assigned to, 0 if that is not probable, and how sure."""
    places = links.assigned()
    shares = np.append(links.shares, 0.0)[places]
    confidence = np.where(shares > 0, links.calibration.corrected(shares), 0.0)
    people = links.sides.customers[np.append(links.candidates.people, 0)[places]]
    return np.where(confidence >= LEAST_CONFIDENCE, people, 0), confidence


def _joined(
    known: CellHistory, apart: CellHistory, own: CellHistory, unlinked: CellHistory, *, same_time: bool
) -> tuple[CellHistory, CellHistory]:
    """Add the rows of a release, linked and not; those of the same purchases make the cells that are there narrower."""
    together, both = stacked([known, own]), stacked([apart, unlinked])
    if not same_time:
        return together, both
    chains = np.intersect1d(known.persons, own.persons)
    ours, theirs = _rows_of(known.persons, chains), _rows_of(own.persons, chains)
    pairs = [match_rows(together, one, other + len(known)) for one, other in zip(ours, theirs, strict=True)]
    if not pairs:
        return together, both
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    rows = np.setdiff1d(np.arange(len(together)), second)
    return narrowed(together, first, second).taken(rows), both.taken(rows)


def _rows_of(persons: Ints, wanted: Ints) -> list[Ints]:
    """Return the rows of each wanted person."""
    order = np.argsort(persons, kind="stable")
    ends = np.searchsorted(persons[order], wanted, side="right")
    return [order[start:end] for start, end in zip(np.searchsorted(persons[order], wanted), ends, strict=True)]
