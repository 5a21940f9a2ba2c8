"""The records that cover known values, against looking at each record."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.tables.attack import covering
from sudare.tables.attack.class_values import class_values
from sudare.tables.attack.covering import Covering, original_kinds, published_kinds
from tests.tables.attack.drawn import Published, published_tables
from tests.tables.recoded.small import recoded_of
from tests.tables.small_tables import table_of


def search_of(published: Published) -> Covering:
    codes = np.asarray(published.records, np.int32).T[: len(published.found.columns)]
    return Covering(published_kinds(published.found), np.ascontiguousarray(codes))


@given(published_tables(), st.data())
def test_candidates_are_all_records_whose_cells_cover(published: Published, data: st.DataObject) -> None:
    search = search_of(published)
    places = sorted(data.draw(st.sets(st.sampled_from(range(len(published.found.columns))), min_size=1)))
    (counts,) = search.count([np.ascontiguousarray(search.wanted[:, places])])
    assert counts.tolist() == [len(published.covering(i, places)) for i in range(len(counts))]


@given(published_tables())
def test_tightest_cells_have_the_least_share_of_the_table(published: Published) -> None:
    places = list(range(len(published.found.columns)))
    least, tied, sums = search_of(published).weigh()
    counts = [Counter(record[a] for record in published.records) for a in places]

    def loss(record: int) -> float:
        cells = published.cells[record] or []
        shares = [sum(counts[a][value] for value in cells[a]) / len(published.records) for a in places]
        return math.log2(math.prod(shares))

    for i in range(len(published.records)):
        losses = [loss(j) for j in published.covering(i, places)]
        assert tied[i] == sum(found < min(losses) + 1e-9 for found in losses)
        assert least[i] == pytest.approx(min(losses, default=math.inf))
        assert sums[i] == pytest.approx(sum(2**-found for found in losses))


@given(published_tables(sensitive=True, persons=False))
def test_tallies_count_the_values_of_covering_records(published: Published) -> None:
    found = published.found
    codes = found.codes(found.roles.sensitive[0])
    values = class_values(found.owner[found.published], codes[found.published], found.classes, 4)
    tallies = search_of(published).tally(values.starts, values.values, values.numbers, 4)
    places = list(range(len(found.columns)))
    for i in range(len(published.records)):
        there = Counter(published.records[j][-1] for j in published.covering(i, places))
        assert tallies[i].tolist() == [there[value] for value in range(4)]


@given(published_tables())
def test_the_nearest_record_has_the_least_sum_of_widths_and_misses(published: Published) -> None:
    columns = published.found.columns
    nearest = search_of(published).nearest(np.full(len(published.records), -1, np.int32))
    for i, record in enumerate(published.records):
        distances = [
            sum(
                (len(cells[a]) - 1) / max(len(column.values) - 1, 1) if record[a] in cells[a] else 1
                for a, column in enumerate(columns)
            )
            for cells in published.cells
            if cells is not None
        ]
        assert nearest[i] == pytest.approx(min(distances))


def test_a_skipped_kind_and_a_value_that_nobody_has_are_not_found() -> None:
    # Two classes: a is 0, and a is 1 or 2.
    table = table_of([(0,), (1,), (2,)])
    kinds = published_kinds(recoded_of(table, [[(0,)], [(1, 2)]], [0, 1, 1]))
    search = Covering(kinds, np.asarray([[0, 1, -1]], np.int32))
    assert search.count()[0].tolist() == [1, 2, 0]
    assert search.nearest(np.asarray([-1, -1, -1], np.int32)).tolist() == [0, 0.5, 1]
    assert search.nearest(np.asarray([0, 1, -1], np.int32)).tolist() == [1, 1, 1]


def test_blocks_of_kinds_give_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # 1,500 kinds of one or two records take 24 words or more; a block has at least 16.
    table = table_of([(i,) for i in range(1500)] + [(i,) for i in range(0, 1500, 2)])
    found = recoded_of(
        table, [[(i, (i + 1) % 1500)] for i in range(1500)], [int(row) for row in table.codes[0].repeat(table.counts)]
    )
    codes = table.codes.copy()

    def counted() -> tuple[list[int], list[float], list[float]]:
        search = Covering(published_kinds(found), codes)
        skipped = np.full(1500, -1, np.int32)
        return search.count()[0].tolist(), search.nearest(skipped).tolist(), search.weigh()[2].tolist()

    whole = counted()
    monkeypatch.setattr(covering, "BLOCK_BYTES", 8)
    assert counted() == whole
    # Value i is covered by kind i and by the kind before it: one of the two has two records.
    assert whole[0] == [3] * 1500


def test_kinds_of_the_original_are_its_distinct_values() -> None:
    found = recoded_of(table_of([(0, 0), (0, 1), (1, 1)]), [[(0, 1), (0, 1)]], [0, 0, 0])
    assert original_kinds(found, ["a"]).sizes.tolist() == [2, 1]
    assert original_kinds(found, ["a", "b"]).sizes.tolist() == [1, 1, 1]
