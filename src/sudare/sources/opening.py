"""Turning any data source (a path, a dataframe, a relation) into a table the engine can read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from sudare.engine import Engine, quote_name, quote_text
from sudare.engine.protocol import ZONE
from sudare.errors import BadRows, SourceNotReadable
from sudare.messages import Joined, Message, message
from sudare.showing import dataclass
from sudare.sources.local.files import find_files, refuse_web_address, shown_name
from sudare.sources.local.names import is_pattern, not_found
from sudare.sources.local.prepared import Piece, Prepared, prepare_files
from sudare.sources.options import SourceOptions
from sudare.sources.text import TextForm, line_numbers, record_lines

ZONED = "TIMESTAMP WITH TIME ZONE"
# What the names of types begin with whose values are text: categories, texts of a length or a collation.
_TEXTS = ("ENUM", "VARCHAR", "CHAR", "STRING", "JSON")


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
    # What else could have been taken: other sheets of a file.
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # The files that a pattern stands for, if it stands for more than one.
    files: tuple[str, ...] = ()
    # The text whose lines are the rows that a person sees, if there is one.
    text: Prepared | None = None
    # The file that is read where it lies; None for copies, folders and dataframes.
    in_place: Path | None = None
    # The places of columns of moments with a time zone, and the zone by whose clock they are taken.
    zoned: tuple[int, ...] = ()
    clock: str | None = None

    def broken_lines(self, engine: Engine) -> dict[int, Message]:
        """Return line number and reason of the lines that did not divide into the columns."""
        if self.text is None:
            return {}
        rejected = engine.rejected_lines()
        lines = line_numbers(self.text.file, [position for position, _ in rejected])
        return dict(zip(lines, (reason for _, reason in rejected), strict=True))

    def rows_of(self, records: list[int], broken: Collection[int]) -> dict[int, int]:
        """Return where a person finds the given records: the line of a text, the row of a sheet, else the record.

        In texts that were joined it is the line of the whole; `where` says of which file.
        """
        if self.text is None or self.text.form is None:
            return {record: record for record in records}
        return record_lines(self.text.file, self.text.form, broken, records)

    def where(self, row: int) -> Message:
        """Say where a person finds a row."""
        piece = self._piece(row)
        if piece is None:
            return message("errors.rows.at", row=row)
        return message("errors.rows.in_file", file=piece.name, row=row - piece.start + piece.line)

    def own_row(self, row: int) -> str:
        """Return the number of a row, with its file before it if there are several."""
        piece = self._piece(row)
        return str(row) if piece is None else f"{piece.name}:{row - piece.start + piece.line}"

    def _piece(self, row: int) -> Piece | None:
        pieces = self.text.pieces if self.text else ()
        return max((piece for piece in pieces if piece.start <= row), key=lambda piece: piece.start, default=None)


def open_source(source: object, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    """Make a source readable on the engine; temporary files live until `cleanup` is closed."""
    options.check()
    if not isinstance(source, str | Path):
        return _open_frame(source, engine, options, cleanup)
    files = find_files(source)
    if files:
        return _open_files(files, shown_name(source), engine, options, cleanup)
    refuse_web_address(source)
    if isinstance(source, str) and not is_pattern(source) and (table := engine.find(source)):
        return _typed_source(source, "table", table, engine.describe(table), options)
    raise not_found(source)


def _open_files(files: Sequence[Path], name: str, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    made = prepare_files(files, name, options, cleanup)
    if made.form is None:
        table = engine.parquet(made.file)
        found = _typed_source(name, made.format, table, engine.describe(table), options)
    else:
        found = _text_source(name, made, made.form, engine)
    return replace(
        found, sha256=made.sha256, in_place=made.in_place, guesses=made.guesses, alternatives=made.alternatives,
        files=tuple(map(str, files)) if len(files) > 1 else (),
    )  # fmt: skip


def _text_source(name: str, made: Prepared, form: TextForm, engine: Engine) -> Source:
    # Positions as names: a header may repeat names or leave them empty.
    inner = tuple(f"c{n}" for n in range(len(form.columns)))
    table = engine.csv(made.file, columns=inner, delimiter=form.delimiter, header=form.header)
    types = ("VARCHAR",) * len(inner)
    text = made if made.by_lines else None
    return Source(name, made.format, table, form.columns, inner, types, form.header, text=text)


def _open_frame(frame: object, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    # Not before it is needed: it takes longer to load than a small file to read.
    import narwhals as nw

    try:
        native = nw.from_native(frame)  # type: ignore[call-overload]
    except TypeError:
        raise SourceNotReadable("errors.sources.not_a_source", kind=type(frame).__name__) from None
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
        raise SourceNotReadable("errors.sources.frame_without_columns")
    inner = native.to_native()
    engine.attach("attached_frame", inner if kind == "pandas" else _ArrowStream(inner))
    cleanup.callback(engine.drop, "attached_frame")
    name = f"{kind} relation" if kind == "duckdb" else f"{kind} dataframe"
    return _typed_source(name, name, "attached_frame", engine.describe("attached_frame"), options)


def _open_spark_frame(frame: object, engine: Engine, options: SourceOptions, cleanup: ExitStack) -> Source:
    if engine.name != "spark":
        raise SourceNotReadable("errors.sources.spark_frame", engine=engine.name)
    engine.attach("attached_frame", frame)
    cleanup.callback(engine.drop, "attached_frame")
    described = engine.describe("attached_frame")
    return _typed_source("spark dataframe", "spark dataframe", "attached_frame", described, options)


class _ArrowStream:
    """Offers a frame by the Arrow C stream alone, anew on each scan: all frames and relations have it."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def _typed_source(name: str, kind: str, table: str, described: dict[str, str], options: SourceOptions) -> Source:
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
        name, kind, table, tuple(described), tuple(expressions), tuple(types), zoned=zoned,
        clock=(options.time_zone or ZONE) if zoned else None,
    )  # fmt: skip


def refuse_broken(engine: Engine, source: Source) -> None:
    """Refuse a text, now read, of which some lines do not divide into the columns."""
    broken = source.broken_lines(engine)
    if broken:
        shown = [message("errors.rows.problem", where=source.where(line), problem=why) for line, why in broken.items()]
        raise BadRows(
            "errors.sources.broken_lines", name=source.name, count=len(broken), lines=Joined(shown[:10], "lines")
        )
