"""How many people of a reference population fit each record: against counting one by one."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.tables.population.reference import ReferenceRisk, reference_risk
from sudare.tables.read import read_table
from tests.tables.small_tables import Record, table_of

ONE = st.one_of(st.none(), st.integers(0, 2))
RECORDS = st.lists(st.tuples(ONE, ONE, ONE), min_size=1, max_size=12)


def counted(records: list[Record], population: list[Record], known: list[int]) -> ReferenceRisk:
    people = Counter(tuple(person[a] for a in known) for person in population)
    fitting = [people[tuple(record[a] for a in known)] for record in records]
    there = [count for count in fitting if count]
    names = tuple("abc"[a] for a in known)
    return ReferenceRisk(
        names, len(records), len(population), min(there, default=None), fitting.count(1), fitting.count(0)
    )  # fmt: skip


@settings(max_examples=150)
@given(RECORDS, RECORDS, st.lists(st.sampled_from(range(3)), min_size=1, unique=True))
def test_people_who_fit_are_those_counted_one_by_one(
    records: list[Record], population: list[Record], known: list[int]
) -> None:
    found = reference_risk(table_of(records), table_of(population), ["abc"[a] for a in known])
    assert found == counted(records, population, known)


def test_a_worked_example(engine: DuckDBEngine) -> None:
    # One man of 30, two women of 40, and nobody of 50; columns are found by their names.
    with (
        read_table(pl.DataFrame({"sex": ["m", "f", "f"], "age": [30, 40, 50]}), engine=engine) as table,
        read_table(
            pl.DataFrame({"age": [30, 40, 40], "town": ["x"] * 3, "sex": ["m", "f", "f"]}), engine=engine
        ) as people,
    ):
        assert reference_risk(table, people, ["sex", "age"]) == ReferenceRisk(("sex", "age"), 3, 3, 1, 1, 1)
        assert reference_risk(table, people, ["sex"]) == ReferenceRisk(("sex",), 3, 3, 1, 1, 0)
        with pytest.raises(ColumnNotFound, match="town"):
            reference_risk(table, people, ["town"])


def test_many_values_of_many_columns_stay_apart() -> None:
    # Their numbers of combinations would not fit into 64 bits.
    width, records = 20, [tuple((n + a) % 30 for a in range(20)) for n in range(30)]
    found = reference_risk(table_of(records), table_of(records[:15]), list("abcdefghijklmnopqrst"[:width]))
    assert (found.smallest, found.unique, found.absent) == (1, 15, 15)


def test_who_may_be_several_is_refused() -> None:
    plain = table_of([(0, 1), (1, None)])
    for other in (table_of([(0, 1), (1, None)], missing="any"), table_of([(0, 1), (1, 1)], persons=[0, 1])):
        for one, two in ((plain, other), (other, plain)):
            with pytest.raises(OptionNotUsable) as raised:
                reference_risk(one, two, ["a", "b"])
            assert raised.value.key == "errors.population.overlapping"
