"""The rows of experiments, kept in a folder while they are computed, so that a later call continues with them."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, fields
from hashlib import sha256
from pathlib import Path

from sudare.baskets.model import Baskets
from sudare.errors import OptionNotUsable
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.result_folders import keep_parameters, make_folder
from sudare.sources.writing import check_writable, whole_file
from sudare.version import __version__

ROWS = "rows.csv"


@dataclass(frozen=True, slots=True, order=True)
class ExperimentRow(Result):
    """One value of a figure, for a data set, setting, point on the axis and repetition, and whether the run was safe.

    `value` is the measure that the figure shows; the three measures of the run follow it. The one for rules is None if
    there were too many to compare.
    """

    figure: int
    data: str
    setting: str
    x: float
    repetition: int
    value: float
    safe: bool
    suppressed_share: float
    kl_divergence: float
    rules_distance: float | None

    @property
    def key(self) -> tuple[int, str, str, float, int]:
        """What identifies the row."""
        return self.figure, self.data, self.setting, self.x, self.repetition


class RowsFile:
    """The rows in a folder, written anew with every addition, whole or not at all.

    What they depend on is kept beside them; rows of other parameters, version or content of the data are an error.
    """

    def __init__(self, folder: Path, data: Mapping[str, Baskets], given: Mapping[str, object]) -> None:
        self._path = folder / ROWS
        make_folder(folder)
        check_writable(self._path)
        parameters = {"version": __version__, **given}
        digests = {f"data {name}": _digest(baskets) for name, baskets in data.items()}
        known = keep_parameters(folder, "experiments with baskets", parameters, digests)
        rows = _read_rows(self._path) if known and self._path.exists() else []
        self._rows = {row.key: row for row in rows}

    def has(self, rows: Sequence[ExperimentRow]) -> bool:
        """Say whether there are rows about the same."""
        return all(row.key in self._rows for row in rows)

    def add(self, rows: Sequence[ExperimentRow]) -> None:
        """Keep more rows."""
        self._rows.update({row.key: row for row in rows})
        with whole_file(self._path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(field.name for field in fields(ExperimentRow))
            writer.writerows(astuple(row) for row in sorted(self._rows.values()))

    def chosen(self, figures: Collection[int], data: Collection[str], repetitions: int) -> tuple[ExperimentRow, ...]:
        """Return the rows of some figures and data sets and of the first repetitions, in order."""
        return tuple(
            row
            for row in sorted(self._rows.values())
            if row.figure in figures and row.data in data and row.repetition <= repetitions
        )


def _read_rows(path: Path) -> list[ExperimentRow]:
    with path.open(encoding="utf-8", newline="") as file:
        try:
            return [
                ExperimentRow(
                    int(row["figure"]),
                    row["data"],
                    row["setting"],
                    float(row["x"]),
                    int(row["repetition"]),
                    float(row["value"]),
                    row["safe"] == "True",
                    float(row["suppressed_share"]),
                    float(row["kl_divergence"]),
                    float(row["rules_distance"]) if row["rules_distance"] else None,
                )
                for row in csv.DictReader(file)
            ]
        except (KeyError, TypeError, ValueError, csv.Error):
            raise OptionNotUsable("errors.experiments.foreign_rows", path=path) from None


def _digest(baskets: Baskets) -> str:
    parts = (baskets.starts.tobytes(), baskets.items.tobytes(), "\n".join(baskets.names).encode())
    return sha256(b"\0".join(parts)).hexdigest()
