from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, InputError, OptionNotUsable, SourceNotReadable
from sudare.tables.read import read_table
from sudare.tables.sets.affordable import Bundle, affordable_sets, read_costs
from tests.tables.small_tables import Records, names, record_lists, sizes_of, subsets, table_of

# Classes: a: 4 + 4, b: 4 + 4, c: 6 + 2; ab: 2 + 2 + 2 + 2; ac: 4 + 2 + 2; bc: 3 + 3 + 1 + 1.
WORKED = [(0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]
COSTS = {"a": 1, "b": 2, "c": 3}


def test_worked_example() -> None:
    found = affordable_sets(table_of(WORKED), COSTS, budget=4, every=True)
    assert [(s.attributes, s.cost, s.max_risk, s.mean_risk) for s in found.maximal] == [
        (("a", "b"), 3, 0.5, 0.5),
        (("a", "c"), 4, 0.5, 0.375),
    ]
    assert found.sets is not None
    assert [(s.attributes, s.cost) for s in found.sets] == [
        (("a", "b"), 3), (("a", "c"), 4), (("a",), 1), (("b",), 2), (("c",), 3), ((), 0),
    ]  # fmt: skip


def test_what_is_known_costs_nothing() -> None:
    found = affordable_sets(table_of(WORKED), {"b": 2, "c": 3}, budget=2, known=["a"])
    assert [(s.attributes, s.cost) for s in found.maximal] == [(("a", "b"), 2)]
    assert found.known == ("a",)


def test_a_bundle_reveals_several_attributes_for_one_price() -> None:
    found = affordable_sets(table_of(WORKED), COSTS, budget=3, bundles=[(["b", "c"], 3)])
    assert [(s.attributes, s.cost, s.max_risk) for s in found.maximal] == [(("b", "c"), 3, 1.0), (("a", "b"), 3, 0.5)]


def test_a_bundle_can_be_the_cheapest_way_to_a_single_attribute() -> None:
    found = affordable_sets(table_of(WORKED), COSTS, budget=1, bundles=[Bundle(("a", "c"), 1)], every=True)
    assert [(s.attributes, s.cost) for s in found.maximal] == [(("a", "c"), 1)]
    assert {s.attributes for s in found.sets or ()} == {(), ("a",), ("c",), ("a", "c")}


def test_an_attribute_may_be_for_sale_in_a_bundle_only() -> None:
    found = affordable_sets(table_of(WORKED), {"a": 1, "b": 1}, budget=9, bundles=[(["b", "c"], 5)])
    assert [(s.attributes, s.cost) for s in found.maximal] == [(("a", "b", "c"), 6)]


def test_costs_are_exact_decimals() -> None:
    found = affordable_sets(table_of(WORKED), {"a": 0.1, "b": 0.2, "c": 9}, budget=0.3)
    assert [(s.attributes, s.cost) for s in found.maximal] == [(("a", "b"), 0.3)]


def test_a_budget_of_nothing_buys_what_is_free() -> None:
    found = affordable_sets(table_of(WORKED), {"a": 0, "b": 1, "c": 1}, budget=0)
    assert [s.attributes for s in found.maximal] == [("a",)]


def brute_cost(subset: frozenset[int], offers: list[tuple[frozenset[int], Fraction]]) -> Fraction | None:
    costs = [
        sum((cost for _, cost in choice), Fraction(0))
        for size in range(len(offers) + 1)
        for choice in itertools.combinations(offers, size)
        if subset <= frozenset().union(*(reveals for reveals, _ in choice))
    ]
    return min(costs, default=None)


@settings(deadline=None, max_examples=120)
@given(record_lists(), st.data())
def test_equals_trying_all_purchases(records: Records, data: st.DataObject) -> None:
    attributes = range(len(records[0]))
    price = st.integers(0, 12).map(lambda n: Fraction(n, 10))
    single = {a: data.draw(price) for a in attributes}
    known = data.draw(st.sets(st.sampled_from(attributes), max_size=2))
    reveals = st.frozensets(st.sampled_from(attributes), min_size=2)
    bundles = data.draw(st.lists(st.tuples(reveals, price), max_size=3))
    budget = data.draw(st.integers(0, 30).map(lambda n: Fraction(n, 10)))
    offers = [*((frozenset([a]), cost) for a, cost in single.items()), *bundles]
    expected = {}
    for subset in subsets(attributes):
        cost = brute_cost(subset - known, offers)
        if subset >= known and cost is not None and cost <= budget:
            expected[names(subset)] = float(cost)
    found = affordable_sets(
        table_of(records),
        {names([a])[0]: float(cost) for a, cost in single.items()},
        budget=float(budget),
        known=names(known),
        bundles=[(names(revealed), float(cost)) for revealed, cost in bundles],
        every=True,
    )
    assert {s.attributes: s.cost for s in found.sets or ()} == expected
    maximal = {s for s in expected if not any(set(s) < set(other) for other in expected)}
    assert {s.attributes for s in found.maximal} == maximal
    assert len(found.maximal) == len(maximal)
    for entry in found.sets or ():
        sizes = sizes_of(records, ["abcdef".index(name) for name in entry.attributes])
        assert (entry.max_risk, entry.mean_risk) == (1 / min(sizes.values()), len(sizes) / len(records))


def test_costs_from_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("attribute,cost\na,1\nb,2.5\n\n c + b , 3\n", encoding="utf-8")
    costs = read_costs(path)
    assert costs.attributes == {"a": "1", "b": "2.5"}
    assert costs.bundles == (Bundle(("c", "b"), "3"),)
    found = affordable_sets(table_of(WORKED), costs, budget=4)
    assert [(s.attributes, s.cost) for s in found.maximal] == [(("a", "b", "c"), 4)]


def test_a_csv_file_needs_no_header(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("a,1\nb,2\n", encoding="utf-8")
    assert read_costs(path).attributes == {"a": "1", "b": "2"}


def test_costs_from_a_toml_file(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    path.write_text('[costs]\na = 1\nb = 0.1\n[[bundles]]\nattributes = ["a", "c"]\ncost = 3\n', encoding="utf-8")
    costs = read_costs(path)
    assert costs.attributes == {"a": 1, "b": "0.1"}
    assert costs.bundles == (Bundle(("a", "c"), 3),)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a,1\nb,-2\nc,3\n", OptionNotUsable, r"line 2: -2 is negative"),
        ("a,1\nb,two\n", OptionNotUsable, r"line 2: 'two' is not a number"),
        ("a,1\nb,nan\n", OptionNotUsable, r"line 2: 'nan' is not a number"),
        ("a,1\nb\n", OptionNotUsable, r"line 2: 'b' is not an attribute and a cost"),
        ("a,1\na,2\n", OptionNotUsable, r"line 2: 'a' already has a cost"),
        ("a,1\nb,2\nd,3\n", ColumnNotFound, r"line 3: records has no attribute 'd'"),
        ("a,1\nb+d,2\n", ColumnNotFound, r"line 2: records has no attribute 'd'"),
        ("a,1\n", OptionNotUsable, r"No cost for b and c in .*costs.csv"),
    ],
)
def test_costs_that_cannot_be_used_are_named_with_their_line(
    tmp_path: Path, text: str, error: type[InputError], message: str
) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        affordable_sets(table_of(WORKED), read_costs(path), budget=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[costs\n", "cannot be parsed"),
        ("[[bundles]]\ncost = 1\n", "cannot be parsed"),
        ("[costs]\na = 1\nb = true\n", "line 3: True is not a number"),
        ("[costs]\na = -1\n", "line 2: -1 is negative"),
    ],
)
def test_toml_files_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "costs.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionNotUsable, match=message):
        read_costs(path)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match=r"none\.csv"):
        read_costs(tmp_path / "none.csv")


@pytest.mark.parametrize("budget", [-1, "much", float("inf")])
def test_budgets_that_are_none(budget: float | str) -> None:
    with pytest.raises(OptionNotUsable, match="budget"):
        affordable_sets(table_of(WORKED), COSTS, budget=budget)


def test_more_sets_than_anybody_reads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.tables.sets.attribute_sets.MOST_SETS", 2)
    with pytest.raises(OptionNotUsable, match="ask for the maximal sets only"):
        affordable_sets(table_of(WORKED), {"a": 1, "b": 1, "c": 1}, budget=1, every=True)
    with pytest.raises(OptionNotUsable, match="ask for the maximal sets only"):
        affordable_sets(table_of(WORKED), {"a": 1, "b": 1, "c": 1}, budget=1, every=True, samples=2)
    with pytest.raises(OptionNotUsable, match="at least 2"):
        affordable_sets(table_of(WORKED), COSTS, budget=1, samples=1)


def test_adult(real_data: Callable[[str], Path], engine: DuckDBEngine) -> None:
    with read_table(real_data("adult/adult.csv"), engine=engine) as table:
        costs = dict(zip(table.attributes, range(1, 10), strict=True))
        found = affordable_sets(table, costs, budget=10)
        # Sets of different numbers from 1 to 9 with a sum of at most 10 that leave no room for one more.
        assert all(10 - s.cost < min(costs[a] for a in costs if a not in s.attributes) for s in found.maximal)
        assert found.to_dict()["maximal"][0]["max_risk"] == 1.0
        assert len(affordable_sets(table, costs, budget=45, every=True).sets or ()) == 512
