"""Profiles as sparse rows: how often a person has each key."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Floats32, Ints, Ints32
from sudare.kernels.entry import entry


class Profiles(NamedTuple):
    """The keys of each person, rising, from `starts[p]` on, each with two values: for having it, and for how often."""

    starts: Ints
    keys: Ints32
    had: Floats32
    often: Floats32


@entry
def count_keys(starts: Ints, keys: Ints, found_starts: Ints, found: Ints, counts: Ints32) -> None:
    """Sort the keys of each person, and write the different ones, and how often each occurs.

    The keys of person p stand from `starts[p]` on; those found stand from `found_starts[p]` on.
    """
    size = 0
    for person in range(len(starts) - 1):
        found_starts[person] = size
        own = np.sort(keys[starts[person] : starts[person + 1]])
        for place in range(len(own)):
            if place and own[place] == own[place - 1]:
                counts[size - 1] += 1
            else:
                found[size], counts[size] = own[place], 1
                size += 1
    found_starts[len(starts) - 1] = size


@entry
def invert(starts: Ints, keys: Ints32, places: Ints, persons: Ints32, entries: Ints32) -> None:
    """List by key whose it is and where it stands; `places[k]` is where those of key k begin, and in the end stop."""
    for person in range(len(starts) - 1):
        for entry_ in range(starts[person], starts[person + 1]):
            place = places[keys[entry_]]
            persons[place], entries[place] = person, entry_
            places[keys[entry_]] = place + 1
