"""Measurements of anonymized histories for increasing k, kept in a folder so that interrupted work can resume."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from sudare.errors import OptionNotUsable
from sudare.histories.attack.duel import VERDICTS, DuelVerdict
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.result_folders import keep_parameters, make_folder
from sudare.sources.writing import check_writable, whole_file

VALUES = "frontier.csv"


@dataclass(frozen=True, slots=True)
class FrontierPoint(Result):
    """One k: what it costs and how safe it is.

    No history of the model has a U below `utility_bound` (0: unknown). `holds` is condition H0. No attacker who knows
    only the classes is effective with a probability above `chance_bound`, and all attacks fail with at least
    probability `survives_at_least`, whatever they guess; both are None where nothing is proven (concealment).
    `chance_found` is the probability of the best guesses found. `classes` are the classes, or for concealment the
    connected parts of the graph of candidates. `verdict` is that of the built-in attacks, None if they were not run;
    `margin` is by how many hits the best of them exceeded or, if negative, missed what it needed, None if none of them
    is informative.
    """

    k: int
    utility: float
    utility_bound: float
    deleted_rows: int
    classes: int
    holds: bool
    chance_bound: float | None
    chance_found: float
    survives_at_least: float | None
    verdict: DuelVerdict | None
    margin: int | None
    converged: bool
    seconds: float

    @property
    def too_few(self) -> bool:
        """Whether too few customers are left for any right guesses to count: a bound of 0 then proves nothing."""
        return self.chance_bound == 0


class FrontierFile:
    """The points in a folder, written anew with every addition, whole or not at all.

    What they depend on is kept beside them; points of another history or of other options are an error.
    """

    def __init__(self, folder: Path, parameters: Mapping[str, Any]) -> None:
        self._path = folder / VALUES
        make_folder(folder)
        check_writable(self._path)
        known = keep_parameters(folder, "frontier", parameters)
        self._points = _read(self._path) if known and self._path.exists() else {}

    def find(self, k: int) -> FrontierPoint | None:
        """Return the point of a k, if it was measured."""
        return self._points.get(k)

    def add(self, point: FrontierPoint) -> None:
        """Keep a point."""
        self._points[point.k] = point
        with whole_file(self._path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_header())
            writer.writerows(astuple(found) for _, found in sorted(self._points.items()))


def _header() -> list[str]:
    return [field.name for field in fields(FrontierPoint)]


def _read(path: Path) -> dict[int, FrontierPoint]:
    with path.open(encoding="utf-8", newline="") as file:
        try:
            header, *rows = csv.reader(file)
            if header != _header():
                raise ValueError
            return {int(row[0]): _point(dict(zip(header, row, strict=True))) for row in rows}
        except (KeyError, ValueError, csv.Error):
            raise OptionNotUsable("errors.contest.foreign_rows", path=path) from None


def _point(row: Mapping[str, str]) -> FrontierPoint:
    truth = {"True": True, "False": False}
    verdicts: dict[str, DuelVerdict | None] = {"": None, **{verdict: verdict for verdict in VERDICTS}}
    return FrontierPoint(
        k=int(row["k"]),
        utility=float(row["utility"]),
        utility_bound=float(row["utility_bound"]),
        deleted_rows=int(row["deleted_rows"]),
        classes=int(row["classes"]),
        holds=truth[row["holds"]],
        chance_bound=_proven(row["chance_bound"]),
        chance_found=float(row["chance_found"]),
        survives_at_least=_proven(row["survives_at_least"]),
        verdict=verdicts[row["verdict"]],
        margin=int(row["margin"]) if row["margin"] else None,
        converged=truth[row["converged"]],
        seconds=float(row["seconds"]),
    )


def _proven(text: str) -> float | None:
    return float(text) if text else None
