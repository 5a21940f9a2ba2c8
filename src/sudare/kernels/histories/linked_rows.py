"""The rows that an attack links: published ones, and known ones with an index."""

from __future__ import annotations

from typing import NamedTuple

from sudare.kernels.common.arrays import Ints, Ints32

# The low end of a deleted cell; its high end is the opposite.
NO_END = -(2**62)


class PublishedRows(NamedTuple):
    """Published rows: ends and sets of each row and column; set s is members[starts[s] : starts[s + 1]], rising."""

    low: Ints
    high: Ints
    sets: Ints
    starts: Ints
    members: Ints


class KnownRows(NamedTuple):
    """Known rows: ends and items of each row and column, the customer of each row, and where each customer's begin.

    The rows of a customer rise by their first item.
    """

    low: Ints
    high: Ints
    items: Ints32
    customer: Ints32
    starts: Ints


class KnownIndex(NamedTuple):
    """Lists of known rows: one for each ordered column, with all rows by the low end of their cells, and for each item.

    That of an item has the rows with it by the low end of their first ordered cells. List l has the different ends
    values[starts[l] : starts[l + 1]]; the rows with the end values[v] are rows[places[v] : places[v + 1]]. `widest` is
    the widest cell of each ordered column.
    """

    starts: Ints
    values: Ints
    places: Ints
    rows: Ints32
    widest: Ints
