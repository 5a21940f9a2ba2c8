"""Which values the written cells of a column cover, found from their texts alone.

The written form is that of `sudare.tables.recoded.texts`; it is parsed here by code of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.tables.hierarchies.model import Hierarchy

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?(?:[ T](.*))?")
_RANGES = (
    re.compile(r"(?P<low>[0-9]+)-(?P<high>[0-9]+)"),
    re.compile(r"\[(?P<low>[^\[\], ]+), (?P<high>[^\[\], ]+)\]"),
    re.compile(r"(?P<low>.+)\.\.(?P<high>.+)"),
)
# A part of a set: in quotes, with quotes within it doubled, or as it is.
_ELEMENT = re.compile(r'"((?:[^"]|"")*)"|([^,{}"]*)')

# Numbers come before dates, so that all values that have an order are in one.
Order = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Cell:
    """What one text covers: everything, a missing value, listed values, and values of a range of places."""

    everything: bool = False
    missing: bool = False
    codes: frozenset[int] = frozenset()
    low: int = 0
    high: int = 0


@dataclass(frozen=True, eq=False)
class Meanings:
    """Which values each text of a column covers; `unreadable` texts cover none.

    The text `low[i] <= places[v] < high[i]` covers value v, and so do `everything[i]`, `missing[i]` if v is missing,
    and the pair of i and v in `pairs`.
    """

    values: tuple[str | None, ...]
    unreadable: tuple[str, ...]
    everything: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    places: NDArray[np.int64]
    pairs: NDArray[np.int64]
    absent: NDArray[np.bool_] = field(repr=False)

    def covers(self, texts: NDArray[np.integer], codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return for each pair of a text and a value whether the text covers the value."""
        place = self.places[codes]
        within = (self.low[texts] <= place) & (place < self.high[texts])
        found = self.everything[texts] | (self.missing[texts] & self.absent[codes]) | within
        return np.asarray(found | np.isin(texts.astype(np.int64) * len(self.values) + codes, self.pairs))

    def covered(self, text: int) -> NDArray[np.bool_]:
        """Return for each value whether a text covers it."""
        codes = np.arange(len(self.values))
        return self.covers(np.full(len(codes), text), codes)


def read_meanings(
    texts: Sequence[str | None], values: Sequence[str | None], *, hierarchy: Hierarchy | None, cells: str
) -> Meanings:
    """Read the texts of a column whose values are these; `cells` says whether texts other than nodes are allowed."""
    reader = _Reader(values, hierarchy, cells)
    found = [reader.read(text) for text in texts]
    pairs = [n * len(values) + code for n, cell in enumerate(found) if cell is not None for code in cell.codes]
    read = [cell or _Cell() for cell in found]
    return Meanings(
        tuple(values),
        tuple(text or "" for text, cell in zip(texts, found, strict=True) if cell is None),
        np.array([cell.everything for cell in read], bool),
        np.array([cell.missing for cell in read], bool),
        np.array([cell.low for cell in read], np.int64),
        np.array([cell.high for cell in read], np.int64),
        reader.places,
        np.array(pairs, np.int64),
        np.array([value is None for value in values], bool),
    )


def span_meanings(
    values: Sequence[str | None], owner: NDArray[np.integer], codes: NDArray[np.integer], classes: int
) -> Meanings:
    """Return what is known of the values of each class where only their mean is told: they lie between its extremes.

    A missing value comes after all others, so that a class which has one leaves open how large the others are.
    """
    places = _Reader(values, None, "ranges").places
    absent = np.array([value is None for value in values], bool)
    missing = np.zeros(classes, bool)
    missing[owner[absent[codes]]] = True
    low, high = np.full(classes, len(values)), np.zeros(classes, np.int64)
    present = places[codes] >= 0
    np.minimum.at(low, owner[present], places[codes][present])
    np.maximum.at(high, owner[present], places[codes][present] + 1)
    high[missing & (high > 0)] = len(values)
    none = np.zeros(classes, bool)
    return Meanings(tuple(values), (), none, missing, low, high, places, np.zeros(0, np.int64), absent)


class _Reader:
    """What is needed to read the texts of a column."""

    def __init__(self, values: Sequence[str | None], hierarchy: Hierarchy | None, cells: str) -> None:
        self.codes = {value: code for code, value in enumerate(values)}
        self.nodes = _nodes(hierarchy, values) if hierarchy else {}
        self.cells = cells
        self.ordered = all(value is None or order_of(value) for value in values)
        orders = {code: order for code, value in enumerate(values) if value and (order := order_of(value))}
        ordered = sorted(orders, key=lambda code: orders[code])
        self.orders = [orders[code] for code in ordered]
        self.places = np.full(len(values), -1, np.int64)
        self.places[ordered] = np.arange(len(ordered))

    def read(self, text: str | None) -> _Cell | None:
        """Return what a text covers; None if it cannot be read.

        A text that is both a value and a node covers both. Where all values have an order and cells need not be nodes,
        a text such as `20-29` is a range, even if a node of that name covers other values.
        """
        if text is None:
            return _Cell(missing=True, codes=frozenset(self.nodes.get("", ())))
        if text == "*":
            return _Cell(everything=True)
        found = None
        if self.cells != "nodes" and text not in self.codes:
            found = (self._range(text) if self.ordered else None) or self._set(text)
        return found or self._node(text)

    def _node(self, text: str) -> _Cell | None:
        listed = {*self.nodes.get(text, ()), *([self.codes[text]] if text in self.codes else [])}
        return _Cell(codes=frozenset(listed)) if listed else None

    def _range(self, text: str) -> _Cell | None:
        for form in _RANGES:
            found = form.fullmatch(text)
            low, high = (order_of(found["low"]), order_of(found["high"])) if found else (None, None)
            if low and high and low[0] == high[0] and low <= high:
                return _Cell(low=bisect_left(self.orders, low), high=bisect_right(self.orders, high))
        return None

    def _set(self, text: str) -> _Cell | None:
        elements = parse_set(text)
        if elements is None:
            return None
        read = [self._element(element) for element in elements]
        ranges = [cell for cell in read if cell is not None and cell.high > cell.low]
        if None in read or len(ranges) > 1:
            return None
        listed = frozenset(code for cell in read if cell is not None for code in cell.codes)
        missing = any(cell.missing for cell in read if cell is not None)
        low, high = (ranges[0].low, ranges[0].high) if ranges else (0, 0)
        return _Cell(missing=missing, codes=listed, low=low, high=high)

    def _element(self, text: str) -> _Cell | None:
        if not text:
            return _Cell(missing=True)
        return _Cell(codes=frozenset([self.codes[text]])) if text in self.codes else self._range(text)


def _nodes(hierarchy: Hierarchy, values: Sequence[str | None]) -> dict[str, set[int]]:
    """Return the values below each text of a hierarchy, at whatever level it stands."""
    below: dict[str, set[int]] = {}
    for level, step in enumerate(hierarchy.steps):
        texts = set(step.values())
        # A missing value without a line of its own is below the one node of a level that has no other.
        absent = step.get("", next(iter(texts)) if level and len(texts) == 1 else "")
        for code, value in enumerate(values):
            node = absent if value is None else step.get(value)
            if node is not None:
                below.setdefault(node, set()).add(code)
    return below


def order_of(text: str) -> Order | None:
    """Return what numbers and dates are ordered by; None for any other text."""
    number = text.replace(",", "") if re.fullmatch(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", text) else text
    if _NUMBER.fullmatch(number):
        return 0, Decimal(number)
    found = _DATE.fullmatch(text)
    if found is None or not 1 <= int(found[2]) <= 12 or not 0 <= int(found[3] or 0) <= 31:
        return None
    return 1, int(found[1]), int(found[2]), int(found[3] or 0), found[4] or ""


def parse_set(text: str) -> list[str] | None:
    """Return the elements of a set (an empty one stands for a missing value), None if the text is not a set."""
    if len(text) < 2 or text[0] != "{" or text[-1] != "}":
        return None
    return list(elements) if None not in (elements := list(_elements(text[1:-1]))) else None  # type: ignore[arg-type]


def _elements(inner: str) -> Iterator[str | None]:
    """Yield the elements between the braces of a set, and None where it is malformed."""
    place = 0
    while True:
        found = _ELEMENT.match(inner, place)
        if found is None:
            yield None
            return
        quoted, bare = found.groups()
        yield bare if quoted is None else quoted.replace('""', '"')
        place = found.end()
        if place == len(inner):
            return
        if inner[place : place + 2] != ", ":
            yield None
            return
        place += 2
