"""Crowds counted in memory are those that the engine counts."""

from __future__ import annotations

from datetime import date, timedelta

import polars
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.histories.attackers import visits
from sudare.histories.attackers.assessment import part_sizes
from sudare.histories.attackers.crowds import count_crowds, part_frequencies
from sudare.histories.attackers.knowledge import TEN_ATTACKERS
from sudare.histories.attackers.visits import ROW_BYTES, fetch_visits

# Days far apart, and rows that repeat.
rows = st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2, 70_000]), st.integers(0, 4))


def frame(found: list[tuple[int, int, int]]) -> polars.DataFrame:
    return polars.DataFrame(
        {
            "customer": [f"c{customer}" for customer, _, _ in found],
            "day": [date(1950, 1, 1) + timedelta(day) for _, day, _ in found],
            "item": [f"i{item}" for _, _, item in found],
        }
    )


@given(st.lists(rows, min_size=1, max_size=30))
def test_crowds_sizes_and_frequencies_are_those_of_the_engine(found: list[tuple[int, int, int]]) -> None:
    with DuckDBEngine() as engine, sudare.read_history(frame(found), engine=engine) as history:
        found_visits = fetch_visits(history)
        assert found_visits is not None
        assert list(found_visits.each(TEN_ATTACKERS)) == [count_crowds(history, known) for known in TEN_ATTACKERS]
        for known in TEN_ATTACKERS:
            assert found_visits.sizes(known.parts) == part_sizes(history, known.parts)
        for part in ("day", "count", "items", "item"):
            for by_rows in (False, True):
                expected = part_frequencies(history, part, by_rows=by_rows)
                assert found_visits.frequencies(part, by_rows=by_rows) == expected


def test_visits_that_do_not_fit_or_may_not_leave_stay_on_the_engine() -> None:
    source = frame([(0, 0, 0)] * 300)
    with DuckDBEngine(min_cell=2) as engine, sudare.read_history(source, engine=engine) as history:
        assert fetch_visits(history) is None
    with DuckDBEngine(memory="100MB") as engine, sudare.read_history(source, engine=engine) as history:
        assert fetch_visits(history) is not None
        history.records = engine.memory_bytes // 2 // ROW_BYTES + 1
        assert fetch_visits(history) is None


def test_visits_whose_numbers_do_not_fit_into_one_stay_on_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    # Numbers of two customers (from 1) and days 0 to 3 take two bits, those of four items three, one row a visit one.
    rows = [(customer, day, customer + day) for customer in (0, 1) for day in (0, 3)]
    with DuckDBEngine() as engine, sudare.read_history(frame(rows), engine=engine) as history:
        for bits, fit in ((8, True), (7, False)):
            monkeypatch.setattr(visits, "_MOST_BITS", bits)
            assert (fetch_visits(history) is not None) == fit
