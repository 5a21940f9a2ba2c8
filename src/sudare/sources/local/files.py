"""What a name stands for: a file, the files that match a pattern, or standard input."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import BinaryIO

from sudare.engine.options import parquet_files
from sudare.errors import SourceNotReadable
from sudare.messages.reasons import reason_of
from sudare.sources.local.names import is_pattern, matching_files, not_found

STANDARD_INPUT = "-"
# What is said of standard input where a file is named.
STANDARD_INPUT_NAME = "stdin"
_WEB = re.compile(r"(https?|ftps?)://", re.IGNORECASE)


class _Spooled:
    """Standard input, read to its end once and kept in a private folder until the process ends."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        folder = tempfile.mkdtemp(prefix="sudare-")
        # When this is collected, and when the interpreter ends.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder) / STANDARD_INPUT_NAME
        with self.path.open("wb") as file:
            shutil.copyfileobj(stream, file)


_spooled: list[_Spooled] = []


def find_files(source: str | Path) -> list[Path]:
    """Return the files that a name stands for, in the order of their names; none if there is no such file.

    A name that is there is that file or folder, whatever characters it has; only else `*`, `?` and `[` make it a
    pattern. A minus sign is standard input, which is spooled to a file since sources are read more than once.
    """
    if str(source) == STANDARD_INPUT:
        return [spooled_input()]
    path = Path(source)
    if _is_there(path):
        return [path]
    if not is_pattern(source):
        return []
    return matching_files(source)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise SourceNotReadable("errors.sources.not_permitted", path=path, reason=reason_of(error)) from None


def spooled_input() -> Path:
    """Return the file that standard input was spooled to, reading it first if that was not done yet."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise SourceNotReadable("errors.sources.no_standard_input")
    if not _spooled or _spooled[0].stream is not stream:
        _spooled[:] = [_Spooled(stream)]
    return _spooled[0].path


def shown_name(source: str | Path) -> str:
    """Return what a source is called in messages."""
    return STANDARD_INPUT_NAME if str(source) == STANDARD_INPUT else str(source)


def refuse_web_address(source: str | Path) -> None:
    """Raise SourceNotReadable for a web address, by name: nothing is ever downloaded."""
    if isinstance(source, str) and _WEB.match(source) and not Path(source).exists():
        raise SourceNotReadable("errors.sources.web_address", address=source)


def check_readable(path: Path, name: str | None = None) -> None:
    """Raise SourceNotReadable unless there is a file with something in it, or a folder of Parquet files."""
    said = name or str(path)
    try:
        if not path.exists():
            raise not_found(path)
        if path.is_dir():
            if not parquet_files(path):
                raise SourceNotReadable("errors.sources.no_parquet_in_folder", path=said)
        elif not path.is_file():
            raise SourceNotReadable("errors.sources.not_regular", path=said)
        else:
            with path.open("rb") as file:
                if not file.read(1):
                    raise SourceNotReadable("errors.sources.empty", name=said)
    except OSError as error:
        raise SourceNotReadable("errors.sources.not_permitted", path=said, reason=reason_of(error)) from None
