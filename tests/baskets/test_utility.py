from collections import Counter
from math import log
from statistics import mean, median

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.baskets.model import Baskets, make_baskets
from tests.baskets import brute_force
from tests.baskets.brute_force import small_records

# Figure 1 of the paper: the data before and after.
BEFORE = [
    ["milk", "bread", "medicine"],
    ["apple"],
    ["milk", "coffee", "bread"],
    ["milk", "medicine"],
    ["coffee", "bread", "apple"],
    ["orange", "medicine"],
]
AFTER = [
    ["bread", "medicine"],
    ["apple"],
    ["milk", "coffee"],
    ["milk", "medicine"],
    ["coffee", "bread", "apple"],
    ["orange"],
]
ORIGINAL, PUBLISHED = make_baskets(BEFORE), make_baskets(AFTER)


def test_three_of_fourteen_items_of_figure_1_are_suppressed() -> None:
    assert sudare.baskets.suppressed_share(ORIGINAL, PUBLISHED) == pytest.approx(3 / 14)
    assert sudare.baskets.suppressed_share(ORIGINAL, ORIGINAL) == 0


def test_the_divergence_of_figure_1_by_hand() -> None:
    # Before, of 14: bread, medicine, milk 3 each, apple, coffee 2, orange 1; after, of 11: one less of the first three.
    by_hand = (
        3 * 2 / 11 * log(2 / 11 / (3 / 14)) + 2 * 2 / 11 * log(2 / 11 / (2 / 14)) + 1 / 11 * log(1 / 11 / (1 / 14))
    )
    assert sudare.baskets.kl_divergence(ORIGINAL, PUBLISHED) == pytest.approx(by_hand)
    assert sudare.baskets.kl_divergence(ORIGINAL, ORIGINAL) == 0


def test_items_that_are_gone_add_nothing_to_the_divergence() -> None:
    before, after = make_baskets([["a", "b"], ["a"]]), make_baskets([["a"], ["a"]])
    assert sudare.baskets.kl_divergence(before, after) == pytest.approx(log(1 / (2 / 3)))


def test_nothing_published_is_all_suppressed_with_divergence_zero() -> None:
    nothing = make_baskets([[]] * 6)
    found = sudare.baskets.basket_utility(ORIGINAL, nothing, support=2, confidence=0.5)
    assert (found.suppressed_share, found.kl_divergence, found.rules.distance) == (1, 0, 1)
    assert (found.support_errors.mean, found.support_errors.largest) == (1, 1)


def test_data_without_any_item_lose_nothing() -> None:
    nothing = make_baskets([[], []])
    found = sudare.baskets.basket_utility(nothing, nothing)
    assert found.to_dict() == {
        "suppressed_share": 0.0,
        "kl_divergence": 0.0,
        "rules": {"distance": 0.0, "original": 0, "published": 0, "shared": 0},
        "support_errors": {"itemsets": 0, "mean": 0.0, "median": 0.0, "largest": 0.0},
    }


def test_the_rules_of_figure_1_by_hand() -> None:
    # In two records before: milk and bread, milk and medicine, coffee and bread: six rules, each with 2/3 or 2/2.
    # After: coffee with bread and with apple is in one record, so two records share coffee and nothing else.
    assert sudare.baskets.rules_distance(ORIGINAL, PUBLISHED, support=2, confidence=0.5) == 1
    # In one record or more with certainty, after: orange is alone; apple, bread, coffee are in one record together.
    found = sudare.baskets.basket_utility(ORIGINAL, PUBLISHED, support=1, confidence=1.0).rules
    before, after = (brute_force.rules(records, 1, 1.0) for records in (BEFORE, AFTER))
    assert (found.original, found.published, found.shared) == (
        len(before),
        len(after),
        len(before.keys() & after.keys()),
    )


def test_the_support_errors_of_the_three_commonest_items_by_hand() -> None:
    # Bread, medicine and milk had 3 records each and have 2.
    assert sudare.baskets.support_errors(ORIGINAL, PUBLISHED, most=3) == sudare.baskets.SupportErrors(
        3, pytest.approx(1 / 3), pytest.approx(1 / 3), pytest.approx(1 / 3)
    )


def test_a_published_item_that_was_not_there_is_an_error() -> None:
    strange = make_baskets([["beer"]])
    for measure in (sudare.baskets.suppressed_share, sudare.baskets.kl_divergence):
        with pytest.raises(sudare.OptionNotUsable, match="the item 'beer'"):
            measure(ORIGINAL, strange)


@st.composite
def suppressions(draw: st.DrawFn) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    records = draw(small_records)
    return records, [frozenset(item for item in sorted(record) if draw(st.booleans())) for record in records]


def both_forms(before: Baskets, records: list[frozenset[str]]) -> list[Baskets]:
    """The published data as the suppressor leaves them, and as read from a file."""
    owner = [u for u in range(len(before)) for _ in before.record(u)]
    kept = [before.names[item] in records[u] for u, item in zip(owner, before.items, strict=True)]
    return [before.only(np.asarray(kept, np.bool_)), make_baskets(records)]


@given(suppressions(), st.integers(1, 3), st.sampled_from([0.3, 0.5, 1.0]), st.integers(1, 8))
def test_measures_equal_counting(
    records: tuple[list[frozenset[str]], list[frozenset[str]]], least: int, confidence: float, most: int
) -> None:
    original = make_baskets(records[0])
    before, after = (Counter(item for record in part for item in record) for part in records)
    for published in both_forms(original, records[1]):
        found = sudare.baskets.basket_utility(original, published, support=least, confidence=confidence, most=most)
        assert found.suppressed_share == pytest.approx(
            (before.total() - after.total()) / before.total() if before else 0
        )
        moved = [n / after.total() * log(n / after.total() / (before[i] / before.total())) for i, n in after.items()]
        assert found.kl_divergence == pytest.approx(sum(moved), abs=1e-12)
        one, other = (set(brute_force.strongest(brute_force.rules(part, least, confidence), most)) for part in records)
        assert found.rules.distance == pytest.approx(1 - len(one & other) / len(one | other) if one | other else 0)
        assert found.support_errors.to_dict() == pytest.approx(errors_by_counting(*records, most))


def errors_by_counting(before: list[frozenset[str]], after: list[frozenset[str]], most: int) -> dict[str, float]:
    old, new = brute_force.itemset_supports(before), brute_force.itemset_supports(after)
    small = [key for key in old if len(key) <= 3]
    top = sorted(small, key=lambda key: (-old[key], len(key), key))[:most]
    errors = [(old[key] - new[key]) / old[key] for key in top] or [0]
    return {"itemsets": len(top), "mean": mean(errors), "median": median(errors), "largest": max(errors)}
