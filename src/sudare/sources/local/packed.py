"""Compressed files, unpacked as streams into a private temporary folder.

What a file is, its contents say and not its name, so that a text called log.csv.gz is still a text.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sudare.errors import SourceNotReadable
from sudare.sources.encodings import CHUNK_BYTES
from sudare.sources.writing import NO_SPACE

_ZIP = re.compile(rb"PK(\x03\x04|\x05\x06)")
# Where the header of a tar archive says that it is one.
_TAR_MARK, _TAR_PLACE = b"ustar", 257
# Files that only Excel and LibreOffice put into a zip archive.
_SHEETS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
# What is left out of a zip archive: what systems add to what people pack.
_ADDED = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def _open_zstd(path: Path) -> Any:
    # Not before it is needed: few files are packed so.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        import backports.zstd as zstd
    return zstd.open(path)


# What compressed files begin with, and how they are opened.
_OPENERS: tuple[tuple[str, re.Pattern[bytes], Callable[[Path], Any]], ...] = (
    ("gzip", re.compile(rb"\x1f\x8b"), gzip.open),
    ("bzip2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.open),
    ("xz", re.compile(rb"\xfd7zXZ\x00"), lzma.open),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd"), _open_zstd),
)


def is_packed(path: Path) -> bool:
    """Tell whether a file is compressed, or a zip archive other than a spreadsheet."""
    return path.is_file() and _kind(path) is not None


def unpacked(path: Path, cleanup: ExitStack, *, name: str | None = None) -> Path:
    """Return the file itself, or a copy of what is packed in it, which lives until `cleanup` is closed.

    The copy is called as what was packed, so that its ending says what it is. A zip archive must have one file.
    """
    kind = _kind(path) if path.is_file() else None
    if kind is None:
        return path
    said = name or str(path)
    folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="sudare-")))
    try:
        found = _unpack_zip(path, folder, said) if kind == "zip" else _unpack_stream(path, folder, kind)
    except OSError as error:
        if error.errno in NO_SPACE:
            raise SourceNotReadable("errors.sources.no_space_to_unpack", name=said, folder=folder.parent) from None
        raise _corrupt(said, kind, error) from None
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise _corrupt(said, kind, error) from None
    except Exception as error:
        # The error of zstd has a name only where zstd was loaded.
        if type(error).__name__ != "ZstdError":
            raise
        raise _corrupt(said, kind, error) from None
    _refuse_tar(found, said)
    return found


def _kind(path: Path) -> str | None:
    with path.open("rb") as file:
        start = file.read(16)
    if _ZIP.match(start):
        return None if is_sheet(path) else "zip"
    return next((kind for kind, mark, _ in _OPENERS if mark.match(start)), None)


def is_sheet(path: Path) -> bool:
    """Tell whether a zip archive is a file of Excel or LibreOffice; one that is broken is what its name says."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name in _SHEETS for name in archive.namelist())
    except zipfile.BadZipFile:
        return path.suffix.lower() in (".xlsx", ".xlsm", ".xlsb", ".ods")


def _unpack_stream(path: Path, folder: Path, kind: str) -> Path:
    opener = next(opener for other, _, opener in _OPENERS if other == kind)
    with opener(path) as packed:
        return _copy(packed, folder / (path.stem or "unpacked"))


def _unpack_zip(path: Path, folder: Path, said: str) -> Path:
    with zipfile.ZipFile(path) as archive:
        names = [one.filename for one in archive.infolist() if not one.is_dir() and not _is_added(one.filename)]
        if not names:
            raise SourceNotReadable("errors.sources.zip_empty", name=said)
        if len(names) > 1:
            listed = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
            raise SourceNotReadable("errors.sources.zip_several", name=said, count=len(names), files=listed)
        if archive.getinfo(names[0]).flag_bits & 1:
            raise SourceNotReadable("errors.sources.zip_locked", name=said)
        with archive.open(names[0]) as packed:
            return _copy(packed, folder / PurePosixPath(names[0]).name)


def _is_added(name: str) -> bool:
    return name.startswith(_ADDED[0]) or PurePosixPath(name).name in _ADDED


def _copy(packed: IO[bytes], target: Path) -> Path:
    with target.open("wb") as file:
        shutil.copyfileobj(packed, file, CHUNK_BYTES)
    return target


def _refuse_tar(path: Path, said: str) -> None:
    with path.open("rb") as file:
        file.seek(_TAR_PLACE)
        if file.read(len(_TAR_MARK)) == _TAR_MARK:
            raise SourceNotReadable("errors.sources.tar", name=said)


def _corrupt(said: str, kind: str, error: Any) -> SourceNotReadable:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return SourceNotReadable("errors.sources.corrupt", name=said, kind=kind, reason=reason.rstrip("."))
