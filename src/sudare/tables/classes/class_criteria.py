"""Whether equivalence classes satisfy l-diversity and t-closeness, for many classes at once.

Machanavajjhala et al.: l-Diversity (2006), distinct, entropy and recursive (c, l)-diversity; Li, Li,
Venkatasubramanian: t-Closeness (2007).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.showing import dataclass
from sudare.tables.classes.closeness import Histograms, SensitiveColumn, sensitive_column
from sudare.tables.classes.criteria import Criteria
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table

# Sums in floating point differ in their last digits: what misses a bound by less satisfies it.
SLACK = 1e-9
# Cells of histograms that are held at once: 32 megabytes.
MOST_CELLS = 4_000_000

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ClassCriteria:
    """The criteria about sensitive values, ready to be checked; k is not among them, since it counts persons.

    A histogram is a line of counts of records, by the number of the value; a missing value is a value of its own.
    """

    criteria: Criteria
    columns: tuple[SensitiveColumn, ...]

    @property
    def trivial(self) -> bool:
        """Whether every class satisfies them."""
        return not (self.columns and self.criteria.looks_at_values)

    @property
    def lasting(self) -> bool:
        """Whether a class that satisfies them still does so with any more records: true of distinct values only."""
        return self.trivial or (self.criteria.diversity == "distinct" and self.criteria.t is None)

    @property
    def necessary(self) -> ClassCriteria | None:
        """Lasting criteria that every class satisfies which satisfies these, None if there are none.

        By entropy and recursively too, an l-diverse class has at least l different values.
        """
        if self.criteria.l is None:
            return None
        least = math.ceil(self.criteria.l * (1 - SLACK))
        return replace(self, criteria=replace(self.criteria, l=least, diversity="distinct", c=None, t=None))

    def of_rows(self, codes: Sequence[NDArray[np.int32]]) -> ClassCriteria:
        """Return these criteria for other rows: the number of the value of each sensitive attribute in each of them."""
        return replace(
            self, columns=tuple(replace(column, codes=c) for column, c in zip(self.columns, codes, strict=True))
        )

    def holds(self, histograms: Sequence[Histograms]) -> Flags:
        """Return which classes satisfy l and t; for each sensitive attribute, `histograms` has a line per class."""
        held = np.ones(len(histograms[0]) if histograms else 0, np.bool_)
        for column, counted in zip(self.columns, histograms, strict=True):
            held &= self._diverse(counted)
            if self.criteria.t is not None:
                held[held] = column.distances(counted[held]) <= self.criteria.t + SLACK
        return held

    def holds_for(
        self, rows: NDArray[np.integer], owner: NDArray[np.integer], classes: int, weights: Histograms
    ) -> Flags:
        """Return which classes satisfy l and t; the distinct row `rows[i]` has `weights[i]` records in `owner[i]`.

        Some classes are counted at a time, so that many classes and many values need little memory.
        """
        held = np.ones(classes, np.bool_)
        if self.trivial or not classes:
            return held
        step = max(1, MOST_CELLS // max(len(column.values) for column in self.columns))
        if step < classes:
            order = np.argsort(owner, kind="stable")
            rows, owner, weights = rows[order], owner[order], weights[order]
        for begin in range(0, classes, step):
            end = min(classes, begin + step)
            part = slice(*np.searchsorted(owner, [begin, end])) if step < classes else slice(None)
            counted = (rows[part], owner[part] - begin, end - begin, weights[part])
            held[begin:end] = self.holds([column.histograms(*counted) for column in self.columns])
        return held

    def _diverse(self, counted: Histograms) -> Flags:
        wanted, kind = self.criteria.l, self.criteria.diversity
        if wanted is None:
            return np.ones(len(counted), np.bool_)
        if kind == "entropy":
            return np.asarray(entropy_diversity(counted) >= wanted * (1 - SLACK))
        if kind == "recursive":
            return np.asarray(recursive_ratio(counted, int(wanted)) < (self.criteria.c or 0) * (1 - SLACK))
        return np.asarray(distinct_diversity(counted) >= wanted)


def distinct_diversity(counted: Histograms) -> NDArray[np.int64]:
    """Return the number of different values of each class."""
    return np.asarray(np.count_nonzero(counted, axis=1))


def entropy_diversity(counted: Histograms) -> Floats:
    """Return the effective number of values of each class: e to the power of the entropy."""
    sizes = np.maximum(counted.sum(axis=1), 1)
    # The sum of n log n is that of the values that are there; 0 log 0 is 0.
    summed = np.einsum("ij,ij->i", counted, np.log(np.maximum(counted, 1)))
    return np.asarray(np.exp(np.log(sizes) - summed / sizes))


def recursive_ratio(counted: Histograms, l: int) -> Floats:  # noqa: E741
    """Return how often the most frequent value of each class is as frequent as the l-th and all rarer ones together.

    A class is recursively (c, l)-diverse if this is less than c: r_1 < c (r_l + ... + r_m). It is infinite for a class
    with fewer than l values.
    """
    ordered = np.sort(counted, axis=1)[:, ::-1]
    tail = ordered[:, l - 1 :].sum(axis=1)
    return np.where(tail > 0, ordered[:, 0] / np.maximum(tail, 1), np.inf)


def class_criteria(
    criteria: Criteria,
    table: Table,
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> ClassCriteria:
    """Check the criteria about the sensitive attributes of a table, and return them ready for use.

    What the classes are compared with is the table as given, before anything is suppressed. A sensitive
    attribute with one of the `hierarchies` is compared by its nodes; see `sensitive_column`.
    """
    _check_options(criteria, sensitive)
    given = hierarchies or {}
    table.positions(list(sensitive))
    columns = tuple(sensitive_column(table, name, given.get(name)) for name in sensitive)
    for column in columns:
        if criteria.l is not None and criteria.l > column.different:
            raise OptionNotUsable(
                "errors.criteria.few_values", attribute=column.attribute, count=column.different, l=criteria.l
            )
    return ClassCriteria(criteria, columns)


def _check_options(criteria: Criteria, sensitive: Sequence[str]) -> None:
    """Refuse criteria that contradict each other, or that nothing can satisfy."""
    wanted, recursive = criteria.l, criteria.diversity == "recursive"
    if wanted is not None and not wanted >= 1:
        raise OptionNotUsable("errors.criteria.l", l=wanted)
    if wanted is not None and criteria.diversity != "entropy" and wanted != int(wanted):
        raise OptionNotUsable("errors.criteria.whole_l", l=wanted, diversity=criteria.diversity)
    if wanted is None and criteria.diversity != "distinct":
        raise OptionNotUsable("errors.criteria.no_l", diversity=criteria.diversity)
    if recursive and criteria.c is None:
        raise OptionNotUsable("errors.criteria.no_c")
    if not recursive and criteria.c is not None:
        raise OptionNotUsable("errors.criteria.idle_c")
    if criteria.c is not None and not criteria.c > 0:
        raise OptionNotUsable("errors.criteria.c", c=criteria.c)
    if criteria.t is not None and not 0 <= criteria.t <= 1:
        raise OptionNotUsable("errors.criteria.t", t=criteria.t)
    if criteria.looks_at_values and not sensitive:
        raise OptionNotUsable("errors.criteria.no_sensitive")
    for name in sensitive:
        if list(sensitive).count(name) > 1:
            raise OptionNotUsable("errors.criteria.sensitive_twice", attribute=name)


__all__ = [
    "ClassCriteria",
    "class_criteria",
    "distinct_diversity",
    "entropy_diversity",
    "recursive_ratio",
]
