"""Walks through the boxes of a table: products of nodes, one of the hierarchy of each attribute, that hold enough rows.

The rows of a box are a range of an array. At each depth they are sorted by the places of one attribute, so that each
node of its hierarchy is a range again, as iceberg cubes are computed from the bottom up (Beyer and Ramakrishnan 1999).
A box whose rows all lie in a smaller box is passed over: the smaller one costs less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Ints, Ints32
from sudare.kernels.entry import entry, inner

# Differences below this come from rounding.
_NEXT_TO_NOTHING = 1e-12


class Trees(NamedTuple):
    """The hierarchies of the attributes, one after the other: attribute a has the nodes from `first[a]` on.

    Nodes are ranges of places in depth-first order; `leaf[a, p]` is the node of place p alone. A row with place p costs
    `weight[at[node] + p]` in a node, and no less in the nodes above it.
    """

    first: Ints
    begin: Ints32
    end: Ints32
    parent: Ints32
    leaf: Ints32
    at: Ints
    weight: Floats


class Crowd(NamedTuple):
    """The rows of a table by places of attributes, and what a box must hold: `k` persons and `l` sensitive values.

    Without `persons` (an empty array), each of the `counts` records is a person. `seen` has a place for each person and
    each sensitive value; `moments` counts the questions asked so far.
    """

    places: Ints32
    counts: Ints
    persons: Ints32
    k: int
    sensitive: Ints32
    l: int  # noqa: E741
    seen: Ints
    moments: Ints


class Walk(NamedTuple):
    """The rows at each depth in the order of the places of its attribute, and where each place begins.

    `costs[depth, row]` is what a row costs in the attributes above. `node` is the node that is being looked at.
    """

    rows: Ints32
    costs: Floats
    starts: Ints32
    node: Ints


@inner
def holds_enough(rows: Ints32, begin: int, end: int, crowd: Crowd) -> bool:
    """Tell whether rows hold enough persons, and enough values of each sensitive attribute."""
    enough = _enough_persons(rows, begin, end, crowd)
    for column in crowd.sensitive:
        enough = enough and _enough_values(column, rows, begin, end, crowd, crowd.l)
    return enough


@inner
def _enough_persons(rows: Ints32, begin: int, end: int, crowd: Crowd) -> bool:
    if len(crowd.persons):
        return _enough_values(crowd.persons, rows, begin, end, crowd, crowd.k)
    found = 0
    for i in range(begin, end):
        found += crowd.counts[rows[i]]
        if found >= crowd.k:
            return True
    return False


@inner
def _enough_values(column: Ints32, rows: Ints32, begin: int, end: int, crowd: Crowd, wanted: int) -> bool:
    if end - begin < wanted:
        return False
    crowd.moments[0] += 1
    moment = crowd.moments[0]
    found = 0
    for i in range(begin, end):
        value = column[rows[i]]
        if crowd.seen[value] != moment:
            crowd.seen[value] = moment
            found += 1
            if found >= wanted:
                return True
    return False


@inner
def begin_walk(crowd: Crowd, trees: Trees, walk: Walk) -> None:
    """Put all rows into the order of the first attribute."""
    everything = np.arange(crowd.places.shape[1], dtype=np.int32)
    walk.costs[0] = 0.0
    _sort(everything, 0, crowd, trees, walk)


@inner
def descend(crowd: Crowd, trees: Trees, walk: Walk, depth: int) -> None:
    """Put the rows of the node at a depth into the order of the next attribute, and say what they cost so far."""
    begin, end = node_rows(trees, walk, depth)
    rows = walk.rows[depth, begin:end]
    base, places = trees.at[walk.node[depth]], crowd.places[depth]
    for row in rows:
        walk.costs[depth + 1, row] = walk.costs[depth, row] + trees.weight[base + places[row]]
    _sort(rows, depth + 1, crowd, trees, walk)


@inner
def _sort(rows: Ints32, depth: int, crowd: Crowd, trees: Trees, walk: Walk) -> None:
    places, starts, ordered = crowd.places[depth], walk.starts[depth], walk.rows[depth]
    width = trees.end[trees.first[depth]]
    starts[: width + 1] = 0
    for row in rows:
        starts[places[row] + 1] += 1
    for p in range(width):
        starts[p + 1] += starts[p]
    for row in rows:
        ordered[starts[places[row]]] = row
        starts[places[row]] += 1
    for p in range(width, 0, -1):
        starts[p] = starts[p - 1]
    starts[0] = 0
    walk.node[depth] = trees.first[depth + 1]


@inner
def node_rows(trees: Trees, walk: Walk, depth: int) -> tuple[int, int]:
    """Return where the rows of the node at a depth begin and end."""
    node = walk.node[depth]
    return walk.starts[depth, trees.begin[node]], walk.starts[depth, trees.end[node]]


@inner
def next_node(crowd: Crowd, trees: Trees, walk: Walk, depth: int) -> bool:
    """Go on to the next node at a depth that has rows which no node below has together; False if none is left.

    Nodes come after those below them, so that cheap boxes come first.
    """
    rows, places, leaf = walk.rows[depth], crowd.places[depth], trees.leaf[depth]
    while walk.node[depth] > trees.first[depth]:
        walk.node[depth] -= 1
        begin, end = node_rows(trees, walk, depth)
        if begin == end:
            continue
        inside, last = leaf[places[rows[begin]]], places[rows[end - 1]]
        while trees.end[inside] <= last:
            inside = trees.parent[inside]
        if inside == walk.node[depth]:
            return True
    return False


@entry
def least_costs(crowd: Crowd, trees: Trees, rest: Floats, walk: Walk, least: Floats, halt: Bools) -> bool:
    """Lower `least` to the cost of each row's cheapest box that holds enough; return whether the walk came to its end.

    `rest[a]` is not above what a row costs in the attributes from a on. Where it tells that no row of a box gets
    cheaper, the box is left.
    """
    last = len(crowd.places) - 1
    smallest = np.empty(trees.first[last + 1] - trees.first[last], np.int64)
    begin_walk(crowd, trees, walk)
    depth = 0
    if last == 0:
        _lower(crowd, trees, walk, 0, smallest, least)
        return True
    while depth >= 0 and not halt[0]:
        if not next_node(crowd, trees, walk, depth):
            depth -= 1
            continue
        begin, end = node_rows(trees, walk, depth)
        if not (
            _improvable(crowd, trees, walk, depth, rest[depth + 1], least)
            and holds_enough(walk.rows[depth], begin, end, crowd)
        ):
            continue
        descend(crowd, trees, walk, depth)
        if depth + 1 < last:
            depth += 1
        else:
            _lower(crowd, trees, walk, last, smallest, least)
    return depth < 0


@inner
def _improvable(crowd: Crowd, trees: Trees, walk: Walk, depth: int, rest: Floats, least: Floats) -> bool:
    begin, end = node_rows(trees, walk, depth)
    base, places, costs = trees.at[walk.node[depth]], crowd.places[depth], walk.costs[depth]
    for row in walk.rows[depth, begin:end]:
        cost = costs[row] + trees.weight[base + places[row]]
        if cost + rest[row] < least[row] - _NEXT_TO_NOTHING:
            return True
    return False


@inner
def _lower(crowd: Crowd, trees: Trees, walk: Walk, depth: int, smallest: Ints, least: Floats) -> None:
    """Lower what rows cost by the nodes of the last attribute: each takes the smallest node that holds enough."""
    rows, starts, places = walk.rows[depth], walk.starts[depth], crowd.places[depth]
    base = trees.first[depth]
    for node in range(base, trees.first[depth + 1]):
        begin, end = starts[trees.begin[node]], starts[trees.end[node]]
        if begin < end:
            above = -1 if node == base else smallest[trees.parent[node] - base]
            held = (node == base or above >= 0) and holds_enough(rows, begin, end, crowd)
            smallest[node - base] = node if held else above
    for row in rows[: starts[trees.end[base]]]:
        node = smallest[trees.leaf[depth, places[row]] - base]
        if node >= 0:
            least[row] = min(least[row], walk.costs[depth, row] + trees.weight[trees.at[node] + places[row]])
