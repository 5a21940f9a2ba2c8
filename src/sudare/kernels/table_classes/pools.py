"""Classes of a pool of records: made anew, made better by moving single records, and merged where they fail."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Ints
from sudare.kernels.entry import inlined, inner
from sudare.kernels.table_classes.boxes import Attributes, add_box, weight, weight_with
from sudare.kernels.table_classes.divisions import SAME, Division, box_without, enter, put, take_out
from sudare.kernels.table_classes.secrets import Population, Secrets, holds

# Rounds of moves at most; on Adult four are enough nearly always.
_MOST_ROUNDS = 20
# Classes of more records than this exchange no two records: moving one costs less time and saves nearly as much.
_MOST_SWAPPED = 16


@inner
def grow_classes(attributes: Attributes, division: Division, size: int, rng: np.random.Generator) -> int:
    """Make classes of the records, none of which is in one: each grows from a random record by the nearest ones.

    What is left over goes where it costs least. Returns how many classes there are.
    """
    free = np.arange(len(division.records))
    left, found = len(free), 0
    while left >= size:
        place = int(rng.random() * left)
        for _ in range(size):
            if division.sizes[found]:
                place = _nearest(attributes, division, found, free, left, rng)
            put(attributes, division, free[place], found)
            left -= 1
            free[place] = free[left]
        division.weights[found] = weight(attributes, division.boxes[found])
        found += 1
    for i in range(left):
        enter(attributes, division, free[i], _cheapest(attributes, division, free[i], found, -1, np.inf)[1])
    return found


@inlined
def _nearest(
    attributes: Attributes, division: Division, c: int, free: Ints, left: int, rng: np.random.Generator
) -> int:
    """Return the place of a free record that makes the box of a class heavier by least; ties are broken by chance."""
    best, found, ties = np.inf, 0, 0
    for place in range(left):
        heavy = weight_with(attributes, division.boxes[c], division.records[free[place]], best + SAME)
        if heavy < best - SAME:
            best, found, ties = heavy, place, 1
        elif heavy < best + SAME:
            ties += 1
            if rng.random() * ties < 1:
                found = place
    return found


@inlined
def _rise(attributes: Attributes, division: Division, record: int, c: int, most: float) -> float:
    """Return by how much a class becomes dearer if a record enters, or something from `most` on."""
    size, cost = division.sizes[c], division.sizes[c] * division.weights[c]
    heavy = weight_with(attributes, division.boxes[c], division.records[record], (most + cost) / (size + 1))
    return float((size + 1) * heavy - cost)


@inner
def _cheapest(
    attributes: Attributes, division: Division, record: int, classes: int, but: int, most: float
) -> tuple[float, int]:
    """Return at which cost, below `most`, a record enters which class other than one; -1 if there is none."""
    best, found = most, -1
    for c in range(classes):
        if c != but and division.sizes[c]:
            rise = _rise(attributes, division, record, c, best)
            if rise < best:
                best, found = rise, c
    return best, found


@inner
def improve(attributes: Attributes, division: Division, classes: int, size: int) -> None:
    """Move and exchange records, and give up classes, as long as that makes the division cheaper."""
    slots = division.boxes.shape[1]
    box, other = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    better, rounds = True, 0
    while better and rounds < _MOST_ROUNDS:
        better = False
        rounds += 1
        for record in range(len(division.records)):
            box_without(attributes, division, record, box)
            better |= _move(attributes, division, record, classes, size, box) or (
                size <= _MOST_SWAPPED and _swap(attributes, division, record, classes, box, other)
            )
        for c in range(classes):
            better |= _give_up(attributes, division, c, classes)


@inner
def _move(attributes: Attributes, division: Division, record: int, classes: int, size: int, box: Ints) -> bool:
    """Move a record to the class where that saves most, if its own can spare it; `box` is its own without it."""
    own = division.owner[record]
    if division.sizes[own] <= size:
        return False
    left = weight(attributes, box)
    saved = division.sizes[own] * division.weights[own] - (division.sizes[own] - 1) * left
    _, into = _cheapest(attributes, division, record, classes, own, saved - SAME)
    if into < 0:
        return False
    take_out(division, record)
    division.boxes[own] = box
    division.weights[own] = left
    enter(attributes, division, record, into)
    return True


@inner
def _swap(attributes: Attributes, division: Division, record: int, classes: int, box: Ints, other: Ints) -> bool:
    """Exchange a record for one of another class, the first for which both classes together become cheaper."""
    own = division.owner[record]
    if weight(attributes, box) >= division.weights[own] - SAME:
        return False
    for c in range(classes):
        if c == own or not division.sizes[c]:
            continue
        both = division.sizes[own] * division.weights[own] + division.sizes[c] * division.weights[c]
        member = division.head[c]
        while member >= 0:
            mine = weight_with(attributes, box, division.records[member], both / division.sizes[own])
            cost = division.sizes[own] * mine
            if cost < both - SAME:
                box_without(attributes, division, member, other)
                most = (both - cost) / division.sizes[c]
                theirs = weight_with(attributes, other, division.records[record], most)
                if cost + division.sizes[c] * theirs < both - SAME:
                    _exchange(attributes, division, record, member, box, other)
                    return True
            member = division.after[member]
    return False


@inner
def _exchange(attributes: Attributes, division: Division, record: int, member: int, box: Ints, other: Ints) -> None:
    """Let two records change places; the boxes are those of their classes without them."""
    one, two = division.owner[record], division.owner[member]
    take_out(division, record)
    take_out(division, member)
    division.boxes[one] = box
    division.boxes[two] = other
    enter(attributes, division, member, one)
    enter(attributes, division, record, two)


@inner
def _give_up(attributes: Attributes, division: Division, c: int, classes: int) -> bool:
    """Move all records of a class to others if that is cheaper."""
    if not division.sizes[c]:
        return False
    cost, rises = division.sizes[c] * division.weights[c], 0.0
    member = division.head[c]
    while member >= 0:
        rises += _cheapest(attributes, division, member, classes, c, np.inf)[0]
        if rises >= cost - SAME:
            return False
        member = division.after[member]
    member = division.head[c]
    division.head[c] = -1
    division.sizes[c] = 0
    while member >= 0:
        following = division.after[member]
        enter(attributes, division, member, _cheapest(attributes, division, member, classes, c, np.inf)[1])
        member = following
    return True


@inner
def merge_failing(
    attributes: Attributes, secrets: Secrets, population: Population, division: Division, classes: int
) -> bool:
    """Merge each class that fails with the one that makes both dearer by least, until none fails.

    Returns whether all hold; a single class that is left may fail.
    """
    slots = division.boxes.shape[1]
    box = np.zeros(slots, np.int64)
    held = True
    for c in range(classes):
        now = c
        while division.sizes[now] and not holds(attributes, secrets, population, division, now):
            into = _best_partner(attributes, division, now, classes, box)
            if into < 0:
                held = False
                break
            _merge(attributes, division, now, into)
            now = into
    return held


@inner
def _best_partner(attributes: Attributes, division: Division, c: int, classes: int, box: Ints) -> int:
    """Return the class that makes both dearer by least if a class is merged with it; -1 if there is none."""
    best, found = np.inf, -1
    for e in range(classes):
        if e == c or not division.sizes[e]:
            continue
        box[:] = division.boxes[c]
        add_box(attributes, box, division.boxes[e])
        rise = (division.sizes[c] + division.sizes[e]) * weight(attributes, box)
        rise -= division.sizes[e] * division.weights[e]
        if rise < best:
            best, found = rise, e
    return found


@inner
def _merge(attributes: Attributes, division: Division, c: int, into: int) -> None:
    """Put all records of a class into another."""
    last = -1
    member = division.head[c]
    while member >= 0:
        division.owner[member] = into
        last = member
        member = division.after[member]
    division.after[last] = division.head[into]
    division.head[into] = division.head[c]
    division.head[c] = -1
    division.sizes[into] += division.sizes[c]
    division.sizes[c] = 0
    add_box(attributes, division.boxes[into], division.boxes[c])
    division.weights[into] = weight(attributes, division.boxes[into])
