"""Sorting the lines of a text by their bytes; inner functions are inlined as in text.py."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bytes, Ints
from sudare.kernels.entry import entry, inner

# Groups of so few lines are sorted by comparing them with each other.
FEW = 16
KEY_BYTES = 7


@entry
def find_line_ends(data: Bytes, starts: Ints, ends: Ints) -> None:
    """Write where each line begins and ends, without LF or CRLF."""
    line, start = 0, 0
    for place in range(len(data)):
        if data[place] == 10:
            starts[line], ends[line] = start, place - (1 if place > start and data[place - 1] == 13 else 0)
            line += 1
            start = place + 1
    if start < len(data):
        starts[line], ends[line] = start, len(data)


@inner
def _key(data: Bytes, start: int, end: int) -> np.uint64:
    """Return the next seven bytes of a line as a number that is ordered as they are; its last byte tells how many.

    There it says 8 if the line goes on, so that equal numbers with less are equal lines.
    """
    key = np.uint64(0)
    for place in range(start, start + KEY_BYTES):
        key = (key << np.uint64(8)) | (np.uint64(data[place]) if place < end else np.uint64(0))
    return (key << np.uint64(8)) | np.uint64(min(end - start, KEY_BYTES + 1))


@inner
def _follows(data: Bytes, start: int, end: int, other: int, other_end: int) -> bool:
    """Tell whether a line comes after another one."""
    while start < end and other < other_end and data[start] == data[other]:
        start += 1
        other += 1
    if start < end and other < other_end:
        return bool(data[start] > data[other])
    return end - start > other_end - other


@inner
def _insert(data: Bytes, starts: Ints, ends: Ints, order: Ints, low: int, high: int, depth: int) -> None:
    for place in range(low + 1, high):
        line = order[place]
        gap = place
        while gap > low and _follows(
            data, starts[order[gap - 1]] + depth, ends[order[gap - 1]], starts[line] + depth, ends[line]
        ):
            order[gap] = order[gap - 1]
            gap -= 1
        order[gap] = line


@entry
def sort_lines(data: Bytes, starts: Ints, ends: Ints) -> Ints:
    """Return the order of lines by their bytes, which for UTF-8 is that of code points.

    Lines are divided by seven bytes at a time into those that are less, equal and greater (multikey quicksort, Bentley
    and Sedgewick 1997); equal ones are compared by the next seven.
    """
    lines = len(starts)
    order = np.arange(lines)
    keys = np.empty(lines, np.uint64)
    for line in range(lines):
        keys[line] = _key(data, starts[line], ends[line])
    stack = [(0, lines, 0)]
    while stack:
        low, high, depth = stack.pop()
        while high - low > FEW:
            pivot = _median(keys[low], keys[(low + high) // 2], keys[high - 1])
            less, place, greater = low, low, high
            while place < greater:
                if keys[place] < pivot:
                    keys[less], keys[place] = keys[place], keys[less]
                    order[less], order[place] = order[place], order[less]
                    less += 1
                    place += 1
                elif keys[place] > pivot:
                    greater -= 1
                    keys[greater], keys[place] = keys[place], keys[greater]
                    order[greater], order[place] = order[place], order[greater]
                else:
                    place += 1
            stack.append((low, less, depth))
            stack.append((greater, high, depth))
            low, high = less, greater
            if pivot & np.uint64(0xFF) <= np.uint64(KEY_BYTES):
                break
            depth += KEY_BYTES
            for place in range(low, high):
                keys[place] = _key(data, starts[order[place]] + depth, ends[order[place]])
        else:
            _insert(data, starts, ends, order, low, high, depth)
    return order


@inner
def _median(first: np.uint64, second: np.uint64, third: np.uint64) -> np.uint64:
    return max(min(first, second), min(max(first, second), third))


@entry
def copy_lines(data: Bytes, starts: Ints, ends: Ints, order: Ints, out: Bytes) -> None:
    """Write lines in an order, each with an LF."""
    at = 0
    for line in order:
        for place in range(starts[line], ends[line]):
            out[at] = data[place]
            at += 1
        out[at] = 10
        at += 1
