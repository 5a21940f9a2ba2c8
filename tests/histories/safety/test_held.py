from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import NotOnEngine
from tests.histories.generalized.small_cells import cells
from tests.histories.generalized.test_held import texts

DAY = "2011/1/1"
one_cell = st.sampled_from(["1", "[1;1]", "[1;2]", "1.0", "*"])
one_item = st.sampled_from(["a", "{a}", "{a;b}", "{b;a}", "*"])
one_row = st.tuples(st.sampled_from("1234"), st.just(DAY), one_item, one_cell, st.sampled_from(["1", "[1;3]", "*"]))


def sizes(engine: DuckDBEngine, folder: Path, anonymized: list[tuple[str, ...]]) -> dict[int, int]:
    """Return the classes by size; the original has the value in every cell that all cells hold."""
    original = [(row[0] if row[0] != "*" else "1", DAY, "a", "1", "1") for row in anonymized]
    # An item b is known, of somebody whose rows are deleted.
    sides = [[*original, ("9", DAY, "b", "1", "1")], [*anonymized, ("*",) * 5]]
    written = ("".join(",".join(row) + "\n" for row in side) for side in sides)
    with sudare.histories.hold_cells(*texts(folder, *written), engine=engine) as held:
        return {found.size: found.classes for found in sudare.histories.held_class_sizes(held)}


def test_rows_are_compared_as_often_as_they_stand_and_by_what_they_stand_for(
    engine: DuckDBEngine, tmp_path: Path
) -> None:
    rows = [("1", DAY, "{a;b}", "1", "*"), ("2", DAY, "{b;a}", "[1;1.0]", "*")]
    assert sizes(engine, tmp_path, rows) == {2: 1}
    assert sizes(engine, tmp_path, [*rows, rows[1]]) == {1: 2}
    assert sizes(engine, tmp_path, [("*",) * 5]) == {}


@given(st.lists(one_row, min_size=1, max_size=9))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_classes_are_those_of_histories_in_memory(
    engine: DuckDBEngine, tmp_path: Path, rows: list[tuple[str, ...]]
) -> None:
    expected = sudare.histories.published_classes(cells(rows, names=["a", "b"]))
    assert sizes(engine, tmp_path, rows) == Counter(expected.sizes.tolist())


def test_counts_of_too_few_pseudonyms_do_not_leave_the_engine(tmp_path: Path) -> None:
    row = (DAY, "a", "1", "1")
    with DuckDBEngine(min_cell=2) as engine:
        assert sizes(engine, tmp_path, [("1", *row), ("2", *row)]) == {2: 1}
        with pytest.raises(NotOnEngine, match=r"1 pseudonym is in classes of a size that fewer than 2"):
            sizes(engine, tmp_path, [("1", *row), ("2", *row), ("3", DAY, "*", "1", "1")])
