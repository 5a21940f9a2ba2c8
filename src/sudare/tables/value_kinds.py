"""Kinds of attribute values (numbers, dates, postal codes, other codes, words) and their generalizations.

Each kind knows which texts are such values, and returns inner levels for them: for each level, what each value becomes.
The first level is one step above the values; `*` is not among them. Labels at a level always decide those above.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from math import ceil

# Levels of labels, each by value.
Levels = list[dict[str, str]]

# Bins at the finest level, at most, over the range that holds all but the tails of the records.
MOST_BINS = 20
# Records beyond these shares at both ends are joined to an open bin.
TAIL = 0.01
MOST_NUMBER_LEVELS = 3
MOST_CODE_LEVELS = 4
LONGEST_BEGINNING = 16
# Values with less than these shares of the records are joined, level by level.
RARE = (0.01, 0.05)

_NUMBER = re.compile(r"[+-]?(([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")
_DATE = re.compile(
    r"([0-9]{4})(?:([-/.])([0-9]{1,2})\2([0-9]{1,2})|[-/]([0-9]{1,2})|([0-9]{2})([0-9]{2}))"
    r"([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?)?"
)
_FIRST_YEAR, _LAST_YEAR = 1800, 2200
_CODE_OF_DIGITS = re.compile(r"[0-9]{4,7}|[0-9]{3}-[0-9]{4}|[0-9]{5}-[0-9]{3,4}")
_BRITISH = re.compile(r"[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}")
_POSTAL = re.compile(r"(?=.*[0-9])[A-Za-z0-9]{2,5}([ -]?[A-Za-z0-9]{1,5})?")
# How many characters of a postal code are kept, by its length.
_KEPT = {2: (1,), 3: (2, 1), 4: (3, 2, 1), 5: (3, 2, 1)}
_KEPT_OF_MORE = (5, 3, 2, 1)


def number_of(text: str) -> Decimal | None:
    """Return the number a text says, None if it says none or one beyond all measure."""
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text.replace(",", ""))
    exponent = number.as_tuple().exponent
    within = isinstance(exponent, int) and exponent >= -20 and number.adjusted() <= 18
    return number if within else None


def number_levels(numbers: Mapping[str, Decimal], counts: Mapping[str, int]) -> Levels:
    """Return nested bins of round width; what lies far outside joins an open bin at each end.

    Widths are 1, 2 or 5 times a power of ten, each a multiple of the one before: 5, 10, 20, 100 or 1, 2, 10, 20.
    """
    places = max(0, max(-int(number.as_tuple().exponent) for number in numbers.values()))
    whole = {value: int(number.scaleb(places)) for value, number in numbers.items()}
    low, high = _ends(whole, counts)
    widths = _widths(high - low, least=2 if places == 0 else 1)
    widest = widths[-1]
    bounds = low // widest * widest, (high // widest + 1) * widest
    return [_bins(whole, width, bounds, places) for width in widths]


def _ends(numbers: Mapping[str, int], counts: Mapping[str, int]) -> tuple[int, int]:
    """Return the numbers between which all but the tails of the records lie."""
    ordered = sorted(numbers, key=numbers.__getitem__)
    total = sum(counts[value] for value in ordered)
    return _reached(ordered, numbers, counts, TAIL * total), _reached(ordered[::-1], numbers, counts, TAIL * total)


def _reached(ordered: Sequence[str], numbers: Mapping[str, int], counts: Mapping[str, int], enough: float) -> int:
    seen = 0
    for value in ordered:
        seen += counts[value]
        if seen > enough:
            return numbers[value]
    return numbers[ordered[-1]]


def _widths(span: int, *, least: int) -> list[int]:
    width = least
    while span // width + 1 > MOST_BINS:
        width = _wider(width, nested=False)
    widths = [width]
    while len(widths) < MOST_NUMBER_LEVELS and span // widths[-1] + 1 > 2:
        widths.append(_wider(widths[-1], nested=True))
    return widths


def _wider(width: int, *, nested: bool) -> int:
    """Return the next round width: 1, 2, 5, 10, or for bins that are to hold whole ones 1, 2, 10."""
    if str(width)[0] == "2":
        return width * 5 if nested else width // 2 * 5
    return width * 2


def _bins(numbers: Mapping[str, int], width: int, bounds: tuple[int, int], places: int) -> dict[str, str]:
    low, high = bounds

    @cache
    def label(begin: int) -> str:
        if begin < low:
            return f"<{_shown(low, places)}"
        if begin >= high:
            return f">={_shown(high, places)}"
        if places or low < 0:
            return f"[{_shown(begin, places)}, {_shown(begin + width, places)})"
        return f"{begin}-{begin + width - 1}"

    # Beginnings of bins are on the same side of the bounds as the numbers: bounds are multiples of every width.
    return {value: label(number // width * width) for value, number in numbers.items()}


def _shown(number: int, places: int) -> str:
    shown = f"{Decimal(number).scaleb(-places):f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def date_of(text: str) -> tuple[int, int, int | None] | None:
    """Return year, month and day (None for a month) of a text such as 2024-02-29, 2024/2/9, 20240229, 2024-02.

    A time of day may follow.
    """
    found = _DATE.fullmatch(text)
    if not found:
        return None
    year, _, month, day, only_month, joined_month, joined_day, *_ = found.groups()
    numbers = int(year), int(month or only_month or joined_month), int(day or joined_day or 1)
    if not _FIRST_YEAR <= numbers[0] <= _LAST_YEAR or not _is_day(*numbers):
        return None
    return numbers[0], numbers[1], None if only_month else numbers[2]


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        dt.date(year, month, day)
    except ValueError:
        return False
    return True


def date_levels(dates: Mapping[str, tuple[int, int, int | None]]) -> Levels:
    """Return day, month, quarter, year and decade."""

    def labels(label: Callable[[int, int, int | None], str]) -> dict[str, str]:
        return {value: label(*date) for value, date in dates.items()}

    return [
        labels(lambda year, month, day: f"{year}-{month:02}" + (f"-{day:02}" if day else "")),
        labels(lambda year, month, _: f"{year}-{month:02}"),
        labels(lambda year, month, _: f"{year}-Q{ceil(month / 3)}"),
        labels(lambda year, _, __: f"{year}"),
        labels(lambda year, _, __: f"{year // 10 * 10}-{year // 10 * 10 + 9}"),
    ]


def is_code_of_digits(text: str) -> bool:
    """Return whether a text can be a postal code of digits: 01234, 123-4567, 1234567, 12345-6789."""
    return bool(_CODE_OF_DIGITS.fullmatch(text))


def is_british_code(text: str) -> bool:
    """Return whether a text has the form of a British postcode: SW1A 1AA."""
    return bool(_BRITISH.fullmatch(text))


def is_postal_code(text: str) -> bool:
    """Return whether a text can be a postal code of any country, letters included: K1A 0B1, 1012 AB."""
    return bool(_POSTAL.fullmatch(text))


def postal_levels(codes: Sequence[str]) -> Levels:
    """Return what is left of postal codes if characters are dropped from the right: 123-45**, 123-****, 12*-****."""
    if all(map(is_british_code, codes)):
        return [{code: label(code) for code in codes} for label in (_sector, _district, _area)]
    shortest = min(sum(map(str.isalnum, code)) for code in codes)
    same = len({re.sub(r"\w", "0", code) for code in codes}) == 1
    kept = _KEPT.get(shortest, _KEPT_OF_MORE)
    return [{code: _masked(code, keep) if same else _cut(code, keep) for code in codes} for keep in kept]


def _sector(code: str) -> str:
    return f"{code[:-2]}**"


def _district(code: str) -> str:
    return f"{code[:-3].rstrip()} ***"


def _area(code: str) -> str:
    return re.match("[A-Z]+", code)[0] + "*"  # type: ignore[index]


def _masked(code: str, keep: int) -> str:
    """Return a code with a star for every letter and digit after the first few."""
    left = keep
    shown = []
    for character in code:
        shown.append("*" if character.isalnum() and left <= 0 else character)
        left -= character.isalnum()
    return "".join(shown)


def _cut(code: str, keep: int) -> str:
    return "".join(filter(str.isalnum, code))[:keep] + "*"


def code_levels(codes: Sequence[str]) -> Levels:
    """Return groups of codes by their first characters, where each shorter beginning joins half of the groups."""
    levels: Levels = []
    groups = len(codes)
    for keep in range(min(max(map(len, codes)) - 1, LONGEST_BEGINNING), 0, -1):
        beginnings = {code[:keep] for code in codes}
        if 1 < len(beginnings) <= groups / 2 and len(levels) < MOST_CODE_LEVELS:
            groups = len(beginnings)
            levels.append({code: code[:keep] + "*" for code in codes})
    return levels


def word_levels(words: Sequence[str], counts: Mapping[str, int], other: str) -> Levels:
    """Return words as they are, but those that few records have joined to `other`; a level for each bound."""
    total = sum(counts[word] for word in words)
    rare = [{word for word in words if counts[word] < share * total} for share in RARE]
    return [{word: other if word in few else word for word in words} for few in rare if len(few) > 1]
