"""What sets of attributes cost, in the answers of other analyses."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.tables.classes.contributions import attribute_contributions
from sudare.tables.classes.records import assess_records
from sudare.tables.sets.costs import Bundle, Costs
from sudare.tables.sets.dangerous import dangerous_sets
from sudare.tables.sets.disclosable import disclosable_sets
from tests.tables.sets.test_affordable import WORKED, brute_cost
from tests.tables.small_tables import Records, names, record_lists, table_of

COSTS = Costs({"a": 1, "b": "2.5", "c": 3}, (Bundle(("b", "c"), 4),))


def test_knowledge_has_its_cost() -> None:
    table = table_of(WORKED)
    found = assess_records(table, ["b", "c"], costs=COSTS, budget=4)
    assert (found.cost, found.affordable) == (4, True)
    assert {"cost": 4.0, "affordable": True}.items() <= found.to_dict().items()
    assert assess_records(table, costs=COSTS, budget="4.9").affordable is False
    assert assess_records(table, ["a"], costs={"a": 1}).cost == 1
    assert "cost" not in assess_records(table, ["a"]).to_dict()
    with pytest.raises(OptionNotUsable, match="No cost for b"):
        assess_records(table, ["a", "b"], costs={"a": 1})


def test_what_is_left_without_an_attribute_has_its_cost() -> None:
    left = attribute_contributions(table_of(WORKED), costs=COSTS, by_cost=True)
    assert [(entry.attribute, entry.cost) for entry in left] == [("c", 3.5), ("b", 4), ("a", 4)]
    assert left[0].to_dict()["cost"] == 3.5
    assert "cost" not in attribute_contributions(table_of(WORKED))[0].to_dict()


def test_disclosable_sets_have_costs_and_keep_to_a_budget() -> None:
    # Classes of two or more: a, b, c, ab and ac, but not bc.
    table = table_of(WORKED)
    found = disclosable_sets(table, limit=0.5, costs=COSTS, by_cost=True, every=True)
    assert [(entry.attributes, entry.cost) for entry in found.maximal] == [(("a", "b"), 3.5), (("a", "c"), 4)]
    assert (found.minimal_unsafe, found.unsafe_costs) == ((("b", "c"),), (4,))
    assert [entry.cost for entry in found.sets or ()] == [0, 1, 2.5, 3, 3.5, 4]
    cheap = disclosable_sets(table, limit=0.5, costs=COSTS, budget="3.5", every=True)
    assert [entry.attributes for entry in cheap.maximal] == [("a", "b")]
    assert (cheap.over_budget, cheap.minimal_unsafe, cheap.budget) == (1, (), 3.5)
    assert {entry.attributes for entry in cheap.sets or ()} == {(), ("a",), ("b",), ("c",), ("a", "b")}
    assert cheap.to_dict()["unsafe_costs"] == []
    assert disclosable_sets(table, limit=0.5, known=["a"], costs={"b": 1, "c": 9}).maximal[0].cost == 1
    assert "budget" not in disclosable_sets(table, limit=0.5).to_dict()


def test_dangerous_sets_have_costs_and_keep_to_a_budget() -> None:
    found = dangerous_sets(table_of(WORKED), size=2, factor=0.1, costs=COSTS, by_cost=True)
    assert [(entry.attributes, entry.cost) for entry in found.sets] == [
        (("a", "b"), 3.5), (("b", "c"), 4), (("a", "c"), 4),
    ]  # fmt: skip
    assert found.sets[0].to_dict()["cost"] == 3.5
    cheap = dangerous_sets(table_of(WORKED), size=2, factor=0.1, costs=COSTS, budget="3.5")
    assert ([entry.attributes for entry in cheap.sets], cheap.found, cheap.budget) == ([("a", "b")], 1, 3.5)


@pytest.mark.parametrize("options", [{"budget": 3}, {"by_cost": True}])
def test_a_budget_and_an_order_by_cost_need_costs(options: dict[str, int]) -> None:
    table = table_of(WORKED)
    with pytest.raises(OptionNotUsable, match="needs the costs"):
        disclosable_sets(table, limit=0.5, **options)
    with pytest.raises(OptionNotUsable, match="needs the costs"):
        dangerous_sets(table, size=2, factor=2, **options)


@settings(deadline=None, max_examples=60)
@given(record_lists(most_attributes=4), st.data())
def test_costs_equal_trying_all_purchases(records: Records, data: st.DataObject) -> None:
    attributes = range(len(records[0]))
    price = st.integers(0, 12).map(lambda n: Fraction(n, 10))
    single = {a: data.draw(price) for a in attributes}
    reveals = st.frozensets(st.sampled_from(attributes), min_size=2)
    bundles = data.draw(st.lists(st.tuples(reveals, price), max_size=3))
    budget = data.draw(st.integers(0, 30).map(lambda n: Fraction(n, 10)))
    offers = [*((frozenset([a]), cost) for a, cost in single.items()), *bundles]
    costs = Costs(
        {names([a])[0]: float(cost) for a, cost in single.items()},
        tuple(Bundle(names(revealed), float(cost)) for revealed, cost in bundles),
    )

    def cost(found: tuple[str, ...]) -> Fraction:
        least = brute_cost(frozenset("abcd".index(name) for name in found), offers)
        assert least is not None
        return least

    table, asked = table_of(records), {"costs": costs, "budget": float(budget)}
    plain, priced = (disclosable_sets(table, limit=0.5, every=True, **extra) for extra in ({}, asked))  # type: ignore[arg-type]
    for name in ("maximal", "sets"):
        expected = {
            s.attributes: float(cost(s.attributes)) for s in getattr(plain, name) if cost(s.attributes) <= budget
        }
        assert {s.attributes: s.cost for s in getattr(priced, name)} == expected
    assert list(priced.minimal_unsafe) == [s for s in plain.minimal_unsafe if cost(s) <= budget]
    size = min(2, len(records[0]))
    plain_sets, priced_sets = (dangerous_sets(table, size=size, factor=1, **extra) for extra in ({}, asked))  # type: ignore[arg-type]
    assert {s.attributes: s.cost for s in priced_sets.sets} == {
        s.attributes: float(cost(s.attributes)) for s in plain_sets.sets if cost(s.attributes) <= budget
    }
    for chosen in itertools.combinations(names(attributes), 2):
        assert assess_records(table, chosen, costs=costs).cost == float(cost(chosen))
