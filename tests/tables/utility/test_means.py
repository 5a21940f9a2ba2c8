"""What becomes of the mean and the standard deviation of columns of means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sudare.tables.utility.estimates import compared
from sudare.tables.utility.means import means_moved
from tests.tables.recoded.small import recoded_of
from tests.tables.small_tables import table_of


def test_means_of_classes_keep_the_mean_and_lose_deviation() -> None:
    # 0, 2 and 4, 6 become 1, 1 and 5, 5: the mean stays 3, the variance falls from 5 to 4.
    table = replace(table_of([(0,), (1,), (2,), (3,)]), values=(("0", "2", "4", "6"),))
    found = recoded_of(table, [[(0, 1)], [(2, 3)]], [0, 0, 1, 1], means={"a": ["1", "5"]})
    (moved,) = means_moved(compared(found))
    assert (moved.mean_before, moved.mean_after) == (3.0, 3.0)
    assert (moved.deviation_before, moved.deviation_after) == (pytest.approx(5**0.5), 2.0)


def test_missing_and_suppressed_records_are_left_out() -> None:
    table = table_of([(0,), (2,), (4,), (None,)])
    found = recoded_of(table, [[(0, 1, 2)], [(5,)]], [0, 0, -1, 1], means={"a": ["1", " "]})
    (moved,) = means_moved(compared(found))
    assert (moved.mean_before, moved.mean_after, moved.deviation_after) == (2.0, 1.0, 0.0)


def test_other_columns_have_no_means() -> None:
    found = recoded_of(table_of([(0,), (1,)]), [[(0, 1)]], [0, 0])
    assert means_moved(compared(found)) == ()
