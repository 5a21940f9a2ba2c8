"""The cost of anonymity: the loss of a table against k, without and with diverse classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.anonymize.publication import AnonymizedTable, anonymize_table
from sudare.tables.anonymize.registry import DEFAULT_MODEL, CellKind, Ended
from sudare.tables.classes.criteria import DiversityKind
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.roles import OtherColumns

KS = (2, 3, 5, 10, 20, 50, 100)
# For all searches together: ten for each k, without and with diversity.
SECONDS = 140.0


@dataclass(frozen=True, slots=True)
class TableFrontierPoint(Result):
    """What a table loses at one k: the loss that was minimized, per record, and the bound below it, if one is known.

    `l` and `t` are None where nothing was asked of the sensitive values. `seconds` is how long the search took, and
    `ended` how it ended.
    """

    k: int
    l: float | None  # noqa: E741
    t: float | None
    loss: float
    bound: float | None
    classes: int
    suppressed: int
    seconds: float
    ended: Ended

    @property
    def plain(self) -> bool:
        """Whether nothing was asked of the sensitive values."""
        return self.l is None and self.t is None


@dataclass(frozen=True, slots=True)
class TableFrontier(Result):
    """The loss of a table for rising k: first with k alone, then with what was asked of sensitive values, if it was.

    A table that is safe for a larger k is safe for a smaller one, and one with l and t is safe for k alone. So where a
    search found less loss for a stricter demand, that table counts; and a bound for a weaker
    demand holds for the stricter ones. `highest` is the loss of a table in which every cell is `*`.
    """

    _rows = ("points",)
    _row = TableFrontierPoint

    records: int
    loss_name: str
    highest: float
    model: str
    sensitive: tuple[str, ...]
    diversity: str
    seed: int
    points: tuple[TableFrontierPoint, ...]

    @property
    def stopped(self) -> bool:
        """Whether the clock ended a search before it was done."""
        return any(point.ended != "converged" for point in self.points)


@checked
def table_frontier(
    table: Table,
    *,
    ks: Sequence[int] | None = None,
    l: float | None = None,  # noqa: E741
    sensitive: str | Sequence[str] = (),
    diversity: DiversityKind = "distinct",
    c: float | None = None,
    t: float | None = None,
    known: Sequence[str] | None = None,
    keep: Sequence[str] = (),
    other: OtherColumns = "drop",
    hierarchies: Mapping[str, Hierarchy | str | Path] | str | Path | None = None,
    model: str = DEFAULT_MODEL,
    cells: CellKind = "nodes",
    microaggregate: Sequence[str] = (),
    blunt_ends: bool = False,
    suppress: float = 0.0,
    loss: Literal["entropy", "ncp"] = "entropy",
    seed: int = 0,
    seconds: float | None = SECONDS,
    progress: Progress = silent,
) -> TableFrontier:
    """Anonymize a table for every k and report what each costs: what anonymity is worth, before choosing k.

    By default k is 2, 3, 5, 10, 20, 50 and 100, as far as the table has that many persons. With `l` or `t`,
    every k is searched without and with them. `seconds` is the time for all searches together. The other options are
    those of `anonymize_table`; nothing is published, measured or attacked.
    """
    wanted = _wanted(table, ks)
    options: dict[str, Any] = {
        "sensitive": sensitive, "known": known, "keep": keep, "other": other, "hierarchies": hierarchies,
        "model": model, "cells": cells, "microaggregate": microaggregate, "blunt_ends": blunt_ends,
        "suppress": suppress, "loss": loss, "seed": seed,
    }  # fmt: skip
    more: dict[str, Any] = {"l": l, "diversity": diversity, "c": c, "t": t}
    parts = [{}] if l is None and t is None else [{}, more]
    searches = [(k, part) for part in parts for k in wanted]
    deadline, found = Deadline(seconds), []
    for place, (k, part) in enumerate(searches):
        share = None if deadline.rest is None else deadline.rest / (len(searches) - place)
        found.append(_search(table, k, {**options, **part}, share, progress))
    points = consistent([_point(made) for made in found])
    first = found[0]
    return TableFrontier(
        records=table.records, loss_name=first.loss_name, highest=_highest(first), model=model,
        sensitive=first.roles.sensitive, diversity=diversity, seed=seed, points=points,
    )  # fmt: skip


def _wanted(table: Table, ks: Sequence[int] | None) -> list[int]:
    """Return the different k in order; what cannot be asked for is refused before any work."""
    persons = table.records if table.persons is None else int(table.persons.max()) + 1
    if ks is None:
        return [k for k in KS if k <= persons] or [persons]
    wanted = sorted(set(ks))
    if not wanted or wanted[0] < 2:
        raise OptionNotUsable("errors.table_frontier.ks")
    if wanted[-1] > persons:
        raise OptionNotUsable("errors.table_frontier.few_persons", count=persons, k=wanted[-1])
    return wanted


def _search(
    table: Table, k: int, options: Mapping[str, Any], seconds: float | None, progress: Progress
) -> AnonymizedTable:
    def at(step: Any, done: int, total: int) -> None:
        progress(message("progress.frontier", k=k, step=step), done, total)

    made = anonymize_table(table, k=k, attacks=False, utility=False, seconds=seconds, progress=at, **options)
    if made.ended == "interrupted":
        raise KeyboardInterrupt
    return made


def _point(made: AnonymizedTable) -> TableFrontierPoint:
    return TableFrontierPoint(
        k=made.criteria.k,
        t=made.criteria.t, l=made.criteria.l, loss=made.minimized,
        bound=made.bound, classes=made.recoded.classes,
        suppressed=made.loss.suppressed_records, seconds=made.seconds, ended=made.ended,
    )  # fmt: skip


def _highest(made: AnonymizedTable) -> float:
    """Return what a table loses in which every cell is `*`, in the measure that was minimized."""
    return made.loss.highest_entropy if made.loss_name == "entropy" else 1.0


def consistent(points: Sequence[TableFrontierPoint]) -> tuple[TableFrontierPoint, ...]:
    """Let the best table for a stricter demand count, and the highest bound for a weaker one."""

    def stricter(one: TableFrontierPoint, other: TableFrontierPoint) -> bool:
        return one.k >= other.k and (other.plain or not one.plain)

    found = []
    for point in points:
        best = min((other for other in points if stricter(other, point)), key=lambda other: other.loss)
        bounds = [other.bound for other in points if stricter(point, other) and other.bound is not None]
        kept = replace(point, loss=best.loss, classes=best.classes, suppressed=best.suppressed)
        found.append(replace(kept, bound=max(bounds, default=None)))
    return tuple(found)
