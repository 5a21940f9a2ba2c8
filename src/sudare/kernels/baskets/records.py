"""Records of items: what adversaries may know, what is published, and what is sensitive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Ints, Ints32, Items, Words
from sudare.kernels.entry import inner


class Records(NamedTuple):
    """Records one after another: record u has the occurrences of items from starts[u] to before starts[u + 1]."""

    starts: Ints
    items: Items  # of each occurrence, in rising order within a record
    kept: Bools  # whether an occurrence is published
    owner: Ints  # the record of an occurrence
    begins: Ints  # item i has the occurrences places[begins[i] : begins[i + 1]]
    places: Ints
    owners: Ints  # the records of these


class Lists(NamedTuple):
    """What is sensitive: bit i of a line of words says whether item i is, and `rows` has the line of each user."""

    words: Words
    rows: Ints32


class Rule(NamedTuple):
    """The highest confidence that is safe, as a fraction."""

    numerator: int
    denominator: int


class Question(NamedTuple):
    """Which adversaries are unsafe: what is known of the original or the published records, and what is sensitive."""

    records: Records
    lists: Lists
    rule: Rule
    of_published: bool


class Counting(NamedTuple):
    """How often each item was met, zero between uses, and the different items that were met."""

    counted: Ints
    met: Ints


@inner
def sensitive_to(lists: Lists, u: int, item: int) -> bool:
    """Say whether an item is sensitive to a user."""
    return sensitive_in(lists.words, lists.rows[u], item)


@inner
def sensitive_in(words: Words, row: int, item: int) -> bool:
    """Say whether an item is sensitive in a line of words; loops about one user look its row up once."""
    word: np.uint64 = words[row, item >> 6]
    return bool((word >> np.uint64(item & 63)) & np.uint64(1) != 0)


@inner
def new_counting(items: int) -> Counting:
    """Return room to count a number of items; the list of items met has one place more."""
    return Counting(np.zeros(items, np.int64), np.empty(items + 1, np.int64))


@inner
def count_published(records: Records, u: int, counting: Counting, different: int) -> int:
    """Count the published items of a record; return how many different ones were met so far."""
    items, kept = records.items, records.kept
    counted, met = counting
    for o in range(records.starts[u], records.starts[u + 1]):
        if kept[o]:
            item = items[o]
            if counted[item] == 0:
                met[different] = item
                different += 1
            counted[item] += 1
    return different


@inner
def forget(counting: Counting, different: int) -> None:
    """Count anew: the first items that were met are zero again."""
    for f in range(different):
        counting.counted[counting.met[f]] = 0
