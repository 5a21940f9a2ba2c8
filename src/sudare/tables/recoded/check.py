"""The check of a published table: the written file is read again, and everything that was promised is counted in it.

Nothing here comes from the search: neither its classes nor its cells nor its measures. What a line says is read from
its text, and `key` says which record of the original it stands for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.local.names import not_found
from sudare.sources.writing import check_table_ending
from sudare.tables.classes.criteria import Criteria, DistanceKind
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.checks.file import PublishedFile, columns_of, read_published
from sudare.tables.recoded.checks.key import wrong_entries
from sudare.tables.recoded.checks.meanings import Meanings, order_of, read_meanings, span_meanings
from sudare.tables.recoded.checks.population import Matches, PopulationRows, match_population
from sudare.tables.recoded.checks.sensitive import count_values, farthest, measured_l
from sudare.tables.roles import Roles

CheckName = Literal[
    "columns", "lines", "records", "order", "values", "cells", "means", "suppressed", "k", "l", "t",
    "k_map", "presence", "aligned",
]  # fmt: skip
CellsKind = Literal["nodes", "sets", "ranges"]
Numbers = NDArray[np.int64]
# Sums in floating point differ in their last digits.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class CheckedProperty(Result):
    """One property of a published file: what is required, what was measured, and whether it holds.

    Columns, records, order, values, cells, means and aligned are measured by how many are wrong: 0 is required.
    """

    name: CheckName
    attribute: str | None
    required: float
    measured: float
    holds: bool


@dataclass(frozen=True, slots=True)
class TableCheck(Result):
    """What a published file is, by its own lines: its properties, and its k, l and t whether they are required or not.

    `k` is the smallest number of persons (or records) in a class. `l` is that of the least diverse class and sensitive
    attribute, in the sense of the criteria, and `t` the largest distance of a class from the whole original; both are
    None without a sensitive attribute. If the file is not what was to be written, the rest is not measured.
    """

    _rows = ("checks",)
    _row = CheckedProperty
    _further = ("holds",)

    lines: int
    classes: int
    k: int
    l: float | None  # noqa: E741
    t: float | None
    checks: tuple[CheckedProperty, ...]

    @property
    def holds(self) -> bool:
        """Whether every property holds."""
        return all(check.holds for check in self.checks)

    @property
    def failed(self) -> tuple[CheckedProperty, ...]:
        """The properties that do not hold."""
        return tuple(check for check in self.checks if not check.holds)


@dataclass(frozen=True, eq=False)
class _Case:
    """A file with everything that it is compared with; `owner` is the class of each line, by its texts."""

    file: PublishedFile
    original: Table
    roles: Roles
    criteria: Criteria
    hierarchies: Mapping[str, Hierarchy]
    distances: Mapping[str, DistanceKind]
    cells: CellsKind
    means: Collection[str]
    key: Numbers
    owner: Numbers

    @property
    def sizes(self) -> Numbers:
        return np.bincount(self.owner)

    def values(self, name: str) -> tuple[str | None, ...]:
        return self.original.values[self.original.attributes.index(name)]

    def true_codes(self, name: str) -> NDArray[np.int32]:
        """Return the number of the original value of each line."""
        return np.asarray(self.original.codes[self.original.attributes.index(name)][self.key])

    def written_codes(self, name: str) -> Numbers:
        """Return the number that the text of each line has among the original values, -1 if it is none of them."""
        texts, codes = self.file.column(name)
        places = {value: code for code, value in enumerate(self.values(name))}
        return np.array([places.get(text, -1) for text in texts], np.int64)[codes]


@checked
def check_recoded_file(
    path: str | Path,
    original: Table,
    *,
    roles: Roles,
    criteria: Criteria,
    hierarchies: Mapping[str, Hierarchy],
    cells: CellsKind,
    key: NDArray[np.int32],
    seed: int,
    means: Collection[str] = (),
    distances: Mapping[str, DistanceKind] | None = None,
    population: Table | None = None,
) -> TableCheck:
    """Check a published file against the original table.

    `key[i]` is the number of the distinct row of the original that line i stands for; who is suppressed follows from
    it. `cells` are what the texts of quasi-identifiers can be (nodes of the `hierarchies`, or also sets or ranges), and
    `means` those that are means of their class. `distances` say how far sensitive values are from each other for t; by
    default, all different values are equally far, which is the strictest.
    """
    _check_options(Path(path), criteria, population)
    rows = np.asarray(key, np.int64)
    columns = columns_of(Path(path))
    named = _property("columns", 0, _wrong_columns(columns, roles.published))
    if not named.holds:
        return TableCheck(0, 0, 0, None, None, (named,))
    file = read_published(Path(path), columns)
    counted = (named, _property("lines", len(rows), file.lines), _records_check(original, rows))
    if not all(check.holds for check in counted):
        return TableCheck(file.lines, 0, 0, None, None, counted)
    owner = _classes([file.column(name)[1] for name in roles.quasi], file.lines)
    case = _Case(file, original, roles, criteria, hierarchies, distances or {}, cells, means, rows, owner)
    return _checked_lines(case, counted, seed, population)


def check_key_file(path: Path, original: Table, key: NDArray[np.int32]) -> CheckedProperty:
    """Check a secret key: its entries are the records of the source, and each line stands for one with its values."""
    return _property("aligned", 0, wrong_entries(path, original, key))


def _check_options(path: Path, criteria: Criteria, population: Table | None) -> None:
    check_table_ending(path)
    if not path.is_file():
        raise not_found(path)
    if population is None and (criteria.k_map is not None or criteria.presence is not None):
        raise OptionNotUsable("errors.recoded.no_population")


def _checked_lines(case: _Case, counted: Sequence[CheckedProperty], seed: int, population: Table | None) -> TableCheck:
    """Check what the lines of a file say, where they are as many as the key says."""
    meanings = dict(_meanings(case))
    values = list(_value_checks(case))
    checks = [*counted, _order_check(case.file, seed), *values, *_cell_checks(case, meanings), *_mean_checks(case)]
    checks.append(_suppressed_check(case))
    if not case.file.lines:
        return TableCheck(0, 0, 0, None, None, tuple(checks))
    k = int(_persons(case).min())
    checks.append(_least("k", case.criteria.k, k))
    # Values that are not those of the original have no place in its distribution.
    told = dict(_sensitive(case)) if all(check.holds for check in values) else {}
    least, most = {a: found[0] for a, found in told.items()}, {a: found[1] for a, found in told.items()}
    if case.criteria.l is not None:
        checks += [_least("l", case.criteria.l, found, attribute) for attribute, found in least.items()]
    if case.criteria.t is not None:
        checks += [_most("t", case.criteria.t, found, attribute) for attribute, found in most.items()]
    if population is not None:
        checks += _population_checks(case.criteria, _matches(case, meanings, population))
    classes = len(case.sizes)
    l, t = min(least.values(), default=None), max(most.values(), default=None)  # noqa: E741
    return TableCheck(case.file.lines, classes, k, l, t, tuple(checks))


def _property(name: CheckName, required: float, measured: float, attribute: str | None = None) -> CheckedProperty:
    return CheckedProperty(name, attribute, required, measured, measured == required)


def _least(name: CheckName, required: float, measured: float, attribute: str | None = None) -> CheckedProperty:
    return CheckedProperty(name, attribute, required, measured, measured >= required * (1 - _SLACK))


def _most(name: CheckName, required: float, measured: float, attribute: str | None = None) -> CheckedProperty:
    return CheckedProperty(name, attribute, required, measured, measured <= required + _SLACK)


def _wrong_columns(found: Sequence[str], wanted: Sequence[str]) -> int:
    """Return how many columns are too many, missing, or at another place."""
    same = sum(one == other for one, other in zip(found, wanted, strict=False))
    return max(len(found), len(wanted)) - same


def _records_check(original: Table, key: Numbers) -> CheckedProperty:
    """Count the lines that stand for a record which is not in the original, or for one that has a line already."""
    known = key[(key >= 0) & (key < len(original.counts))]
    published = np.bincount(known, minlength=len(original.counts))
    twice = int(np.maximum(published - original.counts, 0).sum())
    return _property("records", 0, len(key) - len(known) + twice)


def _classes(columns: Sequence[NDArray[np.int32]], lines: int) -> Numbers:
    """Return a number for each line; lines with the same texts in all columns have the same number."""
    found = np.zeros(lines, np.int64)
    for codes in columns:
        pairs = found * (int(codes.max(initial=0)) + 1) + codes
        found = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    return found


def _order_check(file: PublishedFile, seed: int) -> CheckedProperty:
    """Count the lines that are not where the seed puts them among the sorted lines.

    An order that follows from the lines and the seed alone says nothing about the records behind them.
    """
    ordered = file.codes[:, np.lexsort(file.codes[::-1])]
    drawn = ordered[:, np.random.default_rng([seed, 0]).permutation(file.lines)]
    return _property("order", 0, int((drawn != file.codes).any(axis=0).sum()))


def _value_checks(case: _Case) -> Iterator[CheckedProperty]:
    """Count the lines whose sensitive and kept values are not those of their records."""
    for name in case.roles.named("sensitive", "kept"):
        yield _property("values", 0, int((case.written_codes(name) != case.true_codes(name)).sum()), name)


def _meanings(case: _Case) -> Iterator[tuple[str, Meanings]]:
    for name in case.roles.quasi:
        texts, _ = case.file.column(name)
        if name not in case.means:
            found = read_meanings(texts, case.values(name), hierarchy=case.hierarchies.get(name), cells=case.cells)
            yield name, found


def _cell_checks(case: _Case, meanings: Mapping[str, Meanings]) -> Iterator[CheckedProperty]:
    """Count the lines whose cells do not cover the values of their records."""
    for name, meaning in meanings.items():
        covered = meaning.covers(case.file.column(name)[1], case.true_codes(name))
        yield _property("cells", 0, int((~covered).sum()), name)


def _mean_checks(case: _Case) -> Iterator[CheckedProperty]:
    """Count the classes whose cell, times their records, is not the sum of the values; missing values are left out."""
    for name in (name for name in case.roles.quasi if name in case.means):
        texts, codes = case.file.column(name)
        written = _numbers(texts)[codes]
        true = _numbers(case.values(name))[case.true_codes(name)]
        present = ~np.isnan(true)
        owner, written, true = case.owner[present], written[present], true[present]
        sums, kept, scale = (
            np.bincount(owner, weights=weights, minlength=len(case.sizes)) for weights in (true, written, np.abs(true))
        )
        # Not at most, so that a sum which is not a number is wrong.
        yield _property("means", 0, int((~(np.abs(sums - kept) <= _SLACK * (1 + scale))).sum()), name)


def _numbers(texts: Sequence[str | None]) -> NDArray[np.float64]:
    """Return the numbers that texts say, NaN for others."""
    orders = [order_of(text) if text is not None else None for text in texts]
    return np.array([float(order[1]) if order is not None and not order[0] else np.nan for order in orders])


def _suppressed_check(case: _Case) -> CheckedProperty:
    records = case.original.records
    return _most("suppressed", case.criteria.suppress, (records - case.file.lines) / records)


def _persons(case: _Case) -> Numbers:
    """Return the number of persons of each class: of lines, where the original has no person column."""
    if case.original.persons is None:
        return case.sizes
    person = case.original.persons[case.key].astype(np.int64)
    people = int(person.max()) + 1
    return np.bincount(np.unique(case.owner * people + person) // people)


def _sensitive(case: _Case) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield l and t of each sensitive attribute."""
    for name in case.roles.sensitive:
        place = case.original.attributes.index(name)
        values = case.original.values[place]
        counted = count_values(case.owner, case.written_codes(name), len(values))
        overall = np.bincount(case.original.codes[place], weights=case.original.counts, minlength=len(values))
        t = farthest(
            counted, overall, values, distance=case.distances.get(name, "equal"), hierarchy=case.hierarchies.get(name)
        )
        yield name, (measured_l(counted, case.criteria), t)


def _population_checks(criteria: Criteria, found: Matches) -> Iterator[CheckedProperty]:
    if criteria.k_map is not None:
        yield _least("k_map", criteria.k_map, found.k_map)
    if criteria.presence is not None:
        yield _most("presence", criteria.presence, found.presence)


def _matches(case: _Case, meanings: Mapping[str, Meanings], population: Table) -> Matches:
    """Match the classes of the file with a population, whose values need not be those of the original."""
    firsts = np.unique(case.owner, return_index=True)[1]
    read: list[Meanings] = []
    cells: list[NDArray[np.integer]] = []
    codes: list[NDArray[np.integer]] = []
    for name, place in zip(case.roles.quasi, population.positions(case.roles.quasi), strict=True):
        values = tuple(dict.fromkeys([*case.values(name), *population.values[place]]))
        numbers = {value: number for number, value in enumerate(values)}
        codes.append(np.array([numbers[value] for value in population.values[place]])[population.codes[place]])
        texts, lines = case.file.column(name)
        if name in meanings:
            hierarchy = case.hierarchies.get(name)
            read.append(read_meanings(texts, values, hierarchy=hierarchy, cells=case.cells))
            cells.append(lines[firsts])
        else:
            read.append(span_meanings(values, case.owner, case.true_codes(name), len(firsts)))
            cells.append(np.arange(len(firsts)))
    return match_population(PopulationRows(codes, population.counts), read, np.vstack(cells), case.sizes)
