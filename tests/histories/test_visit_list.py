"""The visits of a history are the pairs of customers and days, with their different items."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import polars
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import NotOnEngine
from tests.histories import brute_force
from tests.histories.attackers.test_assessment import rows
from tests.histories.brute_force import Row


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(rows, min_size=1, max_size=9), st.integers(1, 4))
def test_visits_are_pairs_of_customers_and_days(engine: DuckDBEngine, history_rows: list[Row], most: int) -> None:
    visits: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in history_rows:
        visits[row.customer, row.day].append(row.item)
    expected = [
        {"customer": who, "day": day, "rows": len(items), "kinds": len(set(items)), "items": sorted(set(items))}
        for (who, day), items in sorted(visits.items())
    ]
    with sudare.read_history(brute_force.frame(history_rows), engine=engine) as history:
        assert [visit.to_dict() for visit in sudare.histories.list_visits(history)] == expected
        assert [visit.to_dict() for visit in sudare.histories.list_visits(history, most=most)] == expected[:most]


def test_visits_are_written_as_parquet(toy: sudare.History, tmp_path: Path) -> None:
    assert sudare.histories.write_visits(toy, tmp_path / "visits.parquet") == 5
    written = polars.read_parquet(tmp_path / "visits.parquet")
    assert written["kinds"].to_list() == [3, 1, 1, 2, 3]


def test_visits_of_people_do_not_leave_an_engine_that_keeps_them(
    toy: sudare.History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sudare.DuckDBEngine, "shows_people", False)
    with pytest.raises(NotOnEngine, match="the visits of customers"):
        sudare.histories.list_visits(toy)
    with pytest.raises(NotOnEngine, match="what is known about several customers"):
        sudare.histories.assess_persons(toy, "day")
