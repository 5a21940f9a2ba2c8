from __future__ import annotations

from collections.abc import Iterator

import polars
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import NotOnEngine


class Hiding(DuckDBEngine):
    """An engine that shows no people."""

    shows_people = False


@pytest.fixture(scope="module")
def hiding() -> Iterator[Hiding]:
    with Hiding() as found:
        yield found


def people(rows: list[tuple[str, str, str | None]]) -> polars.DataFrame:
    return polars.DataFrame(
        rows, schema={"who": polars.String, "sex": polars.String, "town": polars.String}, orient="row"
    )


records = st.tuples(st.sampled_from("abcdef"), st.sampled_from("mf"), st.sampled_from(["x", "y", None]))


@pytest.mark.slow
@given(st.lists(records, min_size=1, max_size=15))
@settings(max_examples=40)
def test_the_classes_are_the_same_without_any_person(
    hiding: Hiding, engine: DuckDBEngine, rows: list[tuple[str, str, str | None]]
) -> None:
    with (
        sudare.read_table(people(rows), person="who", engine=hiding) as found,
        sudare.read_table(people(rows), person="who", engine=engine) as expected,
    ):
        assert (found.values, sorted(found.counts.tolist())) == (expected.values, sorted(expected.counts.tolist()))
        assert (sudare.tables.assess_subsets(found).results == sudare.tables.assess_subsets(expected).results).all()


def test_records_that_too_few_persons_have_do_not_leave_the_engine() -> None:
    # Two persons are m in x; a third is that, too, and once f in x.
    rows: list[tuple[str, str, str | None]] = [("a", "m", "x"), ("b", "m", "x"), ("c", "m", "x"), ("c", "f", "x")]
    with Hiding(min_cell=2) as engine:
        with sudare.read_table(people(rows[:2]), person="who", engine=engine) as table:
            assert table.counts.tolist() == [1, 1]
        with pytest.raises(NotOnEngine, match=r"1 person has records that fewer than 2 persons share"):
            sudare.read_table(people(rows), person="who", engine=engine)
