"""The model `levels` as a recoded table: its classes, its loss and its bound are those of the levels found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.errors import AnswerIsNo
from sudare.progress import silent
from sudare.tables.anonymize.by_levels import recode, recode_by_levels
from sudare.tables.anonymize.levels import find_levels
from sudare.tables.anonymize.registry import Request
from sudare.tables.classes.class_criteria import class_criteria
from sudare.tables.classes.criteria import Criteria
from sudare.tables.hierarchies.model import read_hierarchy
from sudare.tables.recoded.losses import table_loss
from tests.tables.anonymize.test_match_search import hierarchies
from tests.tables.recoded.partitioned import roles_of
from tests.tables.small_tables import table_of


def test_hand_worked_levels() -> None:
    """0 and 1 are low at level 1, 2 is high; the third class has too few records and one value of b."""
    table = table_of([(0, 0), (1, 1), (0, 1), (2, 0), (2, 1), (None, 0)])
    made, bound, ended = recode_by_levels(
        table, roles_of(table, b="sensitive"), hierarchies(1), Criteria(k=2, l=2, suppress=0.2)
    )
    (column,) = made.columns
    assert sorted(filter(None, column.texts)) == ["high", "low"]
    assert sorted(made.sizes.tolist()) == [2, 3]
    assert made.codes("a")[~made.published].tolist() == [3]
    assert (bound, ended) == (pytest.approx(table_loss(made).entropy), "converged")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from([0, 1, 2, None])] * 3), min_size=4, max_size=16),
    st.one_of(st.none(), st.just([0, 0, 1, 2])),
    st.sampled_from([0.0, 0.4]),
    st.integers(1, 3),
)
def test_the_table_is_that_of_the_levels_found(
    records: list[tuple[int | None, ...]], whose: list[int] | None, suppress: float, k: int
) -> None:
    persons = whose and [whose[i % 4] for i in range(len(records))]
    table = table_of(records, persons=persons)
    roles, given_ = roles_of(table, c="sensitive"), hierarchies(2)
    found = find_levels(table, given_, known=["a", "b"], limit=1 / k, sensitive="c", t=0.4, suppress=suppress)
    criteria = Criteria(k=k, t=0.4, suppress=suppress)
    if found.best is None:
        with pytest.raises(AnswerIsNo, match=f"k = {k}"):
            recode_by_levels(table, roles, given_, criteria)
        return
    made, bound, ended = recode_by_levels(table, roles, given_, criteria)
    assert found.loss is not None
    assert table_loss(made).entropy == pytest.approx(found.loss / table.records, abs=1e-9)
    assert (made.classes, int((~made.published).sum())) == (found.classes, found.suppressed)
    assert int(made.persons.min()) == found.smallest
    assert (bound, ended) == (pytest.approx(found.loss / table.records), "converged")
    certain, least, _ = recode_by_levels(table, roles, given_, criteria, loss="ncp")
    assert least == pytest.approx(table_loss(certain).ncp, abs=1e-9)
    for a, column in enumerate(made.columns):
        kept = made.published
        assert column.covers(made.cells[a][made.owner[kept]], made.codes(column.attribute)[kept]).all()


def test_a_missing_value_is_a_value_of_its_own_whatever_the_table_says() -> None:
    table = table_of([(0,), (0,), (None,)], missing="any")
    made, _, _ = recode_by_levels(table, roles_of(table), hierarchies(1), Criteria(k=2, suppress=0.4))
    assert (made.sizes.tolist(), made.table) == ([2], table)


def test_the_registry_compares_sensitive_values_by_their_hierarchy() -> None:
    """By its nodes, a class of 0 and 0 is 1/2 * 1/2 from a table of 0 and 1 in equal parts; else it is 1/2."""
    table = table_of([(0, 0), (0, 0), (2, 1), (2, 1)])
    roles, given_ = roles_of(table, b="sensitive"), hierarchies(2)
    classes = {}
    for compared in ({}, {"b": given_["b"]}):
        criteria = class_criteria(Criteria(k=2, t=0.25), table, ["b"], compared)
        request = Request(
            table, roles, {"a": given_["a"]}, criteria, "entropy", None, "nodes", (), False, None, 0, silent
        )  # fmt: skip
        classes[bool(compared)] = recode(request)[0].classes
    assert classes == {False: 1, True: 2}


def test_no_safe_levels_are_an_answer() -> None:
    table = table_of([(0, 0), (1, 1)])
    with pytest.raises(AnswerIsNo, match="risk above"):
        recode_by_levels(table, roles_of(table), {}, Criteria(k=2))


def test_adult_loses_what_its_best_levels_lose(real_data: Callable[[str], Path]) -> None:
    path = real_data("adult/adult.csv")
    with sudare.read_table(path) as table:
        files = sudare.tables.find_hierarchies(path.parent, table.attributes)
        given_ = {name: read_hierarchy(file, name) for name, file in files.items()}
        made, bound, _ = recode_by_levels(table, roles_of(table), given_, Criteria(k=5))
    assert bound == pytest.approx(13.50, abs=0.005)
    assert table_loss(made).entropy == pytest.approx(bound)
    assert int(np.min(made.sizes)) >= 5
