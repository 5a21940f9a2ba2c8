from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import sudare
from sudare.baskets.check.adversaries import kept_occurrences
from sudare.baskets.check.draws import draw_adversaries
from sudare.baskets.check.sample_sizes import sample_size
from sudare.baskets.check.uncertainty import check_baskets
from sudare.baskets.model import Baskets, SensitiveItems, make_baskets, sensitive_rows
from tests.baskets.small_baskets import Case, cases, unsafe_by_hand

# Figure 1 of the paper; everybody wants to keep medicine.
FIGURE_1 = [
    ["milk", "bread", "medicine"], ["apple"], ["milk", "coffee", "bread"], ["milk", "medicine"],
    ["coffee", "bread", "apple"], ["orange", "medicine"],
]  # fmt: skip
PUBLISHED = [["bread", "medicine"], ["apple"], ["milk", "coffee"], ["milk", "medicine"],
             ["coffee", "bread", "apple"], ["orange"]]  # fmt: skip


def medicine(baskets: Baskets) -> SensitiveItems:
    mask = np.asarray([[name == "medicine" for name in baskets.names]])
    return sensitive_rows(mask, np.zeros(len(baskets), np.int32), "medicine")


def published(original: Baskets, records: list[list[str]]) -> Baskets:
    numbers = {name: number for number, name in enumerate(original.names)}
    kept = [numbers[name] in {numbers[n] for n in record} for row, record in zip(FIGURE_1, records, strict=True)
            for name in sorted(row)]  # fmt: skip
    return original.only(np.asarray(kept))


def test_milk_tells_medicine_in_two_of_three_records() -> None:
    baskets = make_baskets(FIGURE_1)
    found = check_baskets(baskets, medicine(baskets), rho=0.5)
    alice = next(entry for entry in found.worst if entry.user == "1")
    assert (alice.known, alice.inferred, alice.support) == (("milk",), "medicine", 3)
    assert alice.confidence == 2 / 3
    # Milk of three users, and orange, which only Frank has.
    assert (found.safe, found.unsafe_adversaries, found.adversaries) == (False, 4, 7 + 1 + 7 + 3 + 7 + 3)


def test_the_published_figure_is_safe_for_both_readings() -> None:
    baskets = make_baskets(FIGURE_1)
    shown = published(baskets, PUBLISHED)
    for knowledge in ("original", "published"):
        found = check_baskets(baskets, medicine(baskets), rho=0.5, published=shown, knowledge=knowledge)  # type: ignore[arg-type]
        assert (found.safe, found.unsafe_adversaries, found.worst) == (True, 0, ())
    # Milk tells medicine in one of two records then: more than 0.4.
    assert not check_baskets(baskets, medicine(baskets), rho=0.4, published=shown).safe


@pytest.mark.parametrize(("both", "size"), [(0.1, 22), (0.05, 59), (0.01, 459), (0.5, 1), (0.2, 8)])
def test_sample_sizes_are_the_least_that_exclude_the_share(both: float, size: int) -> None:
    assert sample_size(both, both) == size


@given(cases())
@settings(max_examples=200)
def test_every_adversary_is_judged_as_by_enumeration(case: Case) -> None:
    unsafe = unsafe_by_hand(case)
    found = check_baskets(
        case.baskets, case.sensitive, rho=case.rho, published=case.published, max_known=case.max_known,
        knowledge=case.knowledge, most_worst=10_000,
    )  # fmt: skip
    assert (found.safe, found.unsafe_adversaries) == (not unsafe, len(unsafe))
    assert {
        (int(entry.user) - 1, entry.known): (entry.support, pytest.approx(entry.confidence)) for entry in found.worst
    } == {(u, tuple(sorted(q))): (support, confidence) for (u, q), (support, confidence) in unsafe.items()}


@given(cases())
def test_the_most_frequent_sensitive_item_is_that_of_counting(case: Case) -> None:
    found = check_baskets(case.baskets, case.sensitive, rho=case.rho, published=case.published)
    # An item that nobody has is none of the data.
    listed = set().union(*case.secrets) & set().union(*case.records)
    counts = {item: sum(item in record for record in case.shown) for item in listed}
    most = found.most_frequent_sensitive
    assert (most is None) == (not counts)
    if most is not None:
        assert most.records == max(counts.values()) == counts[str(most.item)]
        assert most.share == Fraction(most.records, len(case.shown))
    share = Fraction(max(counts.values(), default=0), max(len(case.shown), 1))
    assert found.frequent_above_rho == (share > Fraction(case.rho))


def test_safe_stands_beside_what_the_frequency_alone_tells() -> None:
    baskets = make_baskets([["hiv"]] * 3 + [["flu"]])
    sensitive = sudare.baskets.read_sensitive("all", baskets)
    for sample in ({}, {"epsilon": 0.1, "delta": 0.1}):
        found = check_baskets(baskets, sensitive, rho=0.5, **sample)  # type: ignore[arg-type]
        told = found.to_dict()
        assert (found.safe, told["frequent_above_rho"]) == (True, True)
        assert told["most_frequent_sensitive"] == {"item": "hiv", "records": 3, "all_records": 4, "share": 0.75}
        assert "WARNING: 3 of 4 published records (75\N{NO-BREAK SPACE}%) contain the same" in told["claim"]
        assert "What the frequency of an item alone tells is not covered." in told["claim"]
    # At rho itself nobody is surer than rho.
    assert "WARNING" not in check_baskets(baskets, sensitive, rho=0.75).to_dict()["claim"]


@given(cases())
def test_a_sample_of_everybody_meets_only_unsafe_ones_that_are(case: Case) -> None:
    found = check_baskets(
        case.baskets, case.sensitive, rho=case.rho, published=case.published, max_known=case.max_known,
        knowledge=case.knowledge, epsilon=0.2, delta=0.2, most_worst=10_000,
    )  # fmt: skip
    unsafe = unsafe_by_hand(case)
    assert {(int(entry.user) - 1, frozenset(entry.known)) for entry in found.worst} <= set(unsafe)
    assert found.safe == (found.unsafe_adversaries == 0)
    assert not found.exact


def test_adversaries_are_drawn_uniformly_from_users_and_their_subsets() -> None:
    baskets = make_baskets([["a", "b", "c"], ["a"], ["a", "b"]])
    users, drawn = draw_adversaries(baskets, 2, 30_000, np.random.default_rng(1))
    shares = {u: float(np.mean(users == u)) for u in range(3)}
    assert shares[1] == 0
    assert shares[0] == pytest.approx(0.5, abs=0.02)
    pairs = {tuple(sorted(row)) for row in baskets.items[drawn[users == 0]].tolist()}
    assert pairs == {(0, 1), (0, 2), (1, 2)}
    assert np.mean([sorted(row) == [0, 2] for row in baskets.items[drawn[users == 0]].tolist()]) == pytest.approx(
        1 / 3, abs=0.02
    )
    assert len(draw_adversaries(baskets, 4, 10, np.random.default_rng(1))[0]) == 0


def test_rho_is_meant_as_written() -> None:
    """Three of ten records with a have b: not more than 0.3, although 0.3 * 10 is a little less in binary."""
    baskets = make_baskets([["a", "b"]] * 3 + [["a"]] * 7)
    everything = sensitive_rows(np.ones((1, 2), bool), np.zeros(10, np.int32), "all")
    assert check_baskets(baskets, everything, rho="0.3", max_known=1).worst[0].known == ("b",)
    assert check_baskets(baskets, everything, rho=1).safe


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rho": 0}, "above 0 and at most 1"), ({"rho": 1.5}, "above 0 and at most 1"), ({"rho": "x"}, "be a number"),
        ({"max_known": 0}, "must be at least 1, not 0"), ({"epsilon": 0.1}, "epsilon and delta"),
        ({"epsilon": 0.1, "delta": 1}, "delta must be above 0"), ({"knowledge": "secret"}, "original or published"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(options: dict[str, object], message: str) -> None:
    baskets = make_baskets(FIGURE_1)
    with pytest.raises(sudare.OptionNotUsable, match=message):
        check_baskets(baskets, medicine(baskets), **{"rho": 0.5, **options})  # type: ignore[arg-type]


def test_records_that_do_not_belong_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = make_baskets(FIGURE_1)
    fewer = baskets.select(np.arange(6) < 5)
    with pytest.raises(sudare.OptionNotUsable, match="do not belong together"):
        check_baskets(baskets, medicine(baskets), rho=0.5, published=fewer)
    more = Baskets(np.asarray([0, 1]), np.asarray([0], np.int32), ("a", "b"), ("1",))
    with pytest.raises(sudare.OptionNotUsable, match="user '1' has an item that the original record does not have"):
        kept_occurrences(Baskets(np.asarray([0, 1]), np.asarray([1], np.int32), ("a", "b"), ("1",)), more)
    monkeypatch.setattr("sudare.baskets.check.adversaries.MOST_ADVERSARIES", 10)
    with pytest.raises(sudare.OptionNotUsable, match="28 adversaries are too many"):
        check_baskets(baskets, medicine(baskets), rho=0.5)


def test_empty_records_tell_nothing() -> None:
    baskets = make_baskets([[], ["a"], []])
    found = check_baskets(baskets, sensitive_rows(np.ones((1, 1), bool), np.zeros(3, np.int32), "all"), rho=0.1)
    assert (found.safe, found.adversaries) == (True, 1)


def test_real_click_streams_are_checked(real_data: Callable[[str], Path]) -> None:
    baskets = sudare.read_baskets(real_data("bms-webview-1.txt"))
    short = baskets.select(baskets.lengths <= 5)
    everything = sensitive_rows(np.ones((1, len(short.names)), bool), np.zeros(len(short), np.int32), "all")
    assert len(short) == 54_736
    found = check_baskets(short, everything, rho=Fraction(1, 2))  # type: ignore[arg-type]
    assert found.adversaries == sum(2 ** int(n) - 1 for n in short.lengths)
    worst = found.worst[0]
    assert (worst.confidence, math.isfinite(worst.support)) == (1.0, True)
