"""Writing results whole: to a temporary file beside the target, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sudare.errors import OptionNotUsable, OutputNotWritable


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` if the block ends well and vanishes if it does not.

    The temporary file has the ending of `path`, lies in the same folder and is readable by its owner only
    until it is renamed; an existing `path` stays as it was until then.
    """
    with _beside(path) as temporary:
        try:
            yield temporary
            _give_usual_rights(temporary)
            temporary.replace(path.resolve())
        except OSError as error:
            raise _explain(path, error) from None


def check_table_ending(path: Path) -> None:
    """Raise OptionNotUsable unless the file's name ends in .csv or .parquet."""
    if path.suffix not in (".csv", ".parquet"):
        raise OptionNotUsable(f"A table is written as .csv or .parquet, not as {path.name}.\nHint: change the ending.")


def check_writable(path: Path) -> None:
    """Raise OutputNotWritable if a file could not be made there: to be asked before long work."""
    with _beside(path):
        pass


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    temporary = _make_beside(path, path.resolve())
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _make_beside(path: Path, target: Path) -> Path:
    if target.is_dir():
        raise OutputNotWritable(f"Cannot write {path}: it is a folder.\nHint: name a file in it.")
    if not target.parent.is_dir():
        raise OutputNotWritable(
            f"Cannot write {path}: the folder {target.parent} does not exist.\nHint: make it first."
        )
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    except OSError as error:
        raise _explain(path, error) from None
    os.close(handle)
    return Path(name)


def _give_usual_rights(path: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    path.chmod(0o666 & ~umask)


def _explain(path: Path, error: OSError) -> OutputNotWritable:
    return OutputNotWritable(
        f"Cannot write {path}: {error.strerror or error}. Nothing was left half-written.\n"
        "Hint: check the free space and the rights of its folder, or write elsewhere."
    )
