"""How well somebody recognizes people whom they know from another time: the whole answer.

After Tournier, de Montjoye: Expanding the attack surface: Robust profiling attacks threaten the privacy of sparse
behavioral data (Science Advances, 2022): an attacker has the same people's purchases of another period, and looks for
who they are among the pseudonyms of what was published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.profiles.attack import NotTrained, ProfileLinks, attack_profiles
from sudare.histories.profiles.evidence import (
    MOST_VIEWED,
    KeptHabit,
    RevealingItem,
    ViewAlone,
    kept_habits,
    revealing_items,
    sure_pairs,
    true_pairs,
    views_alone,
)
from sudare.histories.profiles.guesses import ProfileGuesses, make_guesses
from sudare.histories.profiles.measures import (
    ClassLinks,
    Outcome,
    RowsBand,
    SurestGuesses,
    by_rows,
    calibration_error,
    class_links,
    expected_hits,
    judge_links,
    surest_guesses,
)
from sudare.histories.profiles.periods import Period, cut_days, cut_rows, gap_between, is_same_time, period_of
from sudare.histories.profiles.read import NamedCells
from sudare.histories.profiles.sides import Sides, make_sides, places_of
from sudare.histories.profiles.what_if import WhatIf, try_changes
from sudare.kernels.common.arrays import Ints
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.spellings import plain
from sudare.sources.writing import keeps_inputs
from sudare.statistics.intervals import share_interval

Method = Literal["trained", "untrained"]
World = Literal["closed", "open"]
SHARES = ("alone", "one_to_one", "assigned", "best_ten")
# The place of the person behind a pseudonym of which the truth says nothing; a stranger's is -1.
_UNTOLD = -2


@dataclass(frozen=True, slots=True)
class ProfileShares(Result):
    """The shares of pseudonyms that an attack identifies, and how well its confidence fits.

    Of `pseudonyms`, the people behind `shared` are among the `candidates`; shares are those of the shared ones. `alone`
    each by itself, `one_to_one` given that nobody is two, `assigned` by the best assignment of different people,
    `best_ten` among ten candidates; ties are broken at random, on the mean. `expected` is the share of all pseudonyms
    that the attacker expects to guess right. Without a truth, what it is needed for is None.
    """

    pseudonyms: int
    candidates: int
    shared: int | None
    alone: float | None
    one_to_one: float | None
    assigned: float | None
    best_ten: float | None
    intervals: Mapping[str, tuple[float, float]]
    expected: float
    calibration_error: float | None
    surest: tuple[SurestGuesses, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ProfileAssessment(ProfileShares):
    """How well people are recognized by what they bought at another time.

    The shares are those of a `closed` world, in which pseudonyms and candidates are the same people, or of an open one,
    as `world` says. `open_world` has those of the open one too, if the truth about both is known. `guess` is the share
    that guessing at random identifies. `not_trained` says why nothing was learnt. `purchases` identifies the history
    that is known, or was split.
    """

    _hidden = ("guesses", "sources", "purchases")
    _rows = ("surest",)
    _row = SurestGuesses

    method: Method
    not_trained: NotTrained | None
    world: World
    guess: float
    known_period: Period
    published_period: Period
    gap_days: int
    same_time: bool
    by_rows: tuple[RowsBand, ...]
    classes: ClassLinks | None
    items: tuple[RevealingItem, ...]
    habits: tuple[KeptHabit, ...]
    views: tuple[ViewAlone, ...]
    what_if: tuple[WhatIf, ...]
    open_world: ProfileShares | None
    seed: int
    guesses: ProfileGuesses = field(repr=False)
    sources: tuple[str, ...] = field(repr=False)
    purchases: str = field(repr=False)

    @checked
    @keeps_inputs()
    def write_guesses(self, path: str | Path) -> None:
        """Write a line for each pseudonym: who the attacker takes it for, and how sure they are. A secret file."""
        self.guesses.write(path)


@checked
def link_profiles(
    known: NamedCells,
    published: NamedCells,
    *,
    truth: Mapping[str, str] | None = None,
    trained: bool | None = None,
    closed: bool | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> ProfileAssessment:
    """Recognize the people of a known history among the pseudonyms of a published one.

    `truth` says who is behind pseudonyms, if that is known; it is used only to count right guesses. Pseudonyms that it
    leaves out are not judged; those of people who are not known are strangers. `closed` says whether pseudonyms and
    known people are the same people; None: if they are equally many. `trained` None: if the extra `learn` is installed
    and there is something to learn from.
    """
    _check_seed(seed)
    periods = period_of(known.cells), period_of(published.cells)
    same = is_same_time(*periods)
    sides = make_sides(known.cells, published.cells, days=same)
    if closed is None:
        closed = len(sides.pids) == len(sides.customers)
    right = _places(sides, known, published, truth) if truth is not None else None
    links = attack_profiles(sides, trained=trained, closed=closed, same_time=same, seed=seed, progress=progress)
    made = make_guesses(links, known.names, published.names, seed), (known.source, published.source), known.digest()
    return _assessment(links, right, periods, *made, seed=seed, same_time=same)


@checked
def split_profiles(
    history: NamedCells,
    split: str | date | Sequence[str | date] = "half",
    *,
    trained: bool | None = None,
    what_if: bool = False,
    seed: int = 0,
    progress: Progress = silent,
) -> ProfileAssessment:
    """Split a history by a day, and recognize the people of the earlier part among those of the later part.

    The day belongs to the later part; "half" is the middle of the period. People of both parts are the truth. Shares
    are those of the people in both (a closed world), and of all (an open one). With `what_if`, shorter periods, gaps
    and publishing less are tried too.
    """
    _check_seed(seed)
    cuts = cut_days(history.cells, split)
    if len(cuts) > 1:
        raise OptionNotUsable("errors.profiles.one_split")
    parts = [part.cells for part in (history.taken(rows) for rows in cut_rows(history.cells, cuts))]
    found = _closed_world(parts, history, trained=trained, what_if=what_if, seed=seed, progress=progress)
    # Whether there is enough to learn from is asked again: these are other people.
    wanted = None if found.method == "trained" else False
    open_world = _open_world(parts, trained=wanted, seed=seed, progress=progress)
    return replace(found, open_world=open_world)


def _closed_world(
    parts: Sequence[CellHistory],
    history: NamedCells,
    *,
    trained: bool | None,
    what_if: bool,
    seed: int,
    progress: Progress,
) -> ProfileAssessment:
    """Recognize the people who come in both parts of a history among themselves."""
    both = np.intersect1d(parts[0].persons, parts[1].persons)
    if len(both) < 2:
        raise OptionNotUsable("errors.profiles.few_in_both")
    sides = make_sides(*(part.taken(np.flatnonzero(np.isin(part.persons, both))) for part in parts))
    links = attack_profiles(sides, trained=trained, closed=True, seed=seed, progress=progress)
    found = _assessment(
        links, places_of(sides.customers, sides.pids), (period_of(parts[0]), period_of(parts[1])),
        make_guesses(links, history.names, history.names, seed), (history.source,), history.digest(),
        seed=seed, same_time=False,
    )  # fmt: skip
    del links
    return replace(found, what_if=try_changes(sides, seed=seed, progress=progress) if what_if else ())


def _open_world(parts: Sequence[CellHistory], *, trained: bool | None, seed: int, progress: Progress) -> ProfileShares:
    """Recognize those of the earlier part among all of the later part."""
    sides = make_sides(*parts)
    links = attack_profiles(sides, trained=trained, seed=seed, progress=progress)
    return _shares(links, places_of(sides.customers, sides.pids))


def _check_seed(seed: int) -> None:
    if seed < 0:
        raise OptionNotUsable("errors.history.seed", seed=seed)


def _places(sides: Sides, known: NamedCells, published: NamedCells, truth: Mapping[str, str]) -> Ints:
    """Return by pseudonym the place of the known person behind it, -1 for a stranger, -2 where the truth is silent."""
    truth = {plain(pseudonym): plain(customer) for pseudonym, customer in truth.items()}
    numbers = {name: number for number, name in enumerate(known.names, start=1)}
    unknown = truth.keys() - set(published.names)
    if unknown:
        raise OptionNotUsable("errors.profiles.truth_pseudonym", pseudonym=min(unknown))
    names = [published.names[pid - 1] for pid in sides.pids.tolist()]
    behind = [numbers.get(truth.get(name, ""), 0) for name in names]
    found = places_of(sides.customers, np.asarray(behind, np.int64))
    if not (found >= 0).any():
        raise OptionNotUsable("errors.profiles.truth_nobody")
    return np.where([name in truth for name in names], found, _UNTOLD)


def _shares(links: ProfileLinks, truth: Ints | None) -> ProfileShares:
    return ProfileShares(**_told(links, truth, None if truth is None else judge_links(links, truth)))


def _told(links: ProfileLinks, truth: Ints | None, outcome: Outcome | None) -> dict[str, Any]:
    """Return the fields of `ProfileShares`."""
    sides = links.sides
    confidence = links.confidence()[sides.groups]
    expected = expected_hits(confidence) / len(sides.pids)
    counts = {"pseudonyms": len(sides.pids), "candidates": len(sides.customers), "expected": expected}
    if truth is None or outcome is None:
        nothing = dict.fromkeys(("shared", *SHARES, "calibration_error"))
        return {**counts, **nothing, "intervals": {}, "surest": surest_guesses(confidence, None)}
    shared, told = int((truth >= 0).sum()), truth != _UNTOLD
    hits = {name: expected_hits(getattr(outcome, name)[truth >= 0]) for name in SHARES}
    return {
        **counts,
        "shared": shared,
        **{name: hits[name] / shared if shared else 0.0 for name in SHARES},
        "intervals": {name: share_interval(hits[name], shared) for name in SHARES},
        "calibration_error": calibration_error(confidence[told], outcome.one_to_one[told]),
        "surest": surest_guesses(confidence[told], outcome.one_to_one[told]),
    }


def _assessment(
    links: ProfileLinks,
    truth: Ints | None,
    periods: tuple[Period, Period],
    guesses: ProfileGuesses,
    sources: tuple[str, ...],
    purchases: str,
    *,
    seed: int,
    same_time: bool,
) -> ProfileAssessment:
    sides = links.sides
    outcome = None if truth is None else judge_links(links, truth)
    pairs = sure_pairs(links) if truth is None else true_pairs(links, truth)
    bands: tuple[RowsBand, ...] = ()
    if outcome is not None and truth is not None:
        shared = truth >= 0
        bands = by_rows(sides.published.rows[sides.groups[shared]], outcome.one_to_one[shared])
    return ProfileAssessment(
        **_told(links, truth, outcome),
        method="trained" if links.trained else "untrained",
        not_trained=links.not_trained,
        world="closed" if links.closed else "open",
        guess=1 / len(sides.customers),
        known_period=periods[0],
        published_period=periods[1],
        gap_days=gap_between(*periods),
        same_time=same_time,
        by_rows=bands,
        classes=class_links(links, truth),
        items=revealing_items(links, pairs),
        habits=kept_habits(links, pairs),
        views=views_alone(links, truth) if truth is not None and len(sides.customers) <= MOST_VIEWED else (),
        what_if=(),
        open_world=None,
        seed=seed,
        guesses=guesses,
        sources=sources,
        purchases=purchases,
    )
