"""Generalization hierarchies: for each value of an attribute what it becomes at each level.

A file has one line per value and one column per level: level 0 is the value itself, the last level is often `*`. There
is no header. A line with an empty first cell says what a missing value becomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import check_place, checked
from sudare.errors import HierarchyNotUsable, InputError, SourceNotReadable
from sudare.messages import Joined, Message, message
from sudare.showing import dataclass
from sudare.sources.cell_text import MissingRule
from sudare.sources.encodings import MAGIC, read_text
from sudare.sources.local.names import not_found
from sudare.sources.spellings import plain
from sudare.sources.text import csv_rows
from sudare.sources.writing import LINES_ENDINGS, check_ending, keeps_inputs, whole_file

# A semicolon or a tab that divides all lines alike is hardly ever part of a value; a comma often is: [20, 30).
DELIMITERS = (";", "\t", ",")
ENDINGS = (".csv", ".tsv", ".txt")
MOST_NAMED = 10
THE_ROWS = message("errors.hierarchies.rows")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """What the values of an attribute become: `steps[level][value]`; the value "" stands for a missing one."""

    attribute: str
    steps: tuple[Mapping[str, str], ...]
    source: str | Message

    @property
    def levels(self) -> int:
        """The number of levels, including level 0."""
        return len(self.steps)

    @checked
    def generalize(
        self, values: Sequence[str | None], level: int, *, missing: MissingRule = "value"
    ) -> list[str | None]:
        """Return what values become at a level.

        A missing value for which the hierarchy has no line stays missing, except at levels where all values are one:
        there it becomes that value too. If a missing value equals `any` value, its line is not used either, since it
        would then equal fewer records than before. Values that the hierarchy lacks are refused.
        """
        check_place("level", level, self.levels)
        step = self.steps[level]
        lacking = [value for value in values if value is not None and value not in step]
        if lacking:
            raise _lacks(self, lacking)
        distinct = set(step.values())
        everything = distinct.pop() if level and len(distinct) == 1 else None
        absent = (step[""] or None) if "" in step and missing == "value" else everything
        return [absent if value is None else step[value] for value in values]


def loaded_hierarchies(hierarchies: Mapping[str, Hierarchy | str | Path]) -> dict[str, Hierarchy]:
    """Return hierarchies by attribute; those given as files, as `find_hierarchies` finds them, are read."""
    if not isinstance(hierarchies, Mapping):
        raise TypeError(f"hierarchies must map attributes to hierarchies or their files, not {type(hierarchies)}.")
    loaded: dict[str, Hierarchy] = {}
    for attribute, given in hierarchies.items():
        if isinstance(given, str | Path):
            loaded[attribute] = read_hierarchy(given, attribute)
        elif isinstance(given, Hierarchy):
            loaded[attribute] = given
        else:
            raise TypeError(f"hierarchies[{attribute!r}] must be a Hierarchy or a file, not {type(given)}.")
    return loaded


def hierarchy_from(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Return the hierarchy of values that are at a level already: that level becomes level 0."""
    base = hierarchy.steps[level]
    steps = tuple({base[value]: above for value, above in step.items()} for step in hierarchy.steps[level:])
    return Hierarchy(hierarchy.attribute, steps, hierarchy.source)


@checked
def read_hierarchy(path: str | Path, attribute: str) -> Hierarchy:
    """Read the hierarchy of an attribute from a text file; delimiter (`;`, tab, `,`) and encoding are detected."""
    path = Path(path)
    if not path.is_file():
        raise not_found(path)
    return make_hierarchy(attribute, _numbered_rows(read_text(path)), source=str(path))


def _numbered_rows(text: str) -> dict[int, list[str]]:
    """Return the rows that are not blank by the number of their last line."""
    lines = text.splitlines(keepends=True)
    rows = csv_rows(lines, _find_delimiter(lines))
    return {line: row for line, row in rows if any(cell.strip() for cell in row)}


def _find_delimiter(lines: Sequence[str]) -> str:
    """Choose the first delimiter that divides the largest share of rows into the same number of cells, more than one.

    A share, since a wrong delimiter sees more rows where quoted cells have line ends.
    """

    def score(delimiter: str) -> float:
        widths = Counter(len(row) for _, row in csv_rows(lines, delimiter) if row)
        return max((rows for width, rows in widths.items() if width > 1), default=0) / max(widths.total(), 1)

    return max(DELIMITERS, key=score)


def make_hierarchy(attribute: str, rows: Mapping[int, Sequence[str]], *, source: str | Message = THE_ROWS) -> Hierarchy:
    """Make a hierarchy of rows (a value and what it becomes, level by level) by line number, and check it."""
    trimmed = {line: tuple(plain(cell) for cell in row) for line, row in rows.items()}
    if not trimmed:
        raise HierarchyNotUsable("errors.hierarchies.no_lines", source=source)
    _check_widths(trimmed, source)
    _check_cells(trimmed, source)
    lines = _first_lines(trimmed, source)
    _check_nested([trimmed[line] for line in lines.values()], lines, source)
    levels = range(len(next(iter(trimmed.values()))))
    steps = tuple({value: trimmed[line][level] for value, line in lines.items()} for level in levels)
    return Hierarchy(attribute, steps, source)


def _check_widths(rows: Mapping[int, tuple[str, ...]], source: str | Message) -> None:
    usual = Counter(len(row) for row in rows.values()).most_common(1)[0][0]
    for line, row in rows.items():
        if len(row) != usual:
            raise HierarchyNotUsable(
                "errors.hierarchies.widths", place=_place(source, line), count=len(row), usual=usual
            )


def _check_cells(rows: Mapping[int, tuple[str, ...]], source: str | Message) -> None:
    for line, row in rows.items():
        if not all(row[1:]):
            raise HierarchyNotUsable(
                "errors.hierarchies.empty_cell", place=_place(source, line), level=row.index("", 1), value=row[0]
            )


def _first_lines(rows: Mapping[int, tuple[str, ...]], source: str | Message) -> dict[str, int]:
    """Return the first line of each value; lines that say the same of a value are one."""
    lines: dict[str, int] = {}
    for line, row in rows.items():
        first = lines.setdefault(row[0], line)
        if rows[first] != row:
            raise HierarchyNotUsable(
                "errors.hierarchies.value_twice", place=_place(source, line), value=row[0], first=first
            )
    return lines


def _check_nested(rows: Iterable[tuple[str, ...]], lines: Mapping[str, int], source: str | Message) -> None:
    """Refuse values that are equal at one level and differ at the next: raising a level would tell more."""
    above: dict[tuple[int, str], tuple[str, str]] = {}
    for row in rows:
        for level in range(len(row) - 1):
            parent, value = above.setdefault((level, row[level]), (row[level + 1], row[0]))
            if parent != row[level + 1]:
                raise HierarchyNotUsable(
                    "errors.hierarchies.not_nested",
                    place=_place(source, lines[row[0]]),
                    value=row[0],
                    other=value,
                    line=lines[value],
                    cell=row[level],
                    level=level,
                    above=level + 1,
                    parent=row[level + 1],
                    other_parent=parent,
                )


def _place(source: str | Message, line: int) -> Message:
    return message("place.line", source=source, line=line)


@checked
@keeps_inputs()
def write_hierarchy(hierarchy: Hierarchy, path: str | Path) -> None:
    """Write a hierarchy to a text file that `read_hierarchy` reads: UTF-8, separated by `;`.

    Values that cannot be read back unchanged, such as one with a NUL character, are refused.
    """
    check_ending(Path(path), LINES_ENDINGS)
    with whole_file(Path(path)) as temporary:
        fill_hierarchy_file(hierarchy, temporary)


def fill_hierarchy_file(hierarchy: Hierarchy, path: Path) -> None:
    """Write the lines of a hierarchy, and read them back to see that nothing is lost."""
    lines = [";".join(_written(step[value]) for step in hierarchy.steps) for value in hierarchy.steps[0]]
    first = next(iter(hierarchy.steps[0]))
    if any(first.encode(errors="replace").startswith(magic) for magic in MAGIC):
        lines[0] = _quoted(first) + lines[0].removeprefix(_written(first))
    try:
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        kept = read_hierarchy(path, hierarchy.attribute).steps == hierarchy.steps
    except (InputError, UnicodeEncodeError):
        kept = False
    if not kept:
        raise HierarchyNotUsable("errors.hierarchies.not_text", attribute=hierarchy.attribute)


def _written(cell: str) -> str:
    plain = cell.isprintable() and not set(cell) & {'"', *DELIMITERS} and cell == cell.strip()
    return cell if plain else _quoted(cell)


def _quoted(cell: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


@checked
def find_hierarchies(folder: str | Path, attributes: Sequence[str]) -> dict[str, Path]:
    """Return the hierarchy files of a folder by attribute: a file belongs to the attribute its stem ends in.

    `adult_hierarchy_age.csv` is for `age`. The longest attribute wins, and a match must not be part of a longer English
    word (`mortgage.csv` is not for `age`). Files that match no attribute are ignored; attributes without a file are
    left out.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise SourceNotReadable("errors.hierarchies.missing_folder", folder=folder)
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        attribute = attribute_of(path, attributes) if path.is_file() else None
        if attribute is None:
            continue
        if attribute in found:
            files = {"first": found[attribute].name, "second": path.name}
            raise HierarchyNotUsable("errors.hierarchies.two_files", folder=folder, attribute=attribute, **files)
        found[attribute] = path
    return {attribute: found[attribute] for attribute in attributes if attribute in found}


def attribute_of(path: Path, attributes: Sequence[str]) -> str | None:
    """Return the attribute whose hierarchy a file of this name is, None if it is none's."""
    if path.suffix.lower() not in ENDINGS:
        return None
    return max((name for name in attributes if _ends_in(path.stem, name)), key=len, default=None)


def _ends_in(stem: str, name: str) -> bool:
    if not name or not stem.endswith(name):
        return False
    joint = stem[: -len(name)][-1:] + name[0]
    return not (len(joint) == 2 and joint.isascii() and joint.isalnum())


def level_codes(hierarchy: Hierarchy, values: Sequence[str | None]) -> list[NDArray[np.int32]]:
    """Return for each level the number of the generalized value of each value, in the order of first appearance.

    `values` are the values of a column of a table (`table.values[a]`); those the hierarchy lacks are refused.
    """
    return [number_texts(hierarchy.generalize(values, level)) for level in range(hierarchy.levels)]


def number_texts(texts: Sequence[str | None]) -> NDArray[np.int32]:
    """Give equal texts the same number, in the order of first appearance."""
    numbers: dict[str | None, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int32)


def _lacks(hierarchy: Hierarchy, lacking: Sequence[str]) -> HierarchyNotUsable:
    return HierarchyNotUsable(
        "errors.hierarchies.lacks_values",
        source=hierarchy.source,
        count=len(lacking),
        attribute=hierarchy.attribute,
        values=named_first([repr(value) for value in lacking]),
    )


def named_first(names: Sequence[str]) -> Joined:
    """Return the first of some names, and how many more there are."""
    more = [message("list.more", count=len(names) - MOST_NAMED)] if len(names) > MOST_NAMED else []
    return Joined([*names[:MOST_NAMED], *more])
