"""What the report of a table shows, gathered from the analyses of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.statistics.distinct import collapse, sum_by
from sudare.tables.anonymize.levels import LevelsFound, find_levels
from sudare.tables.classes.contributions import Contribution, attribute_contributions
from sudare.tables.classes.diversity import Diversity, sensitive_diversity
from sudare.tables.classes.partitions import safe_rows
from sudare.tables.classes.records import RecordsAssessment, assess_records
from sudare.tables.classes.remarks import ColumnRemark, column_remarks
from sudare.tables.classes.rows import table_rows
from sudare.tables.generalized import generalize_table
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Derived, Table
from sudare.tables.sets.attribute_sets import SetRisk
from sudare.tables.sets.dangerous import DangerousSets, dangerous_sets
from sudare.tables.sets.disclosable import disclosable_sets
from sudare.tables.sets.sample import SubsetSample, sample_subsets
from sudare.tables.sets.subsets import SubsetRisk, assess_subsets, class_size_within

# Attributes whose sets are all gone through for a page: a quarter of a million sets, a few seconds to count up.
MOST_ATTRIBUTES = 18
# Sets times distinct rows that are gone through, about half a minute on two cores; beyond, a sample answers.
MOST_WORK = 2**33
# Sets that are drawn: as many as take some ten seconds, within these bounds.
SAMPLED_WORK, LEAST_SAMPLES, MOST_SAMPLES = 10**8, 2000, 10_000
LEAST_SAMPLES_PER_SIZE = 20
# Upper ends of the bands of risk in the heat maps; the limit is one more.
BAND_ENDS = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0)

DANGEROUS_SIZES, DANGEROUS_FACTOR = (2, 3), 10.0
MOST_SHOWN = 20
# Sizes of the riskiest sets whose curves are drawn beside that of all attributes.
CURVE_SIZES = (3, 2, 1)


@dataclass(frozen=True, slots=True)
class Question:
    """What the report is asked: what the attacker knows, which risk is too high, and how to make it lower."""

    known: tuple[str, ...]
    limit: float
    sensitive: str | None
    hierarchies: Mapping[str, Hierarchy] | None
    suppress: float
    seed: int

    @property
    def class_size(self) -> int:
        """The records that must at least be equal for their risk to be within the limit."""
        return class_size_within(self.limit)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """An attribute: how many different values it has, how many records lack one, and the most common value."""

    attribute: str
    values: int
    missing: int
    common: str | None
    common_records: int


@dataclass(frozen=True, slots=True)
class SizeRisks:
    """The sets with one number of attributes: how many in each band of highest and of mean risk."""

    size: int
    sets: int
    safe: int
    max_bands: tuple[int, ...]
    mean_bands: tuple[int, ...]
    max_risk: float
    mean_risk: float
    riskiest: SubsetRisk
    most_unique: SubsetRisk


@dataclass(frozen=True, slots=True)
class Lattice:
    """The risk of the sets of known attributes by their number: of all sets, or estimated from a sample."""

    bands: tuple[float, ...]
    sizes: tuple[SizeRisks, ...]
    sample: SubsetSample | None


@dataclass(frozen=True, slots=True)
class AttributeRisk:
    """What one attribute brings: the risk when only it is known, and what is left when all but it are known."""

    alone: RecordsAssessment
    without: Contribution


@dataclass(frozen=True, slots=True)
class Disclosable:
    """The first of the maximal sets within the limit and of the minimal ones above it, and how many there are."""

    sets: tuple[SetRisk, ...]
    count: int
    unsafe: tuple[tuple[str, ...], ...]
    unsafe_count: int
    complete: bool


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


def ask(
    table: Table,
    *,
    known: Sequence[str] | None,
    limit: float,
    sensitive: str | None,
    hierarchies: Mapping[str, Hierarchy] | None,
    suppress: float,
    seed: int,
) -> Question:
    """Return a question that fits the table: without `known`, all attributes are known but the sensitive one.

    The levels are searched for the same attacker.
    """
    class_size_within(limit)
    table.positions([*(known or ()), *(hierarchies or ()), *([sensitive] if sensitive else [])])
    names = tuple(known) if known is not None else tuple(name for name in table.attributes if name != sensitive)
    if not names or len(set(names)) < len(names) or sensitive in names:
        raise OptionNotUsable(
            "The attacker must know at least one attribute, none of them named twice, and not the sensitive one.\n"
            f"Hint: name some of {', '.join(name for name in table.attributes if name != sensitive)}."
        )
    if hierarchies and not set(hierarchies) & set(names):
        raise OptionNotUsable(
            f"None of the hierarchies ({', '.join(hierarchies)}) is of an attribute that the attacker knows.\n"
            "Hint: give hierarchies of known attributes, or none."
        )
    return Question(names, limit, sensitive, hierarchies or None, suppress, seed)


def gather_findings(table: Table, question: Question, *, threads: int | None, progress: Progress) -> Findings:
    """Ask the table for all that the report shows."""
    part = _only(table, question.known)
    # First, since hierarchies that do not fit should not cost a long computation.
    levels = _levels(table, question, progress) if question.hierarchies else None
    lattice = _lattice(part, question, threads, progress)
    disclosable = _disclosable(part, question, progress)
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
        dangerous={size: _dangerous(part, size, threads, progress) for size in sizes},
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


def _lattice(part: Table, question: Question, threads: int | None, progress: Progress) -> Lattice:
    bands = tuple(sorted({*BAND_ENDS, question.limit}))
    attributes = len(part.attributes)
    if attributes <= MOST_ATTRIBUTES and len(part.counts) << attributes <= MOST_WORK:
        found = assess_subsets(part, threads=threads, progress=progress).ranked("size")
        return Lattice(bands, _by_size(found, bands, question.limit), None)
    sample = sample_subsets(
        part,
        samples=_samples(part),
        seed=question.seed,
        bound=question.limit,
        threads=threads,
        progress=progress,
    )
    if not sample.complete:
        raise KeyboardInterrupt
    return Lattice(bands, (), sample)


def _samples(part: Table) -> int:
    affordable = min(SAMPLED_WORK // len(part.counts), MOST_SAMPLES)
    return max(affordable, LEAST_SAMPLES, LEAST_SAMPLES_PER_SIZE * (len(part.attributes) + 1))


def _by_size(found: Sequence[SubsetRisk], bands: tuple[float, ...], limit: float) -> tuple[SizeRisks, ...]:
    groups: dict[int, list[SubsetRisk]] = {}
    for risk in found:
        groups.setdefault(len(risk.attributes), []).append(risk)
    return tuple(_size_risks(size, groups[size], bands, limit) for size in sorted(groups))


def _size_risks(size: int, group: Sequence[SubsetRisk], bands: tuple[float, ...], limit: float) -> SizeRisks:
    highest, mean = np.array([risk.max_risk for risk in group]), np.array([risk.mean_risk for risk in group])

    def in_bands(risks: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[int, ...]:
        # Rounding may lift a mean a little above 1.
        places = np.minimum(np.searchsorted(bands, risks, side="left"), len(bands) - 1)
        return tuple(np.bincount(places, minlength=len(bands)).tolist())

    return SizeRisks(
        size=size,
        sets=len(group),
        safe=int((highest <= limit).sum()),
        max_bands=in_bands(highest),
        mean_bands=in_bands(mean),
        max_risk=float(highest.mean()),
        mean_risk=float(mean.mean()),
        riskiest=group[int(mean.argmax())],
        most_unique=max(group, key=lambda risk: risk.uniques),
    )


def _disclosable(part: Table, question: Question, progress: Progress) -> Disclosable:
    found = disclosable_sets(part, limit=question.limit, progress=progress)
    if found.interrupted:
        # An interrupted search keeps what it has; a report is written whole or not at all.
        raise KeyboardInterrupt
    sets = [entry for entry in found.maximal if entry.attributes]
    return Disclosable(
        sets=tuple(sets[:MOST_SHOWN]),
        count=len(sets),
        unsafe=found.minimal_unsafe[:MOST_SHOWN],
        unsafe_count=len(found.minimal_unsafe),
        complete=found.complete,
    )


def _dangerous(part: Table, size: int, threads: int | None, progress: Progress) -> DangerousSets | None:
    """Return the dangerous sets of a size, or None if there are too many sets to compare."""
    if comb(len(part.attributes), size) * len(part.counts) > MOST_WORK:
        return None
    return dangerous_sets(part, size=size, factor=DANGEROUS_FACTOR, most=MOST_SHOWN, threads=threads, progress=progress)


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
    progress("contributions", 0, 2)
    without = attribute_contributions(part)
    progress("contributions", 1, 2)
    found = tuple(AttributeRisk(assess_records(part, [entry.attribute]), entry) for entry in without)
    progress("contributions", 2, 2)
    return found


def _levels(table: Table, question: Question, progress: Progress) -> Levels:
    hierarchies = question.hierarchies or {}
    known = question.known
    found = find_levels(
        table, hierarchies, known=known, limit=question.limit, suppress=question.suppress, progress=progress
    )
    if found.interrupted:
        raise KeyboardInterrupt
    before = assess_records(table, known)
    if found.best is None:
        return Levels(found, (), before, None)
    derived = generalize_table(table, hierarchies, found.best)
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
    kept = safe_rows(table_rows(general, general.positions(found.known)), found.k)
    persons = None if general.persons is None else general.persons[kept]
    codes = np.ascontiguousarray(general.codes[:, kept])
    return assess_records(replace(general, codes=codes, counts=general.counts[kept], persons=persons), found.known)
