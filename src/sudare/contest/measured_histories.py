"""What was measured of anonymized histories, kept in a folder while others are measured, so that a later call goes on.

The file has a row for each history: U, then the mean error of every measure and its standard deviation.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sudare.data.cells import CellHistory
from sudare.data.result_folders import keep_parameters, make_folder
from sudare.data.writing import check_writable, whole_file
from sudare.errors import OptionNotUsable
from sudare.showing import dataclass
from sudare.utility.use_cases import MEASURES, MeasuredError
from sudare.version import __version__

VALUES = "measures.csv"


@dataclass(frozen=True, slots=True)
class MeasuredHistory:
    """U of an anonymized history, and the errors of all measures."""

    name: str
    utility: float
    errors: tuple[MeasuredError, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values."""
        return {**asdict(self), "errors": [asdict(error) for error in self.errors]}


class MeasuredFile:
    """The measured histories in a folder, written anew with every addition, whole or not at all.

    What the values depend on is kept beside them; those of another original, other options or another version are an
    error. A history that has changed since is not found.
    """

    def __init__(self, folder: Path, original: CellHistory, options: Mapping[str, Any]) -> None:
        self._path = folder / VALUES
        make_folder(folder)
        check_writable(self._path)
        parameters = {"version": __version__, **options, "original": original.digest}
        known = keep_parameters(folder, "measured histories", parameters)
        self._rows = _read(self._path) if known and self._path.exists() else {}

    def find(self, name: str, history: CellHistory) -> MeasuredHistory | None:
        """Return what was measured of a history, if it was."""
        digest, found = self._rows.get(name, (None, None))
        return found if digest == history.digest else None

    def add(self, found: MeasuredHistory, history: CellHistory) -> None:
        """Keep what was measured of a history."""
        self._rows[found.name] = (history.digest, found)
        with whole_file(self._path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_header())
            writer.writerows(_row(digest, measured) for _, (digest, measured) in sorted(self._rows.items()))


def _header() -> list[str]:
    return ["name", "sha256", "utility", *(name for measure in MEASURES for name in (measure, f"{measure}_sd"))]


def _row(digest: str, found: MeasuredHistory) -> list[Any]:
    """Return a row of the file; what is not defined is empty."""
    return [
        found.name,
        digest,
        found.utility,
        *(value for error in found.errors for value in (error.mean, error.deviation)),
    ]


def _read(path: Path) -> dict[str, tuple[str, MeasuredHistory]]:
    with path.open(encoding="utf-8", newline="") as file:
        try:
            header, *rows = csv.reader(file)
            if header != _header():
                raise ValueError
            return {row[0]: (row[1], _measured(row)) for row in rows}
        except (IndexError, ValueError, csv.Error):
            raise OptionNotUsable(
                f"{path} has rows that sudare did not write.\nHint: name another folder, or delete that file."
            ) from None


def _measured(row: Sequence[str]) -> MeasuredHistory:
    values = [float(text) if text else None for text in row[3:]]
    errors = zip(MEASURES, values[::2], values[1::2], strict=True)
    return MeasuredHistory(row[0], float(row[2]), tuple(MeasuredError(*error) for error in errors))
