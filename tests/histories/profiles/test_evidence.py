"""What gives people away, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sudare.histories.profiles.attack import attack_profiles
from sudare.histories.profiles.evidence import (
    MOST_ITEMS,
    kept_habits,
    revealing_items,
    sure_pairs,
    true_pairs,
    views_alone,
)
from sudare.histories.profiles.sides import make_sides
from tests.histories.attack.histories import Row, history
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import bought, habitual_rows, halves, links_of, sides_of


def test_items_that_pairs_share_give_them_away_the_rarest_most() -> None:
    sides = sides_of(
        {1: ["rare", "common"], 2: ["common", "x"], 3: ["common", "y"]}, {1: ["rare", "common"], 2: ["common", "z"]}
    )
    links = attack_profiles(sides, trained=False)
    found = revealing_items(links, (np.array([0, 1]), np.array([0, 1])))
    assert [(one.item, one.people, one.pairs) for one in found] == [("rare", 1, 1), ("common", 3, 2)]
    assert sum(one.share for one in found) == pytest.approx(1)
    assert found[0].share > found[1].share


def test_no_pairs_are_given_away_by_nothing() -> None:
    links = attack_profiles(sides_of({1: ["a"]}, {1: ["a"]}), trained=False)
    nothing = np.array([], np.int64), np.array([], np.int64)
    assert revealing_items(links, nothing) == ()
    assert kept_habits(links, nothing) == ()


def test_at_most_ten_items_are_shown() -> None:
    items = [f"i{n}" for n in range(15)]
    links = attack_profiles(sides_of({1: items}, {1: items}), trained=False)
    assert len(revealing_items(links, (np.array([0]), np.array([0])))) == MOST_ITEMS


def test_items_that_were_published_as_one_are_named_together() -> None:
    known = bought({1: ["a", "e"], 2: ["b"], 3: ["c"], 4: ["d"]})
    published = cells(
        [["1", "2011/6/1", "{a;b;c;d}", "1", "1"], ["2", "2011/6/1", "e", "1", "1"]],
        known.column("item").names,  # type: ignore[union-attr]
    )
    links = attack_profiles(make_sides(known, published), trained=False)
    found = revealing_items(links, (np.array([0, 1]), np.array([0, 0])))
    assert {one.item: one.people for one in found} == {"{a;b;c;…}": 4, "e": 1}


def test_pairs_are_those_of_the_truth_or_those_an_attacker_is_rather_sure_of() -> None:
    sides = sides_of({1: ["a"], 2: ["b"], 3: ["c"]}, {1: ["a"], 2: ["a"], 3: ["b"], 4: ["c"]})
    links = links_of(sides, [[0.4, 0.1, None], [0.1, 0.3, None], [None, None, 0.9]])
    groups, people = true_pairs(links, np.array([0, -1, -2, 2]))
    assert (groups.tolist(), people.tolist()) == ([0, 2], [0, 2])
    # Of the first class one of two is the first person with 0.8.
    groups, people = sure_pairs(links)
    assert (groups.tolist(), people.tolist()) == ([0, 2], [0, 2])


def test_habits_are_kept_as_far_as_they_are_alike_at_both_times() -> None:
    rows: list[Row] = []
    for person in range(1, 7):
        rows += [(person, day, person, 100 * person, 7 - person) for day in range(person)]
        rows += [(person, 100 + day, person, 100 * person, person) for day in range(2 * person)]
    sides = make_sides(*halves(rows))
    found = kept_habits(attack_profiles(sides, trained=False), (np.arange(6), np.arange(6)))
    assert [one.habit for one in found][-1] == "quantity"
    correlations = {one.habit: one.correlation for one in found}
    assert correlations["rows"] == pytest.approx(1)
    assert correlations["price"] == pytest.approx(1)
    assert correlations["quantity"] < -0.9
    # Everybody buys one row a visit: that tells nothing.
    assert "basket" not in correlations


@pytest.mark.parametrize("cents", [100, 137, 999])
def test_what_is_the_same_for_everybody_is_no_habit(cents: int) -> None:
    """Means of equal numbers may differ by rounding, which would be taken for a habit."""
    random = np.random.default_rng(1)
    rows = [(person, int(day), 1, cents, 3) for person in range(1, 20) for day in random.integers(0, 200, person + 9)]
    links = attack_profiles(make_sides(*halves(rows)), trained=False)
    assert {one.habit for one in kept_habits(links, (np.arange(19), np.arange(19)))}.isdisjoint({"price", "quantity"})


def test_a_view_alone_identifies_whom_it_tells_apart() -> None:
    # Items are all the same, prices are everybody's own.
    rows = [(n, day, 1, 100 + n, 1) for n in range(1, 13) for day in (5, 120)]
    links = attack_profiles(make_sides(*halves(rows)), trained=False, closed=True)
    found = {one.view: one.identified for one in views_alone(links, np.arange(12))}
    assert found == pytest.approx(
        {"item": 1 / 12, "item_quantity": 1 / 12, "item_price": 1, "price_quantity": 1, "quantity": 1 / 12}
    )
    assert {one.identified for one in views_alone(links, np.full(12, -1))} == {0.0}


def test_views_need_their_columns() -> None:
    found = halves(habitual_rows(1, 12))
    bare = [type(part)(part.persons, part.columns[:2]) for part in found]
    links = attack_profiles(make_sides(*bare), trained=False)
    assert [one.view for one in views_alone(links, np.arange(12))] == ["item"]
    assert history([]).columns[0].name == "date"
