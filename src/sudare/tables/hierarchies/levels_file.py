"""Reading the generalization level of each attribute from a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from sudare.arguments import checked
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import Message, message
from sudare.messages.reasons import reason_of
from sudare.sources.encodings import read_text
from sudare.sources.local.names import not_found
from sudare.sources.text import csv_rows

Place = Path | Message


@checked
def read_levels(path: str | Path) -> dict[str, int]:
    """Read attributes and levels from a CSV file (`attribute,level`), TOML, or the JSON of `sudare table levels`.

    TOML may have them in a table `levels`, JSON in an object `best` or `levels`.
    """
    path = Path(path)
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise not_found(path) from None
    except OSError as error:
        raise SourceNotReadable("errors.levels_file.unreadable", path=path, problem=reason_of(error)) from None
    reader = {".toml": _from_toml, ".json": _from_json}.get(path.suffix.lower(), _from_csv)
    levels = {name: _level(level, name, place) for name, (level, place) in reader(text, path).items()}
    if not levels:
        raise _malformed(path, message("errors.levels_file.no_levels"))
    return levels


def _from_csv(text: str, path: Path) -> dict[str, tuple[object, Place]]:
    found: dict[str, tuple[object, Place]] = {}
    for line, row in csv_rows(text.splitlines(keepends=True), ","):
        place, cells = message("place.line", source=path, line=line), [cell.strip() for cell in row]
        if not any(cells) or (not found and [cell.lower() for cell in cells] == ["attribute", "level"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise _malformed(place, message("errors.levels_file.not_a_pair", cells=",".join(cells)))
        if cells[0] in found:
            raise OptionNotUsable("errors.levels_file.twice", place=place, attribute=cells[0])
        found[cells[0]] = (cells[1], place)
    return found


def _from_toml(text: str, path: Path) -> dict[str, tuple[object, Place]]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _malformed(path, message("errors.levels_file.not_parsed", error=reason_of(error))) from None
    return _placed(document.get("levels", document), path)


def _from_json(text: str, path: Path) -> dict[str, tuple[object, Place]]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise _malformed(path, message("errors.levels_file.not_parsed", error=reason_of(error))) from None
    if isinstance(document, dict):
        document = document.get("best", document.get("levels", document))
    return _placed(document, path)


def _placed(levels: object, path: Path) -> dict[str, tuple[object, Place]]:
    if not isinstance(levels, Mapping):
        raise _malformed(path, message("errors.levels_file.no_levels"))
    return {str(name): (level, path) for name, level in levels.items()}


def _malformed(place: Place, problem: Message) -> OptionNotUsable:
    return OptionNotUsable("errors.levels_file.malformed", place=place, problem=problem)


def _level(level: object, name: str, place: Place) -> int:
    try:
        number = int(str(level))
        if number < 0 or isinstance(level, bool):
            raise ValueError
    except ValueError:
        raise OptionNotUsable("errors.levels_file.not_a_number", place=place, attribute=name, level=level) from None
    return number
