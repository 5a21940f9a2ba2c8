"""Columns that are the same in every record, or different in each."""

from __future__ import annotations

from collections.abc import Sequence

import polars
from hypothesis import given, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.tables.classes.remarks import ColumnRemark, column_remarks


def remarks(engine: DuckDBEngine, **columns: Sequence[str | None]) -> tuple[ColumnRemark, ...]:
    frame = polars.DataFrame(columns, schema=dict.fromkeys(columns, polars.String))
    with sudare.read_table(frame, engine=engine) as table:
        return column_remarks(table)


def test_constant_and_unique_columns_are_told_in_their_order(engine: DuckDBEngine) -> None:
    found = remarks(engine, number=["1", "2", "3"], sex=["m", "f", "m"], country=["jp", "jp", "jp"])
    assert found == (ColumnRemark("number", "unique"), ColumnRemark("country", "constant"))
    assert found[0].to_dict() == {"attribute": "number", "kind": "unique"}


def test_a_missing_value_is_a_value_of_its_own(engine: DuckDBEngine) -> None:
    found = remarks(engine, number=["1", None, "3"], note=[None, None, None], town=["x", None, None])
    assert found == (ColumnRemark("number", "unique"), ColumnRemark("note", "constant"))


def test_a_single_record_has_nothing_to_be_compared_with(engine: DuckDBEngine) -> None:
    assert remarks(engine, number=["1"], town=["x"]) == ()


@given(st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=5))
def test_remarks_are_those_of_plain_counting(engine: DuckDBEngine, column: list[str | None]) -> None:
    kinds = [remark.kind for remark in remarks(engine, column=column)]
    different = len(set(column))
    expected = ["constant"] if different == 1 else ["unique"] if different == len(column) else []
    assert kinds == (expected if len(column) > 1 else [])


def test_columns_of_real_people_are_neither(people: sudare.Table) -> None:
    assert column_remarks(people) == ()
