"""What gives people away: the items they buy again, the habits they keep, and how far each view alone would lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sudare.histories.profiles.attack import ProfileLinks
from sudare.histories.profiles.candidates import find_candidates
from sudare.histories.profiles.habits import find_habits
from sudare.histories.profiles.measures import Truths
from sudare.kernels.common.arrays import Ints
from sudare.kernels.profiles.rows import Profiles
from sudare.results import Result
from sudare.showing import dataclass

MOST_ITEMS = 10
# With more people than this, views are not tried one by one: each costs as much as the attack.
MOST_VIEWED = 20_000
# Values that differ by less do so by rounding alone.
_ALIKE = 1e-9
# Pairs are taken for the same people, where no truth is known, if they are so more probably than not.
_RATHER = 0.5


@dataclass(frozen=True, slots=True)
class RevealingItem(Result):
    """An item that gives people away: how many known people have it, and how many pairs of both periods share it.

    `share` is its part of all similarity in items of these pairs.
    """

    item: str
    people: int
    pairs: int
    share: float


@dataclass(frozen=True, slots=True)
class KeptHabit(Result):
    """A habit, and the correlation of its values in both periods over the people in both."""

    habit: str
    correlation: float


@dataclass(frozen=True, slots=True)
class ViewAlone(Result):
    """The share of pseudonyms that the similarity in one view alone identifies, each by itself."""

    view: str
    identified: float


def true_pairs(links: ProfileLinks, truth: Ints) -> tuple[Ints, Ints]:
    """Return the groups and the known people of all pseudonyms whose person is known."""
    there = np.flatnonzero(truth >= 0)
    return links.sides.groups[there], truth[there]


def sure_pairs(links: ProfileLinks) -> tuple[Ints, Ints]:
    """Return the groups, and the known people they are taken for, of which the attacker is rather sure."""
    best = links.best()
    groups = np.flatnonzero((best >= 0) & (links.confidence() * links.sides.multiplicity > _RATHER))
    return groups, links.candidates.people[best[groups]].astype(np.int64)


def revealing_items(links: ProfileLinks, pairs: tuple[Ints, Ints]) -> tuple[RevealingItem, ...]:
    """Return the items that add most to the similarity of pairs, which are the same people at both times."""
    sides, viewed = links.sides, links.viewed
    end = int(viewed.ends[0])
    common = _items(viewed.published, end)[pairs[0]].multiply(_items(viewed.known, end)[pairs[1]]).tocsc()
    sums, numbers = np.asarray(common.sum(axis=0)).ravel(), np.diff(common.indptr)
    total, holders = float(sums.sum()), np.bincount(viewed.known.keys[viewed.known.keys < end], minlength=end)
    best = [key for key in np.argsort(-sums, kind="stable")[:MOST_ITEMS].tolist() if sums[key] > 0]
    return tuple(
        RevealingItem(sides.item_name(code), int(holders[key]), int(numbers[key]), float(sums[key]) / total)
        for key, code in zip(best, _codes(links, best), strict=True)
    )


def _items(profiles: Profiles, end: int) -> Any:
    """Return the profiles in items, by how often, as a sparse matrix."""
    from scipy import sparse

    own = profiles.keys < end
    counts = np.concatenate([[0], np.cumsum(own)])[profiles.starts]
    return sparse.csr_array((profiles.often[own], profiles.keys[own], counts), (len(profiles.starts) - 1, end))


def _codes(links: ProfileLinks, keys: Sequence[int]) -> list[int]:
    """Return the codes of keys of the first view: these are the codes that occur, in rising order."""
    from sudare.histories.profiles.views import VIEWS, row_keys

    sides = links.sides
    found = [row_keys(VIEWS[0], side, sides.sizes)[0] for side in (sides.known, sides.published)]
    occurring = np.unique(np.concatenate(found))
    return [int(occurring[key]) for key in keys]


def kept_habits(links: ProfileLinks, pairs: tuple[Ints, Ints]) -> tuple[KeptHabit, ...]:
    """Return how well each habit of people at one time tells that at another, the best first."""
    sides = links.sides
    days = sides.published.days is not None and sides.known.days is not None
    published, known = (find_habits(side, days=days).means for side in (sides.published, sides.known))
    found = []
    for name in published:
        own, other = published[name][pairs[0]], known[name][pairs[1]]
        if len(own) > 2 and own.std() > _ALIKE and other.std() > _ALIKE:
            found.append(KeptHabit(name, float(np.corrcoef(own, other)[0, 1])))
    return tuple(sorted(found, key=lambda habit: -habit.correlation))


def views_alone(links: ProfileLinks, truth: Ints) -> tuple[ViewAlone, ...]:
    """Return how many pseudonyms each view by itself identifies."""
    sides, viewed = links.sides, links.viewed
    starts = np.concatenate([[0], viewed.ends])
    found = []
    for place, view in enumerate(viewed.views):
        weights = np.zeros_like(viewed.weights)
        weights[starts[place] : starts[place + 1]] = 0.5
        candidates = find_candidates(replace(viewed, weights=weights))
        truths = Truths.of(candidates, sides.groups, truth, len(sides.customers))
        right = truths.chance(candidates.scores, 1)[truth >= 0]
        found.append(ViewAlone(view.name, float(right.mean()) if len(right) else 0.0))
    return tuple(found)
