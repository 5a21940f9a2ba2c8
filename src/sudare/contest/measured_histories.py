"""Measurements of anonymized histories: kept in a folder, read from tables, or published by a contest.

A file has a row for each history: its name, U, then the mean error of every measure, and its standard deviation.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from math import isfinite, nan
from pathlib import Path
from typing import Any

from sudare.arguments import checked
from sudare.errors import BadRows, ColumnNotFound, OptionNotUsable, SourceNotReadable
from sudare.histories.generalized.blocks import open_text
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.rule_sets import RuleSet, load_rules
from sudare.histories.utility.use_cases import MEASURES, MeasuredError
from sudare.messages import Joined, Message, message
from sudare.messages.reasons import reason_of
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.result_folders import keep_parameters, make_folder
from sudare.sources.writing import check_writable, whole_file
from sudare.version import __version__

VALUES = "measures.csv"


@dataclass(frozen=True, slots=True)
class MeasuredHistory(Result):
    """U of an anonymized history, and the errors of all measures or of those that were measured."""

    _rows = ("errors",)
    _row = MeasuredError

    name: str
    utility: float
    errors: tuple[MeasuredError, ...]

    @checked
    def mean(self, measure: str) -> float | None:
        """Return the mean error of a measure; None if it is undefined or was not measured."""
        return next((error.mean for error in self.errors if error.measure == measure), None)


class MeasuredFile:
    """The measured histories in a folder, written anew with every addition, whole or not at all.

    What the values depend on is kept beside them; those of another original, other options or another version are an
    error. A history that has changed since is not found.
    """

    def __init__(self, folder: Path, original: CellHistory, options: Mapping[str, Any]) -> None:
        self._path = folder / VALUES
        make_folder(folder)
        check_writable(self._path)
        parameters = {"version": __version__, **options, "original": original.digest()}
        known = keep_parameters(folder, "measured histories", parameters)
        self._rows = _read(self._path) if known and self._path.exists() else {}

    def find(self, name: str, history: CellHistory) -> MeasuredHistory | None:
        """Return what was measured of a history, if it was."""
        digest, found = self._rows.get(name, (None, None))
        return found if digest == history.digest() else None

    def add(self, found: MeasuredHistory, history: CellHistory) -> None:
        """Keep what was measured of a history."""
        self._rows[found.name] = (history.digest(), found)
        with whole_file(self._path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_header())
            writer.writerows(_row(digest, measured) for _, (digest, measured) in sorted(self._rows.items()))


@checked
def published_results(rules: RuleSet | None = None) -> tuple[MeasuredHistory, ...]:
    """Return the published results in a contest's rules: U and further measures of each team."""
    rules = rules or load_rules()
    for result in rules.results:
        _check_measures(result.measures, message("errors.measures.rules", rules=rules.name, team=result.team))
    return tuple(
        MeasuredHistory(
            result.team or str(number),
            result.utility,
            tuple(MeasuredError(name, result.measures[name], None) for name in MEASURES if name in result.measures),
        )
        for number, result in enumerate(rules.results, start=1)
    )


@checked
def read_measured_histories(path: str | Path) -> tuple[MeasuredHistory, ...]:
    """Read a table of measured values, CSV in UTF-8: one row per history, with columns `name` and `utility`.

    All other columns are measures; an empty cell is an undefined measure. Columns `sha256` and those ending in `_sd`
    are skipped, so that a `measures.csv` file can be read.
    """
    path = Path(path)
    with open_text(path) as file:
        text = file.read()
    try:
        rows = [row for row in csv.reader(text.decode("utf-8-sig").splitlines(), strict=True) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceNotReadable("errors.measures.not_csv", path=path, reason=reason_of(error)) from None
    header = [name.strip() for name in rows[0]] if rows else []
    missing = next((name for name in ("name", "utility") if name not in header), None)
    if missing:
        raise ColumnNotFound("errors.measures.no_column", path=path, column=missing)
    names = [name for name in header if name not in ("name", "utility", "sha256") and not name.endswith("_sd")]
    _check_measures(names, str(path))
    return tuple(
        _of_table(row, header, names, {"path": path, "row": number}) for number, row in enumerate(rows[1:], start=2)
    )


def keep_values(folder: Path, histories: Sequence[MeasuredHistory]) -> None:
    """Make a folder for what depends on these values alone; one that has something else is an error."""
    make_folder(folder)
    values = json.dumps([history.to_dict() for history in histories])
    parameters = {"version": __version__, "values": sha256(values.encode()).hexdigest()}
    keep_parameters(folder, "correlated values", parameters)


def _of_table(
    row: Sequence[str], header: Sequence[str], names: Sequence[str], place: Mapping[str, object]
) -> MeasuredHistory:
    if len(row) != len(header):
        raise BadRows("errors.measures.cells", **place, count=len(row), columns=len(header))
    cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
    errors = tuple(
        MeasuredError(name, _number(cells[name], name, place) if cells[name] else None, None)
        for name in MEASURES
        if name in names
    )
    return MeasuredHistory(cells["name"], _number(cells["utility"], "utility", place), errors)


def _number(text: str, name: str, place: Mapping[str, object]) -> float:
    try:
        found = float(text)
    except ValueError:
        found = nan
    if not isfinite(found):
        raise BadRows("errors.measures.number", **place, column=name, text=text)
    return found


def _check_measures(names: Iterable[str], source: str | Message) -> None:
    """Refuse measures that nobody knows, and two of one name."""
    seen: set[str] = set()
    for name in names:
        if name not in MEASURES:
            raise ColumnNotFound("errors.measures.unknown", source=source, measure=name, measures=Joined(MEASURES))
        if name in seen:
            raise ColumnNotFound("errors.measures.twice", source=source, measure=name)
        seen.add(name)


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
            raise OptionNotUsable("errors.contest.foreign_rows", path=path) from None


def _measured(row: Sequence[str]) -> MeasuredHistory:
    values = [float(text) if text else None for text in row[3:]]
    errors = zip(MEASURES, values[::2], values[1::2], strict=True)
    return MeasuredHistory(row[0], float(row[2]), tuple(MeasuredError(*error) for error in errors))
