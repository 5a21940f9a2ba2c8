"""Repairing drawn adversaries, for records that are too long to check all of them.

`paper` is Algorithm 2 of T. Nakagawa, Arai, H. Nakagawa as it is printed: each pass draws n_S adversaries of each size,
repairs the unsafe ones, and the work ends with the first pass that meets none. Its last pass is a look at what is
published; docs/explanation/baskets.md says what it proves. `best` repairs with fewer suppressions, and takes the
paper's answer if that lost less. `swept` repairs all adversaries of short records first, draws more from
records where one was unsafe, and lets an independent sample confirm the end.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import comb

import numpy as np
from numpy.typing import NDArray

from sudare.baskets.check.draws import draw_adversaries, sampling_generator
from sudare.baskets.check.sample_sizes import SHARED_LOOKS, paper_sample_size, refuse_large_sample, shared_sample_size
from sudare.baskets.suppress.choice import Choice, KeepLow
from sudare.baskets.suppress.repair import Look, Work
from sudare.baskets.suppress.suppression import look_seed
from sudare.deadline import TimeOver
from sudare.interruption import settle
from sudare.kernels.baskets import cheap_suppression, sampled_suppression, swept_suppression

# Records whose adversaries are all checked before others are drawn: they are most of the records, and drawing takes
# long to meet their last unsafe ones. Longer ones would lose much for adversaries that are hardly ever drawn.
LONGEST_SWEPT = 15
# The most adversaries with one number of known items that are all checked: some seconds.
MOST_SWEPT = 50_000_000
# Safe adversaries in a row after which the record of an unsafe one is left.
STREAK = 20
# Items whose sets are swept between two looks at the clock.
_PART_ITEMS = 64
# Fewer drawn adversaries are looked at on one processor: handing them out takes longer.
_FEW = 100

# Suppresses items until some drawn adversaries are safe, and marks the items of changed records.
Repair = Callable[[Work, NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]], None]


def repair_as_printed(work: Work, epsilon: float, delta: float) -> Look:
    """Repair drawn adversaries until a whole pass over fresh ones meets none unsafe (Algorithm 2, as printed)."""
    draws = paper_sample_size(epsilon, delta)
    refuse_large_sample(draws, work.most_known)
    return _repair_until_safe(work, draws, paper_repair)


def repair_best(work: Work, epsilon: float, delta: float, keep_low: KeepLow) -> Look:
    """Go the paper's way and a cheaper one, and keep the better answer; return the look that it passed.

    Delta covers the looks of both ways, of which there are SHARED_LOOKS at most: each draws enough for that.
    The paper's way therefore draws more than the paper says where Theorem 1 asks for less than that.
    """
    draws = shared_sample_size(epsilon, delta)
    printed = max(draws, paper_sample_size(epsilon, delta))
    refuse_large_sample(printed, work.most_known)
    found = _repair_until_safe(work, printed, paper_repair)
    choice = Choice(work.original, keep_low, work.kept)
    try:
        work.reset()
        other = _repair_until_safe(work, draws, cheap_repair, found.number, SHARED_LOOKS)
        found = other if choice.offer(work.kept) else found
    except (TimeOver, KeyboardInterrupt):
        # There is a finished answer.
        settle()
    work.kept[:] = choice.kept
    return found


def paper_repair(work: Work, users: NDArray[np.int64], drawn: NDArray[np.int64], touched: NDArray[np.bool_]) -> None:
    """Suppress what formula (5) chooses, for nobody but the adversaries that were drawn."""
    sampled_suppression.repair_drawn(users, drawn, work.question, work.repair, touched, 0)


def cheap_repair(work: Work, users: NDArray[np.int64], drawn: NDArray[np.int64], touched: NDArray[np.bool_]) -> None:
    """Suppress what costs least, in one record or against one rule."""
    cheap_suppression.repair_cheaply(users, drawn, work.question, work.repair, touched)


def _streak_repair(work: Work, users: NDArray[np.int64], drawn: NDArray[np.int64], touched: NDArray[np.bool_]) -> None:
    """Suppress what formula (5) chooses, also for others who know as many items of the same record."""
    sampled_suppression.repair_drawn(users, drawn, work.question, work.repair, touched, STREAK)


def _repair_until_safe(work: Work, draws: int, repair: Repair, before: int = 0, most: int | None = None) -> Look:
    """Make passes until one meets no unsafe adversary; `before` passes were made already, and `most` may be.

    Each pass draws with a seed of its own, as the check of a look does: the last one can be repeated. After `most`
    passes the time is over.
    """
    number, unsafe = before, 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while unsafe:
            if number == most:
                raise TimeOver
            number += 1
            unsafe = _pass(work, draws, sampling_generator(look_seed(work.seed, number)), repair, pool)
    return Look(number, draws)


def repair_samples(work: Work, draws: int) -> None:
    """Repair drawn adversaries, and others of their records, until a whole pass over fresh ones meets none unsafe."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while _pass(work, draws, work.rng, _streak_repair, pool):
            pass


def _pass(work: Work, draws: int, rng: np.random.Generator, repair: Repair, pool: ThreadPoolExecutor) -> int:
    """Draw adversaries of every size and repair the unsafe ones; return how many were met."""
    met = 0
    work.passes += 1
    for size in range(1, work.most_known + 1):
        users, drawn = _draw(work, size, draws, rng)
        bad = _unsafe(work, users, drawn, pool)
        work.check_time()
        met += int(np.count_nonzero(bad))
        while bad.any():
            touched = np.zeros(len(work.original.names), np.bool_)
            repair(work, users[bad], drawn[bad], touched)
            work.quiet[touched] = False
            # Only sets of items that stand together in a record that changed can have become unsafe.
            again = touched[work.original.items[drawn]].all(axis=1)
            bad[again] = _unsafe(work, users[again], drawn[again], pool)
            bad[~again] = False
            work.check_time()
    work.tell(work.most_known, met, work.most_known, work.most_known)
    return met


def sweep(work: Work) -> None:
    """Repair all adversaries who know few items of records that are not long, until a pass over them meets none."""
    lengths, largest = work.original.lengths, 1
    while largest < work.most_known and _number_knowing(lengths, largest + 1) <= MOST_SWEPT:
        largest += 1
    items = len(work.original.names)
    changed = np.ones(items, np.bool_)
    while changed.any():
        work.passes += 1
        touched = np.zeros(items, np.bool_)
        for size in range(1, largest + 1):
            unsafe = 0
            order = work.rng.permutation(items)
            for first in range(0, items, _PART_ITEMS):
                end = min(first + _PART_ITEMS, items)
                unsafe += swept_suppression.sweep_sets(
                    order[first:end], size, work.question, work.repair, LONGEST_SWEPT, changed, touched
                )
                work.check_time()
                work.tell(size, unsafe, end, items)
        # Only sets of items that stand together in a record that changed can have become unsafe.
        changed = touched


def _number_knowing(lengths: NDArray[np.int64], size: int) -> int:
    numbers = np.bincount(lengths)
    return sum(int(count) * comb(length, size) for length, count in enumerate(numbers.tolist()))


def _unsafe(
    work: Work, users: NDArray[np.int64], drawn: NDArray[np.int64], pool: ThreadPoolExecutor
) -> NDArray[np.bool_]:
    """Say which drawn adversaries are unsafe, on all processors if there are many."""
    bad = np.zeros(len(users), np.bool_)
    if len(users) < _FEW:
        sampled_suppression.find_unsafe(users, drawn, work.question, bad, work.quiet, work.halt)
        return bad

    def task(part: NDArray[np.int64]) -> None:
        mine = slice(part[0], part[-1] + 1)
        sampled_suppression.find_unsafe(users[mine], drawn[mine], work.question, bad[mine], work.quiet, work.halt)

    list(pool.map(task, np.array_split(np.arange(len(users)), os.cpu_count() or 1)))
    return bad


def _draw(
    work: Work, size: int, adversaries: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw adversaries, those who know the same first; what they know are places among the original items."""
    if work.question.of_published:
        users, drawn = draw_adversaries(work.original.only(work.kept), size, adversaries, rng)
        drawn = np.flatnonzero(work.kept)[drawn]
    else:
        users, drawn = draw_adversaries(work.original, size, adversaries, rng, work.order)
    drawn.sort(axis=1)
    order = np.lexsort(work.original.items[drawn].T[::-1])
    return users[order], drawn[order]
