"""Which rows of a known history a published row can stand for, and who has them.

Rows hold their ordered cells as ends `low`, `high` (a deleted cell: all values) and their items as numbers of sets (-1:
deleted); an item of a known row is a single number. A published row can stand for a known one if all cells meet: ends
overlap, the set has the item. An index leads from a value to the known rows that have it.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import njit

# Published rows: low and high [row, column], sets [row, column]; set s is members[starts[s] : starts[s + 1]], rising.
PublishedRows = namedtuple("PublishedRows", "low high sets starts members")
# Known rows: low and high [row, column], items [row, column], the customer of each row, where each customer's begin;
# the rows of a customer rise by their first item.
KnownRows = namedtuple("KnownRows", "low high items customer starts")
# Rows with item i: item_rows[item_starts[i] : item_starts[i + 1]], by the low ends of their first ordered cells
# (item_ends); of each ordered column the rows by their low end, these ends, and the widest cell.
KnownIndex = namedtuple("KnownIndex", "item_starts item_rows item_ends order ends widest")
# The low end of a deleted cell; its high end is the opposite.
NO_END = -(2**62)
# Looking for an item among a customer's rows costs about as much as looking at so many.
_HALVINGS = 8
# What a row adds for each customer it can stand for: its weight, the logarithm of all customers to those it can stand
# for, or its weight only if that is one customer.
EACH, RARE, UNIQUE = 0, 1, 2


@njit(cache=True, nogil=True)
def _has_item(starts: Any, members: Any, number: Any, item: Any) -> Any:
    """Tell whether a set has an item, by halving."""
    first, last = starts[number], starts[number + 1]
    end = last
    while first < last:
        middle = (first + last) // 2
        if members[middle] < item:
            first = middle + 1
        else:
            last = middle
    return first < end and members[first] == item


# Arrays are taken out of their tuples before loops: each access to a field counts references.
@njit(cache=True, nogil=True)
def meets(
    low: Any, high: Any, sets: Any, starts: Any, members: Any, row: Any, least: Any, most: Any, items: Any, other: Any
) -> Any:
    """Tell whether a published row can stand for a known one, with cells from `least` to `most` and `items`."""
    for column in range(low.shape[1]):
        if low[row, column] > most[other, column] or high[row, column] < least[other, column]:
            return False
    for column in range(sets.shape[1]):
        number = sets[row, column]
        if number >= 0 and not _has_item(starts, members, number, items[other, column]):
            return False
    return True


@njit(cache=True, nogil=True)
def _ordered_block(published: Any, row: Any, index: Any, column: Any) -> Any:
    """Return the places, in a column's order, of the rows that may overlap a published cell."""
    ends = index.ends[column]
    first = np.searchsorted(ends, published.low[row, column] - index.widest[column])
    return first, np.searchsorted(ends, published.high[row, column], "right")


@njit(cache=True, nogil=True)
def _item_block(published: Any, row: Any, index: Any, item: Any) -> Any:
    """Return the places of the rows that have an item and may overlap the first ordered cell of a published row."""
    first, last = index.item_starts[item], index.item_starts[item + 1]
    if published.low.shape[1] == 0:
        return first, last
    ends = index.item_ends[first:last]
    begin = np.searchsorted(ends, published.low[row, 0] - index.widest[0])
    return first + begin, first + np.searchsorted(ends, published.high[row, 0], "right")


@njit(cache=True, nogil=True)
def find_blocks(published: Any, index: Any, columns: Any, blocks: Any, sizes: Any, shares: Any) -> None:
    """Find for each published row the column that fewest known rows share with it, and how many these are.

    Ordered columns come first, then those of items. `shares` is the share of known rows that a row can stand for if
    columns are independent of each other.
    """
    rows = max(index.order.shape[1], 1)
    ordered = published.low.shape[1]
    for row in range(len(blocks)):
        blocks[row], sizes[row], shares[row] = -1, rows, 1.0
        for column in range(columns):
            count = share = 0
            if column < ordered:
                first, last = _ordered_block(published, row, index, column)
                count = share = last - first
            elif published.sets[row, column - ordered] < 0:
                continue
            else:
                number = published.sets[row, column - ordered]
                for item in published.members[published.starts[number] : published.starts[number + 1]]:
                    first, last = _item_block(published, row, index, item)
                    count += last - first
                    share += index.item_starts[item + 1] - index.item_starts[item]
            shares[row] *= max(share, 1) / rows
            if count < sizes[row]:
                blocks[row], sizes[row] = column, count


@njit(cache=True, nogil=True)
def _find_rows(published: Any, row: Any, index: Any, block: Any, others: Any) -> Any:
    """Write the known rows of a published row's block to `others`; return how many."""
    ordered = published.low.shape[1]
    if block < ordered:
        first, last = _ordered_block(published, row, index, block)
        others[: last - first] = index.order[block, first:last]
        return last - first
    count = 0
    number = published.sets[row, block - ordered]
    for item in published.members[published.starts[number] : published.starts[number + 1]]:
        first, last = _item_block(published, row, index, item)
        others[count : count + last - first] = index.item_rows[first:last]
        count += last - first
    return count


@njit(cache=True, nogil=True)
def _customers(published: Any, row: Any, known: Any, others: Any, seen: Any, found: Any) -> Any:
    """Find the customers who have one of these known rows that the published one can stand for; return how many."""
    low, high, sets, starts, members = published
    least, most, items, customer_of, _ = known
    count = 0
    for other in others:
        customer = customer_of[other]
        if seen[customer] != row and meets(low, high, sets, starts, members, row, least, most, items, other):
            seen[customer] = row
            found[count] = customer
            count += 1
    return count


@njit(cache=True, nogil=True)
def find_fitting(published: Any, row: Any, known: Any, customer: Any, room: Any, filled: Any, most_found: Any) -> Any:
    """Append to `room` the places of a customer's rows that a published one can stand for; return how far it is filled.

    No more than `most_found` are looked for. Rows with the items of a set are found by halving, if that is quicker than
    looking at all rows.
    """
    low, high, sets, starts, members = published
    least, most, items, _, firsts = known
    begin, end = firsts[customer], firsts[customer + 1]
    number = sets[row, 0] if sets.shape[1] else -1
    pieces = starts[number + 1] - starts[number] if number >= 0 else 0
    if number < 0 or pieces * _HALVINGS > end - begin:
        pieces = 0
    last_filled = filled + most_found
    for piece in range(max(pieces, 1)):
        first, last = begin, end
        if pieces:
            item = members[starts[number] + piece]
            first = begin + np.searchsorted(items[begin:end, 0], item)
            last = end
        for other in range(first, last):
            if pieces and items[other, 0] != item:
                break
            if meets(low, high, sets, starts, members, row, least, most, items, other):
                room[filled] = other - begin
                filled += 1
                if filled == last_filled:
                    return filled
    return filled


@njit(cache=True, nogil=True)
def _sink(heap: Any, score: Any, size: Any) -> None:
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


@njit(cache=True, nogil=True)
def _worse(one: Any, other: Any, score: Any) -> Any:
    return score[one] < score[other] or (score[one] == score[other] and one > other)


@njit(cache=True, nogil=True)
def _best(touched: Any, count: Any, score: Any, heap: Any) -> Any:
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


@njit(cache=True, nogil=True)
def score_customers(
    published: Any,
    rows: Any,
    starts: Any,
    weights: Any,
    known: Any,
    index: Any,
    blocks: Any,
    sizes: Any,
    votes: Any,
    complete: Any,
    budget: Any,
    counts: Any,
    totals: Any,
    met: Any,
    best: Any,
    scores: Any,
    hits: Any,
) -> None:
    """Score customers for histories of published rows: the weights of rows that can stand for one of theirs.

    History j has the rows `rows[starts[j] : starts[j + 1]]`, the least block first. Rows are looked up in the index
    until `budget` known rows were looked at; others stay out. If only customers who meet all rows count (`complete`),
    until it is quicker to compare those who are left with the other rows. Filled in for each history: the best
    customers with scores and hits (rows met), how many they are (`counts`, -1: the budget was not enough), the sum of
    all scores (`totals`), how many customers met all rows (`met`).
    """
    customers = len(known.starts) - 1
    score, hit = np.zeros(customers), np.zeros(customers, np.int64)
    seen, touched = np.full(customers, -1, np.int64), np.empty(customers, np.int64)
    found = np.empty(customers, np.int64)
    # A row that more known rows share with it than the budget has is never looked up.
    longest = min(len(known.customer), budget)
    everything, block = np.arange(longest), np.empty(longest, np.int64)
    usual = len(known.customer) / max(customers, 1)
    for history in range(len(starts) - 1):
        begin, end = starts[history], starts[history + 1]
        count, work, done, left = 0, 0, begin, customers
        while done < end and work + sizes[rows[done]] <= budget:
            row = rows[done]
            if complete and done > begin and left * usual < sizes[row]:
                break
            work += sizes[row]
            others = everything
            if blocks[row] >= 0:
                others = block[: _find_rows(published, row, index, blocks[row], block)]
            number = _customers(published, row, known, others, seen, found)
            weight = np.log(customers / number) if votes == RARE and number else weights[row]
            if votes == UNIQUE and number != 1:
                number = 0
            left = 0
            for place in range(number):
                customer = found[place]
                left += hit[customer] == done - begin
                if hit[customer] == 0:
                    touched[count] = customer
                    count += 1
                hit[customer] += 1
                score[customer] += weight
            done += 1
        counts[history], met[history], totals[history] = -1, 0, 0.0
        if done > begin or begin == end:
            if complete:
                _compare_rest(published, rows, done, begin, end, weights, known, touched[:count], hit, score)
            for place in range(count):
                met[history] += hit[touched[place]] == (end if complete else done) - begin
                totals[history] += score[touched[place]]
            kept = _best(touched, count, score, best[history])
            counts[history] = kept
            for place in range(kept):
                scores[history, place] = score[best[history, place]]
                hits[history, place] = hit[best[history, place]]
        for place in range(count):
            score[touched[place]], hit[touched[place]] = 0.0, 0


@njit(cache=True, nogil=True)
def _compare_rest(
    published: Any,
    rows: Any,
    done: Any,
    begin: Any,
    end: Any,
    weights: Any,
    known: Any,
    customers: Any,
    hit: Any,
    score: Any,
) -> None:
    """Compare the rows that were not looked up with the rows of the customers who met all before."""
    one = np.empty(1, np.int64)
    for customer in customers:
        if hit[customer] < done - begin:
            continue
        for later in range(done, end):
            if not find_fitting(published, rows[later], known, customer, one, 0, 1):
                break
            hit[customer] += 1
            score[customer] += weights[rows[later]]
