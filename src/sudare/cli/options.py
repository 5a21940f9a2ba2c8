"""Options that commands share, as fields of a class that a command takes whole."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from sudare.cli.files import READ
from sudare.errors import OptionNotUsable
from sudare.limits import MEMORY
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.engine import Engine

MemoryOption = Annotated[str, typer.Option(metavar="SIZE", help="Memory the engine may use; the rest is spilled.")]
SpillOption = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder for what does not fit into memory.")]
ThreadsOption = Annotated[int | None, typer.Option(metavar="N", help="Threads to use. All cores if not given.")]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """The words that say which file to read and how, whatever is in it."""

    file: Annotated[
        str, READ, typer.Argument(metavar="FILE", help="A CSV, Parquet or Excel file, or a folder of Parquet files.")
    ]
    delimiter: Annotated[
        str | None, typer.Option(metavar="CHARACTER", help="Delimiter of a CSV file. Found if not given.")
    ] = None
    header: Annotated[bool | None, typer.Option("--header/--no-header", help="Whether the first line has names.")] = (
        None
    )
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Encoding of a CSV file. Found if UTF-8, UTF-16 or Japanese."),
    ] = None
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of an Excel file. The first if not given.")
    ] = None
    time_zone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE",
            help="Zone whose clock decides the day of a moment with a time zone, such as Asia/Tokyo "
            "[default: UTC; for text the clock as written].",
        ),
    ] = None
    engine_name: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Where to count: duckdb, local[2] (Spark on this machine), spark://host:port. "
            "On Spark FILE may also be a table of the catalog or an address of Parquet files.",
        ),
    ] = "duckdb"
    memory: MemoryOption = MEMORY
    spill_dir: SpillOption = None
    min_cell: Annotated[
        int, typer.Option(metavar="N", help="Smallest count that may leave the engine; smaller ones are merged.")
    ] = 1
    threads: ThreadsOption = None

    def engine(self) -> Engine:
        """Start the engine that is to hold the data."""
        from sudare.engine import open_engine

        return open_engine(
            self.engine_name, memory=self.memory, threads=self.threads, spill=self.spill_dir, min_cell=self.min_cell
        )

    def form(self) -> dict[str, Any]:
        """Return how the file is written, as far as it was said."""
        return {name: getattr(self, name) for name in ("delimiter", "header", "encoding", "sheet", "time_zone")}


def support_of(words: str) -> float:
    """Read a support: a whole number is one of records, everything else a share."""
    try:
        return int(words) if words.isdecimal() else float(words)
    except ValueError:
        raise OptionNotUsable(
            f"--support {words!r} is not a number.\nHint: --support 0.001, or --support 60."
        ) from None


# What arguments of the library are called in commands, where it is something else.
_ARGUMENTS = {"most_worst": "worst", "seconds": "time_limit", "spill": "spill_dir"}


def option_name(command: Callable[..., Any], argument: str) -> str:
    """Return the option of a command that is passed on as an argument of the library; without one, the argument."""
    parameters = inspect.signature(command, eval_str=True).parameters
    found = parameters.get(argument) or parameters.get(_ARGUMENTS.get(argument, ""))
    if found is None:
        return argument
    for declared in get_args(found.annotation):
        if isinstance(declared, ArgumentInfo):
            return str(declared.metavar)
        if isinstance(declared, OptionInfo):
            # The first of the names in an annotation is taken for the default.
            names = [name for name in (declared.default, *(declared.param_decls or ())) if isinstance(name, str)]
            return names[0] if names else f"--{found.name.replace('_', '-')}"
    return argument


def taking(options: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a class as its options; it takes them as its first argument, one object.

    Arguments come before options, and the command's own before the shared ones.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        names = [field.name for field in fields(options)]
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        first, *rest = _parameters(options)
        parameters = sorted([first, *own, *rest], key=_is_optional)

        @functools.wraps(command)
        def run(**words: Any) -> None:
            chosen = options(**{name: words.pop(name) for name in names})
            command(chosen, **words)

        run.__signature__ = inspect.Signature([p.replace(kind=p.KEYWORD_ONLY) for p in parameters])  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del run.__wrapped__
        return run

    return decorate


@functools.cache
def _parameters(options: type) -> list[inspect.Parameter]:
    hints = get_type_hints(options, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[field.name],
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(options)
    ]


def _is_optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty
