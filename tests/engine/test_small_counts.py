from collections.abc import Iterator

import hypothesis.strategies as st
import numpy as np
import polars
import pytest
from hypothesis import given

import sudare
from sudare.engine import DuckDBEngine
from sudare.engine.small_counts import Merge
from sudare.errors import NotOnEngine, OptionNotUsable

Line = tuple[int, int, int]


@pytest.fixture(scope="module")
def guarded() -> Iterator[DuckDBEngine]:
    """An engine that lets no count below five out."""
    with DuckDBEngine(min_cell=5, threads=1) as engine:
        yield engine


def fetched(engine: DuckDBEngine, lines: dict[int, int]) -> list[Line]:
    """Return key, cell and number of lines after merging, of lines given as key -> cell."""
    columns = {"k": list(lines), "cell": list(lines.values()), "lines": [1] * len(lines)}
    engine.attach("lines", {name: np.array(column, np.int64) for name, column in columns.items()})
    rows = engine.counts("SELECT * FROM lines", cell="cell", small=Merge("k", ("cell", "lines")))
    return [(int(key), int(cell), int(count)) for key, cell, count in rows]


def test_lines_that_are_large_enough_leave_as_they_are(guarded: DuckDBEngine) -> None:
    assert fetched(guarded, {1: 5, 2: 7}) == [(1, 5, 1), (2, 7, 1)]


def test_few_small_lines_join_the_other_line_of_the_smallest_key(guarded: DuckDBEngine) -> None:
    assert fetched(guarded, {1: 2, 2: 7, 3: 9, 4: 1}) == [(1, 10, 3), (3, 9, 1)]


def test_many_small_lines_make_lines_of_their_own(guarded: DuckDBEngine) -> None:
    # The running total of the small ones passes 10 before the fourth.
    assert fetched(guarded, {1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 9: 50}) == [(1, 12, 3), (4, 8, 2), (9, 50, 1)]


def test_what_is_too_little_altogether_does_not_leave(guarded: DuckDBEngine) -> None:
    with pytest.raises(OptionNotUsable, match="fewer than 5"):
        fetched(guarded, {1: 2, 2: 2})


def test_lines_of_several_questions_are_merged_each_among_their_own(guarded: DuckDBEngine) -> None:
    lines = "SELECT * FROM (VALUES (1, 1, 2), (1, 2, 7), (2, 1, 4), (2, 3, 3)) AS lines(question, k, cell)"
    found = guarded.counts(lines, cell="cell", small=Merge("k", ("cell",), of="question", questions=2))
    assert [tuple(map(int, row)) for row in found] == [(1, 1, 9), (2, 1, 7)]


def test_a_question_of_which_nothing_may_leave_is_refused_among_others(guarded: DuckDBEngine) -> None:
    lines = "SELECT * FROM (VALUES (1, 1, 9), (2, 1, 2), (2, 2, 2)) AS lines(question, k, cell)"
    with pytest.raises(OptionNotUsable, match="fewer than 5"):
        guarded.counts(lines, cell="cell", small=Merge("k", ("cell",), of="question", questions=2))


def test_nothing_at_all_is_no_small_count(guarded: DuckDBEngine) -> None:
    assert fetched(guarded, {}) == []


@given(st.dictionaries(st.integers(1, 40), st.integers(1, 12), min_size=1))
def test_no_small_count_leaves_and_nothing_is_lost(guarded: DuckDBEngine, lines: dict[int, int]) -> None:
    if sum(lines.values()) < 5:
        return
    found = fetched(guarded, lines)
    assert min(cell for _, cell, _ in found) >= 5
    assert sum(cell for _, cell, _ in found) == sum(lines.values())
    assert sum(count for _, _, count in found) == len(lines)
    assert {key for key, _, count in found if count == 1} <= {key for key, cell in lines.items() if cell >= 5}


def test_merged_crowds_tell_no_risk_too_low(guarded: DuckDBEngine, toy_file: object, engine: DuckDBEngine) -> None:
    with sudare.read_history(toy_file, engine=engine) as plain, sudare.read_history(toy_file, engine=guarded) as safe:
        exact, told = sudare.histories.assess_knowledge(plain, "item"), sudare.histories.assess_knowledge(safe, "item")
    # Bread and tea have 3 + 2 pairs of value and customer, book and juice 2 + 1.
    assert told.values == exact.values
    assert told.measured >= exact.measured
    assert told.unique_share >= exact.unique_share


def test_a_table_with_rare_rows_is_refused(guarded: DuckDBEngine) -> None:
    with pytest.raises(NotOnEngine, match=r"(?s)2 records.*fewer than 5.*min_cell"):
        sudare.read_table(polars.DataFrame({"sex": ["m"] * 5 + ["f"] * 2}), engine=guarded)
    with sudare.read_table(polars.DataFrame({"sex": ["m"] * 5 + ["f"] * 5}), engine=guarded) as table:
        assert table.counts.tolist() == [5, 5]
