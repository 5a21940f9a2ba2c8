"""Walking the lattice of level vectors on the distinct rows, grouped anew from the smallest lower node at hand.

A node is a level for each attribute; its number has the first attribute as the highest digit, so that every node comes
after all nodes below it, and the nodes that share their first digits lie side by side. The walk holds one grouped table
for each number of first digits. A generalized value is written as the smallest value it covers: then one map per level
raises a value from whatever lower level it is at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sudare.kernels.entry import entry, inner

ENTROPY, DISCERNIBILITY, PRECISION = range(3)
UNKNOWN, UNSAFE, SAFE = range(3)
# Places in `best`: loss, suppressed records, number of the node.
LOSS, SUPPRESSED, NODE = range(3)


class Lattice(NamedTuple):
    """What is asked: for each attribute its field in the keys, its levels and its maps, and the bounds."""

    word: Any  # the word of a key that has the attribute's field, its place and its bits there
    shift: Any
    field: Any
    levels: Any  # number of levels
    stride: Any  # difference of node numbers between two levels
    first: Any  # place of the attribute's maps; `cardinality` entries for each level
    cardinality: Any
    raised: Any  # value -> smallest value that is equal to it at the level
    penalty: Any  # value -> what one suppressed record with it adds to the entropy loss of the level
    single: Any  # whether all values are one at [attribute, level]
    base: Any  # loss without suppression that [attribute, level] adds
    small: Any  # classes with fewer records are suppressed
    allowed: Any  # most records that may be suppressed
    records: Any
    loss: Any  # which loss


class Walk(NamedTuple):
    """What is known so far: grouped tables, what holds for each node, and the best node."""

    keys: Any
    weights: Any
    rows: Any  # rows of each table; -1: none yet
    held: Any  # levels of each table
    squares: Any  # sum of squared class sizes of each table
    slots: Any  # hash table
    status: Any
    seen: Any
    best: Any


@inner
def _plan(lattice: Any, old: Any, new: Any, masks: Any, mapped: Any) -> Any:
    """Find the fields that become zero, where all values are one, and the attributes to map; return their number."""
    masks[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
    count = 0
    for a in range(len(new)):
        if old[a] == new[a]:
            continue
        if lattice.single[a, new[a]]:
            masks[lattice.word[a]] &= ~(lattice.field[a] << lattice.shift[a])
        else:
            mapped[count] = a
            count += 1
    return count


@inner
def _raise(lattice: Any, levels: Any, mapped: Any, count: Any, key: Any) -> None:
    """Raise some attributes of a key to their levels."""
    for t in range(count):
        a = mapped[t]
        w, shift = lattice.word[a], lattice.shift[a]
        code = (key[w] >> shift) & lattice.field[a]
        place = lattice.first[a] + levels[a] * lattice.cardinality[a] + np.int64(code)
        key[w] ^= (code ^ lattice.raised[place]) << shift


@inner
def _mix(key: Any) -> Any:
    mixed = np.uint64(0)
    for w in range(len(key)):
        mixed = (mixed ^ key[w]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed * np.uint64(0xBF58476D1CE4E5B9)


@inner
def _find(slots: Any, bits: Any, grouped: Any, key: Any) -> Any:
    """Return the slot that has the row of a key, or the empty one (-1) where it belongs."""
    slot = np.int64(_mix(key) >> np.uint64(64 - bits))
    last = (1 << bits) - 1
    while True:
        row = slots[slot]
        if row < 0:
            return slot
        same = True
        for w in range(len(key)):
            same &= grouped[row, w] == key[w]
        if same:
            return slot
        slot = (slot + 1) & last


@inner
def _group(lattice: Any, walk: Any, source: Any, target: Any, levels: Any) -> None:
    """Group table `source` at some higher levels into table `target`, which may be the same."""
    keys, weights, rows = walk.keys[source], walk.weights[source], walk.rows[source]
    # No row is written beyond the one that is read, so that a table can be grouped in its own place.
    grouped, summed = walk.keys[target], walk.weights[target]
    masks, key = np.empty(keys.shape[1], np.uint64), np.empty(keys.shape[1], np.uint64)
    mapped, slots = np.empty(len(levels), np.int64), walk.slots
    count = _plan(lattice, walk.held[source], levels, masks, mapped)
    bits = 4
    while (1 << bits) < 2 * rows:
        bits += 1
    slots[: 1 << bits] = -1
    found = 0
    for i in range(rows):
        for w in range(len(key)):
            key[w] = keys[i, w] & masks[w]
        _raise(lattice, levels, mapped, count, key)
        slot = _find(slots, bits, grouped, key)
        row = slots[slot]
        if row >= 0:
            summed[row] += weights[i]
        else:
            slots[slot] = found
            for w in range(len(key)):
                grouped[found, w] = key[w]
            summed[found] = weights[i]
            found += 1
    walk.rows[target] = found
    walk.held[target] = levels


@inner
def lower_bound(lattice: Any, levels: Any) -> Any:
    """Return the loss at some levels without suppression, as far as it adds up over attributes."""
    total = 0.0
    for a in range(len(levels)):
        total += lattice.base[a, levels[a]]
    return total


@inner
def _penalty(lattice: Any, walk: Any, table: Any, row: Any, depth: Any) -> Any:
    """Return what one suppressed record of a row adds to the entropy loss of the first attributes."""
    total = 0.0
    for a in range(depth):
        code = (walk.keys[table, row, lattice.word[a]] >> lattice.shift[a]) & lattice.field[a]
        place = lattice.first[a] + walk.held[table, a] * lattice.cardinality[a] + np.int64(code)
        total += lattice.penalty[place]
    return total


@inner
def measure(lattice: Any, walk: Any, table: Any) -> Any:
    """Return suppressed records and loss of a table, and note its sum of squared class sizes."""
    weights, levels = walk.weights[table], walk.held[table]
    suppressed = 0
    squares = crowded = penalty = 0.0
    for i in range(walk.rows[table]):
        size = weights[i]
        squares += float(size) * size
        if size < lattice.small:
            suppressed += size
            crowded += float(size) * size
            if lattice.loss == ENTROPY and suppressed <= lattice.allowed:
                penalty += size * _penalty(lattice, walk, table, i, len(levels))
    walk.squares[table] = squares
    base = lower_bound(lattice, levels)
    if lattice.loss == DISCERNIBILITY:
        return suppressed, squares - crowded + float(lattice.records) * suppressed
    if lattice.loss == PRECISION:
        return suppressed, base + (1.0 - base) * (suppressed / lattice.records)
    return suppressed, base + penalty


@inner
def _number(lattice: Any, levels: Any) -> Any:
    node = 0
    for a in range(len(levels)):
        node += levels[a] * lattice.stride[a]
    return node


@inner
def _read_digits(lattice: Any, node: Any, levels: Any) -> Any:
    """Write the levels of a node; return the last attribute that is raised (-1: none)."""
    last = -1
    for a in range(len(levels)):
        levels[a] = node // lattice.stride[a]
        node -= levels[a] * lattice.stride[a]
        if levels[a]:
            last = a
    return last


@inner
def _source(walk: Any, levels: Any) -> Any:
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
def _judge(lattice: Any, walk: Any, source: Any, target: Any, levels: Any) -> Any:
    """Group and measure a node, remember it if it is the best so far, and return whether it is safe."""
    _group(lattice, walk, source, target, levels)
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
def _mark_below(lattice: Any, walk: Any, levels: Any) -> None:
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
def _known_safe(lattice: Any, walk: Any, node: Any, levels: Any) -> Any:
    """Whether a node is safe because it is so itself or a direct lower neighbour, which the walk has passed, is."""
    safe = walk.status[node] == SAFE
    for a in range(len(levels)):
        safe |= levels[a] > 0 and walk.status[node - lattice.stride[a]] == SAFE
    return safe


@inner
def _bisect(lattice: Any, walk: Any, unsafe: Any, safe: Any) -> None:
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
def judge(lattice: Any, walk: Any, source: Any, target: Any, levels: Any, depth: Any) -> Any:
    """Group table `source` at some higher levels; return suppressed records and the loss of the first attributes.

    Of fewer than all attributes, discernibility is 0.
    """
    _group(lattice, walk, source, target, levels)
    if depth == len(levels):
        return measure(lattice, walk, target)
    weights = walk.weights[target]
    suppressed = 0
    loss = 0.0
    for a in range(depth):
        loss += lattice.base[a, levels[a]]
    for i in range(walk.rows[target]):
        if weights[i] < lattice.small:
            suppressed += weights[i]
            if lattice.loss == ENTROPY and suppressed <= lattice.allowed:
                loss += weights[i] * _penalty(lattice, walk, target, i, depth)
    if lattice.loss == PRECISION:
        loss += (depth / len(levels) - loss) * (suppressed / lattice.records)
    return suppressed, loss


@entry
def group(lattice: Any, walk: Any, source: Any, target: Any, levels: Any) -> None:
    """Group table `source` at some higher levels into table `target`, which may be the same."""
    _group(lattice, walk, source, target, levels)


@entry
def find_safe(lattice: Any, walk: Any, node: Any, end: Any) -> Any:
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
def find_best(lattice: Any, walk: Any, node: Any, end: Any) -> Any:
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
