"""Classes that tell much about a sensitive value."""

from __future__ import annotations

import numpy as np
import pytest

from sudare.tables.attack.class_values import class_values


def test_values_are_counted_by_class() -> None:
    owner = np.array([1, 0, 0, 1, 1, 0], np.int32)
    codes = np.array([2, 0, 0, 2, 1, 2], np.int32)
    values = class_values(owner, codes, 2, 3)
    assert values.owner.tolist() == [0, 0, 1, 1]
    assert values.values.tolist() == [0, 2, 1, 2]
    assert values.numbers.tolist() == [2, 1, 1, 2]
    assert values.totals.tolist() == [2, 1, 3]
    assert values.shares.tolist() == pytest.approx([2 / 3, 1 / 3, 1 / 3, 2 / 3])


def test_a_share_has_to_be_twice_the_tables_and_well_above_it() -> None:
    # Of 20 records 4 have the value 1 (0.2), and three of these are in the class of five (0.6): 3 times, 0.4 above.
    owner = np.array([0] * 5 + [1] * 15, np.int32)
    codes = np.array([1, 1, 1, 0, 0] + [1] + [0] * 14, np.int32)
    assert class_values(owner, codes, 2, 2).skewed_classes().tolist() == [0]
    # With two of five (0.4) it is only 0.2 above.
    codes[2], codes[6] = 0, 1
    assert class_values(owner, codes, 2, 2).skewed_classes().tolist() == []


def test_examples_have_the_largest_differences_first_and_of_equal_ones_the_larger_class() -> None:
    owner = np.array([0, 0, 1, 1, 1, 2, 3, 3, 3, 3], np.int32)
    codes = np.array([0, 0, 0, 0, 0, 1, 2, 2, 3, 3], np.int32)
    found = class_values(owner, codes, 4, 4).examples()
    assert [(one.number, one.records) for one in found] == [(2, 1), (1, 3), (0, 2)]
    assert (found[0].share, found[0].table_share) == (1.0, 0.1)
