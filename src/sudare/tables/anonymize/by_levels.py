"""The model `levels`: every quasi-identifier at one level of its hierarchy, with the least loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sudare.limits import SEARCH_SECONDS
from sudare.progress import Progress, silent
from sudare.statistics.distinct import first_rows, number_rows
from sudare.tables.anonymize.levels import LevelsFound, find_levels, none_safe
from sudare.tables.anonymize.registry import Ended, Request
from sudare.tables.classes.class_criteria import class_criteria
from sudare.tables.classes.criteria import Criteria
from sudare.tables.classes.partitions import safe_rows
from sudare.tables.classes.rows import table_rows
from sudare.tables.hierarchies.model import Hierarchy, number_texts
from sudare.tables.model import Table
from sudare.tables.recoded.model import CellColumn, RecodedTable, recoded, record_rows
from sudare.tables.roles import Roles


def recode(request: Request) -> tuple[RecodedTable, float | None, Ended]:
    """Put the quasi-identifiers at the best levels, as the registry asks for it."""
    compared = {column.attribute: column.hierarchy for column in request.criteria.columns if column.hierarchy}
    return recode_by_levels(
        request.table, request.roles, {**request.hierarchies, **compared}, request.criteria.criteria, loss=request.loss,
        seconds=request.seconds, seed=request.seed, progress=request.progress,
    )  # fmt: skip


def recode_by_levels(
    table: Table,
    roles: Roles,
    hierarchies: Mapping[str, Hierarchy],
    criteria: Criteria,
    *,
    loss: str = "entropy",
    seconds: float | None = SEARCH_SECONDS,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[RecodedTable, float | None, Ended]:
    """Put the quasi-identifiers at the safe levels with the least loss; also return a bound, and how the search ended.

    No safe levels lose less than the bound, which is per record. Records in classes that are not safe at these levels
    are suppressed. If no levels are safe, AnswerIsNo is raised. Classes are of equal cells: a missing value counts as a
    value of its own, whatever the table says. A hierarchy of a sensitive attribute says how far its values are apart.
    """
    found = find_levels(
        replace(table, missing="value"), hierarchies, known=roles.quasi, limit=1 / criteria.k,
        sensitive=roles.sensitive, l=criteria.l, diversity=criteria.diversity, c=criteria.c, t=criteria.t,
        suppress=criteria.suppress, loss=loss, seconds=seconds, seed=seed, progress=progress,
    )  # fmt: skip
    if found.best is None:
        raise none_safe(found)
    ended: Ended = "interrupted" if found.interrupted else "time" if found.gap else "converged"
    bound = None if found.bound is None else found.bound / (1 if loss in _MEANS else table.records)
    return replace(recoded_at(found, roles), table=table), bound, ended


# Losses that are means over the records already.
_MEANS = ("precision", "ncp")


def recoded_at(found: LevelsFound, roles: Roles) -> RecodedTable:
    """Return the table at the best levels found, with the records suppressed that are not in safe classes."""
    table, best = found.table, found.best or {}
    made = [_column(table, name, found.hierarchies.get(name), level) for name, level in best.items()]
    places = table.positions(list(best))
    codes = np.vstack([cells[table.codes[place]] for (_, cells), place in zip(made, places, strict=True)])
    numbers, classes = number_rows(codes)
    owner, rows = np.where(_kept(found, codes), numbers, -1).astype(np.int32), record_rows(table)
    cells = codes[:, first_rows(numbers, classes)]
    return recoded(table, roles, [column for column, _ in made], rows, owner[rows], cells)


def _kept(found: LevelsFound, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which distinct rows of the table, with these cells, are in safe classes."""
    rows = table_rows(found.table, found.table.positions(found.known))
    values = class_criteria(found.criteria, found.table, found.sensitive, found.hierarchies)
    return safe_rows(replace(rows, codes=codes), found.k, None if values.trivial else values)


def _column(table: Table, name: str, hierarchy: Hierarchy | None, level: int) -> tuple[CellColumn, NDArray[np.int32]]:
    """Return the cells of a quasi-identifier at a level, and the number of the cell of each of its values."""
    (place,) = table.positions([name])
    values = table.values[place]
    texts = hierarchy.generalize(values, level) if hierarchy else list(values)
    cells = number_texts(texts)
    order = np.argsort(cells, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(cells))
    written = tuple(dict.fromkeys(texts))
    return CellColumn(name, values, written, order, np.append(0, ends[:-1]), ends), cells
