"""Suggested generalization hierarchies, from the values of a table.

What a value becomes depends on what it is: numbers fall into nested bins, dates into months, quarters and years, codes
lose their last characters, rare words are joined. Whoever knows the data should adjust the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.messages import Joined, message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.spellings import plain
from sudare.statistics.distinct import sum_by
from sudare.tables.hierarchies.model import Hierarchy, find_hierarchies, make_hierarchy, read_hierarchy
from sudare.tables.identifiers import NEARLY_ALL, identifier_kind, occurs_once
from sudare.tables.model import Table
from sudare.tables.value_kinds import (
    Levels,
    code_levels,
    date_levels,
    date_of,
    is_british_code,
    is_code_of_digits,
    is_postal_code,
    number_levels,
    number_of,
    postal_levels,
    word_levels,
)

HierarchyKind = Literal["number", "date", "postal", "code", "boolean", "text", "identifier"]
Remark = Literal["nothing", "constant", "identifier", "every_value_once", "others"]

# This number of different values, or fewer, are generalized to * at once.
FEW = 5
_YES_AND_NO = [
    set(pair.split()) for pair in ("true false", "t f", "yes no", "y n", "on off", "0 1", "はい いいえ", "有 無")
]
_POSTAL_NAME = re.compile(r"zip|post(al|code|leitzahl)|plz|郵便|〒", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SuggestedHierarchy(Result):
    """A hierarchy made from values, the detected kind of value, an example, and what to check.

    The example is a value and what it becomes, level by level: of those that change most, the most common. Remarks:
    `nothing` (no value), `constant` (one value), `identifier` (it names people, or nearly every record has its own:
    better left out of the table), `every_value_once` (perhaps an identifier) and `others` (some values are of another
    kind and were merged).
    """

    hierarchy: Hierarchy
    kind: HierarchyKind
    example: tuple[str, ...]
    remarks: tuple[Remark, ...]

    @property
    def attribute(self) -> str:
        """The generalized attribute."""
        return self.hierarchy.attribute

    def to_dict(self) -> dict[str, Any]:
        """Return the attribute, the kind, the number of values and levels, the example and the remarks."""
        return {
            "attribute": self.attribute,
            "kind": self.kind,
            "values": len(self.hierarchy.steps[0]),
            "levels": self.hierarchy.levels,
            "example": list(self.example),
            "remarks": list(self.remarks),
        }


@checked
def suggest_hierarchies(
    table: Table, *, kinds: Mapping[str, str] | None = None, other: str = "other"
) -> list[SuggestedHierarchy]:
    """Suggest a hierarchy for every attribute of a table; `kinds` gives the kind of some of them."""
    kinds = kinds or {}
    table.positions(list(kinds))
    found = []
    for place, attribute in enumerate(table.attributes):
        counts = sum_by(table.codes[place], table.counts, len(table.values[place])).tolist()
        values = table.values[place]
        found.append(suggest_hierarchy(attribute, values, kind=kinds.get(attribute), counts=counts, other=other))
    return found


def table_hierarchies(
    table: Table, folder: str | Path | None, unless: str | Sequence[str] = ()
) -> dict[str, Hierarchy]:
    """Return the hierarchies in a folder or, without one, suggested ones for all attributes `unless` they are named."""
    if folder is not None:
        return {name: read_hierarchy(path, name) for name, path in find_hierarchies(folder, table.attributes).items()}
    without = (unless,) if isinstance(unless, str) else unless
    return {found.attribute: found.hierarchy for found in suggest_hierarchies(table) if found.attribute not in without}


@checked
def suggest_hierarchy(
    attribute: str,
    values: Sequence[str | None],
    *,
    kind: str | None = None,
    counts: Sequence[int] | None = None,
    other: str = "other",
) -> SuggestedHierarchy:
    """Suggest a hierarchy for values, given the number of records with each.

    The kind is detected unless given. Values that are not of the kind are merged into one, named `other`. A missing
    value (None or empty) has no line: it stays missing until all values are merged.
    """
    if kind is not None and kind not in get_args(HierarchyKind):
        raise OptionNotUsable("errors.hierarchies.unknown_kind", kind=kind, kinds=Joined(get_args(HierarchyKind), "or"))
    if counts is not None and len(counts) != len(values):
        raise OptionNotUsable("errors.hierarchies.counts", values=len(values), counts=len(counts))
    counted = _count(values, counts)
    if not counted:
        return _made(attribute, {"": 1}, "text", [], ("nothing",))
    found = cast(HierarchyKind, kind) if kind else _find_kind(attribute, counted, known=counts is not None)
    if found == "number":
        counted = dict(sorted(counted.items(), key=lambda pair: number_of(pair[0]) or 0))
    levels, unfit = _levels(found, attribute, counted, _unused(other, counted))
    remarks = _remarks(found, counted, unfit, known=counts is not None)
    return _made(attribute, counted, found, levels, remarks)


def _count(values: Sequence[str | None], counts: Sequence[int] | None) -> dict[str, int]:
    """Return the values that are there, trimmed, with their records."""
    counted: dict[str, int] = {}
    for value, count in zip(values, counts if counts is not None else [1] * len(values), strict=True):
        text = plain(value or "")
        if text:
            counted[text] = counted.get(text, 0) + count
    return counted


def _find_kind(attribute: str, counted: Mapping[str, int], *, known: bool) -> HierarchyKind:
    if {value.lower() for value in counted} in _YES_AND_NO:
        return "boolean"
    if _nearly_all(counted, lambda value: date_of(value) is not None):
        return "date"
    if _is_postal(attribute, counted):
        return "postal"
    if not _zero_led(list(counted)) and _nearly_all(counted, lambda value: number_of(value) is not None):
        numbers_people = known and (
            _is_numbering(counted) or identifier_kind(attribute, counted) in ("number", "phone")
        )
        return "identifier" if numbers_people else "number"
    if known and identifier_kind(attribute, counted):
        return "identifier"
    looks_coded = _nearly_all(counted, lambda value: " " not in value and any(map(str.isdigit, value)))
    return "code" if looks_coded and code_levels(list(counted)) else "text"


def _nearly_all(counted: Mapping[str, int], fits: Callable[[str], bool]) -> bool:
    return sum(map(fits, counted)) >= NEARLY_ALL * len(counted)


def _is_postal(attribute: str, counted: Mapping[str, int]) -> bool:
    """Return whether values are postal codes: by their form, by zeros that numbers would not have, or by the name."""
    if _POSTAL_NAME.search(attribute):
        return _nearly_all(counted, is_postal_code)
    if _nearly_all(counted, is_british_code):
        return True
    codes = [value for value in counted if is_code_of_digits(value)]
    written = any("-" in code for code in codes) or _zero_led(codes)
    return written and len(codes) >= NEARLY_ALL * len(counted)


def _zero_led(values: Sequence[str]) -> bool:
    """Return whether values are digits of one length, three and more, and some begin with a zero: no numbers."""
    digits = all(value.isascii() and value.isdigit() for value in values)
    alike = len(set(map(len, values))) == 1 and len(values) > 1 and len(values[0]) > 2
    return digits and alike and any(value.startswith("0") for value in values)


def _is_numbering(counted: Mapping[str, int]) -> bool:
    """Return whether every record has a whole number of its own, with few left out between them."""
    numbers = [int(value) for value in counted if value.isascii() and value.isdigit() and len(value) < 19]
    dense = len(numbers) == len(counted) and max(numbers) - min(numbers) < len(numbers) / NEARLY_ALL
    return dense and occurs_once(counted)


def _levels(kind: HierarchyKind, attribute: str, counted: Mapping[str, int], other: str) -> tuple[Levels, int]:
    """Return the inner levels, and how many values are not of the kind."""
    if kind in ("boolean", "identifier") or len(counted) == 1:
        return [], 0
    if kind == "text":
        return (word_levels(list(counted), counted, other) if len(counted) > FEW else []), 0
    if kind == "code":
        return code_levels(list(counted)), 0
    levels = _levels_of_form(kind, counted)
    if levels is None:
        raise OptionNotUsable("errors.hierarchies.no_value_of_kind", attribute=attribute, kind=kind)
    fitting = len(levels[0]) if levels else len(counted)
    return [{value: level.get(value, other) for value in counted} for level in levels], len(counted) - fitting


def _levels_of_form(kind: HierarchyKind, counted: Mapping[str, int]) -> Levels | None:
    """Return the levels of the values that are numbers, dates or postal codes; None if none is."""
    if kind == "number":
        numbers = {value: number for value in counted if (number := number_of(value)) is not None}
        return number_levels(numbers, counted) if numbers else None
    if kind == "date":
        dates = {value: date for value in counted if (date := date_of(value)) is not None}
        return date_levels(dates) if dates else None
    codes = [value for value in counted if is_postal_code(value)]
    return postal_levels(codes) if codes else None


def _unused(label: str, counted: Mapping[str, int]) -> str:
    """Return a label that no value has, not even in other letters."""
    taken = {value.lower() for value in counted}
    while label.lower() in taken:
        label += "_"
    return label


def _remarks(kind: HierarchyKind, counted: Mapping[str, int], unfit: int, *, known: bool) -> tuple[Remark, ...]:
    remarks: list[Remark] = []
    if len(counted) == 1:
        remarks.append("constant")
    if kind == "identifier":
        remarks.append("identifier")
    elif known and occurs_once(counted):
        remarks.append("every_value_once")
    if unfit:
        remarks.append("others")
    return tuple(remarks)


def _made(
    attribute: str, counted: Mapping[str, int], kind: HierarchyKind, levels: Levels, remarks: tuple[Remark, ...]
) -> SuggestedHierarchy:
    """Make the hierarchy of the levels that join values, with `*` as the last."""
    useful, groups = [], len(counted)
    for level in levels:
        if 1 < len(set(level.values())) < groups:
            useful.append(level)
            groups = len(set(level.values()))
    rows = {line: (value, *(level[value] for level in useful), "*") for line, value in enumerate(counted, start=1)}
    hierarchy = make_hierarchy(attribute, rows, source=message("errors.hierarchies.suggestion"))
    paths = {value: tuple(step[value] for step in hierarchy.steps) for value in counted}
    telling = max(paths, key=lambda value: (len(set(paths[value])), counted[value]))
    return SuggestedHierarchy(hierarchy, kind, paths[telling], remarks)
