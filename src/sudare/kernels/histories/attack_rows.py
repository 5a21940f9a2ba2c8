"""Which rows of a known history a published row can stand for, and who has them.

Rows hold their ordered cells as ends `low`, `high` (a deleted cell: all values) and their items as numbers of sets (-1:
deleted); an item of a known row is a single number. A published row can stand for a known one if all cells meet: ends
overlap, the set has the item. An index leads from a value to the known rows that have it.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints, Ints8, Ints32
from sudare.kernels.common.ordered import first_from
from sudare.kernels.entry import entry, inner
from sudare.kernels.histories.linked_rows import KnownIndex, KnownRows, PublishedRows

# Looking for an item among a customer's rows costs about as much as looking at this number of rows.
_HALVINGS = 8
# To compare a row with a customer's rows, which lie together, costs about as much as to look up this number in the
# index.
_LOOKED_UP = 2
# What a row adds for each customer it can stand for: its weight, the logarithm of all customers to those it can stand
# for, or its weight only if that is one customer.
EACH, RARE, UNIQUE = 0, 1, 2


@inner
def _has_item(starts: Ints, members: Ints, number: int, item: int) -> bool:
    """Tell whether a set has an item."""
    last = starts[number + 1]
    place = first_from(members, starts[number], last, item)
    return bool(place < last and members[place] == item)


@inner
def _listed(published: PublishedRows, row: int, index: KnownIndex, number: int) -> tuple[int, int]:
    """Return the places in a list of the rows that may overlap the published cell which the list is ordered by."""
    column = number if number < published.low.shape[1] else 0
    first, last = index.starts[number], index.starts[number + 1]
    if published.low.shape[1] == 0:
        return index.places[first], index.places[last]
    begin = first_from(index.values, first, last, published.low[row, column] - index.widest[column])
    return index.places[begin], index.places[first_from(index.values, begin, last, published.high[row, column] + 1)]


@entry
def find_blocks(
    published: PublishedRows, known: KnownRows, index: KnownIndex, blocks: Ints8, sizes: Ints32, shares: Floats
) -> None:
    """Find for each published row the column that fewest known rows share with it, and how many these are.

    Ordered columns come first, then those of items; -1 means none. `shares` is the share of known rows that a row can
    stand for if columns are independent of each other.
    """
    rows = max(len(known.customer), 1)
    ordered = published.low.shape[1]
    for row in range(len(blocks)):
        blocks[row], sizes[row], shares[row] = -1, rows, 1.0
        for column in range(ordered + published.sets.shape[1]):
            count = share = 0
            if column < ordered:
                first, last = _listed(published, row, index, column)
                count = share = last - first
            elif published.sets[row, column - ordered] < 0:
                continue
            else:
                number = published.sets[row, column - ordered]
                for item in published.members[published.starts[number] : published.starts[number + 1]]:
                    first, last = _listed(published, row, index, ordered + item)
                    count += last - first
                    first, last = index.starts[ordered + item], index.starts[ordered + item + 1]
                    share += index.places[last] - index.places[first]
            shares[row] *= max(share, 1) / rows
            if count < sizes[row]:
                blocks[row], sizes[row] = column, count


# Arrays are taken out of their tuples before loops: each access to a field counts references.
@inner
def _add_customers(
    published: PublishedRows,
    row: int,
    known: KnownRows,
    others: Ints32,
    sure: int,
    hit: Ints32,
    least: int,
    seen: Ints32,
    found: Ints32,
    count: int,
) -> int:
    """Append the customers who have one of some known rows that the published one can stand for; return how many.

    In the column `sure` of items the rows are known to meet. Known rows lie anywhere in memory: of most of them no more
    is read than their ends.
    """
    low, high, sets, starts, members = published
    least_ends, most_ends, items, customer_of, _ = known
    for other in others:
        if least and hit[customer_of[other]] < least:
            continue
        meets = True
        for column in range(low.shape[1]):
            meets &= (low[row, column] <= most_ends[other, column]) & (high[row, column] >= least_ends[other, column])
        if not meets:
            continue
        for column in range(sets.shape[1]):
            number = sets[row, column]
            if column != sure and number >= 0:
                meets &= _has_item(starts, members, number, items[other, column])
        customer = customer_of[other]
        if meets and seen[customer] != row:
            seen[customer] = row
            found[count] = customer
            count += 1
    return count


@inner
def _customers(
    published: PublishedRows,
    row: int,
    known: KnownRows,
    index: KnownIndex,
    block: int,
    hit: Ints32,
    least: int,
    seen: Ints32,
    found: Ints32,
) -> int:
    """Find the customers with `least` hits or more whom a published row can stand for; return how many."""
    ordered = published.low.shape[1]
    if block < 0:
        others = np.arange(len(known.customer)).astype(np.int32)
        return _add_customers(published, row, known, others, -1, hit, least, seen, found, 0)
    if block < ordered:
        first, last = _listed(published, row, index, block)
        return _add_customers(published, row, known, index.rows[first:last], -1, hit, least, seen, found, 0)
    count = 0
    number = published.sets[row, block - ordered]
    for item in published.members[published.starts[number] : published.starts[number + 1]]:
        first, last = _listed(published, row, index, ordered + item)
        others = index.rows[first:last]
        count = _add_customers(published, row, known, others, block - ordered, hit, least, seen, found, count)
    return count


@inner
def find_fitting(published: PublishedRows, row: int, known: KnownRows, customer: int, room: Ints, filled: int) -> int:
    """Append to `room` the places of a customer's rows that a published one can stand for; return how far it is filled.

    There must be room for all rows of the customer. Rows with the items of a set are found by halving, if that is
    quicker than to begin with all rows. Column after column takes rows out, without a branch that nobody can foretell.
    """
    low, high, sets, starts, members = published
    least, most, items, _, firsts = known
    begin, end = firsts[customer], firsts[customer + 1]
    number = sets[row, 0] if sets.shape[1] else -1
    halving = number >= 0 and (starts[number + 1] - starts[number]) * _HALVINGS <= end - begin
    count = filled
    if halving:
        own = items[:, 0]
        for item in members[starts[number] : starts[number + 1]]:
            other = first_from(own, begin, end, item)
            while other < end and own[other] == item:
                room[count] = other - begin
                count += 1
                other += 1
    else:
        for place in range(end - begin):
            room[count] = place
            count += 1
    for column in range(low.shape[1]):
        first, last = low[row, column], high[row, column]
        kept = filled
        for place in range(filled, count):
            other = begin + room[place]
            room[kept] = room[place]
            kept += (first <= most[other, column]) & (last >= least[other, column])
        count = kept
    for column in range(1 if halving else 0, sets.shape[1]):
        number = sets[row, column]
        kept = filled
        for place in range(filled, count):
            room[kept] = room[place]
            kept += number < 0 or _has_item(starts, members, number, items[begin + room[place], column])
        count = kept
    return count


@inner
def _sink(heap: Ints, score: Floats, size: int) -> None:
    """Restore a heap whose first element is out of place: the worst customer first (ties: the greatest number)."""
    place = 0
    while True:
        worst = place
        for child in (2 * place + 1, 2 * place + 2):
            if child < size and _worse(heap[child], heap[worst], score):
                worst = child
        if worst == place:
            return
        heap[place], heap[worst] = heap[worst], heap[place]
        place = worst


@inner
def _worse(one: int, other: int, score: Floats) -> bool:
    return score[one] < score[other] or (score[one] == score[other] and one > other)


@inner
def _best(touched: Ints32, count: int, score: Floats, heap: Ints) -> int:
    """Put the customers of the greatest scores into the heap's room, best first; return how many."""
    size = 0
    for place in range(count):
        customer = touched[place]
        if size < len(heap):
            heap[size] = customer
            child = size
            size += 1
            while child and _worse(heap[child], heap[(child - 1) // 2], score):
                heap[child], heap[(child - 1) // 2] = heap[(child - 1) // 2], heap[child]
                child = (child - 1) // 2
        elif _worse(heap[0], customer, score):
            heap[0] = customer
            _sink(heap, score, size)
    for last in range(size - 1, 0, -1):
        heap[0], heap[last] = heap[last], heap[0]
        _sink(heap, score, last)
    return size


@entry
def score_customers(
    published: PublishedRows,
    rows: Ints,
    starts: Ints,
    weights: Floats,
    known: KnownRows,
    index: KnownIndex,
    blocks: Ints8,
    sizes: Ints32,
    votes: int,
    complete: bool,
    unsure: int,
    budget: int,
    counts: Ints,
    totals: Floats,
    met: Ints,
    best: Ints,
    scores: Floats,
    hits: Ints,
) -> None:
    """Score customers for histories of published rows: the weights of rows that can stand for one of theirs.

    History j has the rows `rows[starts[j] : starts[j + 1]]`, the least block first. Rows are looked up in the index
    until `budget` known rows were looked at; others stay out. If only customers who meet all rows count (`complete`),
    until it is quicker to compare those who are left with the other rows; no more than `unsure` customers are left to
    the caller to compare. Filled in for each history: the best customers with scores and hits (rows met), how many
    they are (`counts`, -1: the budget was not enough), the sum of all scores (`totals`), how many customers met all
    rows that were compared (`met`).
    """
    customers = len(known.starts) - 1
    score, hit = np.zeros(customers), np.zeros(customers, np.int32)
    seen, touched = np.full(customers, -1, np.int32), np.empty(customers, np.int32)
    found = np.empty(customers, np.int32)
    for history in range(len(starts) - 1):
        begin, end = starts[history], starts[history + 1]
        count, work, done, left = 0, 0, begin, customers
        while done < end and work + sizes[rows[done]] <= budget:
            row = rows[done]
            if complete and done > begin and left * _LOOKED_UP < sizes[row]:
                break
            work += sizes[row]
            least = done - begin if complete else 0
            number = _customers(published, row, known, index, blocks[row], hit, least, seen, found)
            weight = np.log(customers / number) if votes == RARE and number else weights[row]
            if votes == UNIQUE and number != 1:
                number = 0
            left = number
            for place in range(number):
                customer = found[place]
                if hit[customer] == 0:
                    touched[count] = customer
                    count += 1
                hit[customer] += 1
                score[customer] += weight
            done += 1
        counts[history], met[history], totals[history] = -1, 0, 0.0
        if done > begin or begin == end:
            if complete and left > unsure:
                _compare_rest(published, rows, done, begin, end, weights, known, touched[:count], hit, score)
                done = end
            number = 0
            for place in range(count):
                customer = touched[place]
                meets_all = hit[customer] == done - begin
                met[history] += meets_all
                if meets_all or not complete:
                    found[number] = customer
                    number += 1
                    totals[history] += score[customer]
            kept = _best(found, number, score, best[history])
            counts[history] = kept
            for place in range(kept):
                scores[history, place] = score[best[history, place]]
                hits[history, place] = hit[best[history, place]]
        for place in range(count):
            score[touched[place]], hit[touched[place]] = 0.0, 0


@inner
def _compare_rest(
    published: PublishedRows,
    rows: Ints,
    done: int,
    begin: int,
    end: int,
    weights: Floats,
    known: KnownRows,
    customers: Ints32,
    hit: Ints32,
    score: Floats,
) -> None:
    """Compare the rows that were not looked up with the rows of the customers who met all before."""
    for customer in customers:
        if hit[customer] < done - begin:
            continue
        room = np.empty(known.starts[customer + 1] - known.starts[customer], np.int64)
        for later in range(done, end):
            if not find_fitting(published, rows[later], known, customer, room, 0):
                break
            hit[customer] += 1
            score[customer] += weights[rows[later]]
