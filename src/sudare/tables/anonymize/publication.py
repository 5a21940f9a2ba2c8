"""A table made safe to publish: from the roles of its columns to the file that is written and checked."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.lazy import above
from sudare.limits import ANONYMIZE_SECONDS
from sudare.messages import Language
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.anonymize.class_search.columns import column_values
from sudare.tables.anonymize.levels import most_suppressed
from sudare.tables.anonymize.registry import DEFAULT_MODEL, CellKind, Ended, Request, check_model
from sudare.tables.attack.attack import attack_table
from sudare.tables.attack.results import TableAttacks
from sudare.tables.classes.class_criteria import class_criteria
from sudare.tables.classes.criteria import Criteria, DiversityKind
from sudare.tables.hierarchies.model import Hierarchy, find_hierarchies, loaded_hierarchies
from sudare.tables.hierarchies.suggest import suggest_hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.losses import TableLoss, table_loss
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.recoded.publish import PublishedTable, publish_recoded
from sudare.tables.roles import OtherColumns, Roles, find_roles
from sudare.tables.utility.measured import table_utility
from sudare.tables.utility.model import TableUtility

if TYPE_CHECKING:
    from sudare.tables.anonymize.frontier import TableFrontier


@dataclass(frozen=True, slots=True, eq=False)
class AnonymizedTable(Result):
    """An anonymized table: its classes and cells, what it loses, what it is still good for, and attacks on it.

    `suggested` are the quasi-identifiers whose hierarchies were suggested by their values. `bound` is a loss, in the
    unit of `loss_name` and per record, that no table of the model falls below; None if none is known. `utility` and
    `attacks` are None where they were not measured, which proves nothing. Nothing is written before `publish`.
    """

    _hidden = ("recoded", "hierarchies", "population")
    _further = ("classes", "smallest", "records", "suppressed")

    recoded: RecodedTable = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(repr=False)
    population: Table | None = field(repr=False)
    source: str
    model: str
    cells: CellKind
    roles: Roles
    criteria: Criteria
    suggested: tuple[str, ...]
    loss_name: str
    loss: TableLoss
    bound: float | None
    utility: TableUtility | None
    attacks: TableAttacks | None
    seed: int
    seconds: float
    ended: Ended

    @property
    def classes(self) -> int:
        """The number of equivalence classes."""
        return self.recoded.classes

    @property
    def smallest(self) -> int:
        """The size of the smallest class: persons, where the table has a person column, else records."""
        return int(self.recoded.persons.min(initial=self.recoded.table.records))

    @property
    def records(self) -> int:
        """The number of records of the original."""
        return self.recoded.table.records

    @property
    def suppressed(self) -> int:
        """The number of records that are not published."""
        return int(np.count_nonzero(~self.recoded.published))

    @property
    def minimized(self) -> float:
        """The loss that the search minimized, per record where it is a sum."""
        if self.loss_name == "discernibility":
            return self.loss.discernibility / max(self.records, 1)
        return float(getattr(self.loss, self.loss_name, self.loss.entropy))

    @property
    def gap(self) -> float | None:
        """The largest possible reduction of the loss, as a share of it."""
        if self.bound is None:
            return None
        return max(0.0, 1 - self.bound / self.minimized) if self.minimized else 0.0

    def publish(self, path: str | Path, *, aligned: str | Path | None = None) -> PublishedTable:
        """Write what may be published, read it again and check it; `aligned` names the secret key to write too."""
        return publish_recoded(
            self.recoded, path, criteria=self.criteria, hierarchies=self.hierarchies, cells=self.cells, seed=self.seed,
            aligned=aligned, population=self.population,
        )  # fmt: skip

    def report(
        self,
        path: str | Path,
        *,
        published: PublishedTable | None = None,
        frontier: TableFrontier | None = None,
        legal: Sequence[str] = (),
        command: str | None = None,
        language: Language = "en",
        progress: Progress = silent,
    ) -> None:
        """Write one page: what was made, what it claims, what it costs, what it is good for, and what attacks reached.

        `published` is what `publish` returned, if the page should name the file and show its check; `frontier` is what
        `table_frontier` returned, if it should show what other k would cost.
        """
        write: Any = above("sudare.report.table.anonymized.report", "write_anonymized_report")
        write(
            self, path, published=published, frontier=frontier, legal=legal, command=command, language=language,
            progress=progress,
        )  # fmt: skip


@checked
def anonymize_table(
    table: Table,
    *,
    k: int | None = None,
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
    suppress: float = 0.0,
    loss: str = "entropy",
    population: Table | None = None,
    k_map: int | None = None,
    presence: float | None = None,
    blunt_ends: bool = False,
    attacks: bool = True,
    utility: bool = True,
    seed: int = 0,
    seconds: float | None = ANONYMIZE_SECONDS,
    progress: Progress = silent,
) -> AnonymizedTable:
    """Anonymize a table by the named model, measure what is left of it, and attack it.

    Roles of columns are found unless `known`, `sensitive`, `keep` and `other` say them; hierarchies are suggested for
    quasi-identifiers without one. Classes have at least `k` persons, or their cells cover at least `k_map` records of
    the `population`; `l` and `t` hold for each sensitive column. The model `local` gives each class cells of its own,
    `levels` puts each column at one level, `suppress` replaces single cells by `*`. The search ends after `seconds`,
    when nothing is gained any more, or when interrupted. A missing value is a value of its own.
    """
    started = time.monotonic()
    # A missing value that matched any other would leave classes of one in the file.
    table = replace(table, missing="value")
    chosen = check_model(
        model, loss, {
            "cells": cells != "nodes", "microaggregate": bool(microaggregate), "blunt_ends": blunt_ends,
            "population": population is not None,
        },
    )  # fmt: skip
    given = _given(table, hierarchies)
    private = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    roles = find_roles(table, known=known, sensitive=private, keep=keep, other=other, hierarchies=tuple(given))
    _check_columns(table, roles, microaggregate)
    most_suppressed(suppress, table.records)
    criteria = Criteria(_size(table, k, k_map, presence, population), l, diversity, c, t, k_map, presence, suppress)
    used = _used_hierarchies(table, roles, given, population) if "hierarchies" in chosen.options else {}
    asked = {name: given[name] for name in roles.sensitive if name in given}
    classes = class_criteria(criteria, table, roles.sensitive, asked)
    request = Request(
        table, roles, {**used, **asked}, classes, loss, population, cells, tuple(microaggregate), blunt_ends,
        seconds, seed, progress,
    )  # fmt: skip
    found, bound, ended = chosen.recode(request)
    return AnonymizedTable(
        recoded=found,
        hierarchies={**used, **asked},
        population=population,
        source=table.reading.source,
        model=model,
        cells=cells,
        roles=roles,
        criteria=criteria,
        suggested=tuple(name for name in used if name not in given),
        loss_name=loss,
        loss=table_loss(found),
        bound=bound,
        utility=table_utility(found, seed=seed, progress=progress) if utility else None,
        attacks=attack_table(found, criteria=criteria, seed=seed, progress=progress) if attacks else None,
        seed=seed,
        seconds=time.monotonic() - started,
        ended=ended,
    )


def _given(table: Table, hierarchies: Mapping[str, Hierarchy | str | Path] | str | Path | None) -> dict[str, Hierarchy]:
    """Return the hierarchies that were given, by attribute or as a folder."""
    if isinstance(hierarchies, str | Path):
        found: Mapping[str, Hierarchy | str | Path] = {**find_hierarchies(hierarchies, table.attributes)}
    else:
        found = hierarchies or {}
    loaded = loaded_hierarchies(found)
    table.positions(list(loaded))
    return loaded


def _used_hierarchies(
    table: Table, roles: Roles, given: Mapping[str, Hierarchy], population: Table | None
) -> dict[str, Hierarchy]:
    """Return a hierarchy for each quasi-identifier: the given one, or one that its values suggest."""
    return {name: given[name] if name in given else _suggested(table, name, population) for name in roles.quasi}


def _suggested(table: Table, name: str, population: Table | None) -> Hierarchy:
    values, counts = column_values(table, name, population)
    return suggest_hierarchy(name, values, counts=counts.tolist()).hierarchy


def _check_columns(table: Table, roles: Roles, microaggregate: Sequence[str]) -> None:
    table.positions(list(microaggregate))
    for name in microaggregate:
        if name not in roles.quasi:
            raise OptionNotUsable("errors.table_models.microaggregate", attribute=name)


def _size(table: Table, k: int | None, k_map: int | None, presence: float | None, population: Table | None) -> int:
    """Return how many persons a class has at least; refuse sizes that nothing can have."""
    if (k_map is not None or presence is not None) and population is None:
        raise OptionNotUsable("errors.recoded.no_population")
    if k is None and k_map is None and presence is None:
        raise OptionNotUsable("errors.table_models.no_k")
    persons = table.records if table.persons is None else int(table.persons.max(initial=-1)) + 1
    if k is not None and not 1 <= k <= persons:
        raise OptionNotUsable("errors.table_models.k", k=k, persons=persons, source=table.reading.source)
    if population is not None and not 1 <= (k_map or 1) <= population.records:
        raise OptionNotUsable("errors.table_models.k_map", k_map=k_map, records=population.records)
    return k or 1
