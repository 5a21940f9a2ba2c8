"""The risk of attribute sets where there are too many to measure: draw sets, and give intervals for the means.

Risk analysis of k-anonymized personal data by attack simulation asks for random sampling of the combinations of
attributes where exhaustion is impossible.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.interruption import settle
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import CONFIDENCE, summarize
from sudare.tables.classes.partitions import Splitting, splitter
from sudare.tables.classes.rows import rows_of
from sudare.tables.model import Table
from sudare.tables.sets.subsets import class_size_within

By = Literal["size", "uniform"]
# The lower end that `summarize` knows is 1 / customers; a share can be 0.
_NO_LOWER_END = 2**62


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean over sets of attributes, with an interval that holds the true one with the stated confidence."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SizeEstimate(Result):
    """The means over the sets with one number of attributes besides the known ones (None: sets of all sizes).

    `max_risk` is the mean over the sets of their largest risk, `mean_risk` that of their mean risk, `unique_share` of
    the share of unique records, `share_above` of the share of records whose risk is above the bound. If `exact`, all
    sets of the size were measured; otherwise the means are estimates from `sample` drawn sets.
    """

    size: int | None
    sample: int
    exact: bool
    max_risk: MeanEstimate
    mean_risk: MeanEstimate
    unique_share: MeanEstimate
    share_above: MeanEstimate


@dataclass(frozen=True, slots=True)
class SubsetSample(Result):
    """Estimates of the risk of attribute sets, for each number of attributes drawn.

    `overall` covers all sets with equal weight and is given if they were drawn uniformly. After an interruption
    `complete` is False: the estimates are from the sets measured so far, a smaller sample of each size.
    """

    _rows = ("sizes",)
    _row = SizeEstimate

    by: By
    seed: int
    samples: int
    bound: float
    confidence: float
    known: tuple[str, ...]
    sizes: tuple[SizeEstimate, ...]
    overall: SizeEstimate | None = None
    estimated: bool = True
    complete: bool = True


@checked
def sample_subsets(
    table: Table,
    *,
    samples: int,
    seed: int = 0,
    by: By = "size",
    known: Sequence[str] = (),
    limit: float = 0.2,
    threads: int | None = None,
    progress: Progress = silent,
) -> SubsetSample:
    """Estimate the risk of attribute sets, each including the known attributes, from randomly drawn sets.

    `by="uniform"` draws from all sets with equal probability, and most sets have about half of the attributes.
    `by="size"` divides the samples evenly among the sizes, and enumerates sizes that have no more sets than that. Sets
    are drawn independently, so a set can be drawn twice. Each interval holds with 95 % confidence on its own. After an
    interruption, the result covers the sets measured so far.
    """
    class_size = class_size_within(limit)
    fixed = sorted(set(table.positions(known)))
    free = [a for a in range(len(table.attributes)) if a not in fixed]
    _check(samples, by, len(free))
    rng = np.random.default_rng(seed)
    draws = _by_size(len(free), samples, rng) if by == "size" else _uniform(len(free), samples, rng)
    sets = [drawn for _, _, group in draws for drawn in group]
    # In a random order, so that at every moment the sets of each size that are measured are a sample of them.
    turns = rng.permutation(len(sets))
    measures = _measure(table, fixed, free, sets, turns, class_size, threads, progress)
    measured = ~np.isnan(measures[:, 0])
    entries, begin = [], 0
    for size, exact, group in draws:
        part = slice(begin, begin + len(group))
        whole = bool(measured[part].all())
        if whole or measured[part].sum() > 1:
            entries.append(_summary(size, exact and whole, measures[part][measured[part]], table.records))
        begin += len(group)
    if not entries:
        raise KeyboardInterrupt
    overall = _summary(None, False, measures[measured], table.records) if by == "uniform" else None
    names = tuple(table.attributes[a] for a in fixed)
    count, complete = int(measured.sum()), bool(measured.all())
    return SubsetSample(by, seed, count, limit, CONFIDENCE, names, tuple(entries), overall, complete=complete)


def _check(samples: int, by: str, attributes: int) -> None:
    if by not in ("size", "uniform"):
        raise OptionNotUsable("errors.sets.by", by=by)
    least = 2 * (attributes + 1) if by == "size" else 2
    if samples < least:
        counted = message("count.attributes", count=attributes)
        raise OptionNotUsable("errors.sets.samples_by_size", least=least, attributes=counted, samples=samples)


# A size, whether its sets are all of that size, and the sets as numbers of free attributes.
_Draws = list[tuple[int, bool, list[tuple[int, ...]]]]


def _by_size(attributes: int, samples: int, rng: np.random.Generator) -> _Draws:
    share = samples // (attributes + 1)
    draws: _Draws = []
    for size in range(attributes + 1):
        if comb(attributes, size) <= share:
            draws.append((size, True, list(itertools.combinations(range(attributes), size))))
        else:
            draws.append((size, False, [_sorted(rng.permutation(attributes)[:size]) for _ in range(share)]))
    return draws


def _uniform(attributes: int, samples: int, rng: np.random.Generator) -> _Draws:
    """Draw sets by a coin for each attribute, and put those of one size together."""
    groups: dict[int, list[tuple[int, ...]]] = {}
    for coins in rng.random((samples, attributes)) < 0.5:
        chosen = _sorted(np.flatnonzero(coins))
        groups.setdefault(len(chosen), []).append(chosen)
    return [(size, False, groups[size]) for size in sorted(groups)]


def _sorted(chosen: Iterable[Any]) -> tuple[int, ...]:
    return tuple(sorted(int(a) for a in chosen))


def _measure(
    table: Table,
    known: Sequence[int],
    free: Sequence[int],
    sets: Sequence[tuple[int, ...]],
    turns: NDArray[np.int64],
    bound: int,
    threads: int | None,
    progress: Progress,
) -> NDArray[np.float64]:
    """Return the smallest class, the sum of the risks, uniques and records below the bound for each set.

    Sets whose turn does not come, because the user interrupts, have no numbers (NaN).
    """
    rows = rows_of(table, [*free, *known])
    # Attributes of many values leave few rows to split for the others.
    order = np.argsort(-rows.codes.max(axis=1), kind="stable")
    rank = {int(a): place for place, a in enumerate(order)}
    fixed = range(len(free), len(rows.codes))
    local = threading.local()

    def task(chosen: tuple[int, ...]) -> tuple[int, float, int, int]:
        if not hasattr(local, "splitter"):
            local.splitter = splitter(rows, bound)
        return _numbers(local.splitter, sorted([*chosen, *fixed], key=rank.__getitem__))

    measures = np.full((len(sets), 4), np.nan)
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        try:
            for done, numbers in enumerate(pool.map(task, [sets[turn] for turn in turns])):
                measures[turns[done]] = numbers
                progress(message("progress.drawn_sets"), done + 1, len(sets))
        except KeyboardInterrupt:
            settle()
            pool.shutdown(wait=False, cancel_futures=True)
    return measures


def _numbers(splitting: Splitting[Any], attributes: Sequence[int]) -> tuple[int, float, int, int]:
    partition = splitting.whole()
    for attribute in attributes:
        if partition.final:
            break
        partition = splitting.split(partition, attribute)
    return partition.smallest, partition.expected, partition.uniques, partition.below


def _summary(size: int | None, exact: bool, measures: NDArray[np.float64], records: int) -> SizeEstimate:
    mean: Callable[..., MeanEstimate] = _exact_mean if exact else _estimated_mean
    return SizeEstimate(
        size,
        len(measures),
        exact,
        mean(1 / measures[:, 0], 1 / records),
        mean(measures[:, 1] / records, 1 / records),
        mean(measures[:, 2] / records, 0.0),
        mean(measures[:, 3] / records, 0.0),
    )


def _exact_mean(values: NDArray[np.float64], least: float) -> MeanEstimate:
    value = max(float(values.mean()), least)
    return MeanEstimate(value, value, value)


def _estimated_mean(values: NDArray[np.float64], least: float) -> MeanEstimate:
    """Return the mean of values between 0 and 1 with the interval of `summarize`, which takes them as 1 / crowd."""
    with np.errstate(divide="ignore"):
        found = summarize(1 / values, customers=_NO_LOWER_END)
    low = max(found.low, least)
    return MeanEstimate(found.value, low if low > 1 / _NO_LOWER_END else 0.0, found.high)


__all__ = ["MeanEstimate", "SizeEstimate", "SubsetSample", "sample_subsets"]
