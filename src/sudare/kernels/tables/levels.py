"""Walking the lattice of level vectors on the distinct rows, regrouped from the smallest available lower node.

A node is a level for each attribute; its number has the first attribute as the highest digit, so that every node comes
after all nodes below it, and the nodes that share their first digits lie side by side. The walk holds one grouped table
for each number of first digits.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Ints
from sudare.kernels.entry import entry, inner
from sudare.kernels.tables.grouping import (
    CERTAINTY,
    DISCERNIBILITY,
    ENTROPY,
    PRECISION,
    Lattice,
    Walk,
    group_table,
    lower_bound,
    measure,
    penalty_of,
)

UNKNOWN, UNSAFE, SAFE = range(3)
# Places in `best`: loss, suppressed records, number of the node.
LOSS, SUPPRESSED, NODE = range(3)


@inner
def _number(lattice: Lattice, levels: Ints) -> int:
    node = 0
    for a in range(len(levels)):
        node += levels[a] * lattice.stride[a]
    return node


@inner
def _read_digits(lattice: Lattice, node: int, levels: Ints) -> int:
    """Write the levels of a node; return the last attribute that is raised (-1: none)."""
    last = -1
    for a in range(len(levels)):
        levels[a] = node // lattice.stride[a]
        node -= levels[a] * lattice.stride[a]
        if levels[a]:
            last = a
    return last


@inner
def _source(walk: Walk, levels: Ints) -> int:
    """Return the smallest table at hand that is not above some levels; the last one is scratch."""
    chosen = 0
    for table in range(1, len(walk.rows) - 1):
        if 0 <= walk.rows[table] < walk.rows[chosen]:
            below = True
            for a in range(len(levels)):
                below &= walk.held[table, a] <= levels[a]
            if below:
                chosen = table
    return chosen


@inner
def _judge(lattice: Lattice, walk: Walk, source: int, target: int, levels: Ints) -> bool:
    """Group and measure a node, remember it if it is the best so far, and return whether it is safe."""
    group_table(lattice, walk, source, target, levels)
    suppressed, loss = measure(lattice, walk, target)
    node = _number(lattice, levels)
    walk.seen[node] = 1
    if suppressed > lattice.allowed:
        walk.status[node] = UNSAFE
        return False
    walk.status[node] = SAFE
    best = walk.best
    if loss < best[LOSS] or (loss == best[LOSS] and (suppressed, node) < (best[SUPPRESSED], best[NODE])):
        best[LOSS], best[SUPPRESSED], best[NODE] = loss, suppressed, node
    return True


@inner
def _mark_below(lattice: Lattice, walk: Walk, levels: Ints) -> None:
    """Mark all nodes below an unsafe one as unsafe, each at most once over the whole walk."""
    top = _number(lattice, levels)
    walk.status[top] = UNSAFE
    stack = [top]
    while len(stack):
        node = stack.pop()
        rest = node
        for a in range(len(levels)):
            digit = rest // lattice.stride[a]
            rest -= digit * lattice.stride[a]
            lower = node - lattice.stride[a]
            if digit and walk.status[lower] != UNSAFE:
                walk.status[lower] = UNSAFE
                stack.append(lower)


@inner
def _known_safe(lattice: Lattice, walk: Walk, node: int, levels: Ints) -> bool:
    """Whether a node is safe because it is so itself or a direct lower neighbour, which the walk has passed, is."""
    safe: bool = walk.status[node] == SAFE
    for a in range(len(levels)):
        safe |= levels[a] > 0 and walk.status[node - lattice.stride[a]] == SAFE
    return safe


@inner
def _bisect(lattice: Lattice, walk: Walk, unsafe: int, safe: int) -> None:
    """Judge nodes between an unsafe and a safe one, halving the way: each settles all nodes below or above it.

    The last attributes are raised first, as in the walk.
    """
    scratch = len(walk.rows) - 1
    low, high, middle = np.empty_like(lattice.levels), np.empty_like(lattice.levels), np.empty_like(lattice.levels)
    _read_digits(lattice, unsafe, low)
    _read_digits(lattice, safe, high)
    source = _source(walk, low)
    while (high - low).sum() > 1:
        steps = (high - low).sum() // 2
        middle[:] = low
        for a in range(len(low) - 1, -1, -1):
            middle[a] += min(steps, high[a] - low[a])
            steps -= middle[a] - low[a]
        status = walk.status[_number(lattice, middle)]
        if status == SAFE or (status == UNKNOWN and _judge(lattice, walk, source, scratch, middle)):
            high[:] = middle
        else:
            if status == UNKNOWN:
                _mark_below(lattice, walk, middle)
            low[:] = middle


@entry
def judge(lattice: Lattice, walk: Walk, source: int, target: int, levels: Ints, depth: int) -> tuple[int, float]:
    """Group table `source` at some higher levels; return suppressed records and the loss of the first attributes.

    Of fewer than all attributes, discernibility is 0.
    """
    group_table(lattice, walk, source, target, levels)
    if depth == len(levels):
        return measure(lattice, walk, target)
    weights = walk.weights[target]
    adds_up = lattice.loss == ENTROPY or lattice.loss == CERTAINTY
    suppressed = 0
    loss = 0.0
    for a in range(depth):
        loss += lattice.base[a, levels[a]]
    for i in range(walk.rows[target]):
        if weights[i] < lattice.small:
            suppressed += weights[i]
            if adds_up and suppressed <= lattice.allowed:
                loss += weights[i] * penalty_of(lattice, walk, target, i, depth)
    if lattice.loss == PRECISION:
        loss += (depth / len(levels) - loss) * (suppressed / lattice.records)
    return suppressed, loss


@entry
def group(lattice: Lattice, walk: Walk, source: int, target: int, levels: Ints) -> None:
    """Group table `source` at some higher levels into table `target`, which may be the same."""
    group_table(lattice, walk, source, target, levels)


@entry
def find_safe(lattice: Lattice, walk: Walk, node: int, end: int) -> int:
    """Settle which nodes are safe, from a node on to at least `end`; return where to go on.

    Nodes from which only attributes after the last raised one go up lie side by side, and so do those above a node that
    raise the last one as well: a safe node settles the latter, an unsafe top of the former all of them.
    """
    attributes = len(lattice.levels)
    scratch = len(walk.rows) - 1
    levels = np.zeros(attributes, np.int64)
    while node < end:
        last = _read_digits(lattice, node, levels)
        block = lattice.stride[last] if last >= 0 else len(walk.status)
        above = block * (lattice.levels[last] - levels[last]) if last >= 0 else block
        top = node + block - 1
        if walk.status[top] == UNSAFE:
            walk.status[node : top + 1] = UNSAFE
            node += block
            continue
        safe = _known_safe(lattice, walk, node, levels)
        if not safe and (walk.status[node] == UNKNOWN or block > 1):
            safe = _judge(lattice, walk, _source(walk, levels), last + 1, levels)
        if safe:
            walk.status[node : node + above] = SAFE
            node += above
            continue
        if walk.status[top] == UNKNOWN:
            source = _source(walk, levels)
            for a in range(last + 1, attributes):
                levels[a] = lattice.levels[a] - 1
            if not _judge(lattice, walk, source, scratch, levels):
                _mark_below(lattice, walk, levels)
                continue
        _bisect(lattice, walk, node, top)
        node += 1
    return node


@entry
def find_best(lattice: Lattice, walk: Walk, node: int, end: int) -> int:
    """Look for the safe node with the least loss, once `find_safe` is through; return where to go on.

    What a node would lose without suppression bounds the loss of all nodes above it.
    """
    levels = np.zeros_like(lattice.levels)
    while node < end:
        last = _read_digits(lattice, node, levels)
        block = lattice.stride[last] if last >= 0 else len(walk.status)
        above = block * (lattice.levels[last] - levels[last]) if last >= 0 else block
        if walk.status[node + block - 1] == UNSAFE:
            node += block
            continue
        source = _source(walk, levels)
        bound = walk.squares[source] if lattice.loss == DISCERNIBILITY else lower_bound(lattice, levels)
        if bound > walk.best[LOSS]:
            node += above
            continue
        if walk.status[node] == SAFE or block > 1:
            _judge(lattice, walk, source, last + 1, levels)
        node += 1
    return node
