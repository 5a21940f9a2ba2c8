"""Engine options, checked."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Never

from sudare.errors import InputError, OptionNotUsable, SourceNotReadable
from sudare.messages import message

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def check_min_cell(count: int) -> int:
    """Return the smallest count that may leave an engine; one below 1 is refused."""
    if count < 1:
        raise OptionNotUsable("errors.engine.min_cell", count=count)
    return count


def closed(what: Literal["table", "engine", "baskets", "history"]) -> InputError:
    """Return the error about something that was closed and is used nevertheless."""
    return InputError("errors.engine.closed", what=message(f"errors.engine.closed_thing.{what}"))


class ClosedPlace:
    """Stands where the connection of an engine was: whoever uses it is told that the engine is closed."""

    def __getattr__(self, _name: str) -> Never:
        raise closed("engine")


def files_in(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder that are like a pattern, in the order of their names.

    Names that begin with a dot or an underline are those of files that are not finished, or say something about others.
    A folder like _part=1 is a value all the same.
    """

    def left_out(name: str) -> bool:
        return name.startswith(".") or (name.startswith("_") and "=" not in name)

    found = (file for file in folder.glob(pattern) if not any(map(left_out, file.relative_to(folder).parts)))
    return sorted((file for file in found if file.is_file()), key=str)


def parquet_files(path: Path) -> list[Path]:
    """Return a Parquet file, or those of a folder and the folders in it."""
    return files_in(path, "**/*.parquet") if path.is_dir() else [path]


def is_partitioned(path: Path, files: Sequence[Path]) -> bool:
    """Tell whether folders like year=2024 are a column of the files in them, but not of a file named by itself."""
    return path.is_dir() and any("=" in part for file in files for part in file.relative_to(path).parts[:-1])


def line_files(path: Path) -> list[Path]:
    """Return a text, or those of a folder."""
    return files_in(path, "*") if path.is_dir() else [path]


def check_lines(path: Path) -> None:
    """Raise SourceNotReadable unless there is a text, or a folder of texts, to read lines of."""
    if not path.exists():
        raise SourceNotReadable("errors.sources.no_file", path=path, near="")
    if not line_files(path):
        raise SourceNotReadable("errors.engine.no_texts", path=path)


def not_parquet(name: object, reason: str) -> SourceNotReadable:
    """Return the error about what cannot be read as Parquet."""
    return SourceNotReadable("errors.engine.not_parquet", name=name, reason=reason.strip(": ."))


def make_spill_folder(place: str | Path | None) -> str:
    """Make a private folder for what does not fit into memory and return its path."""
    try:
        return tempfile.mkdtemp(prefix="sudare-", dir=place)
    except OSError as error:
        folder = place or tempfile.gettempdir()
        raise OptionNotUsable("errors.engine.spill", folder=folder, reason=error.strerror) from None


def bytes_of(memory: str) -> int:
    """Read a size like 2GB, 500MB or 1.5GiB; the units of a thousand and of 1024 are not told apart."""
    found = re.fullmatch(r"\s*([0-9]+(?:[.][0-9]+)?)\s*([KMGT]?)(?:i?B)?\s*", memory, re.IGNORECASE)
    if not found or not float(found.group(1)):
        raise OptionNotUsable("errors.engine.memory_size", memory=memory)
    return int(float(found.group(1)) * (1 << _UNITS[found.group(2).upper()]))
