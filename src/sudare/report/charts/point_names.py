"""Names beside the points of a chart: one for points in the same place, without overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sudare.messages import Texts
from sudare.report.charts.axes import LETTER, text_width
from sudare.report.page import shortened
from sudare.showing import dataclass

# Longer names are cut, alone and joined, and of many places only the first are named.
MOST_LETTERS, MOST_JOINED_LETTERS = 16, 34
MOST_NAMES = 20
# Where a name may stand, in lines above its point, the best first; further away nobody would know whose it is.
LINES = (0.5, -0.5, 1.5, -1.5)
LINE, BESIDE = LETTER + 2.5, 8.0
RADIUS = 6.0


class Corner(NamedTuple):
    """A place in a chart, from its lower left."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A point where it is drawn."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlacedName:
    """A name whose left or right end stands at a place."""

    text: str
    x: float
    y: float
    align: Literal["left", "right"]


class _Box(NamedTuple):
    left: float
    low: float
    right: float
    high: float

    def meets(self, other: _Box) -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.high <= other.low or other.high <= self.low)


def place_names(points: Sequence[NamedPoint], end: Corner, texts: Texts) -> list[PlacedName]:
    """Place names, the first points first, inside a chart that reaches to `end`.

    Points at the same place share a name. Each stands as near to its point as others leave room; a name that finds none
    is left out.
    """
    places: dict[Corner, list[str]] = {}
    for point in points:
        places.setdefault(Corner(point.x, point.y), []).append(shortened(point.name, texts, most=MOST_LETTERS))
    taken = [_Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    placed: list[PlacedName] = []
    for place, names in list(places.items())[:MOST_NAMES]:
        text = shortened(texts("list.comma").join(names), texts, most=MOST_JOINED_LETTERS)
        for name in _near(place, text):
            box = _box(name)
            inside = box.left >= 0 and box.low >= 0 and box.right <= end.x and box.high <= end.y
            if inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                placed.append(name)
                break
    return placed


def _near(place: Corner, text: str) -> Iterator[PlacedName]:
    """Yield where a name can stand: at the right or left of its point."""
    for line in LINES:
        yield PlacedName(text, place.x + BESIDE, place.y + line * LINE, "left")
        yield PlacedName(text, place.x - BESIDE, place.y + line * LINE, "right")


def _box(name: PlacedName) -> _Box:
    width = text_width(name.text)
    left = name.x if name.align == "left" else name.x - width
    return _Box(left, name.y - LINE / 2, left + width, name.y + LINE / 2)
