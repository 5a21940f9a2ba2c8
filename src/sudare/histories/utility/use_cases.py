"""What an anonymized history is still good for: typical uses and statistics, on rows drawn from it.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 6. Every measure is an
error against the original: 0 is best. Rows are drawn a hundred times; a result is the mean over the draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.rule_sets import RuleSet
from sudare.histories.utility.drawn_rows import CellSampler, PlainRows, plain_rows
from sudare.histories.utility.rfm import RfmTable
from sudare.histories.utility.row_statistics import NAMES, row_statistics
from sudare.histories.utility.similarity import SCORES, Similarities
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.item_records import ItemRecords
from sudare.statistics.itemsets import FrequentItemsets, frequent_itemsets, least_records

DRAWS = 100
# The contest's support and length of itemsets are not published. Of the 3,692 visits of the preliminary round's T this
# is 100: about the support at which histories of the contest's utilities have the errors that its report says.
SUPPORT = 0.027
LENGTH = 3
# The measures whose definitions are not published, and are inferred from the values of the report.
INFERRED = ("itemsets", "rfm")

USES = ("itemsets", "rfm", *(f"similarity_{kind}" for kind in SCORES))
ITEM_STATISTICS = ("rows", "top_items")
MEASURES = (*USES, *ITEM_STATISTICS, *NAMES)


@dataclass(frozen=True, slots=True)
class MeasuredError(Result):
    """The mean error of a measure over the draws, and its sample standard deviation (0 for one draw).

    Both are None where an anonymized history without rows leaves nothing to measure.
    """

    measure: str
    mean: float | None
    deviation: float | None


@dataclass(frozen=True, slots=True)
class UseCases(Result):
    """The errors of all measures, and what they depend on.

    An itemset is frequent, in T and in a draw, if it occurs in at least `least` visits: the `support`, or that share of
    T's visits.
    """

    _rows = ("errors",)
    _row = MeasuredError

    draws: int
    seed: int
    support: float
    least: int
    length: int
    most_dozens: int | None
    errors: tuple[MeasuredError, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; `inferred` are the measures that the contest did not define publicly."""
        return {**Result.to_dict(self), "inferred": list(INFERRED)}


class UseCaseMeasures:
    """All measures of an original history, to be compared with those of rows drawn from anonymized ones.

    `support` is a number of baskets or a share of the original's, and the same number is asked of other rows: drawn
    days divide baskets, so that a share of theirs would be beyond all itemsets. `length` is the most items of an
    itemset, `most_dozens` what wholesale similarities count up to (without end if None), and `first_day` where the sum
    of the days is counted from (days since 1970).
    """

    def __init__(
        self,
        original: CellHistory,
        *,
        support: float = SUPPORT,
        length: int = LENGTH,
        most_dozens: int | None = None,
        first_day: int = 0,
    ) -> None:
        if length < 1:
            raise OptionNotUsable("errors.use_cases.length", length=length)
        if most_dozens is not None and most_dozens < 1:
            raise OptionNotUsable("errors.use_cases.most_dozens", most_dozens=most_dozens)
        rows = plain_rows(original)
        baskets = visit_baskets(rows)
        self._original, self._support, self._length, self._first_day = original, support, length, first_day
        self._least, self._most_dozens = least_records(support, len(baskets)), most_dozens
        found = self._frequent(baskets)
        # Longer itemsets than the original has cannot be among its own.
        self._longest = int(np.diff(found.starts).max(initial=1))
        self._itemsets = _keys(found, self._longest)
        self._rfm = RfmTable(rows)
        self._similarities = Similarities(rows, most_dozens=most_dozens)
        self._statistics = row_statistics(rows, first_day=first_day)

    def errors(self, rows: PlainRows) -> NDArray[np.float64]:
        """Return the errors of other rows, in the order of `MEASURES`; NaN where nothing can be measured."""
        similarity = self._similarities.errors(rows)
        uses = [self._lost_itemsets(rows), self._rfm.error(rows), *(similarity[kind] for kind in SCORES)]
        statistics = np.abs(self._statistics - row_statistics(rows, first_day=self._first_day))
        return np.asarray([*uses, abs(len(self._original) - len(rows)), similarity["lost"], *statistics])

    def measure(
        self,
        anonymized: CellHistory,
        *,
        draws: int = DRAWS,
        seed: int = 0,
        progress: Progress = silent,
    ) -> UseCases:
        """Draw rows from an anonymized history and return the mean errors of all measures.

        A draw depends on the seed and its number only, not on what else is drawn.
        """
        check_draws(draws, seed)
        sampler = CellSampler(self._original, anonymized)
        found = np.empty((draws, len(MEASURES)))
        for number in range(draws):
            progress(message("progress.draws"), number, draws)
            found[number] = self.errors(sampler.draw(seed, number))
        return UseCases(
            draws, seed, self._support, self._least, self._length, self._most_dozens, _summarized(found)
        )  # fmt: skip

    def _frequent(self, baskets: ItemRecords) -> FrequentItemsets:
        return frequent_itemsets(baskets, self._least, max_size=self._length)

    def _lost_itemsets(self, rows: PlainRows) -> float:
        """Return the share of the original's frequent itemsets that are not frequent here; 0 if it has none."""
        if not len(self._itemsets):
            return 0.0
        return 1 - float(np.isin(self._itemsets, _keys(self._frequent(visit_baskets(rows)), self._longest)).mean())


@checked
def measure_use_cases(
    original: CellHistory,
    anonymized: CellHistory,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    support: float = SUPPORT,
    length: int = LENGTH,
    most_dozens: int | None = None,
    first_day: int = 0,
    progress: Progress = silent,
) -> UseCases:
    """Draw rows from an anonymized history many times and return the mean errors of all measures.

    `support` is a number of visits or a share of the original's, `length` the maximum number of items in an itemset,
    `most_dozens` the cap on counts in wholesale similarities (None: no cap); `first_day` is the day from which the sum
    of the days is counted, in days since 1970. The same seed gives the same result.
    """
    check_draws(draws, seed)
    measures = UseCaseMeasures(
        original, support=support, length=length, most_dozens=most_dozens, first_day=first_day
    )  # fmt: skip
    return measures.measure(anonymized, draws=draws, seed=seed, progress=progress)


def has_uses(rules: RuleSet) -> bool:
    """Say whether rules have one column each of dates, items, prices and quantities; others have no such uses."""
    return sorted(column.form for column in rules.cell_columns) == ["date", "decimal", "integer", "item"]


def check_draws(draws: int, seed: int) -> None:
    """Raise OptionNotUsable unless there is something to draw."""
    if draws < 1:
        raise OptionNotUsable("errors.use_cases.draws", draws=draws)
    if seed < 0:
        raise OptionNotUsable("errors.history.seed", seed=seed)


def visit_baskets(rows: PlainRows) -> ItemRecords:
    """Return the different items of each customer on each day."""
    order = np.lexsort((rows.items, rows.days, rows.customers))
    customers, days, items = rows.customers[order], rows.days[order], rows.items[order]
    new_visit = np.append(True, (np.diff(customers) != 0) | (np.diff(days) != 0))[: len(rows)]
    new_item = new_visit | np.append(True, np.diff(items) != 0)[: len(rows)]
    starts = np.append(np.flatnonzero(new_visit[new_item]), np.count_nonzero(new_item))
    return ItemRecords(starts, items[new_item].astype(np.int32), rows.names)


def _keys(found: FrequentItemsets, longest: int) -> NDArray[np.void]:
    """Return each itemset as one value: its items in rising order, filled up to the same length."""
    sizes = np.diff(found.starts)
    owner, place = np.repeat(np.arange(len(found)), sizes), np.arange(len(found.items))
    fits = sizes[owner] <= longest
    padded = np.full((len(found), longest), -1, np.int32)
    padded[owner[fits], (place - found.starts[owner])[fits]] = found.items[fits]
    return padded[sizes <= longest].view(np.dtype((np.void, padded.itemsize * longest))).ravel()


def _summarized(found: NDArray[np.float64]) -> tuple[MeasuredError, ...]:
    means = found.mean(axis=0)
    deviations = found.std(axis=0, ddof=1) if len(found) > 1 else 0 * means
    return tuple(
        MeasuredError(measure, None, None) if np.isnan(mean) else MeasuredError(measure, mean, deviation)
        for measure, mean, deviation in zip(MEASURES, means.tolist(), deviations.tolist(), strict=True)
    )
