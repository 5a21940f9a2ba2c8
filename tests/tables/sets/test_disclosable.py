from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.messages import Message
from sudare.tables.read import read_table
from sudare.tables.sets import disclosable
from sudare.tables.sets.disclosable import disclosable_sets
from tests.tables.small_tables import Records, names, record_lists, sizes_of, subsets, table_of

# Classes: a: 4 + 4, b: 4 + 4, c: 6 + 2; ab: 2 + 2 + 2 + 2; ac: 4 + 2 + 2; bc: 3 + 3 + 1 + 1.
WORKED = [(0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]


@pytest.fixture(params=["walk", "search"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "search":
        monkeypatch.setattr(disclosable, "MOST_WALKED", -1)
    return str(request.param)


def test_worked_example(way: str) -> None:
    found = disclosable_sets(table_of(WORKED), limit=0.5, every=True)
    assert [(s.attributes, s.max_risk, s.mean_risk) for s in found.maximal] == [
        (("a", "b"), 0.5, 0.5),
        (("a", "c"), 0.5, 0.375),
    ]
    assert found.minimal_unsafe == (("b", "c"),)
    assert found.sets is not None
    assert [s.attributes for s in found.sets] == [("a", "b"), ("a", "c"), ("a",), ("b",), ("c",), ()]
    assert (found.class_size, found.known_safe, found.complete) == (2, True, True)


def test_known_attributes_are_in_every_set(way: str) -> None:
    found = disclosable_sets(table_of(WORKED), limit=0.5, known=["c"], every=True)
    assert [s.attributes for s in found.maximal] == [("a", "c")]
    assert found.minimal_unsafe == (("b", "c"),)
    assert found.sets is not None
    assert [s.attributes for s in found.sets] == [("a", "c"), ("c",)]


def test_known_attributes_over_the_limit_leave_nothing(way: str) -> None:
    found = disclosable_sets(table_of(WORKED), limit=0.5, known=["b", "c"], every=True)
    assert (found.known_safe, found.maximal, found.sets, found.complete) == (False, (), (), True)
    assert found.minimal_unsafe == (("b", "c"),)


def test_nothing_may_be_the_only_thing_that_can_be_disclosed(way: str) -> None:
    found = disclosable_sets(table_of(WORKED), limit=1 / 8)
    assert [(s.attributes, s.max_risk) for s in found.maximal] == [((), 1 / 8)]
    assert found.minimal_unsafe == (("a",), ("b",), ("c",))


def test_a_quantile_lets_some_records_be_over_the_limit(way: str) -> None:
    # Two of eight records are alone in bc; a quarter may be.
    found = disclosable_sets(table_of(WORKED), limit=0.5, quantile=0.75)
    assert [s.attributes for s in found.maximal] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found.maximal[2].max_risk == 1.0
    assert found.allowed_records == 2


@pytest.mark.parametrize(
    ("limit", "size"), [(1.0, 1), (0.5, 2), (0.1, 10), (0.01, 100), (1 / 3, 3), (0.333, 4), (0.34, 3), (1 / 49, 49)]
)
def test_limits_are_exact(limit: float, size: int) -> None:
    assert disclosable_sets(table_of(WORKED), limit=limit).class_size == size


def brute_force(records: Records, known: frozenset[int], limit: Fraction, quantile: Fraction) -> dict[str, set]:  # type: ignore[type-arg]
    def safe(subset: frozenset[int]) -> bool:
        sizes = sizes_of(records, subset).values()
        return sum(n for n in sizes if Fraction(1, n) > limit) <= floor((1 - quantile) * len(records))

    everything = frozenset(range(len(records[0])))
    verdict = {s: safe(s) for s in subsets(everything) if s >= known}
    sets = {s for s, good in verdict.items() if good}
    maximal = {s for s in sets if not any(s < other for other in sets)}
    unsafe = {s for s, good in verdict.items() if not good and all(verdict.get(s - {a}, True) for a in s)}
    return {"sets": sets, "maximal": maximal, "unsafe": unsafe}


@settings(deadline=None, max_examples=150)
@given(
    record_lists(most_attributes=6, most_records=40),
    st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(1, 5)]),
    st.sampled_from([None, Fraction(1, 2), Fraction(4, 5), Fraction(9, 10), Fraction(1)]),
    st.sets(st.integers(0, 5), max_size=2),
    st.booleans(),
)
def test_equals_trying_all_subsets(
    records: Records, limit: Fraction, quantile: Fraction | None, known: set[int], walk: bool
) -> None:
    fixed = frozenset(a for a in known if a < len(records[0]))
    expected = brute_force(records, fixed, limit, Fraction(1) if quantile is None else quantile)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disclosable, "MOST_WALKED", 20 if walk else -1)
        found = disclosable_sets(
            table_of(records),
            limit=float(limit),
            quantile=None if quantile is None else float(quantile),
            known=names(fixed),
            every=True,
        )
    assert {s.attributes for s in found.maximal} == {names(s) for s in expected["maximal"]}
    assert {s.attributes for s in found.sets or ()} == {names(s) for s in expected["sets"]}
    assert set(found.minimal_unsafe) == {names(s) for s in expected["unsafe"]}
    for entry in found.maximal:
        sizes = sizes_of(records, ["abcdef".index(name) for name in entry.attributes])
        assert entry.max_risk == 1 / min(sizes.values())
        assert entry.mean_risk == len(sizes) / len(records)


def test_seventy_attributes() -> None:
    """Copies of the worked example's attributes: pairs b, c of any copies are unsafe, nothing else is."""
    table = table_of(WORKED)
    table.codes = np.ascontiguousarray(np.vstack([table.codes] * 24)[:70])
    table.values = (table.values * 24)[:70]
    table.attributes = tuple(f"{'abc'[x % 3]}{x // 3}" for x in range(70))
    found = disclosable_sets(table, limit=0.5)
    # 24 copies of a, 23 of b and of c.
    assert found.complete
    assert sorted("".join(sorted({name[0] for name in s.attributes})) for s in found.maximal) == ["ab", "ac"]
    assert [len(s.attributes) for s in found.maximal] == [47, 47]
    assert len(found.minimal_unsafe) == 23 * 23


def test_a_search_without_time_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disclosable, "MOST_WALKED", -1)
    found = disclosable_sets(table_of(WORKED), limit=0.5, seconds=1e-9)
    assert (found.complete, found.interrupted, found.maximal) == (False, False, ())


def test_an_interrupted_search_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disclosable, "MOST_WALKED", -1)

    def interrupt(step: Message, done: int, total: int) -> None:
        raise KeyboardInterrupt

    found = disclosable_sets(table_of(WORKED), limit=0.5, progress=interrupt)
    assert (found.complete, found.interrupted) == (False, True)
    assert {s.attributes for s in found.maximal} == {("a", "b"), ("a", "c")}


@pytest.mark.parametrize("limit", [0.0, -0.1, 1.5, float("nan")])
def test_limits_that_are_no_probability(limit: float) -> None:
    with pytest.raises(OptionNotUsable, match=r"above 0 and at most 1|limit must be a finite number"):
        disclosable_sets(table_of(WORKED), limit=limit)


@pytest.mark.parametrize("quantile", [0.0, 1.1])
def test_quantiles_that_are_no_share(quantile: float) -> None:
    with pytest.raises(OptionNotUsable, match="above 0 and at most 1"):
        disclosable_sets(table_of(WORKED), limit=0.5, quantile=quantile)


def test_unknown_attributes() -> None:
    with pytest.raises(ColumnNotFound, match="no attribute 'd'"):
        disclosable_sets(table_of(WORKED), limit=0.5, known=["d"])


def test_more_sets_than_anybody_reads_are_refused(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.tables.sets.attribute_sets.MOST_SETS", 3)
    monkeypatch.setattr(disclosable, "MOST_SETS", 3)
    with pytest.raises(OptionNotUsable, match="Ask for the maximal sets only"):
        disclosable_sets(table_of(WORKED), limit=0.5, every=True)


def test_results_are_plain_values() -> None:
    found = disclosable_sets(table_of(WORKED), limit=0.25).to_dict()
    assert found["maximal"][0] == ["a"]
    assert found["maximal_risks"][0] == {"attributes": ["a"], "max_risk": 0.25, "mean_risk": 0.25}
    assert found["minimal_unsafe"] == [["c"], ["a", "b"]]
    assert found["sets"] is None


def test_adult_walk_and_search_agree(
    real_data: Callable[[str], Path], engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with read_table(real_data("adult/adult.csv"), engine=engine) as table:
        for limit, quantile in [(0.1, None), (0.2, 0.99), (0.1, 0.9)]:
            monkeypatch.setattr(disclosable, "MOST_WALKED", 20)
            walked = disclosable_sets(table, limit=limit, quantile=quantile)
            monkeypatch.setattr(disclosable, "MOST_WALKED", -1)
            assert disclosable_sets(table, limit=limit, quantile=quantile) == walked
            assert walked.maximal


@pytest.mark.parametrize(("quantile", "over"), [(0.9, 1), (0.90000000001, 0), (0.8, 2), (0.7999999999, 2), (1, 0)])
def test_a_quantile_is_meant_as_it_is_written(quantile: float, over: int) -> None:
    records = [(0,)] * (10 - over - 1) + [(number,) for number in range(1, over + 2)]
    assert disclosable_sets(table_of(records), limit=0.5, quantile=quantile).maximal[0].attributes == ()
    fewer = [(0,)] * (10 - over) + [(number,) for number in range(1, over + 1)]
    assert disclosable_sets(table_of(fewer), limit=0.5, quantile=quantile).maximal[0].attributes == ("a",)
