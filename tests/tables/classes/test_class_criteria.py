"""l and t of many classes at once: the examples of the papers, and each class by itself."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.tables.classes import class_criteria as module
from sudare.tables.classes.class_criteria import (
    class_criteria,
    distinct_diversity,
    entropy_diversity,
    recursive_ratio,
)
from sudare.tables.classes.criteria import Criteria
from tests.tables.small_tables import table_of


def counts(*lines: list[int]) -> np.ndarray[Any, Any]:
    return np.array(lines, np.int64)


def test_the_classes_of_machanavajjhala_et_al() -> None:
    """Figure 3 of l-Diversity: each class has cancer, heart disease and viral infection, one of them twice."""
    inpatients = counts([1, 1, 2], [2, 1, 1], [1, 1, 2])
    assert distinct_diversity(inpatients).tolist() == [3, 3, 3]
    # The paper: the effective number of values of shares 1/2, 1/4, 1/4 is 2^1.5, hence entropy 2.8-diverse.
    assert entropy_diversity(inpatients) == pytest.approx([2**1.5] * 3)


def test_recursive_diversity_compares_the_first_with_the_tail() -> None:
    # r = 5, 3, 1: with l = 2 the tail is 3 + 1, with l = 3 it is 1, with l = 4 there is none.
    line = counts([3, 5, 1, 0])
    assert [float(recursive_ratio(line, l)[0]) for l in (1, 2, 3, 4)] == [5 / 9, 5 / 4, 5, math.inf]  # noqa: E741


def test_a_class_at_the_bound_satisfies_l_and_t_but_not_c() -> None:
    table = table_of([(0, 0), (0, 1), (1, 0), (1, 1), (1, 1), (1, 2)])
    (half,) = [np.array([[1, 1, 0]], np.int64)]
    for criteria, held in [
        (Criteria(l=2, diversity="entropy"), True),
        (Criteria(l=2.001, diversity="entropy"), False),
        (Criteria(l=2, diversity="recursive", c=1), False),
        (Criteria(l=2, diversity="recursive", c=1.001), True),
        # b has 0 to 2 in 2, 3, 1 of 6 records: |1/2 - 1/3| + |1 - 5/6| over two steps.
        (Criteria(t=1 / 6), True),
        (Criteria(t=0.166), False),
    ]:
        assert class_criteria(criteria, table, ["b"]).holds([half]).tolist() == [held]


def test_a_missing_value_is_a_value_of_its_own() -> None:
    table = table_of([(0, None), (0, 1)])
    found = class_criteria(Criteria(l=2), table, ["b"])
    assert found.holds_for(np.array([0, 1]), np.array([0, 0]), 1, table.counts).tolist() == [True]


@pytest.mark.parametrize(
    ("criteria", "sensitive", "said"),
    [
        (Criteria(l=0.5), ["b"], "l must be at least 1, not 0.5"),
        (Criteria(l=float("nan"), diversity="entropy"), ["b"], "l must be at least 1"),
        (Criteria(l=2.5), ["b"], "l must be a whole number, not 2.5"),
        (Criteria(l=3), ["b"], "'b' has 2 different values, so no class can have 3"),
        (Criteria(l=2), [], "l and t need a sensitive attribute"),
        (Criteria(t=0.5), [], "l and t need a sensitive attribute"),
        (Criteria(t=1.2), ["b"], "t must be between 0 and 1, not 1.2"),
        (Criteria(t=-0.1), ["b"], "t must be between 0 and 1"),
        (Criteria(l=2, diversity="recursive"), ["b"], "needs c"),
        (Criteria(l=2, c=2), ["b"], "c is only for"),
        (Criteria(l=2, diversity="recursive", c=0), ["b"], "c must be above 0, not 0"),
        (Criteria(diversity="entropy"), ["b"], "but l is not given"),
        (Criteria(l=2), ["b", "b"], "'b' is named twice"),
    ],
)
def test_criteria_that_cannot_be_are_refused(criteria: Criteria, sensitive: list[str], said: str) -> None:
    with pytest.raises(OptionNotUsable) as error:
        class_criteria(criteria, table_of([(0, 0), (0, 1)]), sensitive)
    assert said in str(error.value)


def slowly(values: list[int], whole: list[int], criteria: Criteria) -> bool:
    """Say of one class by itself whether it satisfies l and t, by the definitions."""
    counted, shares = Counter(values), Counter(whole)
    ordered = sorted(counted.values(), reverse=True)
    wanted = criteria.l or 1
    if criteria.diversity == "entropy":
        entropy = -sum(n / len(values) * math.log(n / len(values)) for n in ordered)
        held = entropy >= math.log(wanted) - 1e-9
    elif criteria.diversity == "recursive":
        held = ordered[0] < (criteria.c or 0) * sum(ordered[int(wanted) - 1 :])
    else:
        held = len(counted) >= wanted
    moved, work = 0.0, 0.0
    for value in sorted(shares):
        moved += counted[value] / len(values) - shares[value] / len(whole)
        work += abs(moved) / max(len(shares) - 1, 1)
    return held and (criteria.t is None or work <= criteria.t + 1e-9)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20),
    st.sampled_from(["distinct", "entropy", "recursive"]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([None, 0.0, 0.2, 0.35, 1.0]),
    st.integers(1, 10),
)
def test_classes_are_judged_as_each_by_itself(
    records: list[tuple[int, int]], kind: Any, wanted: int, t: float | None, cells: int
) -> None:
    table = table_of(records)
    whole = [value for _, value in records]
    criteria = Criteria(l=wanted, diversity=kind, c=1.5 if kind == "recursive" else None, t=t)
    if wanted > len(set(whole)):
        return
    found = class_criteria(criteria, table, ["b"])
    owners = sorted({owner for owner, _ in records})
    owner = np.searchsorted(owners, table.codes[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CELLS", cells)
        held = found.holds_for(np.arange(len(owner)), owner, len(owners), table.counts)
    alone = [[value for o, value in records if o == owner] for owner in owners]
    assert held.tolist() == [slowly(values, whole, criteria) for values in alone]
