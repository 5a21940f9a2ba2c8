"""What can be wrong in a text of cells, as numbers that kernels and messages share."""

from __future__ import annotations

from enum import IntEnum


class Problem(IntEnum):
    """What is wrong with a cell or a line; 0 is nothing."""

    NONE = 0
    # Lines
    LENGTH = 1
    NEWLINE = 2
    COLUMNS = 3
    DELETED_ROW = 4
    # Persons
    PERSON = 5
    PERSON_DELETED = 6
    PERSON_TAKEN = 7
    CUSTOMER_TAKEN = 8
    # Values of ordered columns and their ranges
    EMPTY = 9
    DATE = 10
    NO_SUCH_DAY = 11
    DECIMAL = 12
    INTEGER = 13
    OUTSIDE = 14
    RANGE = 15
    RANGE_ORDER = 16
    # Items and their sets
    ITEM = 17
    ITEM_UNKNOWN = 18
    SET = 19
    SET_EMPTY = 20
    SET_TWICE = 21
    SET_MANY = 22
    # Cells against the original
    GENERALIZED = 23
    NOT_COVERED = 24
