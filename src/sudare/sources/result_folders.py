"""Folders that keep results with what they depend on, so that interrupted work can resume."""

from __future__ import annotations

import atexit
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.messages import message
from sudare.sources.writing import whole_file

PARAMETERS = "parameters.json"


def make_folder(folder: Path, *, parents: bool = True) -> None:
    """Make a folder unless it is there, and those above it too unless only it may be missing."""
    try:
        folder.mkdir(parents=parents, exist_ok=True)
    except OSError as error:
        raise OutputNotWritable("errors.folders.not_made", folder=folder, reason=error.strerror or error) from None


@contextmanager
def made_for(folder: Path) -> Iterator[None]:
    """Make a folder in one that is there, unless it is there too; if it was made and stays empty, it vanishes again.

    It stays if the block ends well. The files in it are written whole by themselves.
    """
    missing = not folder.is_dir()
    make_folder(folder, parents=False)
    try:
        yield
    except BaseException:
        if missing:
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def filling(folder: Path) -> Iterator[None]:
    """Make a folder unless it is there, and remove what the block put into it unless the block ends well.

    So does a process that ends at once in the middle of it.
    """
    there = frozenset(folder.iterdir()) if folder.is_dir() else None
    make_folder(folder)

    def empty() -> None:
        with suppress(OSError):
            for entry in frozenset(folder.iterdir()) - (there or frozenset()):
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry, ignore_errors=True)
                else:
                    entry.unlink(missing_ok=True)
            if there is None:
                folder.rmdir()

    atexit.register(empty)
    try:
        yield
    except BaseException:
        empty()
        raise
    finally:
        atexit.unregister(empty)


def refuse_files(folder: Path) -> None:
    """Refuse a folder that has files of somebody else, so that none of them is replaced."""
    try:
        found = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise OutputNotWritable("errors.folders.not_written", folder=folder, reason=error.strerror or error) from None
    if found:
        raise OutputNotWritable("errors.folders.not_empty", folder=folder, count=len(found), first=found[0])


def keep_parameters(
    folder: Path, what: str, parameters: Mapping[str, Any], more: Mapping[str, Any] = MappingProxyType({})
) -> bool:
    """Keep what the results in a folder are and depend on; say whether it has results already.

    Other results are an error, those that depend on something else too, and so are files that are not results. Of
    `more`, a folder may have some things and not others; what of it is not named here stays.
    """
    path, wanted = folder / PARAMETERS, {"what": what, **parameters}
    if not path.exists():
        refuse_files(folder)
        kept = {}
    else:
        kept = _kept_parameters(path)
        for name, value in {**wanted, **{name: value for name, value in more.items() if name in kept}}.items():
            if name not in kept or kept[name] != value:
                there = repr(kept[name]) if name in kept else message("errors.folders.not_said")
                told = {"folder": folder, "name": name, "there": there, "here": repr(value)}
                raise OptionNotUsable("errors.folders.other_results", **told)
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps({**kept, **wanted, **more}, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return bool(kept)


def _kept_parameters(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise OptionNotUsable("errors.folders.not_ours", path=path)
    return found
