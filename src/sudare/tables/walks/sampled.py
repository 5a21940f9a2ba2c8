"""The risk of attribute sets from a sample of records, for tables too large to group for every set.

Records are drawn once, uniformly, and stay on the engine. For each set the distinct rows are read once and compared
with the few drawn ones, which gives the class size of each draw exactly; nothing is sorted, and only the drawn rows are
sent between machines. Rows that are like no draw on some attributes are like none on more of them, so that larger sets
are found from fewer and fewer rows. The mean of 1 / size over the draws estimates the mean risk without bias, and so do
the shares of draws that are unique or above a bound; each has the empirical Bernstein interval of `mean_interval`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import comb

import numpy as np
from numpy.typing import NDArray

from sudare.engine.small_counts import Merge
from sudare.kernels.tables.lattice_ends import BELOW, CLASSES, SMALLEST, UNIQUES
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.statistics.intervals import mean_interval
from sudare.tables.collapsed import CollapsedTable
from sudare.tables.walks.memory import Walked
from sudare.tables.walks.packed_rows import fewest_values_first

# The measures that are estimated, and what is known of each.
MEAN_RISK, UNIQUE_SHARE, SHARE_BELOW = range(3)
VALUE, LOW, HIGH = range(3)

# Rows are divided into this number of parts by their numbers, and only the parts that have drawn records are put in
# order.
_PARTS = 1_000_003
# Powers modulo a prime, so that rows spread over the parts; the sum of 24 products is below 2^63.
_FACTORS = tuple(pow(48_271, power, 2**20 - 3) for power in range(1, 25))


@dataclass(frozen=True, slots=True, eq=False)
class SampledWalk:
    """What draws tell of each set of attributes.

    `estimates[mask, measure]` is the value and the ends of its interval; `walked` has the counts that these values
    mean, and for the smallest class that of the draws: the true one is as small or smaller.
    """

    walked: Walked
    estimates: NDArray[np.float64]

    @property
    def error(self) -> float:
        """The largest distance of an estimate from an end of its interval."""
        seen = self.estimates[self.walked.results[:, CLASSES] > 0]
        return float(np.max([seen[..., HIGH] - seen[..., VALUE], seen[..., VALUE] - seen[..., LOW]]))


def walk_sample(
    table: CollapsedTable,
    places: Sequence[int],
    *,
    most: int,
    bound: int,
    samples: int,
    seed: int,
    progress: Progress,
) -> SampledWalk:
    """Estimate what `walk_rows` counts, for all sets of at most `most` of the attributes at some places.

    The seed decides which records are drawn, on every engine alike.
    """
    with _drawn(table, samples, seed) as drawn:
        return _SampleWalk(table, places, most, bound, drawn, progress).run()


class _SampleWalk:
    """Goes depth first from a set to those with one attribute more, of fewer values than the last one has."""

    def __init__(
        self, table: CollapsedTable, places: Sequence[int], most: int, bound: int, drawn: str, progress: Progress
    ) -> None:
        self._table, self._most, self._bound, self._drawn, self._progress = table, most, bound, drawn, progress
        self._bit = {a: bit for bit, a in enumerate(places)}
        self._order = fewest_values_first(table, places)[::-1]
        self._sets = sum(comb(len(places), size) for size in range(1, most + 1))
        self._done = 0
        self._found = SampledWalk(Walked.nothing(len(places), class_sizes=False), np.zeros((1 << len(places), 3, 3)))

    def run(self) -> SampledWalk:
        """Measure all sets."""
        self._extend(self._table.numbered, self._table.records, [], 0)
        return self._found

    def _extend(self, rows: str, records: int, members: list[int], first: int) -> None:
        """Measure the sets that add an attribute from `first` on, of rows that have all that are like a draw."""
        for place in range(first, len(self._order)):
            more = [*members, self._order[place]]
            like = self._measure(rows, more)
            if len(more) == self._most or place + 1 == len(self._order):
                continue
            if 2 * like > records:
                self._extend(rows, records, more, place + 1)
                continue
            kept = f"{self._drawn}_like{len(more)}"
            self._table.engine.keep(kept, f"SELECT * FROM {rows} AS t WHERE {self._is_like_a_draw(more)}")
            try:
                self._extend(kept, like, more, place + 1)
            finally:
                self._table.engine.drop(kept)

    def _measure(self, rows: str, members: Sequence[int]) -> int:
        """Put down what the draws tell of a set, and return how many records are like some draw."""
        columns = ", ".join(f"a{a}" for a in members)
        # Rows that no draw is like are left out before anything is grouped.
        classes = (
            f"SELECT {columns}, CAST(sum(records) AS BIGINT) AS size FROM {rows} AS t "
            f"WHERE {self._is_like_a_draw(members)} GROUP BY {columns}"
        )
        draws = f"SELECT {columns}, count(*) AS draws FROM {self._drawn} GROUP BY {columns}"
        sized = f"SELECT t.size, k.draws FROM ({classes}) AS t JOIN ({draws}) AS k ON {_same(members)}"
        lines = (
            f"SELECT size, CAST(sum(draws) AS BIGINT) AS draws, size * count(*) AS records FROM ({sized}) GROUP BY size"
        )
        found = self._table.engine.counts(lines, cell="draws", small=Merge("size", ("draws", "records")))
        sizes, drawn, records = np.asarray(found, np.int64).T
        self._put(sum(1 << self._bit[a] for a in members), np.repeat(sizes, drawn))
        return int(records.sum())

    def _is_like_a_draw(self, members: Sequence[int]) -> str:
        return f"EXISTS (SELECT 1 FROM {self._drawn} AS k WHERE {_same(members)})"

    def _put(self, mask: int, sizes: NDArray[np.int64]) -> None:
        records = self._table.records
        self._found.estimates[mask] = _estimate(sizes, self._bound, records)
        _put_counts(self._found.walked, mask, self._found.estimates[mask, :, VALUE] * records, int(sizes.min()))
        self._done += 1
        self._progress(message("progress.attribute_sets"), self._done, self._sets)


def _same(members: Sequence[int]) -> str:
    return " AND ".join(f"t.a{a} = k.a{a}" for a in members)


def _estimate(sizes: NDArray[np.int64], bound: int, records: int) -> list[tuple[float, float, float]]:
    mean, low, high = mean_interval(1 / sizes)
    shares = (mean_interval((sizes == 1).astype(np.float64)), mean_interval((sizes < bound).astype(np.float64)))
    return [(mean, max(low, 1 / records), high), *shares]


def _put_counts(walked: Walked, mask: int, records: NDArray[np.float64], smallest: int) -> None:
    found = {CLASSES: max(round(records[MEAN_RISK]), 1), UNIQUES: round(records[UNIQUE_SHARE]), SMALLEST: smallest}
    found[BELOW] = round(records[SHARE_BELOW])
    walked.results[mask] = [found[column] for column in range(4)]
    walked.expected[mask] = records[MEAN_RISK]


@contextmanager
def _drawn(table: CollapsedTable, samples: int, seed: int) -> Iterator[str]:
    """Yield the name of a table of drawn records, each with the attributes that it has.

    A draw is a position among all records, in the order of the parts and of the rows in them.
    """
    engine, name = table.engine, f"{table.name}_draw"
    positions = np.sort(np.random.default_rng(seed).integers(0, table.records, samples))
    try:
        engine.attach(f"{name}s", {"draw": np.arange(samples), "position": positions})
        engine.keep(f"{name}_places", _places(table, f"{name}s"))
        engine.keep(f"{name}n", _records_at(table, f"{name}_places"))
        yield f"{name}n"
    finally:
        engine.drop(f"{name}s", f"{name}_places", f"{name}n")


def _part(table: CollapsedTable) -> str:
    terms = (f"CAST({key} AS BIGINT) * {factor}" for key, factor in zip(table.keys, _FACTORS, strict=False))
    return f"({' + '.join(terms)}) % {_PARTS}"


def _places(table: CollapsedTable, draws: str) -> str:
    """Return a query of the part that each draw falls into, and of its place there."""
    parts = (
        "SELECT part, CAST(sum(records) AS BIGINT) AS records "
        f"FROM (SELECT {_part(table)} AS part, records FROM {table.numbered}) GROUP BY part"
    )
    begins = f"SELECT part, CAST(sum(records) OVER (ORDER BY part) - records AS BIGINT) AS begin FROM ({parts})"
    # Parts begin later the larger they are, so the largest one that has begun is the one a draw falls into.
    both = (
        f"SELECT CAST(NULL AS BIGINT) AS draw, begin AS position, begin, part FROM ({begins}) "
        f"UNION ALL SELECT draw, position, NULL, NULL FROM {draws}"
    )
    begun = "OVER (ORDER BY position, draw NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    found = f"SELECT draw, position, max(part) {begun} AS part, max(begin) {begun} AS begin FROM ({both})"
    return f"SELECT draw, part, position - begin AS place FROM ({found}) WHERE draw IS NOT NULL"


def _records_at(table: CollapsedTable, places: str) -> str:
    """Return a query of the records at some places of the parts."""
    keys = ", ".join(table.keys)
    rows = (
        f"SELECT * FROM (SELECT {keys}, records, {_part(table)} AS part FROM {table.numbered}) "
        f"WHERE part IN (SELECT part FROM {places})"
    )
    ordered = (
        f"SELECT *, CAST(sum(records) OVER (PARTITION BY part ORDER BY {keys}) - records AS BIGINT) AS passed "
        f"FROM ({rows})"
    )
    return (
        f"SELECT p.draw, {', '.join(f'r.{key}' for key in table.keys)} FROM ({ordered}) AS r JOIN {places} AS p "
        "ON p.part = r.part AND p.place >= r.passed AND p.place < r.passed + r.records"
    )
