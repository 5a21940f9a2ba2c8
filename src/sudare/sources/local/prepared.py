"""Files in a format that every engine reads, UTF-8 text or Parquet; several of a kind as one."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from itertools import pairwise
from pathlib import Path
from typing import IO

from sudare.engine.duckdb.database import copy_table
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.showing import dataclass
from sudare.sources.encodings import CHUNK_BYTES, find_text, recode
from sudare.sources.local.databases import choose_table, copy_sqlite_table, database_kind
from sudare.sources.local.files import (
    STANDARD_INPUT_NAME,
    check_readable,
    find_files,
    refuse_web_address,
    shown_name,
)
from sudare.sources.local.names import not_found
from sudare.sources.local.packed import is_sheet, unpacked
from sudare.sources.local.sheets import EXCEL, copy_sheet
from sudare.sources.options import SourceOptions
from sudare.sources.text import TextForm, csv_rows, file_hash, find_form

PARQUET = (".parquet", ".pq")
_PARQUET_MARK = b"PAR1"
# What an Excel file from before 2007 begins with.
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class Piece:
    """One of several texts that were joined: from which line of the whole it starts, and with which line of its own."""

    name: str
    start: int
    line: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text in UTF-8 with its `form`, or Parquet without; `in_place` is the file itself where no copy was made.

    `alternatives` are what else could have been taken in place of what was. `by_lines` says whether the owner of the
    file sees its rows as the lines of the text.
    """

    format: str
    file: Path
    sha256: str | None
    form: TextForm | None = None
    guesses: dict[str, str] = field(default_factory=dict)
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    in_place: Path | None = None
    by_lines: bool = True
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalText:
    """A text on this machine: where it lies, what its owner calls it, its encoding, and the hash of its files.

    `files` are those that were joined, if there were several.
    """

    file: Path
    name: str
    encoding: str
    sha256: str
    files: tuple[str, ...] = ()


def prepare_files(files: Sequence[Path], name: str, options: SourceOptions, cleanup: ExitStack) -> Prepared:
    """Prepare the file, or all the files, that a name stands for; copies live until `cleanup` is closed."""
    if len(files) == 1:
        return _prepare(files[0], name, options, cleanup)
    parts: list[Prepared] = []
    for file in files:
        # What was found in the first file holds for all of them.
        parts.append(_prepare(file, str(file), _as_first(options, parts), cleanup))
    for (one, this), (other, that) in pairwise(zip(files, parts, strict=True)):
        if this.format != that.format:
            raise SourceNotReadable(
                "errors.sources.several_kinds",
                name=name, first=one, kind=this.format, second=other, other=that.format,
            )  # fmt: skip
    joined = _join_texts(files, parts, cleanup) if parts[0].form else _join_parquet(parts, cleanup)
    return replace(joined, sha256=_hash_of_all(files))


def _as_first(options: SourceOptions, parts: Sequence[Prepared]) -> SourceOptions:
    if not parts or (form := parts[0].form) is None:
        return options
    return replace(options, delimiter=form.delimiter, header=form.header)


def _prepare(path: Path, name: str, options: SourceOptions, cleanup: ExitStack) -> Prepared:
    check_readable(path, name)
    file = unpacked(path, cleanup, name=name)
    if file != path:
        check_readable(file, name)
    kind = database_kind(file)
    if options.table is not None and kind is None:
        raise OptionNotUsable("errors.sources.table_of_no_database", name=name, table=options.table)
    if kind is not None:
        made = _prepare_table(file, kind, name, options, cleanup)
    elif is_parquet(file):
        made = Prepared("Parquet", file, None, in_place=file if path.is_file() else None)
    elif is_excel(file):
        made = _prepare_sheet(file, name, options, cleanup)
    else:
        made = _prepare_text(file, name, options, cleanup)
    if file != path:
        made = replace(made, in_place=None, sha256=None)
    return made if made.sha256 or path.is_dir() else replace(made, sha256=file_hash(path))


def is_parquet(path: Path) -> bool:
    """Tell whether a path is a folder or a Parquet file, by its name or its first bytes."""
    return path.is_dir() or path.suffix.lower() in PARQUET or _begins_with(path, _PARQUET_MARK)


def is_excel(path: Path) -> bool:
    """Tell whether a file is one of Excel or LibreOffice, by its name or its contents."""
    if path.suffix.lower() in EXCEL or _begins_with(path, b"PK"):
        return path.suffix.lower() in EXCEL or is_sheet(path)
    return path.name == STANDARD_INPUT_NAME and _begins_with(path, _OLD_OFFICE)


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _prepare_text(file: Path, name: str, options: SourceOptions, cleanup: ExitStack) -> Prepared:
    found = find_text(file, encoding=options.encoding, name=name)
    read = file
    if found.encoding != "utf-8":
        read = temporary_folder(cleanup) / "recoded.csv"
        recode(file, found.encoding, read)
    form = find_form(read, found.encoding, delimiter=options.delimiter, header=options.header, name=name)
    return Prepared(
        "CSV", read, found.sha256, form, _guesses(form, options), in_place=file if read == file else None
    )  # fmt: skip


def _guesses(form: TextForm, options: SourceOptions) -> dict[str, str]:
    guesses = {}
    if options.encoding is None:
        guesses["encoding"] = form.encoding
    if options.delimiter is None:
        guesses["delimiter"] = "tab" if form.delimiter == "\t" else form.delimiter
    if options.header is None:
        guesses["header"] = "yes" if form.header else "no"
    return guesses


def _prepare_sheet(file: Path, name: str, options: SourceOptions, cleanup: ExitStack) -> Prepared:
    target = temporary_folder(cleanup) / "sheet.csv"
    copied = copy_sheet(file, options.sheet, target, name)
    form = find_form(target, "utf-8", delimiter=",", header=options.header, name=f"{name} ({copied.sheet})")
    guesses = {} if options.sheet else {"sheet": copied.sheet}
    if options.header is None:
        guesses["header"] = "yes" if form.header else "no"
    alternatives = {"sheet": copied.others} if copied.others and not options.sheet else {}
    return Prepared("Excel", target, None, form, guesses, alternatives)


def _prepare_table(file: Path, kind: str, name: str, options: SourceOptions, cleanup: ExitStack) -> Prepared:
    table = choose_table(file, kind, options.table, name)
    guesses = {} if options.table else {"table": table}
    folder = temporary_folder(cleanup)
    if kind == "DuckDB":
        return Prepared(kind, copy_table(file, table, folder / "table.parquet"), None, guesses=guesses)
    target = folder / "table.csv"
    columns = copy_sqlite_table(file, table, target, name)
    return Prepared(kind, target, None, TextForm("utf-8", ",", True, columns), guesses, by_lines=False)


def text_of(source: str | Path, encoding: str | None, cleanup: ExitStack) -> LocalText | None:
    """Return the text that a name stands for, unpacked, several of them joined; None if it is of another kind."""
    files, name = find_files(source), shown_name(source)
    if not files:
        refuse_web_address(source)
        raise not_found(source)
    texts = []
    for path in files:
        said = name if len(files) == 1 else str(path)
        check_readable(path, said)
        file = unpacked(path, cleanup, name=said)
        if is_parquet(file) or is_excel(file) or database_kind(file):
            return None
        check_readable(file, said)
        texts.append((path, file, find_text(file, encoding=encoding, name=said)))
    path, file, found = texts[0]
    if len(texts) == 1:
        return LocalText(file, name, found.encoding, found.sha256 if file == path else file_hash(path))
    target = temporary_folder(cleanup) / "joined.txt"
    with target.open("wb") as joined:
        for _, file, found in texts:
            recoded = file
            if found.encoding != "utf-8":
                recoded = temporary_folder(cleanup) / "recoded.txt"
                recode(file, found.encoding, recoded)
            _append(recoded, joined, 0)
    return LocalText(target, name, "utf-8", _hash_of_all(files), tuple(map(str, files)))


def temporary_folder(cleanup: ExitStack) -> Path:
    """Make a private folder that is removed when `cleanup` is closed."""
    return Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="sudare-")))


def _join_texts(files: Sequence[Path], parts: Sequence[Prepared], cleanup: ExitStack) -> Prepared:
    """Write texts one after another, with the header of the first; all must have its columns."""
    first = parts[0].form
    target = temporary_folder(cleanup) / "joined.csv"
    pieces: list[Piece] = []
    line = 1
    with target.open("wb") as joined:
        for file, part in zip(files, parts, strict=True):
            if first is None or part.form is None or part.form.columns != first.columns:
                raise SourceNotReadable(
                    "errors.sources.other_columns",
                    first=files[0], second=file,
                    columns=", ".join(first.columns if first else ()),
                    others=", ".join(part.form.columns if part.form else ()),
                )  # fmt: skip
            header = _header_lines(part) if pieces and first.header else 0
            pieces.append(Piece(str(file), line, header + 1))
            line += _append(part.file, joined, header)
    return replace(parts[0], file=target, in_place=None, pieces=tuple(pieces))


def _header_lines(part: Prepared) -> int:
    """Return how many lines there are up to the end of the header, blank ones before it included."""
    delimiter = part.form.delimiter if part.form else ","
    with part.file.open(encoding="utf-8-sig", newline="") as file:
        return next((last for last, row in csv_rows(file, delimiter) if row), 0)


def _append(file: Path, joined: IO[bytes], skipped: int) -> int:
    """Append a text without its first lines, and a line end if it lacks one; return how many lines were written."""
    lines, last = 0, b"\n"
    with file.open("rb") as part:
        for _ in range(skipped):
            part.readline()
        while chunk := part.read(CHUNK_BYTES):
            joined.write(chunk)
            lines, last = lines + chunk.count(b"\n"), chunk
    if not last.endswith(b"\n"):
        joined.write(b"\n")
        lines += 1
    return lines


def _join_parquet(parts: Sequence[Prepared], cleanup: ExitStack) -> Prepared:
    """Make a folder of links to the files."""
    folder = temporary_folder(cleanup)
    for number, part in enumerate(parts):
        (folder / f"{number:08}.parquet").symlink_to(part.file.absolute())
    return replace(parts[0], file=folder, in_place=None)


def _hash_of_all(files: Sequence[Path]) -> str:
    """Return the SHA-256 of the bytes of all files, one after another."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
    return digest.hexdigest()
