"""Turning whatever holds the data (a path, a dataframe, a relation) into a table the engine can read."""

from __future__ import annotations

import csv
import datetime as dt
import difflib
import tempfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from sudare.engine import Engine, quote_name, quote_text
from sudare.engine.options import parquet_files
from sudare.engine.protocol import ZONE
from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.showing import dataclass
from sudare.sources.encodings import find_text, recode
from sudare.sources.text import TextForm, file_hash, find_form, line_numbers, record_lines

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
ZONED = "TIMESTAMP WITH TIME ZONE"
# What the names of types begin with whose values are text: categories, texts of a length or a collation.
_TEXTS = ("ENUM", "VARCHAR", "CHAR", "STRING", "JSON")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """How to read a source, in the words that all readers share; None is found out."""

    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    sheet: str | None = None
    time_zone: str | None = None

    def check(self) -> None:
        """Raise OptionNotUsable if there is no such time zone."""
        zone = self.time_zone
        if zone is None:
            return
        # Looks through a folder of many files, so only where a zone was given.
        known = available_timezones() - {"localtime"}
        if zone in known:
            return
        if not known:
            raise OptionNotUsable(
                "This machine has no list of time zones.\nHint: pip install tzdata, or omit --time-zone."
            )
        near = difflib.get_close_matches(zone, known, n=3)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise OptionNotUsable(f"There is no time zone {zone!r}.{meant}\nHint: UTC, Asia/Tokyo, Europe/Paris, ...")


@dataclass(frozen=True, slots=True)
class Source:
    """A table an engine can read, and what is known of where it comes from."""

    name: str
    format: str
    table: str
    columns: tuple[str, ...]
    expressions: tuple[str, ...]
    types: tuple[str, ...]
    header: bool = True
    sha256: str | None = None
    guesses: dict[str, str] = field(default_factory=dict)
    file: Path | None = None
    form: TextForm | None = None
    # The file that is read where it lies; None for copies, folders and dataframes.
    in_place: Path | None = None
    # The places of columns of moments with a time zone, and the zone by whose clock they are taken.
    zoned: tuple[int, ...] = ()
    clock: str | None = None

    def broken_lines(self, engine: Engine) -> dict[int, str]:
        """Return line number and reason of the lines that did not divide into the columns."""
        if self.file is None:
            return {}
        rejected = engine.rejected_lines()
        lines = line_numbers(self.file, [position for position, _ in rejected])
        return dict(zip(lines, (reason for _, reason in rejected), strict=True))

    def rows_of(self, records: list[int], broken: Collection[int]) -> dict[int, int]:
        """Return where a person finds the given records: the line of a text, the row of a sheet, else the record."""
        if self.file is None or self.form is None:
            return {record: record for record in records}
        return record_lines(self.file, self.form, broken, records)


def open_source(source: object, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    """Make a source readable on the engine; temporary files live until `cleanup` is closed."""
    options.check()
    if isinstance(source, str) and (table := engine.find(source)):
        return _typed_source(source, "table", table, engine.describe(table), None, options)
    if isinstance(source, str | Path):
        return _open_path(Path(source), engine, options, cleanup)
    return _open_frame(source, engine, options, cleanup)


def _open_path(path: Path, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    check_readable(path)
    if path.is_dir() or path.suffix.lower() in PARQUET:
        return _open_parquet(path, engine, options)
    if path.suffix.lower() in EXCEL:
        return _open_excel(path, engine, options, cleanup)
    return _open_text(path, engine, options, cleanup)


def check_readable(path: Path) -> None:
    """Raise SourceNotReadable unless there is a file with something in it, or a folder of Parquet files."""
    try:
        if not path.exists():
            raise SourceNotReadable(
                f"There is no file {path}.{_near(path)}\nHint: check the name and the folder you are in."
            )
        if path.is_dir():
            readable, why = bool(parquet_files(path)), "is a folder without Parquet files"
        elif not path.is_file():
            readable, why = False, "is no regular file"
        else:
            with path.open("rb") as file:
                readable, why = bool(file.read(1)), "is empty"
    except OSError as error:
        raise SourceNotReadable(
            f"{path} cannot be read: {error.strerror}.\nHint: ask for the right to read it."
        ) from None
    if not readable:
        raise SourceNotReadable(
            f"{path} {why}.\nHint: give a CSV, Parquet or Excel file with at least one row of data."
        )


def _near(path: Path) -> str:
    near = [other.name for other in path.parent.glob("*") if other.stem == path.stem] if path.parent.is_dir() else []
    return f" In that folder: {', '.join(sorted(near)[:5])}." if near else ""


def _open_text(path: Path, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    found = find_text(path, encoding=options.encoding)
    file = path
    if found.encoding != "utf-8":
        file = _temporary(cleanup) / "recoded.csv"
        recode(path, found.encoding, file)
    form = find_form(file, found.encoding, delimiter=options.delimiter, header=options.header, name=str(path))
    made = _text_source(str(path), "CSV", found.sha256, file, form, engine, _guesses(form, options))
    return replace(made, in_place=path) if file == path else made


def _guesses(form: TextForm, options: SourceOptions) -> dict[str, str]:
    guesses = {}
    if options.encoding is None:
        guesses["encoding"] = form.encoding
    if options.delimiter is None:
        guesses["delimiter"] = "tab" if form.delimiter == "\t" else form.delimiter
    if options.header is None:
        guesses["header"] = "yes" if form.header else "no"
    return guesses


def _text_source(
    name: str, kind: str, sha256: str, file: Path, form: TextForm, engine: Engine, guesses: dict[str, str]
) -> Source:
    # Positions as names: a header may repeat names or leave them empty.
    inner = tuple(f"c{n}" for n in range(len(form.columns)))
    table = engine.csv(file, columns=inner, delimiter=form.delimiter, header=form.header)
    types = ("VARCHAR",) * len(inner)
    return Source(
        name, kind, table, form.columns, inner, types, form.header, sha256, guesses, file, form
    )  # fmt: skip


def _open_parquet(path: Path, engine: Engine, options: SourceOptions) -> Source:
    table = engine.parquet(path)
    file = path if path.is_file() else None
    return _typed_source(str(path), "Parquet", table, engine.describe(table), file, options)


def _open_frame(frame: object, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    # Not before it is needed: it takes longer to load than a small file to read.
    import narwhals as nw

    try:
        native = nw.from_native(frame)  # type: ignore[call-overload]
    except TypeError:
        raise SourceNotReadable(
            f"A {type(frame).__name__} is no source of data.\nHint: give a path, a DuckDB relation or a dataframe."
        ) from None
    kind = native.implementation.name.lower()
    if kind.startswith("pyspark"):
        return _open_spark_frame(frame, engine, options, cleanup)
    if isinstance(native, nw.LazyFrame) and kind != "duckdb":
        native = native.collect()
    if isinstance(native, nw.DataFrame):
        # A column without any value has no type an engine could read.
        empty = [name for name, type_ in native.schema.items() if type_ == nw.Unknown and native[name].is_null().all()]
        native = native.with_columns(nw.col(name).cast(nw.String) for name in empty)
    if not native.columns:
        raise SourceNotReadable("The dataframe has no columns.\nHint: give one with at least a column and a row.")
    inner = native.to_native()
    engine.attach("attached_frame", inner if kind == "pandas" else _ArrowStream(inner))
    cleanup.callback(engine.drop, "attached_frame")
    name = f"{kind} relation" if kind == "duckdb" else f"{kind} dataframe"
    return _typed_source(name, name, "attached_frame", engine.describe("attached_frame"), None, options)


def _open_spark_frame(frame: object, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    if engine.name != "spark":
        raise SourceNotReadable(
            f"The engine {engine.name} cannot read a dataframe of Spark.\n"
            "Hint: leave the engine out, or give SparkEngine(session=spark)."
        )
    engine.attach("attached_frame", frame)
    cleanup.callback(engine.drop, "attached_frame")
    described = engine.describe("attached_frame")
    return _typed_source("spark dataframe", "spark dataframe", "attached_frame", described, None, options)


class _ArrowStream:
    """Offers a frame by the Arrow C stream alone, anew on each scan: all frames and relations have it."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def _typed_source(
    name: str, kind: str, table: str, described: dict[str, str], file: Path | None, options: SourceOptions
) -> Source:
    """Return a source whose columns have types; moments with a time zone are taken as the clock of one zone shows them.

    So a day is the same day on every machine. Categories are the texts that they stand for.
    """
    expressions = [quote_name(column) for column in described]
    types = list(described.values())
    for place, type_ in enumerate(types):
        if type_ != "VARCHAR" and type_.startswith(_TEXTS):
            expressions[place], types[place] = f"CAST({expressions[place]} AS STRING)", "VARCHAR"
    zoned = tuple(place for place, type_ in enumerate(types) if type_ == ZONED)
    for place in zoned:
        clock, types[place] = f"CAST({expressions[place]} AS TIMESTAMP)", "TIMESTAMP"
        expressions[place] = f"clock_in({clock}, {quote_text(options.time_zone)})" if options.time_zone else clock
    return Source(
        name, kind, table, tuple(described), tuple(expressions), tuple(types), sha256=file_hash(file) if file else None,
        in_place=file, zoned=zoned, clock=(options.time_zone or ZONE) if zoned else None,
    )  # fmt: skip


def _open_excel(path: Path, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    """Read a sheet through a temporary CSV file, so that it obeys the same rules as any text."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_path(path)
    except (CalamineError, OSError) as error:
        raise SourceNotReadable(f"{path} cannot be read as Excel: {error}.\nHint: save it anew, or as CSV.") from None
    sheet = _choose_sheet(workbook, options.sheet, path)
    file = _temporary(cleanup) / "sheet.csv"
    with file.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target).writerows(_sheet_rows(workbook, sheet))
    form = find_form(file, "utf-8", delimiter=",", header=options.header, name=f"{path}, sheet {sheet}")
    guesses = {} if options.sheet else {"sheet": sheet}
    if options.header is None:
        guesses["header"] = "yes" if form.header else "no"
    return _text_source(str(path), "Excel", file_hash(path), file, form, engine, guesses)


def _choose_sheet(workbook: CalamineWorkbook, wanted: str | None, path: Path) -> str:
    names = workbook.sheet_names
    if wanted is not None and wanted not in names:
        raise OptionNotUsable(f"{path} has no sheet {wanted!r}.\nSheets there: {', '.join(names)}.")
    return wanted or names[0]


def _sheet_rows(workbook: CalamineWorkbook, sheet: str) -> Iterator[list[str]]:
    # Rows above the first used one are kept out of the sheet by calamine; blank lines stand for them so that rows keep
    # their numbers.
    found = workbook.get_sheet_by_name(sheet)
    for _ in range(found.start[0] if found.start else 0):
        yield []
    for row in found.iter_rows():
        cells = [_cell_text(cell) for cell in row]
        yield cells if any(cells) else []


def _cell_text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ", timespec="minutes")
    return str(cell)


def _temporary(cleanup: ExitStack) -> Path:
    return Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="sudare-")))


def refuse_broken(engine: Engine, source: Source) -> None:
    """Refuse a text, now read, of which some lines do not divide into the columns."""
    broken = source.broken_lines(engine)
    if broken:
        shown = "\n".join(f"  row {line:,}: {reason}" for line, reason in list(broken.items())[:10])
        raise BadRows(
            f"{source.name} has {len(broken):,} lines that do not divide into the columns; nothing was read.\n{shown}\n"
            "Hint: mend or remove them."
        )
