"""What all commands share: errors and exit codes, progress, language, and how results are shown."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

from sudare.errors import OptionNotUsable, SudareError
from sudare.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console

    from sudare.messages import Texts

EXIT_INTERNAL = 1
EXIT_BAD_INPUT = 2
# The work was done, and its answer is no: data are not safe, or not what a certificate says.
EXIT_NOT_SAFE = 3
EXIT_INTERRUPTED = 130

# Packages of the extra `web`, which only the contest server and its client need.
WEB_PACKAGES = {"alembic", "argon2", "fastapi", "httpx", "psycopg", "python_multipart", "sqlalchemy", "uvicorn"}

# Without a terminal there is no width to ask for; this one fits the widest table.
PLAIN_WIDTH = 140
# Without a terminal, progress is one line now and then.
PLAIN_PROGRESS_SECONDS = 10.0

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
LanguageOption = Annotated[str, typer.Option("--lang", metavar="en|ja", help="Language of the output and the report.")]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Seed of everything random; same seed, same result.")]

P = ParamSpec("P")
R = TypeVar("R")


class Settings:
    """What was said before the command."""

    debug = False


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn errors into one message on stderr and an exit code: 2 mend the input, 130 interrupted, 1 our fault."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            result = command(*args, **kwargs)
            # Else a short result is written when Python ends, where a reader that has gone is an error.
            sys.stdout.flush()
            return result
        except typer.Exit:
            raise
        except KeyboardInterrupt:
            _fail("Interrupted. Nothing was left half-written.", EXIT_INTERRUPTED)
        except SudareError as error:
            _fail(f"Error: {error}", EXIT_BAD_INPUT)
        except BrokenPipeError:
            # The reader of our output has gone; what Python would flush at exit goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        except Exception as error:
            _explain_missing_package(error)
            what = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            _fail(
                f"Internal error, please report it: {what}\nHint: sudare --debug ... shows where.",
                EXIT_INTERNAL,
            )

    return run


def _explain_missing_package(error: Exception) -> None:
    package = str(error.name).partition(".")[0] if isinstance(error, ModuleNotFoundError) else None
    if package in WEB_PACKAGES:
        _fail(
            f"Error: The contest server needs a package that is not installed: {package}.\n"
            "Hint: pip install 'sudare[web]'",
            EXIT_BAD_INPUT,
        )


def _fail(message: str, code: int) -> NoReturn:
    if Settings.debug:
        traceback.print_exc()
    print(message, file=sys.stderr)  # noqa: T201
    raise typer.Exit(code)


def end_interrupted() -> NoReturn:
    """End a command that has shown what was found until the user interrupted; the exit code tells scripts too."""
    note("Interrupted. Shown is what was found until then.")
    raise typer.Exit(EXIT_INTERRUPTED)


def note(text: str) -> None:
    """Tell the user something beside the result, on stderr."""
    print(text, file=sys.stderr)  # noqa: T201


def show_json(result: Mapping[str, Any]) -> None:
    """Print a result as JSON on stdout."""
    print(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))  # noqa: T201


def console() -> Console:
    """Return the console on stdout, wide enough for tables where there is no terminal."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to `guarded`: rich itself would end with the code of an internal error."""
            raise BrokenPipeError

    found = Output(highlight=False)
    return found if found.is_terminal else Output(highlight=False, width=PLAIN_WIDTH)


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show progress on stderr: a bar on a terminal that vanishes at the end, else a line every ten seconds."""
    if not sys.stderr.isatty():
        yield _plain_progress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def update(step: str, done: int, total: int) -> None:
            bars.update(task, description=step, completed=done, total=total)

        yield update


def _plain_progress() -> Progress:
    last = time.monotonic()

    def update(step: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= PLAIN_PROGRESS_SECONDS:
            last = time.monotonic()
            note(f"... {step} ({done:,} of {total:,})")

    return update


def pairs(words: list[str] | None, option: str, example: str) -> dict[str, list[str]]:
    """Read repeated NAME=VALUE words into name -> values."""
    found: dict[str, list[str]] = {}
    for word in words or []:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise OptionNotUsable(f"{option} {word!r} is not NAME=VALUE.\nHint: {option} {example}")
        found.setdefault(name.strip(), []).append(value.strip())
    return found


def counted(number: int, thing: str) -> str:
    """Say how many there are of a thing: 1 row, 1,000 rows."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def ratio(value: float) -> str:
    """Show a number that may be far from one: four decimals where they say something, else three digits."""
    return f"{value:,.4f}" if 0.00005 <= value < 1e6 else f"{value:.3g}"


def percent(share: float, texts: Texts) -> str:
    """Show a share as percentage, without the no-break space that a page needs."""
    from sudare.report.numbers import Numbers

    return Numbers(texts).percent(share).replace("\N{NO-BREAK SPACE}", " ")
