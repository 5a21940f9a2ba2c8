"""Reading the values of cells from bytes: numbers, days, decimals.

Every function takes the bytes and where the value begins and ends, and returns what is wrong (0: nothing) and the
value.
"""

from __future__ import annotations

from sudare.kernels.cells.problems import Problem
from sudare.kernels.common.arrays import Bytes
from sudare.kernels.entry import inner

# The forms of columns, as their places in this list.
FORMS = ("person", "date", "item", "decimal", "integer")
PERSON, DATE, ITEM, DECIMAL, INTEGER = range(5)
ZERO, NINE, POINT, MINUS = 48, 57, 46, 45
# More than any domain allows; digits that follow cannot bring it back.
BEYOND = 10**17
MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@inner
def read_digits(data: Bytes, start: int, end: int) -> int:
    """Return the number that digits write, or -1 if there is none or something else."""
    if start >= end:
        return -1
    number = 0
    for place in range(start, end):
        digit = data[place]
        if digit < ZERO or digit > NINE:
            return -1
        if number < BEYOND:
            number = number * 10 + (digit - ZERO)
    return number


@inner
def read_whole(data: Bytes, start: int, end: int) -> int:
    """Return the number that digits without a needless zero in front write, or -1."""
    if end - start > 1 and data[start] == ZERO:
        return -1
    return read_digits(data, start, end)


@inner
def read_person(data: Bytes, start: int, end: int, digits: int) -> int:
    """Return the number of a person, from 1 and with at most the allowed digits, or -1."""
    if end - start > digits:
        return -1
    number = read_whole(data, start, end)
    return number if number > 0 else -1


@inner
def days_of(year: int, month: int, day: int) -> int:
    """Return a day of the Gregorian calendar as days since 1970."""
    shifted = year - (1 if month <= 2 else 0)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400 + of_year - 719468


@inner
def read_day(data: Bytes, start: int, end: int, separator: int) -> tuple[Problem, int]:
    """Read a day: four digits of the year, one or two of month and day."""
    first = start + 4
    if first >= end or data[first] != separator:
        return Problem.DATE, 0
    second = first + 1
    while second < end and data[second] != separator:
        second += 1
    if not (2 <= second - first <= 3 and 2 <= end - second <= 3):
        return Problem.DATE, 0
    year = read_digits(data, start, first)
    month = read_digits(data, first + 1, second)
    day = read_digits(data, second + 1, end)
    if year < 0 or month < 0 or day < 0:
        return Problem.DATE, 0
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or day < 1 or day > MONTH_DAYS[month - 1] + (1 if leap and month == 2 else 0):
        return Problem.NO_SUCH_DAY, 0
    return Problem.NONE, days_of(year, month, day)


@inner
def read_decimal(data: Bytes, start: int, end: int) -> tuple[Problem, int]:
    """Read a decimal of at most two places as hundredths."""
    point = start
    while point < end and data[point] != POINT:
        point += 1
    whole = read_whole(data, start, point)
    if whole < 0:
        return Problem.DECIMAL, 0
    whole = min(whole, BEYOND // 100)
    if point == end:
        return Problem.NONE, whole * 100
    places = end - point - 1
    part = read_digits(data, point + 1, end)
    if part < 0 or places > 2:
        return Problem.DECIMAL, 0
    return Problem.NONE, whole * 100 + part * (10 if places == 1 else 1)


@inner
def read_value(
    data: Bytes, start: int, end: int, form: int, low: int, high: int, separator: int
) -> tuple[Problem, int]:
    """Read a value of an ordered column and see that it is in the column's domain."""
    if start >= end:
        return Problem.EMPTY, 0
    if form == DATE:
        problem, value = read_day(data, start, end, separator)
    else:
        # A minus sign only where a domain has numbers below 0; there is no -0.
        minus = low < 0 and data[start] == MINUS
        if form == DECIMAL:
            problem, value = read_decimal(data, start + minus, end)
        else:
            value = read_whole(data, start + minus, end)
            problem = Problem.INTEGER if value < 0 else Problem.NONE
        if minus:
            if value == 0:
                problem = Problem.DECIMAL if form == DECIMAL else Problem.INTEGER
            value = -value
    if problem == Problem.NONE and (value < low or value > high):
        return Problem.OUTSIDE, value
    return problem, value
