"""Which arguments of a command name files, and the one check of all of them before any work.

A parameter that names a file or folder is marked as what is read or what is written:
`Annotated[Path, REPORT, typer.Option(...)]`. The check is part of `guarded`, which every command has.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from sudare.showing import dataclass
from sudare.sources.writing import (
    BASKETS_ENDINGS,
    CERTIFICATE_ENDINGS,
    HISTORY_ENDINGS,
    LINES_ENDINGS,
    PAGE_ENDINGS,
    REJECTS_ENDINGS,
    TABLE_ENDINGS,
    check_distinct,
    check_ending,
    check_folder,
    check_not_read,
    check_writable,
    protected,
)


@dataclass(frozen=True, slots=True)
class Input:
    """Marks what is read: nothing is written over it, nor into it if it is a folder.

    It may also name something that is not a file: rules, a table on an engine. With `named`, it is NAME=FILE.
    """

    named: bool = False


@dataclass(frozen=True, slots=True)
class InputFolder:
    """Marks a folder of which some files are read; the command protects them when it has found them."""


@dataclass(frozen=True, slots=True)
class Output:
    """Marks a file that is written, with the endings that its name may have."""

    endings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """Marks a folder that is filled."""


Mark = Input | InputFolder | Output | OutputFolder

READ = Input()
REPORT = Output(PAGE_ENDINGS)
TABLE = Output(TABLE_ENDINGS)
LINES = Output(LINES_ENDINGS)
HISTORY = Output(HISTORY_ENDINGS)
BASKETS = Output(BASKETS_ENDINGS)
REJECTS = Output(REJECTS_ENDINGS)
CERTIFICATE = Output(CERTIFICATE_ENDINGS)


def file_marks(command: Callable[..., Any]) -> dict[str, Mark]:
    """Return the parameters of a command that name files, with what they are."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    return {
        parameter.name: mark
        for parameter in parameters
        for mark in get_args(parameter.annotation)
        if isinstance(mark, Mark)
    }


@contextmanager
def checked_files(command: Callable[..., Any], words: Mapping[str, Any]) -> Iterator[None]:
    """Check the outputs among a command's words, and keep its inputs from being written while the block runs."""
    named = [(mark, name) for word, mark in file_marks(command).items() for name in _names(mark, words.get(word))]
    with protected(name for mark, name in named if isinstance(mark, Input)):
        check_outputs({Path(name): mark for mark, name in named if isinstance(mark, Output)})
        folders = [Path(name) for mark, name in named if isinstance(mark, OutputFolder)]
        for folder in folders:
            check_folder(folder)
        written = [Path(name) for mark, name in named if isinstance(mark, Output | OutputFolder)]
        check_distinct(written)
        check_not_read(written, [Path(name) for mark, name in named if isinstance(mark, InputFolder)])
        yield


def check_outputs(files: Mapping[Path, Output]) -> None:
    """Refuse files that cannot be written, or not with this ending: asked before any work."""
    for path, mark in files.items():
        check_writable(path)
        check_ending(path, mark.endings)


def _names(mark: Mark, given: Any) -> list[Any]:
    """Return the files that a word names: none, one, or those of a repeated option."""
    names = given if isinstance(given, list) else [] if given is None else [given]
    if isinstance(mark, Input) and mark.named:
        names = [name_and_value(name)[1] for name in names]
    return [name for name in names if name != ""]


def name_and_value(word: str) -> tuple[str, str]:
    """Divide NAME=VALUE, blanks around either left out; one that is missing is empty."""
    name, _, value = word.partition("=")
    return name.strip(), value.strip()
