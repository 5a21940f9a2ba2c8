"""Splitting classes that can overlap: a missing value equals every other, or a class counts persons.

The records with the same known values, missing ones included, make a class; they are its own rows. Its guests are the
rows of other classes that match it, since one of the two has a missing value wherever they differ. `entries` lists the
rows of the classes one after another, a guest `row` as `~row`, and `starts` says where each class begins, with the end
of the last. Within a class the rows keep the order of the table, so that those of one person stand together.
"""

from __future__ import annotations

from typing import NamedTuple

from sudare.kernels.common.arrays import Ints, Ints32
from sudare.kernels.entry import entry, inner


class Scratch(NamedTuple):
    """Rows of each value, own and all, zero between classes; the values that a class has; where their rows go."""

    owned: Ints
    matched: Ints
    touched: Ints
    offset: Ints


class Made(NamedTuple):
    """How much a split makes: the entries of all classes, classes of two entries and more, and those of one."""

    entries: int
    classes: int
    alone: int


@inner
def _tally(
    column: Ints32, wildcard: int, entries: Ints32, first: int, end: int, scratch: Scratch
) -> tuple[int, int, int]:
    """Count the rows of a class by value; return how many values there are, and missing ones, own and all."""
    owned, matched, touched, _ = scratch
    found = blank = blank_owned = 0
    for i in range(first, end):
        entry = entries[i]
        code = column[entry if entry >= 0 else ~entry]
        if code == wildcard:
            blank += 1
            blank_owned += entry >= 0
            continue
        if matched[code] == 0:
            touched[found] = code
            found += 1
        matched[code] += 1
        owned[code] += entry >= 0
    return found, blank, blank_owned


@inner
def _forget(scratch: Scratch, found: int) -> None:
    owned, matched, touched, _ = scratch
    for t in range(found):
        owned[touched[t]] = 0
        matched[touched[t]] = 0


@entry
def count_split(column: Ints32, wildcard: int, entries: Ints32, starts: Ints, scratch: Scratch) -> Made:
    """Return how many entries and classes a split by a column makes, and how many classes of one entry."""
    owned, matched, touched, _ = scratch
    kept = classes = alone = 0
    for c in range(len(starts) - 1):
        found, blank, blank_owned = _tally(column, wildcard, entries, starts[c], starts[c + 1], scratch)
        for t in range(found):
            if owned[touched[t]]:
                size = matched[touched[t]] + blank
                alone += size == 1
                classes += size > 1
                kept += size * (size > 1)
        if blank_owned:
            size = starts[c + 1] - starts[c]
            alone += size == 1
            classes += size > 1
            kept += size * (size > 1)
        _forget(scratch, found)
    return Made(kept, classes, alone)


@entry
def split(
    column: Ints32,
    wildcard: int,
    entries: Ints32,
    starts: Ints,
    scratch: Scratch,
    new_entries: Ints32,
    new_starts: Ints,
    alone: Ints32,
) -> None:
    """Split each class by a column; the rows of classes of one entry, which never split again, go to `alone`."""
    owned, matched, touched, offset = scratch
    kept = classes = single = 0
    for c in range(len(starts) - 1):
        first, end = starts[c], starts[c + 1]
        found, blank, blank_owned = _tally(column, wildcard, entries, first, end, scratch)
        for t in range(found):
            code = touched[t]
            size = matched[code] + blank
            offset[code] = -1
            if owned[code] and size == 1:
                offset[code] = -2
            elif owned[code]:
                new_starts[classes] = kept
                classes += 1
                offset[code] = kept
                kept += size
        missing = -1
        if blank_owned and end - first == 1:
            missing = -2
        elif blank_owned:
            new_starts[classes] = kept
            classes += 1
            missing = kept
            kept += end - first
        for i in range(first, end):
            entry = entries[i]
            row = entry if entry >= 0 else ~entry
            code = column[row]
            if code != wildcard:
                if offset[code] >= 0:
                    new_entries[offset[code]] = entry
                    offset[code] += 1
                elif offset[code] == -2:
                    alone[single] = row
                    single += 1
                if missing >= 0:
                    new_entries[missing] = ~row
                    missing += 1
                continue
            for t in range(found):
                if offset[touched[t]] >= 0:
                    new_entries[offset[touched[t]]] = ~row
                    offset[touched[t]] += 1
            if missing >= 0:
                new_entries[missing] = entry
                missing += 1
            elif missing == -2:
                alone[single] = row
                single += 1
        _forget(scratch, found)
    new_starts[classes] = kept


@entry
def measure(entries: Ints32, starts: Ints, weights: Ints, persons: Ints32, owned: Ints, sizes: Ints) -> None:
    """Give for each class its own records, and the records or (if there are any) persons that match it."""
    for c in range(len(starts) - 1):
        records = size = 0
        last = -1
        for i in range(starts[c], starts[c + 1]):
            entry = entries[i]
            row = entry if entry >= 0 else ~entry
            if entry >= 0:
                records += weights[row]
            if len(persons) == 0:
                size += weights[row]
            elif persons[row] != last:
                size += 1
                last = persons[row]
        owned[c] = records
        sizes[c] = size
