"""The findings of the table report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sudare.messages import message
from sudare.progress import Progress
from sudare.report.table.question import Question
from sudare.report.table.set_findings import (
    DANGEROUS_SIZES,
    Disclosable,
    Lattice,
    find_dangerous,
    find_disclosable,
    find_lattice,
)
from sudare.showing import dataclass
from sudare.statistics.distinct import collapse, sum_by
from sudare.tables.anonymize.levels import LevelsFound, find_levels, kept_rows
from sudare.tables.classes.contributions import Contribution, attribute_contributions
from sudare.tables.classes.diversity import Diversity, sensitive_diversity
from sudare.tables.classes.records import RecordsAssessment, assess_records
from sudare.tables.classes.remarks import ColumnRemark, column_remarks
from sudare.tables.derived import Derived
from sudare.tables.generalized import generalize_table
from sudare.tables.model import Table
from sudare.tables.sets.dangerous import DangerousSets

# Sizes of the riskiest sets whose curves are drawn beside that of all attributes.
CURVE_SIZES = (3, 2, 1)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """An attribute: how many different values it has, how many records lack one, and the most common value."""

    attribute: str
    values: int
    missing: int
    common: str | None
    common_records: int


@dataclass(frozen=True, slots=True)
class AttributeRisk:
    """What one attribute brings: the risk when only it is known, and what is left when all but it are known."""

    alone: RecordsAssessment
    without: Contribution


@dataclass(frozen=True, slots=True)
class LevelChange:
    """An attribute before and after generalization: level, number of values, and what its most common value becomes."""

    attribute: str
    level: int
    highest: int
    values_before: int
    values_after: int
    example_before: str | None
    example_after: str | None


@dataclass(frozen=True, slots=True)
class Levels:
    """The best levels, and the risk before and after; without safe levels there is no after."""

    found: LevelsFound
    changes: tuple[LevelChange, ...]
    before: RecordsAssessment
    after: RecordsAssessment | None


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the report of a table shows."""

    columns: tuple[ColumnFacts, ...]
    remarks: tuple[ColumnRemark, ...]
    records: RecordsAssessment
    curves: tuple[RecordsAssessment, ...]
    lattice: Lattice
    attributes: tuple[AttributeRisk, ...]
    disclosable: Disclosable
    dangerous: Mapping[int, DangerousSets | None]
    diversity: Diversity | None
    levels: Levels | None

    @property
    def stopped(self) -> bool:
        """Whether the clock ended a search before it was done."""
        return not self.disclosable.complete or (self.levels is not None and not self.levels.found.complete)


def gather_findings(table: Table, question: Question, *, threads: int | None, progress: Progress) -> Findings:
    """Ask the table for all that the report shows."""
    part = _only(table, question.known)
    # First, since hierarchies that do not fit should not cost a long computation.
    levels = _levels(table, question, progress) if question.hierarchies else None
    lattice = find_lattice(part, question, threads, progress)
    disclosable = find_disclosable(part, question, progress)
    attributes = _attributes(part, progress)
    sizes = [size for size in DANGEROUS_SIZES if size <= len(question.known)]
    return Findings(
        columns=tuple(_column(table, place) for place in range(len(table.attributes))),
        remarks=column_remarks(table),
        records=assess_records(part),
        curves=tuple(_curves(part, lattice, attributes, disclosable)),
        lattice=lattice,
        attributes=attributes,
        disclosable=disclosable,
        dangerous={size: find_dangerous(part, size, threads, progress) for size in sizes},
        diversity=sensitive_diversity(table, question.sensitive, question.known) if question.sensitive else None,
        levels=levels,
    )


def _only(table: Table, names: Sequence[str]) -> Table:
    """Return a table with some attributes only."""
    places = table.positions(names)
    stacked = [table.codes[places], *([] if table.persons is None else [table.persons[None, :]])]
    rows, counts = collapse(np.vstack(stacked), table.counts)
    return replace(
        table,
        attributes=tuple(names),
        codes=np.ascontiguousarray(rows[: len(places)]),
        counts=counts,
        values=tuple(table.values[place] for place in places),
        persons=None if table.persons is None else rows[-1],
    )


def _column(table: Table, place: int) -> ColumnFacts:
    values = table.values[place]
    often = _occurrences(table, place)
    missing = sum(int(often[code]) for code, value in enumerate(values) if value is None)
    common = _most_common(table, place)
    return ColumnFacts(table.attributes[place], len(values), missing, values[common], int(often[common]))


def _occurrences(table: Table, place: int) -> NDArray[np.int64]:
    return sum_by(table.codes[place], table.counts, len(table.values[place]))


def _most_common(table: Table, place: int) -> int:
    """Return the number of the most common value of an attribute."""
    return int(_occurrences(table, place).argmax())


def _curves(
    part: Table, lattice: Lattice, attributes: Sequence[AttributeRisk], disclosable: Disclosable
) -> list[RecordsAssessment]:
    """Return the risks of some telling sets besides the whole: the riskiest small ones and the largest safe one."""
    alone = max((entry.alone for entry in attributes), key=lambda found: found.mean_risk)
    riskiest = {1: alone.attributes, **{entry.size: entry.riskiest.attributes for entry in lattice.sizes}}
    chosen = [riskiest[size] for size in CURVE_SIZES if size in riskiest]
    chosen += [disclosable.sets[0].attributes] if disclosable.sets else []
    return [assess_records(part, names) for names in dict.fromkeys(chosen) if names != part.attributes]


def _attributes(part: Table, progress: Progress) -> tuple[AttributeRisk, ...]:
    progress(message("progress.contributions"), 0, 2)
    without = attribute_contributions(part)
    progress(message("progress.contributions"), 1, 2)
    found = tuple(AttributeRisk(assess_records(part, [entry.attribute]), entry) for entry in without)
    progress(message("progress.contributions"), 2, 2)
    return found


def _levels(table: Table, question: Question, progress: Progress) -> Levels:
    hierarchies = question.hierarchies or {}
    known = question.known
    found = find_levels(
        table, hierarchies, known=known, limit=question.limit, suppress=question.suppress, progress=progress
    )
    if found.interrupted:
        raise KeyboardInterrupt
    return levels_before_after(found)


def levels_before_after(found: LevelsFound) -> Levels:
    """Return what the best levels change, and the risk before and after."""
    table, known = found.table, found.known
    before = assess_records(table, known)
    if found.best is None:
        return Levels(found, (), before, None)
    derived = generalize_table(table, found.hierarchies, found.best)
    with derived.table as general:
        changes = tuple(_change(table, derived, found, name) for name in known)
        return Levels(found, changes, before, _kept(general, found))


def _change(table: Table, derived: Derived, found: LevelsFound, name: str) -> LevelChange:
    place = table.attributes.index(name)
    values, general = table.values[place], derived.table.values[place]
    common = _most_common(table, place)
    return LevelChange(
        attribute=name,
        level=(found.best or {})[name],
        highest=found.highest[name],
        values_before=len(values),
        values_after=len(general),
        example_before=values[common],
        example_after=general[derived.codes[place][common]],
    )


def _kept(general: Table, found: LevelsFound) -> RecordsAssessment:
    """Return the risk of the records that are left when those in groups that are too small are left out."""
    kept = kept_rows(found, general)
    persons = None if general.persons is None else general.persons[kept]
    codes = np.ascontiguousarray(general.codes[:, kept])
    return assess_records(replace(general, codes=codes, counts=general.counts[kept], persons=persons), found.known)
