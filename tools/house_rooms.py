"""The rooms of the house as they are: the packages below src/sudare, in the order of the layers of pyproject.toml."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "sudare"


@dataclass(frozen=True)
class Room:
    """A package: `name` within the room around it, how deep it lies, and its modules without those of rooms inside."""

    folder: Path
    depth: int

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def about(self) -> str:
        return docline(self.folder / "__init__.py")

    @property
    def modules(self) -> int:
        return sum(path.stem != "__init__" for path in self.folder.glob("*.py"))

    @property
    def inner(self) -> list[Room]:
        """The rooms inside this one, in order."""
        folders = sorted(path.parent for path in self.folder.glob("*/__init__.py"))
        return [Room(folder, self.depth + 1) for folder in folders]


def layer_rows() -> list[list[str]]:
    """Return the layers from the top down, each with the packages and modules that stand side by side."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(found for found in project["tool"]["importlinter"]["contracts"] if found["type"] == "layers")
    return [re.split(r"\s*[|:]\s*", row) for row in contract["layers"]]


def layers() -> list[str]:
    """Return the packages and modules at the top of sudare, from the top layer down."""
    return [name for row in layer_rows() for name in row]


def rooms(top: str) -> Iterator[Room]:
    """Yield a package and the rooms inside, depth first; a single module is not a room."""
    if (SOURCE / top / "__init__.py").is_file():
        yield from _below(Room(SOURCE / top, 0))


def _below(room: Room) -> Iterator[Room]:
    yield room
    for inner in room.inner:
        yield from _below(inner)


def docline(path: Path) -> str:
    """Return the first line of a docstring, without the full stop."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")
