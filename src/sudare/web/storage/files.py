"""Uploaded files, stored by content hash. No client-supplied name ever becomes a path."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from sudare.showing import dataclass
from sudare.web.game.refusals import Refused

HASH = re.compile(r"[0-9a-f]{64}")
COPIED_BYTES = 1 << 20
# How the name of a file that is about to be removed begins, beside those that come in.
ORPHAN = "orphan-"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is on disk for good: its SHA-256 and its size."""

    hash: str
    size: int


class FileStore:
    """The folder of all files, each under its own hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._incoming = folder / "incoming"
        # What was found whole, and the state that it was found in.
        self._whole: dict[str, tuple[int, ...]] = {}

    def make(self) -> None:
        """Make the folders unless they are there."""
        for folder in (self._folder, self._incoming):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def tidy(self, seconds: float) -> None:
        """Remove what processes that died have left, older than any upload or job can be.

        What one had moved aside goes back to its place: it may have been handed in again meanwhile.
        """
        for aside in self._incoming.glob(f"{ORPHAN}*"):
            aside.rename(self.path(aside.name.removeprefix(ORPHAN)))
        for path in self._incoming.iterdir():
            if time.time() - path.lstat().st_mtime > seconds:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def receive(self, max_bytes: int, seconds: float) -> Incoming:
        """Return a receiver for a file of limited size that must be complete in time."""
        return Incoming(self._folder, self._incoming, max_bytes, time.monotonic() + seconds)

    def keep(self, source: BinaryIO, max_bytes: int, seconds: float) -> StoredFile:
        """Take in a whole open file."""
        with self.receive(max_bytes, seconds) as incoming:
            while chunk := source.read(COPIED_BYTES):
                incoming.write(chunk)
            return incoming.finish()

    def path(self, hash: str) -> Path:
        """Return where the file of a hash lies."""
        return _path(self._folder, hash)

    def whole(self, hash: str) -> Path:
        """Return where the file of a hash lies; Refused if it is gone or has another content by now."""
        path = self.path(hash)
        try:
            state = _state(path)
            if self._whole.get(hash) != state:
                if not is_whole(path):
                    raise Refused("errors.requests.file_corrupt", 500, hash=hash)
                self._whole[hash] = state
        except FileNotFoundError:
            raise Refused("errors.requests.file_corrupt", 500, hash=hash) from None
        return path

    def old_hashes(self, seconds: float) -> list[str]:
        """Return the hashes of files that nobody has handed in for so long."""
        paths = (path for path in self._folder.glob("[0-9a-f][0-9a-f]/*") if HASH.fullmatch(path.name))
        return sorted(path.name for path in paths if _age(path) > seconds)

    def remove_orphan(self, hash: str, seconds: float) -> bool:
        """Remove a file that nothing refers to, unless it was handed in again meanwhile; say whether it is gone.

        It is moved aside first: an upload of the same brings its own.
        """
        path, aside = self.path(hash), self._incoming / f"{ORPHAN}{hash}"
        try:
            path.rename(aside)
        except FileNotFoundError:
            return False  # another worker was quicker
        if _age(aside) > seconds:
            aside.unlink()
            return True
        aside.rename(path)
        return False

    @contextmanager
    def working_folder(self) -> Iterator[Path]:
        """Yield a folder for what is being made, which vanishes."""
        with tempfile.TemporaryDirectory(dir=self._incoming) as folder:
            yield Path(folder)


class Incoming:
    """A file while it comes in: written aside, and renamed when it is complete and on disk."""

    def __init__(self, folder: Path, aside: Path, max_bytes: int, deadline: float) -> None:
        self._folder, self._max_bytes, self._deadline = folder, max_bytes, deadline
        handle, name = tempfile.mkstemp(dir=aside)
        self._file, self._path = os.fdopen(handle, "wb"), Path(name)
        self._digest, self._size = hashlib.sha256(), 0

    def __enter__(self) -> Incoming:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # Closing writes what is still held, which fails on a full disk; what is there goes all the same.
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._file.close()

    def write(self, chunk: bytes) -> None:
        """Take the next bytes; Refused if they are too many or too late."""
        self._size += len(chunk)
        if self._size > self._max_bytes:
            raise Refused("errors.requests.too_large", 413, most=self._max_bytes)
        if time.monotonic() > self._deadline:
            raise Refused("errors.requests.too_slow", 408)
        try:
            self._file.write(chunk)
        except OSError as error:
            raise Refused("errors.requests.no_room", 507) from error
        self._digest.update(chunk)

    def finish(self) -> StoredFile:
        """Keep the file; when this returns it is on disk."""
        found = StoredFile(self._digest.hexdigest(), self._size)
        target = _path(self._folder, found.hash)
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            # A file that is there is replaced: it may be damaged, and is not to be taken for one that nobody wants.
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.replace(target)
            _sync_folders(target.parent, self._folder)
        except OSError as error:
            raise Refused("errors.requests.no_room", 507) from error
        return found


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def is_whole(path: Path) -> bool:
    """Say whether a file that is named by the hash of its content still has that content."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == path.name
    except FileNotFoundError:
        return False


def _state(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _path(folder: Path, hash: str) -> Path:
    if not HASH.fullmatch(hash):
        raise ValueError("no hash of a file")
    return folder / hash[:2] / hash


def _sync_folders(*folders: Path) -> None:
    """Bring new names of files to the disk."""
    for folder in folders:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
