"""Chart axes: round numbers, powers of ten, and the space that labels need."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any
from unicodedata import east_asian_width

from sudare.showing import dataclass

Spec = dict[str, Any]
LETTER = 12.5
MOST_LABEL_WIDTH = 230
# The widest usual sans-serif letters, in parts of the letter's height. The reader's fonts are not those of the
# machine that draws, so room for labels is reckoned by these.
LATIN_WIDTH, KANJI_WIDTH = 0.57, 1.02
# Beyond this largest value a scatter plot needs logarithmic axes to show its small values.
MOST_LINEAR = 100
MOST_INTERVALS = 4


@dataclass(frozen=True, slots=True)
class Point:
    """A place in a scatter plot where `weight` things lie."""

    x: int
    y: int
    weight: int = 1


def needs_log_axes(points: Sequence[Point]) -> bool:
    """Tell whether a scatter plot of these points has logarithmic axes."""
    return max(max(p.x, p.y) for p in points) > MOST_LINEAR


def number_axis(most: int, room: Spec, *, logarithmic: bool) -> Spec:
    """Return the axis of whole numbers up to `most`, which begins at 0, or if it is logarithmic at 1."""
    if logarithmic:
        _, ticks = powers_of_ten([1, most])
        scale = {"type": "log", "domain": [1, max(most, 2)], "nice": False}
        return {"type": "quantitative", "scale": scale, "axis": {**ticks, **room}}
    step = _round_step(most / MOST_INTERVALS)
    top = step * ceil(most / step)
    axis = {"format": ",d", "values": list(range(0, top + 1, step)), **room}
    return {"type": "quantitative", "scale": {"domain": [0, top], "nice": False}, "axis": axis}


def _round_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, ... that is not below `least`."""
    steps = (m * int(10**n) for n in range(20) for m in (1, 2, 5))
    return next(step for step in steps if step >= least)


def powers_of_ten(numbers: Sequence[float]) -> tuple[Spec, Spec]:
    """Return a logarithmic scale around positive numbers and 1, and an axis with equally spaced powers of ten."""
    low = floor(log10(min(*numbers, 1)))
    high = max(ceil(log10(max(*numbers, 1))), low + 1)
    step = ceil((high - low) / MOST_INTERVALS)
    # Counted from 10^0 in both directions, so that 1 is always among them.
    powers = range(ceil(low / step) * step, high + 1, step)
    written = ", ".join(f"'{n}': '{_power_text(n)}'" for n in powers)
    axis = {
        "values": [10.0**n for n in powers],
        "labelExpr": f"{{{written}}}[round(log(datum.value) / LN10)]",
        "labelFlush": False,
        "labelOverlap": False,
    }
    return {"type": "log", "domain": [10.0**low, 10.0**high], "nice": False}, axis


def _power_text(exponent: int) -> str:
    if -3 <= exponent <= 3:
        return f"{10**exponent:,}" if exponent >= 0 else f"{10.0**exponent:.{-exponent}f}"
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def text_room(label: str) -> Spec:
    """Return how an upright axis keeps room for a label."""
    # Digits are wider than letters on average; the tick takes the rest.
    return {"minExtent": text_width(label) + 10}


def text_width(text: str) -> int:
    """Return the room a label may need, whatever font the reader has."""
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return ceil(LETTER * (wide * KANJI_WIDTH + (len(text) - wide) * LATIN_WIDTH))
