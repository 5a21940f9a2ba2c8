"""Reading and checking rows of generalized cells from the bytes of their text.

Lines are divided into cells first, then each column is read by a loop of its own. What is wrong is written beside the
cells, as numbers: nothing is formatted here, and no cell becomes an object. Inner functions are inlined, because the
references to their arrays would else be counted at every call, which takes longer than what they do.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.cells.cell_kinds import EXACT, RANGE, SET
from sudare.kernels.cells.problems import Problem
from sudare.kernels.cells.sequences import Sequences, find_sequence, has_room, number_sequence
from sudare.kernels.cells.values import read_person, read_value
from sudare.kernels.common.arrays import Bytes, Ints, Ints32
from sudare.kernels.entry import entry, inner

LF, CR, COMMA, STAR, SEMICOLON = 10, 13, 44, 42, 59
RANGE_OPEN, RANGE_CLOSE, SET_OPEN, SET_CLOSE = 91, 93, 123, 125
# The most bytes of a character, and CR and LF.
CHARACTER_BYTES, LINE_END_BYTES = 4, 2


@entry
def count_lines(data: Bytes, size: int) -> int:
    """Return how many line feeds there are."""
    lines = 0
    for place in range(size):
        lines += data[place] == LF
    return lines


@entry
def divide_lines(
    data: Bytes, size: int, last: bool, skipping: bool, most: int, cuts: Ints32, problems: Bytes, faults: Ints
) -> tuple[int, int, bool]:
    """Divide the whole lines of a block of bytes into cells, cell c of row r from cuts[r, c] to cuts[r, c + 1] - 1.

    The last row of the arrays is never used for a line. A line without its end waits for the next block, unless this is
    the last one or the line is too long already: then the rest of it is skipped. The problem of a line stands in the
    last column of `problems`; `faults` says in which cell, where the bad part begins and ends, and how many cells there
    are. A row whose cells are all `*` has DELETED_ROW. Returned are the number of lines, of bytes that are done with,
    and whether a line is being skipped.
    """
    columns = problems.shape[1] - 1
    at, rows = 0, 0
    while at < size:
        row = min(rows, len(problems) - 1)
        end, cells, broken, broken_at = _find_cells(data, at, size, last, columns, cuts[row])
        if skipping:
            skipping = end == size
            at = end + 1
            continue
        if end == size and not last:
            if size - at <= most * CHARACTER_BYTES + LINE_END_BYTES:
                return rows, at, False
            skipping = True
        stop = end - 1 if at < end < size and data[end - 1] == CR else end
        if rows < len(problems) - 1:
            fault = faults[row]
            cuts[row, columns] = stop + 1
            if stop - at > most and _is_long(data, at, stop, most, fault):
                problems[row, columns] = Problem.LENGTH
            elif broken >= 0:
                problems[row, columns] = Problem.NEWLINE
                fault[0], fault[1], fault[2] = broken, broken_at, broken_at + 1
            elif cells != columns:
                problems[row, columns] = Problem.COLUMNS
                fault[0], fault[1], fault[2], fault[3] = min(cells, columns), at, stop, cells
            elif stop - at == 2 * columns - 1 and _is_deleted(data, at, stop):
                problems[row, columns] = Problem.DELETED_ROW
                fault[0], fault[1], fault[2] = 0, at, stop
        rows += 1
        at = end + 1
    return rows, size, skipping


@inner
def _find_cells(
    data: Bytes, start: int, size: int, last: bool, columns: int, cuts: Ints32
) -> tuple[int, int, int, int]:
    """Find where the cells of a line begin, its end, and how many cells there are.

    A CR that no LF follows is broken: in which cell the first one is, and where; -1 if there is none.
    """
    cells, broken, broken_at, place = 1, -1, -1, start
    cuts[0] = start
    while place < size:
        byte = data[place]
        # Most bytes are above all that matter here.
        if byte <= COMMA:
            if byte == LF:
                break
            if byte == COMMA:
                if cells < columns:
                    cuts[cells] = place + 1
                cells += 1
            elif byte == CR and broken < 0:
                alone = data[place + 1] != LF if place + 1 < size else last
                if alone:
                    broken, broken_at = cells - 1, place
        place += 1
    return place, cells, broken, broken_at


@inner
def _is_long(data: Bytes, start: int, stop: int, most: int, fault: Ints) -> bool:
    """Tell whether a line has more characters than it may have, and in `fault` in which cell it becomes too long."""
    characters, cell = 0, 0
    for place in range(start, stop):
        # Bytes that go on a character of UTF-8 do not count, unless there are more than any character has.
        characters += (data[place] & 0xC0) != 0x80
        cell += data[place] == COMMA
        if characters > most or place - start >= most * CHARACTER_BYTES:
            fault[0], fault[1], fault[2] = cell, start, place
            return True
    return False


@inner
def _is_deleted(data: Bytes, start: int, stop: int) -> bool:
    stars = 0
    for place in range(start, stop, 2):
        stars += data[place] == STAR
    return 2 * stars == stop - start + 1


@entry
def read_persons(
    data: Bytes, rows: Ints, cuts: Ints32, column: int, digits: int, persons: Ints, problems: Bytes
) -> None:
    """Read the persons of some rows; those without a number keep what `persons` had."""
    for row in rows:
        start, end = cuts[row, column], cuts[row, column + 1] - 1
        person = read_person(data, start, end, digits)
        if person > 0:
            persons[row] = person
        elif end - start == 1 and data[start] == STAR:
            problems[row, column] = Problem.PERSON_DELETED
        else:
            problems[row, column] = Problem.PERSON


@entry
def read_ordered(
    data: Bytes,
    rows: Ints,
    cuts: Ints32,
    column: int,
    rule: Ints,
    exact: bool,
    kinds: Bytes,
    low: Ints,
    high: Ints,
    problems: Bytes,
    faults: Ints,
) -> None:
    """Read values, ranges and deleted cells of an ordered column; `exact` allows single values only.

    `rule` has the form, the least and the greatest value and the separator of dates.
    """
    form, least, greatest, separator = rule[0], rule[1], rule[2], rule[3]
    for row in rows:
        start, end = cuts[row, column], cuts[row, column + 1] - 1
        star = end - start == 1 and data[start] == STAR
        general = start < end and (star or data[start] == RANGE_OPEN)
        if general and exact:
            problems[row, column] = Problem.GENERALIZED
        elif general and not star:
            middle = start + 1
            while middle < end and data[middle] != SEMICOLON:
                middle += 1
            if middle == end or data[end - 1] != RANGE_CLOSE:
                problems[row, column] = Problem.RANGE
                continue
            problem, first = read_value(data, start + 1, middle, form, least, greatest, separator)
            second, part, part_end = first, start + 1, middle
            if problem == Problem.NONE:
                problem, second = read_value(data, middle + 1, end - 1, form, least, greatest, separator)
                part, part_end = middle + 1, end - 1
            if problem == Problem.NONE and first > second:
                problem, part, part_end = Problem.RANGE_ORDER, start, end
            if problem == Problem.NONE:
                kinds[row], low[row], high[row] = RANGE, first, second
            else:
                problems[row, column] = problem
                faults[row, column, 0], faults[row, column, 1] = part, part_end
        elif not general:
            problem, first = read_value(data, start, end, form, least, greatest, separator)
            problems[row, column] = problem
            if problem == Problem.NONE:
                kinds[row], low[row], high[row] = EXACT, first, first


@inner
def _is_item(data: Bytes, start: int, end: int) -> bool:
    """Tell whether bytes can be the name of an item: all but those that have a mark of sets in them, and the star."""
    if start >= end or (end - start == 1 and data[start] == STAR):
        return False
    marks = 0
    for place in range(start, end):
        marks += data[place] in (SEMICOLON, SET_OPEN, SET_CLOSE)
    return marks == 0


@inner
def _read_item(data: Bytes, start: int, end: int, known: bool, names: Sequences, column: int) -> tuple[Problem, int]:
    """Return what is wrong with the name of an item, and its number; new ones get one if none are known."""
    problem, number = Problem.NONE, find_sequence(names, data, start, end, column)
    if number < 0:
        if known:
            problem = Problem.ITEM_UNKNOWN
        elif _is_item(data, start, end):
            number = number_sequence(names, data, start, end, column)
        else:
            problem = Problem.ITEM
    return problem, number


@entry
def read_items(
    data: Bytes,
    rows: Ints,
    cuts: Ints32,
    column: int,
    exact: bool,
    known: bool,
    most: int,
    numbered: bool,
    names: Sequences,
    sets: Sequences,
    seen: Ints,
    truth: Ints,
    kinds: Bytes,
    numbers: Ints,
    problems: Bytes,
    faults: Ints,
) -> int:
    """Read items, sets of at most `most` items and deleted cells of an item column; return how many rows are read.

    The work stops where there is no room for what a cell can bring, half as many items as it has bytes. `truth` has the
    item that each row must cover, -1 for none. Sets get numbers if they are to be `numbered`; `seen` has for each item
    the last set in which it stood, and first how many sets there were.
    """
    members = np.empty(most, np.int32)
    for number in range(len(rows)):
        row = rows[number]
        start, end = cuts[row, column], cuts[row, column + 1] - 1
        if start >= end:
            problems[row, column] = Problem.EMPTY
            continue
        items = (end - start) // 2 + 1
        if not has_room(sets, 1, items) or not (known or has_room(names, items, end - start)):
            return number
        star = end - start == 1 and data[start] == STAR
        if (star or data[start] == SET_OPEN) and exact:
            problems[row, column] = Problem.GENERALIZED
        elif data[start] == SET_OPEN:
            problem, count, part, part_end = _read_set(data, start, end, column, known, names, members, seen)
            if problem != Problem.NONE:
                faults[row, column, 0], faults[row, column, 1] = part, part_end
            problems[row, column] = problem
            if problem == Problem.NONE:
                kinds[row] = SET
                if numbered:
                    numbers[row] = number_sequence(sets, members, 0, count, column)
                covered = truth[row] < 0
                for place in range(count):
                    covered |= members[place] == truth[row]
                if not covered:
                    problems[row, column] = Problem.NOT_COVERED
        elif not star:
            problem, item = _read_item(data, start, end, known, names, column)
            problems[row, column] = problem
            if problem == Problem.NONE:
                kinds[row], numbers[row] = EXACT, item
                if truth[row] >= 0 and item != truth[row]:
                    problems[row, column] = Problem.NOT_COVERED
    return len(rows)


@inner
def _read_set(
    data: Bytes, start: int, end: int, column: int, known: bool, names: Sequences, members: Ints32, seen: Ints
) -> tuple[Problem, int, int, int]:
    """Read the items of a set: what is wrong, how many there are, and the part that is bad."""
    problem, count, part, part_end = Problem.NONE, 0, start + 1, start
    if data[end - 1] != SET_CLOSE:
        problem = Problem.SET
    elif end - start == 2:
        problem = Problem.SET_EMPTY
    seen[0] += 1
    mark = seen[0]
    while problem == Problem.NONE and part < end:
        part_end = part
        while part_end < end - 1 and data[part_end] != SEMICOLON:
            part_end += 1
        if part == part_end:
            problem = Problem.SET
        elif count == len(members):
            problem = Problem.SET_MANY
        else:
            problem, item = _read_item(data, part, part_end, known, names, column)
            if problem == Problem.NONE:
                if seen[item + 1] == mark:
                    problem = Problem.SET_TWICE
                else:
                    seen[item + 1] = mark
                    members[count] = item
                    count += 1
                    part = part_end + 1
    if problem in (Problem.SET, Problem.SET_EMPTY, Problem.SET_MANY):
        part, part_end = start, end
    return problem, count, part, part_end
