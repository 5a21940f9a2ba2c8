"""What a class must satisfy beside its size: l-diversity and t-closeness of secrets, persons, and a population.

Secrets are numbers of values by record, in the order of `sudare.tables.classes.closeness`. A secret may be the person:
then a class has as many different ones as it has persons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints, Ints32
from sudare.kernels.entry import inner
from sudare.kernels.table_classes.boxes import Attributes, is_covered
from sudare.kernels.table_classes.divisions import Division

DISTINCT, ENTROPY, RECURSIVE = range(3)
# Rounding must not refuse what is exactly at a bound.
_SLACK = 1e-9


class Secrets(NamedTuple):
    """The secrets of the records, and what a class must satisfy for each; arrays of all secrets follow each other.

    `diversity`, `least` (l) and `ratio` (c) say how diverse a class must be, `farthest` (t) how far its shares may be
    from those of the whole table; from 1 on, any distance is allowed. `shares` are those of the table, from `first` on.
    The distance is `scale` times the sum of the differences of groups of values: those from `begin` to before `end`.
    """

    codes: Ints32
    diversity: Ints
    least: Floats
    ratio: Floats
    farthest: Floats
    first: Ints
    shares: Floats
    group: Ints
    begin: Ints
    end: Ints
    scale: Floats
    counts: Ints  # memory, all 0 between calls
    touched: Ints


class Population(NamedTuple):
    """Other records, to which a class with its cells may belong: places as in a division, and how often each is there.

    The cells of a class must cover at least `least` of them, and a class may have at most the share `most` of those.
    """

    records: Ints32
    counts: Ints
    least: int
    most: float


@inner
def _count(secrets: Secrets, s: int, division: Division, c: int) -> int:
    """Count the values of a secret in a class; return how many different ones there are, which `touched` lists."""
    different = 0
    member = division.head[c]
    while member >= 0:
        value = secrets.codes[s, division.origin[member]]
        if secrets.counts[value] == 0:
            secrets.touched[different] = value
            different += 1
        secrets.counts[value] += 1
        member = division.after[member]
    return different


@inner
def _entropy(secrets: Secrets, different: int, size: int) -> float:
    total = 0.0
    for i in range(different):
        share = secrets.counts[secrets.touched[i]] / size
        total -= share * np.log(share)
    return total


@inner
def _is_recursive(secrets: Secrets, s: int, different: int) -> bool:
    """Return whether the most common value is less than c times as frequent as all from the l-th on."""
    counts = np.empty(different, np.int64)
    for i in range(different):
        counts[i] = secrets.counts[secrets.touched[i]]
    counts = np.sort(counts)[::-1]
    rest = 0
    for i in range(int(secrets.least[s]) - 1, different):
        rest += counts[i]
    return bool(counts[0] < secrets.ratio[s] * rest * (1 - _SLACK))


@inner
def _is_diverse(secrets: Secrets, s: int, different: int, size: int) -> bool:
    if different + _SLACK < secrets.least[s]:
        return False
    if secrets.diversity[s] == ENTROPY:
        return bool(_entropy(secrets, different, size) >= np.log(secrets.least[s]) - _SLACK)
    return bool(secrets.diversity[s] == DISTINCT or _is_recursive(secrets, s, different))


@inner
def _distance(secrets: Secrets, s: int, size: int) -> float:
    """Return how far the shares of a class, whose values are counted, are from those of the table."""
    first, values = secrets.first[s], secrets.first[s + 1] - secrets.first[s]
    before = np.zeros(values + 1)
    for value in range(values):
        before[value + 1] = before[value] + secrets.counts[value] / size - secrets.shares[first + value]
    moved = 0.0
    for g in range(secrets.group[s], secrets.group[s + 1]):
        moved += abs(before[secrets.end[g]] - before[secrets.begin[g]])
    return float(moved * secrets.scale[s])


@inner
def _is_close(secrets: Secrets, s: int, size: int) -> bool:
    return bool(secrets.farthest[s] >= 1 or _distance(secrets, s, size) <= secrets.farthest[s] + _SLACK)


@inner
def keeps_secrets(secrets: Secrets, division: Division, c: int) -> bool:
    """Return whether a class is as diverse and close as it must be for each secret."""
    size = division.sizes[c]
    for s in range(len(secrets.least)):
        different = _count(secrets, s, division, c)
        held = _is_diverse(secrets, s, different, size) and _is_close(secrets, s, size)
        for i in range(different):
            secrets.counts[secrets.touched[i]] = 0
        if not held:
            return False
    return True


@inner
def is_crowded(attributes: Attributes, population: Population, box: Ints, size: int) -> bool:
    """Return whether the cells of a class cover enough of a population."""
    if len(population.counts) == 0:
        return True
    covered = 0
    needed = max(float(population.least), size / population.most)
    for i in range(len(population.counts)):
        if is_covered(attributes, box, population.records[i]):
            covered += population.counts[i]
            if covered >= needed - _SLACK:
                return True
    return False


@inner
def holds(attributes: Attributes, secrets: Secrets, population: Population, division: Division, c: int) -> bool:
    """Return whether a class satisfies everything beside its size."""
    return keeps_secrets(secrets, division, c) and is_crowded(
        attributes, population, division.boxes[c], division.sizes[c]
    )
