"""Reading which level of generalization each attribute is to have."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from sudare.arguments import checked
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.sources.encodings import read_text
from sudare.sources.text import csv_rows

_HINT = "Hint: write age,2 in lines of a CSV file, age = 2 in a TOML file, or give the JSON of `sudare table levels`."


@checked
def read_levels(path: str | Path) -> dict[str, int]:
    """Read attributes and levels from a CSV file (`attribute,level`), TOML, or the JSON of `sudare table levels`.

    TOML may have them in a table `levels`, JSON in an object `best` or `levels`.
    """
    path = Path(path)
    try:
        text = read_text(path)
    except OSError as error:
        raise SourceNotReadable(f"The levels in {path} cannot be read: {error}.\n{_HINT}") from None
    reader = {".toml": _from_toml, ".json": _from_json}.get(path.suffix.lower(), _from_csv)
    levels = {name: _level(level, name, place) for name, (level, place) in reader(text, path).items()}
    if not levels:
        raise OptionNotUsable(f"{path} has no levels.\n{_HINT}")
    return levels


def _from_csv(text: str, path: Path) -> dict[str, tuple[object, str]]:
    found: dict[str, tuple[object, str]] = {}
    for line, row in csv_rows(text.splitlines(keepends=True), ","):
        place, cells = f"{path}, line {line}", [cell.strip() for cell in row]
        if not any(cells) or (not found and [cell.lower() for cell in cells] == ["attribute", "level"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise OptionNotUsable(f"{place}: {','.join(cells)!r} is no attribute and its level.\n{_HINT}")
        if cells[0] in found:
            raise OptionNotUsable(f"{place}: {cells[0]!r} has a level already.\nHint: remove one of the lines.")
        found[cells[0]] = (cells[1], place)
    return found


def _from_toml(text: str, path: Path) -> dict[str, tuple[object, str]]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OptionNotUsable(f"{path}: the levels cannot be understood: {error}.\n{_HINT}") from None
    return _placed(document.get("levels", document), path)


def _from_json(text: str, path: Path) -> dict[str, tuple[object, str]]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise OptionNotUsable(f"{path}: the levels cannot be understood: {error}.\n{_HINT}") from None
    if isinstance(document, dict):
        document = document.get("best", document.get("levels", document))
    return _placed(document, path)


def _placed(levels: object, path: Path) -> dict[str, tuple[object, str]]:
    if not isinstance(levels, Mapping):
        raise OptionNotUsable(f"{path} has no attributes with levels.\n{_HINT}")
    return {str(name): (level, str(path)) for name, level in levels.items()}


def _level(level: object, name: str, place: str) -> int:
    try:
        number = int(str(level))
        if number < 0 or isinstance(level, bool):
            raise ValueError
    except ValueError:
        raise OptionNotUsable(
            f"{place}: the level {level!r} of {name!r} is no number from 0 on.\nHint: 0 is the value as it is."
        ) from None
    return number
