from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.baskets.model import make_baskets

# Pairs: a and b twice, a and c once, b and c once; c is in two records.
FOUR = make_baskets([["a", "b"], ["a", "b", "c"], ["a"], ["c"]])


def test_hand_worked_itemsets_below_k() -> None:
    found = sudare.baskets.check_km_anonymity(FOUR, k=2, m=2)
    assert (found.itemsets, found.below, found.smallest, found.anonymous) == (6, 2, 1, False)
    assert [(size.size, size.itemsets, size.below, size.smallest) for size in found.sizes] == [
        (1, 3, 0, 2),
        (2, 3, 2, 1),
    ]
    assert [rare.items for rare in found.examples] == [("a", "c"), ("b", "c")]


def test_single_items_are_anonymous_up_to_their_smallest_support() -> None:
    assert sudare.baskets.check_km_anonymity(FOUR, k=2, m=1).anonymous
    assert not sudare.baskets.check_km_anonymity(FOUR, k=3, m=1).anonymous


def test_records_without_items_are_anonymous() -> None:
    found = sudare.baskets.check_km_anonymity(make_baskets([[], []]), k=5, m=2)
    assert (found.anonymous, found.itemsets, found.smallest, found.sizes) == (True, 0, None, ())
    assert found.to_dict()["anonymous"] is True


def test_knowing_more_items_than_any_record_has_is_knowing_all() -> None:
    assert (
        sudare.baskets.check_km_anonymity(FOUR, k=2, m=99).sizes
        == sudare.baskets.check_km_anonymity(FOUR, k=2, m=3).sizes
    )


@pytest.mark.parametrize(("k", "m"), [(0, 2), (5, 0)])
def test_k_and_m_must_be_positive(k: int, m: int) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="k and m must be at least 1"):
        sudare.baskets.check_km_anonymity(FOUR, k=k, m=m)


def test_too_many_itemsets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="too many sets of up to 100 items"):
        sudare.baskets.check_km_anonymity(make_baskets([map(str, range(200))]), k=2, m=100)
    monkeypatch.setattr("sudare.baskets.check.km_anonymity.MOST_STEPS", 5)
    with pytest.raises(sudare.OptionNotUsable, match="too many sets of up to 2 items to count"):
        sudare.baskets.check_km_anonymity(make_baskets([["a", "b", "c", "d"]] * 3), k=2, m=2)


@given(st.lists(st.frozensets(st.sampled_from("abcdef")), max_size=10), st.integers(1, 4), st.integers(1, 5))
def test_counts_equal_enumeration(records: list[frozenset[str]], k: int, m: int) -> None:
    found = sudare.baskets.check_km_anonymity(make_baskets(records), k=k, m=m, most_examples=4)
    counted = Counter(
        known for record in records for size in range(1, m + 1) for known in combinations(sorted(record), size)
    )
    rare = {known: n for known, n in counted.items() if n < k}
    assert (found.itemsets, found.below, found.smallest) == (
        len(counted),
        len(rare),
        min(counted.values(), default=None),
    )
    for size in found.sizes:
        supports = [n for known, n in counted.items() if len(known) == size.size]
        assert (size.itemsets, size.smallest) == (len(supports), min(supports))
        assert size.below == sum(n < k for n in supports)
    # Supersets of an itemset in a single record, with later items, are not listed.
    listed = [known for known in rare if all(counted[known[:n]] > 1 for n in range(1, len(known)))]
    first = sorted(listed, key=lambda known: (rare[known], len(known), known))[:4]
    assert [(example.items, example.support) for example in found.examples] == [(known, rare[known]) for known in first]


@pytest.mark.slow
def test_long_records_are_counted_in_full(real_data: Callable[[str], Path]) -> None:
    lines = real_data("bms-webview-1.txt").read_text().splitlines()
    records = [line.split(" -1 ") for line in lines]
    found = sudare.baskets.check_km_anonymity(make_baskets(records), k=5, m=2)
    pairs = Counter(pair for record in records for pair in combinations(sorted(set(record)), 2))
    assert found.sizes[1].itemsets == len(pairs)
    assert found.sizes[1].below == sum(n < 5 for n in pairs.values())
