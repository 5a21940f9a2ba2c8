"""What all commands share: errors and exit codes, progress, language, and how results are shown."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

from sudare.cli.files import checked_files, name_and_value
from sudare.cli.options import option_name
from sudare.cli.signals import INTERRUPTED, Interrupted, run_interruptibly, run_with_own_signals
from sudare.errors import OptionNotUsable, OutputNotWritable, SudareError
from sudare.interruption import safe_point
from sudare.messages import Language, Message
from sudare.progress import Progress
from sudare.sources.writing import NO_SPACE, Written, listing_written

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.messages import Texts

EXIT_INTERNAL = 1
EXIT_BAD_INPUT = 2
# The work was done, and its answer is no: data are not safe, break the rules, or are not what a certificate says.
EXIT_NOT_SAFE = 3
EXIT_INTERRUPTED = 130
SHOWN = "Interrupted. Shown is what was found until then."

# Packages of the extra `web`, which only the contest server and its client need.
WEB_PACKAGES = {"alembic", "argon2", "fastapi", "httpx", "psycopg", "python_multipart", "sqlalchemy", "uvicorn"}

# Without a terminal, progress is one line now and then.
PLAIN_PROGRESS_SECONDS = 10.0

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
LanguageOption = Annotated[
    Language, typer.Option("--lang", metavar="en|ja", help="Language of the output and the report.")
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Seed of everything random; same seed, same result.")]

P = ParamSpec("P")
R = TypeVar("R")


class Settings:
    """What was said before the command."""

    debug = False


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Check the files that a command names, and turn errors into one message on stderr and an exit code.

    2 mend the input or the place of the output, 130 interrupted, 1 our fault.

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

        def work() -> R:
            with checked_files(command, kwargs), listing_written(written):
                return command(*args, **kwargs)

        try:
            _refuse_closed_streams()
            result = perform(work)
        except typer.Exit as end:
            _write_shown(end.exit_code)
            raise
        except Interrupted as end:
            _tell_written(written)
            _fail(SHOWN if end.finished else INTERRUPTED, end.exit_code)
        except KeyboardInterrupt:
            _tell_written(written)
            _fail(INTERRUPTED, EXIT_INTERRUPTED)
        except SudareError as error:
            _tell_written(written)
            _fail(f"Error: {_in_options(error, command)}", EXIT_BAD_INPUT)
        except BrokenPipeError:
            _flush_or_drop()
            raise typer.Exit from None
        except Exception as error:
            _explain_no_space(error)
            _explain_missing_package(error)
            what = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            _fail(
                f"Internal error, please report it: {what}\nHint: sudare --debug ... shows where.",
                EXIT_INTERNAL,
            )
        _write_shown(0)
        return result

    return run


def _tell_written(written: Sequence[Written]) -> None:
    """Tell which files are there of a command that did not come to its end: some may not have been announced."""
    listed = [f"{one.path}{' (keep it secret)' if one.private else ''}" for one in written if one.path.exists()]
    if listed:
        note(f"Written before: {', '.join(listed)}")


def _in_options(error: SudareError, command: Callable[..., Any]) -> str:
    """Return what an error says; an argument of the library is named by the option that it comes from."""
    if error.key == "errors.arguments.must_be":
        option = option_name(command, str(error.values["name"]))
        return f"{option} must be {error.values['problem']}.\nHint: --help says what it is."
    return str(error)


def _refuse_closed_streams() -> None:
    """Refuse to work where nothing can be shown; files that are opened would even take the place of the streams."""
    if sys.stdout is None or sys.stderr is None:
        raise OutputNotWritable("Standard output or standard error is closed.\nHint: redirect it to a file.")


def _write_shown(code: int) -> None:
    """Write what was shown now: when Python ends, nobody could say that it failed."""
    error = _flush_or_drop()
    # A reader of our output that has gone has seen enough.
    if error and not isinstance(error, BrokenPipeError):
        _fail(_not_written(error), code or EXIT_BAD_INPUT)


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
        _fail(_not_written(error), EXIT_BAD_INPUT)


def _not_written(error: OSError) -> str:
    return (
        f"Error: The output cannot be written: {error.strerror or error}.\n"
        "Hint: check the free space where it goes, and where temporary files go."
    )


def _explain_missing_package(error: Exception) -> None:
    package = str(error.name).partition(".")[0] if isinstance(error, ModuleNotFoundError) else None
    if package in WEB_PACKAGES:
        _fail(
            f"Error: The contest server needs a package that is not installed: {package}.\n"
            "Hint: pip install 'sudare[web]'",
            EXIT_BAD_INPUT,
        )


def _fail(message: str, code: int) -> NoReturn:
    # Where not even this can be written, the exit code has to do.
    with suppress(OSError):
        if Settings.debug and sys.exc_info()[0]:
            traceback.print_exc()
        note(message)
    _flush_or_drop()
    raise typer.Exit(code) from None


def note(text: str) -> None:
    """Tell the user something beside the result, on stderr."""
    if sys.stderr is not None:  # else it would go to stdout
        print(text, file=sys.stderr)  # noqa: T201


def note_secret(path: Path, texts: Texts) -> None:
    """Tell that a file was written that says something of people, and is to be kept secret."""
    note(texts("files.secret", path=path))


def note_aligned(path: Path, texts: Texts) -> None:
    """Tell that a file was written that links rows to people."""
    note(texts("files.aligned", path=path))


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
            bars.update(task, description=str(step), completed=done, total=total)

        yield update


def _plain_progress() -> Progress:
    last = time.monotonic()

    def update(step: Message, done: int, total: int) -> None:
        nonlocal last
        safe_point()
        if time.monotonic() - last >= PLAIN_PROGRESS_SECONDS:
            last = time.monotonic()
            note(f"... {step} ({done:,} of {total:,})")

    return update


def pairs(words: list[str] | None, option: str, example: str) -> dict[str, list[str]]:
    """Read repeated NAME=VALUE words into name -> values."""
    found: dict[str, list[str]] = {}
    for word in words or []:
        name, value = name_and_value(word)
        if not (name and value):
            raise OptionNotUsable(f"{option} {word!r} is not NAME=VALUE.\nHint: {option} {example}")
        found.setdefault(name, []).append(value)
    return found


def counted(number: int, thing: str) -> str:
    """Say how many there are of a thing: 1 row, 1,000 rows."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
