"""What all commands share: errors and exit codes, progress, language, and how results are shown."""

from __future__ import annotations

import functools
import json
import os
import shlex
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

from sudare.cli.files import checked_files, name_and_value
from sudare.cli.options import option_name
from sudare.cli.settings import Settings
from sudare.cli.signals import Interrupted, run_interruptibly, run_with_own_signals
from sudare.errors import AnswerIsNo, OptionNotUsable, OutputNotWritable, SudareError
from sudare.interruption import safe_point
from sudare.messages.reasons import reason_of
from sudare.progress import Progress
from sudare.sources.writing import NO_SPACE, Written, listing_written

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.messages import Message, Texts

EXIT_INTERNAL = 1
EXIT_BAD_INPUT = 2
# The work was done, and its answer is no: data are not safe, break the rules, or are not what a certificate says.
EXIT_ANSWER_NO = 3
EXIT_INTERRUPTED = 130
# Packages of the extra `web`, which only the contest server and its client need.
WEB_PACKAGES = {"alembic", "argon2", "fastapi", "httpx", "psycopg", "python_multipart", "sqlalchemy", "uvicorn"}

# Without a terminal, progress is one line now and then.
PLAIN_PROGRESS_SECONDS = 10.0
VERBOSE_PROGRESS_SECONDS = 1.0

JsonOption = Annotated[bool, typer.Option("--json")]
SeedOption = Annotated[int, typer.Option(metavar="N")]

P = ParamSpec("P")
R = TypeVar("R")


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Check the files that a command names, and turn errors into one message on stderr and an exit code.

    2 the input or the call is wrong, 3 the answer is no, 130 interrupted, 1 a defect.

    The command works on a thread of its own, so that signals never arrive in the middle of its work.
    """
    return _guarded(command, run_interruptibly)


def guarded_server(command: Callable[P, R]) -> Callable[P, R]:
    """Turn errors into messages and exit codes, for a command that takes signals itself, on the main thread."""
    return _guarded(command, run_with_own_signals)


def explained(command: Callable[P, R]) -> Callable[P, R]:
    """Turn errors into messages and exit codes, for what is around a command."""
    return _guarded(command, lambda work: work())


def _guarded(command: Callable[P, R], perform: Callable[[Callable[[], R]], R]) -> Callable[P, R]:
    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        written: list[Written] = []
        Settings.command = command

        def work() -> R:
            with checked_files(command, kwargs), listing_written(written):
                return command(*args, **kwargs)

        try:
            _refuse_closed_streams()
            if Settings.config:
                note("notes.config", path=Settings.config)
            result = perform(work)
        except typer.Exit as end:
            _write_shown(end.exit_code)
            raise
        except Interrupted as end:
            _tell_written(written)
            _stop(spoken()("notes.interrupted_shown" if end.finished else "notes.interrupted"), end.exit_code)
        except KeyboardInterrupt:
            _tell_written(written)
            _stop(spoken()("notes.interrupted"), EXIT_INTERRUPTED)
        except SudareError as error:
            _tell_written(written)
            raise typer.Exit(tell_error(error)) from None
        except BrokenPipeError:
            _flush_or_drop()
            raise typer.Exit from None
        except Exception as error:
            _explain_no_space(error)
            _explain_missing_package(error)
            what = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            raise typer.Exit(tell_error(SudareError("errors.usage.defect", what=what), EXIT_INTERNAL)) from None
        _write_shown(0)
        return result

    return run


def spoken() -> Texts:
    """Return the texts of the reader's language, in which arguments of the library are the options of the command."""
    from sudare.messages import Texts

    return Texts(Settings.language, _as_option)


def _as_option(argument: str, value: str | None) -> str:
    name = option_name(Settings.command, argument) if Settings.command else f"--{argument.replace('_', '-')}"
    # A flag is given by its name alone; one that can be turned off has a name for that: --header/--no-header.
    on, _, off = name.partition("/")
    if value in (None, "True", "False"):
        return off if value == "False" else on
    return f"{on} {shlex.quote(str(value))}"


def tell_error(error: SudareError, code: int | None = None) -> int:
    """Say on stderr what is wrong and what to do, as JSON where the result would be; return the exit code."""
    if code is None:
        code = EXIT_ANSWER_NO if isinstance(error, AnswerIsNo) else EXIT_BAD_INPUT
    texts, error = spoken(), _of_option(error)
    if Settings.json:
        told = {
            "schema": "sudare.error/1", "exit_code": code, "kind": type(error).__name__, "key": error.key,
            "problem": error.problem(texts), "hint": error.hint(texts) or None,
        }  # fmt: skip
        _tell_last(json.dumps(told, ensure_ascii=False))
    else:
        key = "notes.answer_no" if code == EXIT_ANSWER_NO else "notes.error"
        _tell_last(texts(key, text=error.text(texts)))
    return code


def _of_option(error: SudareError) -> SudareError:
    """Return an error about an argument of the library as one about the option that it comes from."""
    if error.key != "errors.arguments.must_be":
        return error
    name, asked = _as_option(str(error.values["name"]), None), " ".join(("sudare", *Settings.words[:2], "--help"))
    return type(error)("errors.usage.argument", name=name, problem=error.values["problem"], help=asked)


def _tell_written(written: Sequence[Written]) -> None:
    """Tell which files are there of a command that did not come to its end: some may not have been announced."""
    key = {True: "notes.written_secret", False: "notes.written_file"}
    listed = [spoken()(key[one.private], path=one.path) for one in written if one.path.exists()]
    if listed:
        _say(spoken()("notes.written_before", files=", ".join(listed)))


def _refuse_closed_streams() -> None:
    """Refuse to work where nothing can be shown; files that are opened would even take the place of the streams."""
    if sys.stdout is None or sys.stderr is None:
        raise OutputNotWritable("errors.output.closed")


def _write_shown(code: int) -> None:
    """Write what was shown now: when Python ends, nobody could say that it failed."""
    error = _flush_or_drop()
    # A reader of our output that has gone has seen enough.
    if error and not isinstance(error, BrokenPipeError):
        raise typer.Exit(tell_error(_not_written(error), code or EXIT_BAD_INPUT)) from None


def _flush_or_drop() -> OSError | None:
    """Write what was shown; if that fails, drop it, so that Python does not try again when it ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None


def _explain_no_space(error: Exception) -> None:
    if isinstance(error, OSError) and error.errno in NO_SPACE:
        raise typer.Exit(tell_error(_not_written(error))) from None


def _not_written(error: OSError) -> OutputNotWritable:
    return OutputNotWritable("errors.output.not_written", why=reason_of(error))


def _explain_missing_package(error: Exception) -> None:
    package = str(error.name).partition(".")[0] if isinstance(error, ModuleNotFoundError) else None
    if package in WEB_PACKAGES:
        raise typer.Exit(tell_error(SudareError("errors.usage.no_package", package=package))) from None


def _stop(text: str, code: int) -> NoReturn:
    _tell_last(text)
    raise typer.Exit(code) from None


def _tell_last(text: str) -> None:
    """Say the last thing. Where not even this can be written, the exit code has to do."""
    with suppress(OSError):
        if Settings.verbose and sys.exc_info()[0]:
            traceback.print_exc()
        _say(text)
    _flush_or_drop()


def _say(text: str) -> None:
    if sys.stderr is not None:  # else it would go to stdout
        print(text, file=sys.stderr)  # noqa: T201


def note(key: str, /, **values: object) -> None:
    """Tell the user something beside the result, on stderr, unless told to be quiet."""
    if not Settings.quiet:
        _say(spoken()(key, **values))


def note_written(path: Path) -> None:
    """Tell that a file was written."""
    note("notes.wrote", path=path)


def note_secret(path: Path) -> None:
    """Tell, quiet or not, that a file was written that says something of people, and is to be kept secret."""
    _say(spoken()("files.secret", path=path))


def note_aligned(path: Path) -> None:
    """Tell, quiet or not, that a file was written that links rows to people."""
    _say(spoken()("files.aligned", path=path))


def show_json(schema: str, result: Mapping[str, Any]) -> None:
    """Print a result as JSON on stdout, the name of its schema first."""
    from sudare.schemas import schema_identity

    told = {"schema": schema_identity(schema), **result}
    print(json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False))  # noqa: T201


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show progress on stderr: a bar on a terminal that vanishes at the end, else a line every ten seconds.

    Work that tells how far it is can be stopped there.
    """
    if Settings.quiet:
        yield _no_progress
        return
    if not sys.stderr.isatty():
        yield _plain_progress()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress as Bars,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def update(step: Message, done: int, total: int) -> None:
            safe_point()
            bars.update(task, description=spoken().say(step), completed=done, total=total)

        yield update


def _no_progress(step: Message, done: int, total: int) -> None:  # noqa: ARG001
    safe_point()


def _plain_progress() -> Progress:
    last = time.monotonic()

    def update(step: Message, done: int, total: int) -> None:
        nonlocal last
        safe_point()
        if time.monotonic() - last >= (VERBOSE_PROGRESS_SECONDS if Settings.verbose else PLAIN_PROGRESS_SECONDS):
            last = time.monotonic()
            note("notes.progress", step=step, done=done, total=total)

    return update


def pairs(words: list[str] | None, option: str, example: str) -> dict[str, list[str]]:
    """Read repeated NAME=VALUE words into name -> values."""
    found: dict[str, list[str]] = {}
    for word in words or []:
        name, value = name_and_value(word)
        if not (name and value):
            raise OptionNotUsable("errors.usage.not_pair", option=option, word=word, example=example)
        found.setdefault(name, []).append(value)
    return found
