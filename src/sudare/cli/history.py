"""How commands are told which purchase history to read, and how they show what was read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from sudare.cli.frame import counted, note, pairs
from sudare.errors import OptionNotUsable
from sudare.limits import MEMORY
from sudare.progress import Progress

if TYPE_CHECKING:
    from sudare.data.history import PurchaseHistory, Reading


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """The words that say which history to read and how."""

    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A CSV, Parquet or Excel file, or a folder of Parquet files."),
    ]
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=NAME",
            help="Column of a role (customer, day, item, invoice, time, price, quantity).",
        ),
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(metavar="CHARACTER", help="Delimiter of a CSV file. Found if not given.")
    ] = None
    header: Annotated[bool | None, typer.Option("--header/--no-header", help="Whether the first line has names.")] = (
        None
    )
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Encoding of a CSV file. Found if UTF-8, UTF-16 or cp932.")
    ] = None
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="Sheet of an Excel file. The first if not given.")
    ] = None
    date_format: Annotated[str | None, typer.Option(metavar="FORMAT", help="Form of the days, such as '%d.%m.%Y'.")] = (
        None
    )
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=VALUE", help="A value that means missing, such as customer=0."),
    ] = None
    bad_rows: Annotated[
        Literal["refuse", "drop"], typer.Option(metavar="refuse|drop", help="What to do with rows that cannot be used.")
    ] = "refuse"
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Memory the engine may use.")] = MEMORY
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="Threads the engine may use. All cores if not given.")
    ] = None

    @contextmanager
    def read(self, progress: Progress) -> Iterator[PurchaseHistory]:
        """Read the history, tell how it was read, and close it at the end."""
        from sudare.data.reading import read_history
        from sudare.engine import DuckDBEngine

        with DuckDBEngine(memory=self.memory, threads=self.threads) as engine:
            history = read_history(
                self.file,
                columns=_single(pairs(self.column, "--column", "customer=CustomerID")),
                delimiter=self.delimiter,
                header=self.header,
                encoding=self.encoding,
                sheet=self.sheet,
                date_format=self.date_format,
                missing=pairs(self.missing, "--missing", "customer=0"),
                bad_rows=self.bad_rows,
                engine=engine,
                progress=progress,
            )
            tell_reading(history.reading)
            yield history


def _single(found: dict[str, list[str]]) -> dict[str, str]:
    for role, names in found.items():
        if len(names) > 1:
            raise OptionNotUsable(f"--column {role} is given twice: {' and '.join(names)}.\nHint: give one.")
    return {role: names[0] for role, names in found.items()}


def tell_reading(reading: Reading) -> None:
    """Say on stderr what was read, guessed and dropped."""
    guessed = "".join(f", {name} {value!r}" for name, value in reading.guesses.items())
    note(f"Read {reading.source}: {reading.format}, {counted(reading.rows, 'row')}{guessed}")
    note("Columns: " + ", ".join(f"{role}={column}" for role, column in reading.columns.items()))
    for part in reading.dropped:
        where = f" (column {part.column})" if part.column else ""
        note(f"Dropped {counted(part.rows, 'row')}: {part.reason}{where}")


def reads_history(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `HistoryOptions`; it takes them as its first argument, one object."""
    hints = get_type_hints(HistoryOptions, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[field.name],
            default=inspect.Parameter.empty if field.name == "file" else field.default,
        )
        for field in fields(HistoryOptions)
    ]
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

    @functools.wraps(command)
    def run(**words: Any) -> None:
        options = {field.name: words.pop(field.name) for field in fields(HistoryOptions)}
        command(HistoryOptions(**options), **words)

    required = [parameter for parameter in own if parameter.default is inspect.Parameter.empty]
    optional = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own if parameter not in required
    ]
    required = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in required]
    parameters = [shared[0], *required, *optional, *shared[1:]]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__
    return run
