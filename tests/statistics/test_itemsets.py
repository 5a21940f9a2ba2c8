from collections.abc import Callable
from pathlib import Path

import efficient_apriori
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.baskets.model import Baskets, make_baskets
from sudare.statistics import itemsets
from tests.baskets import brute_force
from tests.baskets.brute_force import small_records

# Milk 4, bread 3, tea 2; milk and bread 3, milk and tea 1.
SHOP = make_baskets([["milk", "bread"], ["milk", "bread", "tea"], ["milk", "bread"], ["milk"], ["tea"]])


def listed(found: sudare.baskets.FrequentItemsets) -> dict[tuple[str, ...], int]:
    return {found.itemset(n): int(found.supports[n]) for n in range(len(found))}


def test_hand_worked_itemsets_come_by_falling_support_then_size_then_name() -> None:
    found = sudare.baskets.frequent_itemsets(SHOP, 2)
    assert list(listed(found).items()) == [(("milk",), 4), (("bread",), 3), (("bread", "milk"), 3), (("tea",), 2)]
    assert found.to_rows(1) == [{"items": ["milk"], "support": 4, "share": 0.8}]
    assert found.to_dict(most=0) == {"records": 5, "least": 2, "itemsets": 4, "largest_size": 2, "frequent": []}


def test_a_share_is_taken_as_it_is_written() -> None:
    # The binary number nearest to 0.1 is above it, so that a product would ask for 4 of 30 records.
    assert itemsets.least_records(0.1, 30) == 3
    assert itemsets.least_records(0.0005, 54736) == 28
    assert itemsets.least_records(1.0, 5) == 5
    assert itemsets.least_records(1, 5) == 1
    assert itemsets.least_records(0.5, 0) == 1


def test_itemsets_have_no_more_items_than_asked_for() -> None:
    assert set(listed(sudare.baskets.frequent_itemsets(SHOP, 1, max_size=1))) == {("milk",), ("bread",), ("tea",)}


def test_empty_baskets_have_no_itemsets_and_no_rules() -> None:
    for records in ([], [[], []]):
        assert len(sudare.baskets.frequent_itemsets(make_baskets(records), 0.1)) == 0
        assert sudare.baskets.association_rules(make_baskets(records), 0.1, 0.5, most=3).rules == ()


@pytest.mark.parametrize("support", [0, 0.0, -1, 1.5, -0.1, float("nan")])
def test_a_support_that_is_neither_share_nor_number_is_refused(support: float) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=r"support must be a share|support must be a finite number"):
        sudare.baskets.frequent_itemsets(SHOP, support)


def test_bad_sizes_and_confidences_are_refused() -> None:
    with pytest.raises(sudare.OptionNotUsable, match="max_size must be 1 or more, not 0"):
        sudare.baskets.frequent_itemsets(SHOP, 1, max_size=0)
    with pytest.raises(sudare.OptionNotUsable, match="confidence must be between 0 and 1"):
        sudare.baskets.association_rules(SHOP, 1, 1.5)
    with pytest.raises(sudare.OptionNotUsable, match="max_inferred must be 1 or more, not 0"):
        sudare.baskets.association_rules(SHOP, 1, 0.5, max_inferred=0)


def test_too_many_itemsets_are_refused() -> None:
    with pytest.raises(sudare.OptionNotUsable, match=r"More than 1,000,000 itemsets .*\nHint: Raise support"):
        sudare.baskets.frequent_itemsets(make_baskets([[f"{n:02}" for n in range(25)]] * 3), 2)


@pytest.mark.slow
def test_too_many_rules_are_refused_unless_the_first_are_asked_for() -> None:
    alike = make_baskets([[f"{n:02}" for n in range(14)]] * 3)
    with pytest.raises(sudare.OptionNotUsable, match="more than 1,000,000 rules"):
        sudare.baskets.association_rules(alike, 3, 1.0)
    assert len(sudare.baskets.association_rules(alike, 3, 1.0, max_inferred=1, most=10).rules) == 10


def test_hand_worked_rules() -> None:
    found = sudare.baskets.association_rules(SHOP, 0.4, 0.75)
    assert [(rule.known, rule.inferred, rule.support, rule.confidence) for rule in found.rules] == [
        (("bread",), ("milk",), 3, 1.0),
        (("milk",), ("bread",), 3, 0.75),
    ]
    # 100 % instead of 80 %, 75 % instead of 60 %.
    assert [rule.lift for rule in found.rules] == [pytest.approx(1.25), pytest.approx(1.25)]
    assert found.to_dict()["rules"][0]["known"] == ["bread"]


@given(small_records, st.integers(1, 4), st.one_of(st.none(), st.integers(1, 4)))
def test_itemsets_equal_counting(records: list[frozenset[str]], least: int, most: int | None) -> None:
    found = listed(sudare.baskets.frequent_itemsets(make_baskets(records), least, max_size=most))
    counted = brute_force.itemset_supports(records)
    assert found == {key: n for key, n in counted.items() if n >= least and len(key) <= (most or 6)}
    assert list(found) == sorted(found, key=lambda key: (-found[key], len(key), key))


@given(small_records, st.integers(1, 4), st.sampled_from([0, 0.3, 0.5, 2 / 3, 1]), st.integers(1, 9))
def test_rules_equal_counting(records: list[frozenset[str]], least: int, confidence: float, most: int) -> None:
    baskets, counted = make_baskets(records), brute_force.rules(records, least, confidence)
    found = sudare.baskets.association_rules(baskets, least, confidence).rules
    assert [(rule.known, rule.inferred) for rule in found] == brute_force.strongest(counted, len(counted))
    for rule in found:
        assert (rule.support, rule.confidence) == counted[rule.known, rule.inferred]
        alone = sum(set(rule.inferred) <= record for record in records)
        assert rule.lift == pytest.approx(rule.confidence * len(records) / alone)
    assert sudare.baskets.association_rules(baskets, least, confidence, most=most).rules == found[:most]
    single = sudare.baskets.association_rules(baskets, least, confidence, max_inferred=1).rules
    assert single == tuple(rule for rule in found if len(rule.inferred) == 1)


@pytest.mark.slow
@given(st.lists(st.frozensets(st.integers(0, 200), max_size=8), min_size=60, max_size=200), st.integers(2, 3))
def test_many_records_and_items_equal_another_implementation(records: list[frozenset[int]], least: int) -> None:
    named = [[f"{item:03}" for item in record] for record in records]
    assert listed(sudare.baskets.frequent_itemsets(make_baskets(named), least)) == apriori(named, least)


def apriori(records: list[list[str]], least: int) -> dict[tuple[str, ...], int]:
    # Half a record below, since the other one compares shares.
    found, _ = efficient_apriori.itemsets_from_transactions(records, (least - 0.5) / len(records))
    return {key: n for sizes in found.values() for key, n in sizes.items()}


def short_records(path: Path) -> list[list[str]]:
    records = [line.split(" -1 ") for line in path.read_text().splitlines()]
    return [record for record in records if len(record) <= 5]


@pytest.mark.slow
def test_rules_of_webview_with_short_records_equal_another_implementation(real_data: Callable[[str], Path]) -> None:
    records = short_records(real_data("bms-webview-1.txt"))
    baskets, least = make_baskets(records), 28  # 0.05 % of 54,736
    assert listed(sudare.baskets.frequent_itemsets(baskets, 0.0005)) == apriori(records, least)
    _, other = efficient_apriori.apriori(records, min_support=(least - 0.5) / len(records), min_confidence=0.3)
    found = {(rule.known, rule.inferred): rule for rule in sudare.baskets.association_rules(baskets, 0.0005, 0.3).rules}
    assert found.keys() == {(rule.lhs, rule.rhs) for rule in other}
    for rule in other:
        assert found[rule.lhs, rule.rhs].confidence == pytest.approx(rule.confidence)
        assert found[rule.lhs, rule.rhs].lift == pytest.approx(rule.lift)


def webview(path: Path) -> Baskets:
    return make_baskets(line.split(" -1 ") for line in path.read_text().splitlines())


def test_webview_has_the_itemsets_of_the_literature(real_data: Callable[[str], Path]) -> None:
    # BMS-WebView-1 at 0.1 %: 3,991 frequent itemsets.
    found = sudare.baskets.frequent_itemsets(webview(real_data("bms-webview-1.txt")), 0.001)
    assert (found.least, len(found)) == (60, 3991)


def test_the_strongest_rules_are_found_where_all_itemsets_would_be_too_many(real_data: Callable[[str], Path]) -> None:
    baskets = webview(real_data("bms-webview-1.txt"))
    with pytest.raises(sudare.OptionNotUsable):
        sudare.baskets.frequent_itemsets(baskets, 0.0005)
    assert len(sudare.baskets.association_rules(baskets, 0.0005, 0.3, most=100).rules) == 100
