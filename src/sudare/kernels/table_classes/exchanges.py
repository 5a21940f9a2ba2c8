"""Making a division into classes cheaper: neighbouring classes are pooled and divided anew, again and again.

A pool is divided without a look at secrets, by growing classes from random records or by random good cuts; then single
records move. Only classes that fail are merged. The new division is taken if it is cheaper.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Ints, Ints32
from sudare.kernels.entry import entry, inner
from sudare.kernels.table_classes.boxes import Attributes, add_record, clear, weight, weight_with
from sudare.kernels.table_classes.cuts import Room, cut_all, new_room
from sudare.kernels.table_classes.divisions import (
    SAME,
    Division,
    box_without,
    cost_of,
    enter,
    fill,
    new_division,
    take_out,
)
from sudare.kernels.table_classes.pools import grow_classes, improve, merge_failing
from sudare.kernels.table_classes.secrets import Population, Secrets, holds

# Classes that are looked at until one is found that loses much; and bits that are much.
_LOOKS = 30
# How different random cuts are from the best ones.
_NOISE = 1.0


class Effort(NamedTuple):
    """How a division is made better: sizes and numbers of classes, and how pools are divided."""

    size: int  # records that a class has at least
    trials: int
    pooled: int  # neighbours that are pooled with a class
    near: int  # nearest classes among which they are chosen
    most: int  # records in a pool
    grown: float  # share of the pools in which classes grow; the others are cut


class Live(NamedTuple):
    """The classes of a division that have members, and where each stands in the list."""

    listed: Ints
    place: Ints
    number: Ints


@inner
def _live(division: Division) -> Live:
    classes = len(division.sizes)
    live = Live(np.empty(classes, np.int64), np.full(classes, -1, np.int64), np.zeros(1, np.int64))
    for c in range(classes):
        if division.sizes[c]:
            _revive(live, c)
    return live


@inner
def _revive(live: Live, c: int) -> None:
    live.listed[live.number[0]] = c
    live.place[c] = live.number[0]
    live.number[0] += 1


@inner
def _bury(live: Live, c: int) -> None:
    live.number[0] -= 1
    last = live.listed[live.number[0]]
    live.listed[live.place[c]] = last
    live.place[last] = live.place[c]
    live.place[c] = -1


@inner
def _loss(division: Division, own: Floats, c: int) -> float:
    """Return about what a record of a class loses: what its first member does."""
    return float(division.weights[c] - own[division.head[c]])


@inner
def _lossy_class(division: Division, own: Floats, live: Live, heaviest: float, rng: np.random.Generator) -> int:
    """Return a random class, rather one that loses much."""
    c = live.listed[int(rng.random() * live.number[0])]
    for _ in range(_LOOKS):
        if rng.random() * heaviest < _loss(division, own, c):
            break
        c = live.listed[int(rng.random() * live.number[0])]
    return int(c)


@inner
def _near_classes(
    attributes: Attributes, division: Division, live: Live, c: int, near: Ints, rng: np.random.Generator
) -> int:
    """Write the classes whose boxes are lightest with a random record of a class in them; return how many there are."""
    record = division.head[c]
    for _ in range(int(rng.random() * division.sizes[c])):
        record = division.after[record]
    weights = np.empty(len(near))
    count, worst = 0, np.inf
    for place in range(live.number[0]):
        e = live.listed[place]
        if e == c:
            continue
        heavy = weight_with(attributes, division.boxes[e], division.records[record], worst)
        if heavy >= worst:
            continue
        count = min(count + 1, len(near))
        at = count - 1
        while at > 0 and weights[at - 1] > heavy:
            weights[at], near[at] = weights[at - 1], near[at - 1]
            at -= 1
        weights[at], near[at] = heavy, e
        if count == len(near):
            worst = weights[count - 1]
    return count


@inner
def _choose_pool(
    attributes: Attributes, division: Division, live: Live, c: int, effort: Effort, pool: Ints,
    rng: np.random.Generator,
) -> int:  # fmt: skip
    """Write a class and some of its neighbours; return how many classes these are, 0 if they have too many records."""
    near = np.empty(effort.near, np.int64)
    count = _near_classes(attributes, division, live, c, near, rng)
    pool[0] = c
    records = division.sizes[c]
    chosen = 1
    for j in range(min(effort.pooled, count)):
        other = j + int(rng.random() * (count - j))
        near[j], near[other] = near[other], near[j]
        if records + division.sizes[near[j]] <= effort.most:
            pool[chosen] = near[j]
            records += division.sizes[near[j]]
            chosen += 1
    return chosen if chosen > 1 and records <= effort.most else 0


@inner
def _pooled_records(division: Division, pool: Ints, chosen: int, members: Ints) -> int:
    """Write the records of some classes, and return how many there are."""
    n = 0
    for j in range(chosen):
        member = division.head[pool[j]]
        while member >= 0:
            members[n] = member
            n += 1
            member = division.after[member]
    return n


@inner
def _divide_anew(
    attributes: Attributes, secrets: Secrets, population: Population, made: Division, effort: Effort,
    rng: np.random.Generator, room: Room, halt: Bools,
) -> bool:  # fmt: skip
    """Divide a pool of records; return whether all classes hold."""
    n = len(made.records)
    if rng.random() < effort.grown:
        classes = grow_classes(attributes, made, effort.size, rng)
    else:
        owner = np.empty(n, np.int64)
        classes = cut_all(attributes, made.records, effort.size, _NOISE, rng, room, halt, owner)
        fill(attributes, made, owner)
    improve(attributes, made, classes, effort.size)
    return merge_failing(attributes, secrets, population, made, classes)


@inner
def _take_over(division: Division, live: Live, pool: Ints, chosen: int, made: Division, members: Ints) -> None:
    """Replace the classes of a pool by those that were made of it."""
    for j in range(chosen):
        division.head[pool[j]] = -1
        division.sizes[pool[j]] = 0
        _bury(live, pool[j])
    free = 0
    for c in range(len(made.sizes)):
        if not made.sizes[c]:
            continue
        while division.sizes[free]:
            free += 1
        division.boxes[free] = made.boxes[c]
        division.weights[free] = made.weights[c]
        division.sizes[free] = made.sizes[c]
        member = made.head[c]
        while member >= 0:
            record = members[member]
            division.owner[record] = free
            division.after[record] = division.head[free]
            division.head[free] = record
            member = made.after[member]
        _revive(live, free)


@inner
def _own_weights(attributes: Attributes, records: Ints32) -> Floats:
    """Return the weight of each record alone."""
    own = np.empty(len(records))
    box = np.zeros(attributes.slot[len(attributes.kind)], np.int64)
    for i in range(len(records)):
        clear(attributes, box)
        add_record(attributes, box, records[i])
        own[i] = weight(attributes, box)
    return own


@entry
def exchange(
    attributes: Attributes, secrets: Secrets, population: Population, records: Ints32, origin: Ints, owner: Ints,
    effort: Effort, rng: np.random.Generator, halt: Bools,
) -> tuple[Ints, float]:  # fmt: skip
    """Return the class of each record, made better by some trials, and what the division costs."""
    division = new_division(attributes, records, origin, len(records) // max(effort.size, 1) + owner.max() + 2)
    fill(attributes, division, owner)
    live, own = _live(division), _own_weights(attributes, records)
    heaviest = _heaviest(division, own, live)
    room = new_room(attributes, effort.most)
    pool, members = np.empty(effort.pooled + 1, np.int64), np.empty(effort.most, np.int64)
    for _ in range(effort.trials):
        if halt[0] or live.number[0] < 2:
            break
        c = _lossy_class(division, own, live, heaviest, rng)
        chosen = _choose_pool(attributes, division, live, c, effort, pool, rng)
        if not chosen:
            continue
        n = _pooled_records(division, pool, chosen, members)
        made = new_division(attributes, records[members[:n]], origin[members[:n]], n // max(effort.size, 1) + 1)
        if not _divide_anew(attributes, secrets, population, made, effort, rng, room, halt):
            continue
        cost = 0.0
        for j in range(chosen):
            cost += division.sizes[pool[j]] * division.weights[pool[j]]
        if cost_of(made) < cost - SAME:
            _take_over(division, live, pool, chosen, made, members)
    return division.owner, cost_of(division)


@inner
def _heaviest(division: Division, own: Floats, live: Live) -> float:
    """Return the most that records of a class lose."""
    most = 0.0
    for place in range(live.number[0]):
        most = max(most, _loss(division, own, live.listed[place]))
    return most


@entry
def merge(
    attributes: Attributes, secrets: Secrets, population: Population, records: Ints32, origin: Ints, owner: Ints
) -> tuple[Ints, float, bool]:
    """Merge the classes that fail; return the class of each record, the cost, and whether all classes hold now."""
    classes = owner.max() + 1
    division = new_division(attributes, records, origin, classes)
    fill(attributes, division, owner)
    held = merge_failing(attributes, secrets, population, division, classes)
    return division.owner, cost_of(division), held


@entry
def suppress(
    attributes: Attributes, secrets: Secrets, population: Population, records: Ints32, origin: Ints, owner: Ints,
    size: int, allowed: int,
) -> Ints:  # fmt: skip
    """Return the class of each record; -1 for records that are taken out since that saves more than they lose.

    At most `allowed` are, those first that save most. Classes keep their size and hold.
    """
    division = new_division(attributes, records, origin, owner.max() + 1)
    fill(attributes, division, owner)
    box = np.zeros(attributes.slot[len(attributes.kind)], np.int64)
    clear(attributes, box)
    for i in range(len(records)):
        add_record(attributes, box, records[i])
    everything = weight(attributes, box)
    savings = np.zeros(len(records))
    for i in range(len(records)):
        if division.owner[i] >= 0:
            box_without(attributes, division, i, box)
            savings[i] = _saving(attributes, division, i, box, size)
    for i in np.argsort(-savings):
        if savings[i] <= everything + SAME or allowed <= 0:
            break
        box_without(attributes, division, i, box)
        if _saving(attributes, division, i, box, size) > everything + SAME:
            allowed -= _take_out(attributes, secrets, population, division, i, box)
    return division.owner


@inner
def _saving(attributes: Attributes, division: Division, record: int, box: Ints, size: int) -> float:
    """Return by how much its class becomes cheaper without a record; 0 if it is needed."""
    c = division.owner[record]
    if division.sizes[c] <= size:
        return 0.0
    rest = (division.sizes[c] - 1) * weight(attributes, box)
    return float(division.sizes[c] * division.weights[c] - rest)


@inner
def _take_out(
    attributes: Attributes, secrets: Secrets, population: Population, division: Division, record: int, box: Ints
) -> int:
    """Take a record out of its class unless that fails then; return how many were taken out."""
    c = division.owner[record]
    take_out(division, record)
    division.boxes[c] = box
    division.weights[c] = weight(attributes, box)
    if holds(attributes, secrets, population, division, c):
        return 1
    enter(attributes, division, record, c)
    return 0


@entry
def division_cost(attributes: Attributes, records: Ints32, origin: Ints, owner: Ints) -> float:
    """Return what a division costs."""
    division = new_division(attributes, records, origin, owner.max() + 1)
    fill(attributes, division, owner)
    return cost_of(division)
