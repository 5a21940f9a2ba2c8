"""Writing complete files: to a temporary file beside the target, then renamed; never over an input.

A file that exists is replaced, at the end and as a whole, and keeps its permissions unless the new one is a secret.
"""

from __future__ import annotations

import atexit
import errno
import functools
import inspect
import os
import stat
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from itertools import combinations, product, takewhile
from pathlib import Path
from typing import ParamSpec, TypeVar
from urllib.parse import unquote

from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.messages import Joined
from sudare.showing import dataclass
from sudare.sources.local.names import is_pattern, matching_files

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

TABLE_ENDINGS = (".csv", ".parquet")
PAGE_ENDINGS = (".html", ".htm")
# Lines without a header: histories of a contest, guesses, thresholds, hierarchies.
LINES_ENDINGS = (".csv", ".txt")
HISTORY_ENDINGS = (".csv", ".txt", ".parquet")
BASKETS_ENDINGS = (".txt", ".dat", ".csv", ".parquet")
REJECTS_ENDINGS = (".csv",)
CERTIFICATE_ENDINGS = (".json",)

# What the system says where no more can be written.
NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

# Temporary files that are there: a process that ends at once, whatever its threads are doing, still removes them.
_temporary: set[Path] = set()

# How the address of a file on this machine begins.
_LOCAL_ADDRESS = "file://"

# What is being read: the files and folders that nothing may be written to.
_inputs: ContextVar[tuple[Path, ...]] = ContextVar("inputs", default=())


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written whole; a `private` one is for its owner only."""

    path: Path
    private: bool


# Where files are listed that were written, if somebody wants to know.
_written: ContextVar[list[Written] | None] = ContextVar("written", default=None)


@contextmanager
def listing_written(written: list[Written]) -> Iterator[None]:
    """Add to a list what is written until the block ends."""
    token = _written.set(written)
    try:
        yield
    finally:
        _written.reset(token)


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` if the block ends well and vanishes if it does not.

    The temporary file has the ending of `path`, lies in the same folder and is readable by its owner only until it is
    renamed, and for good if it is `private`. An existing `path` stays as it was until then; a link is written through.
    Else a new file gets the usual permissions, and one that is replaced keeps its own.
    """
    target = _target(path)
    with _in_own_folder(path, target) if private else _beside(path, target) as temporary:
        try:
            yield temporary
            temporary.chmod(0o600 if private else _permissions(target))
            temporary.replace(target)
            if (told := _written.get()) is not None:
                told.append(Written(path, private=private))
        except OSError as error:
            raise _explain(path, error) from None


@contextmanager
def protected(inputs: Iterable[str | Path]) -> Iterator[None]:
    """Refuse, until the block ends, to write any of these files, or anything in these folders.

    They are recognized by what they are, not by their names: links and other spellings do not matter. Names of what
    does not exist are ignored.
    """
    token = _inputs.set(_inputs.get())
    try:
        protect(inputs)
        yield
    finally:
        _inputs.reset(token)


def protect(inputs: Iterable[str | Path]) -> None:
    """Add files that turned out to be read to those that the enclosing `protected` block refuses to write."""
    _inputs.set((*_inputs.get(), *(path for source in inputs for path in _local_paths(source))))


def keeps_inputs(*files: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Let a function for users refuse to replace what it is given: results, tables and histories know their files.

    `files` are the arguments that are files to be read themselves.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
            given = signature.bind(*args, **options).arguments
            named = _files_in([given[name] for name in files if name in given])
            with protected((*named, *_sources_of(list(given.values())))):
                return function(*args, **options)

        return call

    return decorate


def _files_in(value: object) -> Iterator[str | Path]:
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _files_in(part)


def _sources_of(value: object) -> Iterator[str]:
    """Yield the names of what a value, and what it holds, was read from."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        # Names and numbers have no source, and there are many.
        for part in value if not isinstance(next(iter(value), ""), str | int) else ():
            yield from _sources_of(part)
        return
    source = getattr(getattr(value, "reading", None) or value, "source", "")
    yield from (name for name in (source, *getattr(value, "sources", ())) if isinstance(name, str) and name)
    if is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from _sources_of(getattr(value, part.name))


def _local_paths(source: str | Path) -> list[Path]:
    """Return where a source can be on this machine: Spark takes addresses too, and patterns in them.

    An address can be meant as it stands or with its %20 decoded. Of a pattern it is the folder where it begins.
    """
    if not str(source).startswith(_LOCAL_ADDRESS):
        return matching_files(source) if is_pattern(source) and not _exists(Path(source)) else [Path(source)]
    path = "/" + str(source).removeprefix(_LOCAL_ADDRESS).partition("/")[2]
    return [Path(*takewhile(_is_literal, Path(spelling).parts)) for spelling in (path, unquote(path))]


def _is_literal(part: str) -> bool:
    return not set(part) & set("*?[]{}\\")


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Raise OptionNotUsable unless the file's name has one of the endings, in upper or lower case."""
    if path.suffix.lower() not in endings:
        raise OptionNotUsable("errors.writing.ending", path=path, endings=Joined(endings, "or"))


def check_table_ending(path: Path) -> None:
    """Raise OptionNotUsable unless the file's name ends in .csv or .parquet."""
    check_ending(path, TABLE_ENDINGS)


def check_writable(path: Path) -> None:
    """Raise OutputNotWritable if a file could not be made there: to be asked before long work."""
    with _beside(path, _target(path)):
        pass


def check_distinct(paths: Sequence[Path]) -> None:
    """Raise OptionNotUsable if two outputs are the same file or folder, by whatever names."""
    for one, other in combinations(paths, 2):
        if _identity(_target(one)) == _identity(_target(other)):
            if one == other:
                raise OptionNotUsable("errors.writing.twice", path=one)
            raise OptionNotUsable("errors.writing.same", one=one, other=other)


def check_not_read(outputs: Sequence[Path], folders: Sequence[Path]) -> None:
    """Raise OutputNotWritable if an output is itself one of the folders in which files are read."""
    for output, folder in product(outputs, folders):
        if _identity(_target(output)) == _identity(_target(folder)):
            raise OutputNotWritable("errors.writing.is_read", path=output)


def check_folder(folder: Path) -> None:
    """Raise OutputNotWritable if a folder cannot be filled: it is a file, or what is being read."""
    target = _target(folder)
    if target.exists() and not target.is_dir():
        raise OutputNotWritable("errors.writing.is_file", folder=folder)
    _refuse_inputs(folder, target)


def _target(path: Path) -> Path:
    """Return the file behind a name, through links that lead somewhere or nowhere."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a link that leads back to itself
        raise OutputNotWritable("errors.writing.links", path=path) from None


@contextmanager
def _beside(path: Path, target: Path) -> Iterator[Path]:
    temporary = _make_beside(path, target)
    try:
        yield temporary
    finally:
        _remove(temporary)


@contextmanager
def _in_own_folder(path: Path, target: Path) -> Iterator[Path]:
    """Yield a path in a folder that only its owner enters: an engine that makes a file anew gives it usual rights."""
    check_writable(path)
    with tempfile.TemporaryDirectory(prefix=f".{target.stem}-", dir=target.parent) as folder:
        yield Path(folder) / target.name


def _make_beside(path: Path, target: Path) -> Path:
    if target.is_dir():
        raise OutputNotWritable("errors.writing.is_folder", path=path)
    if not target.parent.is_dir():
        raise OutputNotWritable("errors.writing.no_folder", path=path, folder=target.parent)
    _refuse_inputs(path, target)
    # Of a pipe that is open, such as /dev/stdout, no file lies behind the name.
    if path.exists() and not path.is_file():
        # Renaming would put a file in the place of the device or pipe.
        raise OutputNotWritable("errors.writing.not_regular", path=path)
    if target.exists() and not os.access(target, os.W_OK):
        raise OutputNotWritable("errors.writing.protected", path=path)
    try:
        return _make_new(target.parent, f".{target.stem}-", path.suffix, permissions=0o600)
    except OSError as error:
        raise _explain(path, error) from None


def _make_new(folder: Path, start: str, end: str, *, permissions: int) -> Path:
    """Make an empty file of a random name, to be removed by `_remove`."""
    found = folder / f"{start}{os.urandom(4).hex()}{end}"
    os.close(os.open(found, os.O_CREAT | os.O_EXCL | os.O_WRONLY, permissions))
    _temporary.add(found)
    return found


def _remove(temporary: Path) -> None:
    """Remove a temporary file, if it was not renamed."""
    temporary.unlink(missing_ok=True)
    _temporary.discard(temporary)


@atexit.register
def _remove_all() -> None:
    for temporary in list(_temporary):
        with suppress(OSError):
            _remove(temporary)


def _permissions(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those that the system gives a new file beside it.

    The umask itself can be read only by changing it for all threads.
    """
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    trial = _make_new(target.parent, ".", "", permissions=0o666)
    try:
        return stat.S_IMODE(trial.stat().st_mode)
    finally:
        _remove(trial)


def _refuse_inputs(path: Path, target: Path) -> None:
    for source in _inputs.get():
        if not _exists(source):
            continue
        if _identity(source) == _identity(target):
            if path == source:
                raise OutputNotWritable("errors.writing.is_read", path=path)
            raise OutputNotWritable("errors.writing.same_as_read", path=path, source=source)
        if source.is_dir() and _holds(source, target):
            raise OutputNotWritable("errors.writing.in_read_folder", path=path, folder=source)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # the name of something else: of a table, a rule, an address
        return False


def _holds(folder: Path, target: Path) -> bool:
    """Say whether a file lies in a folder, itself or by a link."""
    if _identity(folder) in map(_identity, target.parents):
        return True
    return target.exists() and _identity(target) in map(_identity, folder.rglob("*"))


def _identity(path: Path) -> tuple[object, ...]:
    """Return what two paths have in common if and only if they are the same file.

    A file that is yet to be made is known by its folder and name; many systems do not tell the case of names apart.
    """
    try:
        found = path.stat()
    except OSError:
        name = unicodedata.normalize("NFC", path.name).casefold()
        return (*_identity(path.parent), name) if path != path.parent else (name,)
    return found.st_dev, found.st_ino


def _explain(path: Path, error: OSError) -> OutputNotWritable:
    if error.errno in NO_SPACE:
        return OutputNotWritable("errors.writing.no_space", path=path, reason=error.strerror or error)
    return OutputNotWritable("errors.writing.failed", path=path, reason=error.strerror or error)
