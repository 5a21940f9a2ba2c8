"""Best cuts: classes of records divided in two again and again, always where that saves most.

A class is cut at one attribute: one child of the node around it, or one value of a set, is parted from the rest; a
range is parted between two values. Both parts get the boxes around their own records in all attributes, so that a cut
at one attribute can narrow others too. Cuts look at nothing but the quasi-identifiers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Ints, Ints32
from sudare.kernels.entry import entry, inner
from sudare.kernels.table_classes.boxes import (
    Attributes,
    add_box,
    add_record,
    clear,
    is_set,
    node_around as around,
    weight,
)

# Parts of an attribute that are compared at most: the largest ones, or ranges of about the same number of records.
_MOST_PARTS = 64


class Room(NamedTuple):
    """Memory for cuts: the part of each record, and for each part its records and box, with those before and after."""

    key: Ints
    part: Ints
    counts: Ints
    sizes: Ints
    boxes: Ints
    before: Ints
    after: Ints
    box: Ints


@inner
def new_room(attributes: Attributes, records: int) -> Room:
    """Return memory for cuts of classes with at most that many records."""
    slots = attributes.slot[len(attributes.kind)]
    most = 1
    for a in range(len(attributes.kind)):
        most = max(most, attributes.values[a])
    keys = max(most, len(attributes.parent)) + 1
    parts = _MOST_PARTS + 1
    return Room(
        np.zeros(records, np.int64),
        np.zeros(keys, np.int64),
        np.zeros(keys, np.int64),
        np.zeros(parts, np.int64),
        np.zeros((parts, slots), np.int64),
        np.zeros((parts + 1, slots), np.int64),
        np.zeros((parts + 1, slots), np.int64),
        np.zeros(slots, np.int64),
    )


@inner
def _write_keys(attributes: Attributes, records: Ints32, chosen: Ints, a: int, box: Ints, room: Room) -> int:
    """Write for each record the child, or the value, that it has of an attribute, and count them; return the greatest.

    Where the class cannot be cut, -1 is returned.
    """
    slot, base = attributes.slot[a], attributes.place[a]
    top = -1
    if not is_set(attributes, a):
        if box[slot] == box[slot + 1]:
            return -1
        if base >= 0:
            top = around(attributes, a, box[slot], box[slot + 1])
    greatest = 0
    for i in range(len(chosen)):
        key = int(records[chosen[i], a])
        if top >= 0:
            key = int(attributes.leaf[base + key])
            while attributes.parent[key] != top:
                key = int(attributes.parent[key])
        room.key[i] = key
        room.counts[key] += 1
        greatest = max(greatest, key)
    return greatest


@inner
def _clear_counts(chosen: Ints, room: Room) -> None:
    for i in range(len(chosen)):
        room.counts[room.key[i]] = 0


@inner
def _number_largest(chosen: Ints, size: int, room: Room) -> int:
    """Give numbers to the keys that can be a part of their own, the largest if there are many; others are part 0."""
    n = len(chosen)
    least = size
    while True:
        parts = 0
        for i in range(n):
            room.part[room.key[i]] = -1
        for i in range(n):
            key = room.key[i]
            if room.part[key] < 0:
                room.part[key] = 0
                if room.counts[key] >= least and n - room.counts[key] >= size:
                    parts += 1
                    room.part[key] = parts
        if parts < _MOST_PARTS:
            return parts + 1
        least *= 2


@inner
def _number_ranges(greatest: int, low: int, n: int, room: Room) -> int:
    """Give numbers to ranges of keys, in their order, with about the same number of records each."""
    part, seen, parts = -1, 0, 0
    last = -1
    for key in range(low, greatest + 1):
        if room.counts[key]:
            part = seen * _MOST_PARTS // n
            if part != last:
                last = part
                parts += 1
            room.part[key] = parts - 1
            seen += room.counts[key]
    return parts


@inner
def _fill_parts(attributes: Attributes, records: Ints32, chosen: Ints, parts: int, room: Room) -> None:
    for part in range(parts):
        room.sizes[part] = 0
        clear(attributes, room.boxes[part])
    for i in range(len(chosen)):
        part = room.part[room.key[i]]
        room.sizes[part] += 1
        add_record(attributes, room.boxes[part], records[chosen[i]])
    clear(attributes, room.before[0])
    clear(attributes, room.after[parts])
    for part in range(parts):
        room.before[part + 1] = room.before[part]
        add_box(attributes, room.before[part + 1], room.boxes[part])
    for part in range(parts - 1, -1, -1):
        room.after[part] = room.after[part + 1]
        add_box(attributes, room.after[part], room.boxes[part])


@inner
def _best_part(
    attributes: Attributes, parts: int, ordered: bool, size: int, cost: float, noise: float,
    rng: np.random.Generator, room: Room,
) -> tuple[float, int]:  # fmt: skip
    """Return what the best part saves if it goes apart (with all before it, if they are ordered), and which it is."""
    n = 0
    for part in range(parts):
        n += room.sizes[part]
    best, chosen, seen = 0.0, -1, 0
    for part in range(parts):
        seen += room.sizes[part]
        inside = seen if ordered else room.sizes[part]
        if inside < size or n - inside < size or (not ordered and part == 0):
            continue
        if ordered:
            apart, rest = weight(attributes, room.before[part + 1]), weight(attributes, room.after[part + 1])
        else:
            room.box[:] = room.before[part]
            add_box(attributes, room.box, room.after[part + 1])
            apart, rest = weight(attributes, room.boxes[part]), weight(attributes, room.box)
        # Cuts that part few records from many save much at once and leave classes that can hardly be cut again.
        gain = (cost - inside * apart - (n - inside) * rest) / np.sqrt(min(inside, n - inside))
        if noise > 0:
            gain *= 1 + noise * (rng.random() - 0.5)
        if gain > best:
            best, chosen = gain, part
    return best, chosen


@inner
def _best_cut(
    attributes: Attributes, records: Ints32, chosen: Ints, size: int, noise: float, rng: np.random.Generator,
    room: Room,
) -> tuple[int, int]:  # fmt: skip
    """Return the attribute and the part of the best cut of some records; -1 if there is none that saves anything."""
    box = np.zeros(len(room.box), np.int64)
    clear(attributes, box)
    for i in range(len(chosen)):
        add_record(attributes, box, records[chosen[i]])
    cost = len(chosen) * weight(attributes, box)
    best, attribute, found = 0.0, -1, -1
    for a in range(len(attributes.kind)):
        gain, part = _cut_at(attributes, records, chosen, a, box, cost, size, noise, rng, room)
        if gain > best:
            best, attribute, found = gain, a, part
    if attribute >= 0:
        # The keys and parts of that attribute once more: they say which records go.
        _cut_at(attributes, records, chosen, attribute, box, cost, size, 0.0, rng, room)
    return attribute, found


@inner
def _cut_at(
    attributes: Attributes, records: Ints32, chosen: Ints, a: int, box: Ints, cost: float, size: int, noise: float,
    rng: np.random.Generator, room: Room,
) -> tuple[float, int]:  # fmt: skip
    """Return what the best cut at an attribute saves, and the part that goes apart."""
    greatest = _write_keys(attributes, records, chosen, a, box, room)
    if greatest < 0:
        return 0.0, -1
    ordered = attributes.place[a] < 0 and not is_set(attributes, a)
    if ordered:
        parts = _number_ranges(greatest, box[attributes.slot[a]], len(chosen), room)
    else:
        parts = _number_largest(chosen, size, room)
    _clear_counts(chosen, room)
    if parts < 2:
        return 0.0, -1
    _fill_parts(attributes, records, chosen, parts, room)
    return _best_part(attributes, parts, ordered, size, cost, noise, rng, room)


@inner
def cut_all(
    attributes: Attributes, records: Ints32, size: int, noise: float, rng: np.random.Generator, room: Room,
    halt: Bools, owner: Ints,
) -> int:  # fmt: skip
    """Cut all records into classes of at least some size, and return how many there are.

    Each gain is multiplied by a random number from 1 - noise / 2 to 1 + noise / 2. When told to halt, classes stay as
    large as they are.
    """
    n = len(records)
    order, aside = np.arange(n), np.empty(n, np.int64)
    begins, ends = [0], [n]
    found = 0
    while len(begins):
        begin, end = begins.pop(), ends.pop()
        attribute, part = -1, -1
        if end - begin >= 2 * size and not halt[0]:
            attribute, part = _best_cut(attributes, records, order[begin:end], size, noise, rng, room)
        if attribute < 0:
            for i in range(begin, end):
                owner[order[i]] = found
            found += 1
            continue
        ordered = attributes.place[attribute] < 0 and not is_set(attributes, attribute)
        middle, rest = begin, 0
        for i in range(begin, end):
            own = room.part[room.key[i - begin]]
            if own == part or (ordered and own < part):
                order[middle] = order[i]
                middle += 1
            else:
                aside[rest] = order[i]
                rest += 1
        order[middle:end] = aside[:rest]
        begins.append(begin)
        ends.append(middle)
        begins.append(middle)
        ends.append(end)
    return found


@entry
def cut(attributes: Attributes, records: Ints32, size: int, rng: np.random.Generator, halt: Bools) -> Ints:
    """Return the class of each record after the best cuts; classes parted late have numbers that are close."""
    owner = np.zeros(len(records), np.int64)
    room = new_room(attributes, len(records))
    cut_all(attributes, records, size, 0.0, rng, room, halt, owner)
    return owner
