"""Excel and LibreOffice sheets, copied into text files."""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.showing import dataclass

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


@dataclass(frozen=True, slots=True)
class CopiedSheet:
    """A sheet that was copied into a text, and the other sheets of its file."""

    sheet: str
    others: tuple[str, ...]


def copy_sheet(path: Path, wanted: str | None, target: Path, name: str) -> CopiedSheet:
    """Copy a sheet, the first unless another is wanted, into a text in UTF-8; rows keep their numbers as lines."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_path(path)
    except (CalamineError, OSError) as error:
        raise SourceNotReadable("errors.sources.not_excel", name=name, reason=str(error)) from None
    names = workbook.sheet_names
    if wanted is not None and wanted not in names:
        raise OptionNotUsable("errors.sources.unknown_sheet", name=name, sheet=wanted, sheets=", ".join(names))
    sheet = wanted or names[0]
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(_sheet_rows(workbook, sheet))
    return CopiedSheet(sheet, tuple(other for other in names if other != sheet))


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
