"""File names and patterns: `*`, `?` and `[` are wildcards unless a file has that very name."""

from __future__ import annotations

import glob
import re
from pathlib import Path

from sudare.errors import SourceNotReadable, SudareError
from sudare.messages import Message, message

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_pattern(name: str | Path) -> bool:
    """Tell whether a name that no file has is a pattern; an address is none."""
    return glob.has_magic(str(name)) and not ADDRESS.match(str(name))


def matching_files(pattern: str | Path) -> list[Path]:
    """Return the files that match a pattern, in the order of their names; `**` stands for any folders."""
    # Patterns of Path begin at a folder, and this one may be a whole path.
    names = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207
    return [path for path in map(Path, names) if path.is_file()]


def not_found(source: str | Path) -> SudareError:
    """Return the error about a name that no file has, with files whose names are near."""
    if isinstance(source, str) and ADDRESS.match(source):
        return SourceNotReadable("errors.sources.address", address=source)
    if is_pattern(source):
        return SourceNotReadable("errors.sources.no_match", pattern=source)
    return SourceNotReadable("errors.sources.no_file", path=source, near=_near(Path(source)))


def _near(path: Path) -> Message | str:
    near = [other.name for other in path.parent.glob("*") if other.stem == path.stem] if path.parent.is_dir() else []
    return message("errors.sources.near_files", files=", ".join(sorted(near)[:5])) if near else ""
