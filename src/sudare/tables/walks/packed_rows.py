"""The distinct rows of a table with the value numbers packed into machine words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from sudare.showing import dataclass
from sudare.tables.collapsed import CollapsedTable

# Packed numbers are not negative.
WORD_BITS = 63


class Part(Enum):
    """What becomes of the column `part` when classes are grouped: none, the parent's, or that of the new set."""

    NONE = "none"
    SAME = "same"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class PackedRows:
    """How the numbers of attributes lie in words.

    Sets of attributes are numbers with a bit for each, by the place among those asked for; `order` are these bits, the
    attribute of fewest values first. For each attribute, by its place: `expressions` bring it to its bits, which are
    those of `masks` in the word of `places`; `largest` is its largest number.
    """

    order: tuple[int, ...]
    expressions: tuple[str, ...]
    places: tuple[int, ...]
    masks: tuple[int, ...]
    largest: tuple[int, ...]

    @classmethod
    def of(cls, table: CollapsedTable, attributes: Sequence[int]) -> PackedRows:
        """Pack attributes of a table, as many into a word as it has room for."""
        largest = _largest(table, attributes)
        word, shift = 0, 0
        expressions, places, masks = [], [], []
        for a, most in zip(attributes, largest, strict=True):
            width = most.bit_length()
            if shift + width > WORD_BITS:
                word, shift = word + 1, 0
            expressions.append(f"CAST(a{a} AS BIGINT) * {1 << shift}")
            places.append(word)
            masks.append((1 << width) - 1 << shift)
            shift += width
        order = tuple(1 << place for _, place in sorted(zip(largest, range(len(largest)), strict=True)))
        return cls(order, tuple(expressions), tuple(places), tuple(masks), largest)

    def last(self, members: int) -> int:
        """Return the member of a set that has the most values, as a set."""
        return next(bit for bit in reversed(self.order) if members & bit)

    def values(self, member: int) -> int:
        """Return how many values a member has."""
        return self.largest[member.bit_length() - 1] + 1

    def rows(self, table: str, *, gathered: bool) -> str:
        """Return a query for the packed rows of a table of numbers, as classes of the set of all attributes."""
        parts = [[e for e, place in zip(self.expressions, self.places, strict=True) if place == n] for n in self._words]
        words = ", ".join(f"{' + '.join(part)} AS word{n}" for n, part in zip(self._words, parts, strict=True))
        last = self.expressions[self.order[-1].bit_length() - 1]
        part = f"{last} AS part, " if gathered else ""
        return f"SELECT {sum(self.order)} AS members, {part}{words}, records FROM {table}"

    def grouped(self, parents: str, sets: Sequence[tuple[int, int]], part: Part) -> str:
        """Return a query for the classes of sets, each given after its parent, from a table of the parents' classes.

        A `part` is the number of the last member of a set, at its bits.
        """
        words = list(self._words)
        names = ", ".join([*(["part"] if part is not Part.NONE else []), "members", *(f"word{n}" for n in words)])
        new = " | ".join(f"(word{n} & last{n})" for n in words)
        taken = {Part.NONE: "", Part.SAME: "part, ", Part.NEW: f"{new} AS part, "}[part]
        taken += ", ".join(f"word{n} & mask{n} AS word{n}" for n in words)
        rows = (
            f"SELECT child AS members, {taken}, records FROM {parents} JOIN {self._children(sets)} ON parent = members"
        )
        return f"SELECT {names}, CAST(sum(records) AS BIGINT) AS records FROM ({rows}) GROUP BY {names}"

    def _children(self, sets: Sequence[tuple[int, int]]) -> str:
        columns = ", ".join(["parent", "child", *(f"{kind}{n}" for kind in ("mask", "last") for n in self._words)])
        lines = ((parent, child, *self._bits(child), *self._bits(self.last(child))) for parent, child in sets)
        values = ", ".join(f"({', '.join(map(str, line))})" for line in lines)
        return f"(SELECT * FROM (VALUES {values}) AS children({columns}))"

    @property
    def _words(self) -> range:
        return range(self.places[-1] + 1)

    def _bits(self, members: int) -> list[int]:
        """Return the bits of the members of a set in each word."""
        own = [
            (place, mask)
            for n, (place, mask) in enumerate(zip(self.places, self.masks, strict=True))
            if members >> n & 1
        ]
        return [sum(mask for place, mask in own if place == n) for n in self._words]


def fewest_values_first(table: CollapsedTable, places: Sequence[int]) -> list[int]:
    """Return the places of attributes in the order of their numbers of values."""
    return [a for _, a in sorted(zip(_largest(table, places), places, strict=True))]


def _largest(table: CollapsedTable, places: Sequence[int]) -> tuple[int, ...]:
    """Return the largest number of each attribute."""
    found = table.engine.total(f"SELECT {', '.join(f'max(a{a})' for a in places)} FROM {table.numbered}")
    return tuple(int(most) for most in found)
