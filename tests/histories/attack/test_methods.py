from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.histories.attack.candidates import find_candidates
from sudare.histories.attack.known import KnownHistory, know_history
from sudare.histories.attack.linkage import Linkage
from sudare.histories.attack.methods import JOINS, METHODS, Attacks
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind
from tests.histories.attack.histories import (
    anonymize,
    anonymize_classes,
    feasible_pairs,
    history,
    made_rows,
    pseudonyms,
)
from tests.histories.generalized.small_cells import cells

ORIGINAL = cells(
    [
        ["1", "2011/1/1", "a", "1", "1"],
        ["1", "2011/1/2", "b", "2", "2"],
        ["2", "2011/1/1", "a", "1", "5"],
        ["2", "2011/1/3", "c", "3", "2"],
        ["3", "2011/1/4", "b", "2", "2"],
        ["3", "2011/1/9", "c", "3", "7"],
        ["3", "2011/1/9", "d", "4", "1"],
    ]
)
NAMES = ORIGINAL.column("item").names


def guesses(method: str, rows: list[list[str]], known: KnownHistory | None = None) -> dict[int, tuple[int, float]]:
    """What a method says of published rows: pseudonym -> customer and confidence."""
    linkage = Linkage(known or know_history(ORIGINAL), cells(rows, names=NAMES), seed=1)
    links = Attacks(linkage).run(method)
    return {
        int(pid): (int(linkage.customers[customer]), float(confidence))
        for pid, customer, confidence in zip(linkage.pids, links.customers, links.confidence, strict=True)
        if customer >= 0
    }


def test_unique_rows_vote_for_the_only_customer_who_has_them() -> None:
    found = guesses(
        "unique-rows",
        [
            ["7", "2011/1/2", "b", "2", "2"],
            ["7", "2011/1/1", "a", "1", "1"],
            ["8", "2011/1/3", "{c}", "3", "[2;2]"],
            ["9", "2011/1/9", "c", "3", "[5;9]"],
        ],
    )
    # Two votes of two and one for nobody; one of one; a row that is not exact does not vote.
    assert found == {7: (1, pytest.approx(2 / 3)), 8: (2, pytest.approx(1 / 2))}


def test_item_sets_must_hold_an_item_of_each_row_and_the_nearest_number_of_rows_wins() -> None:
    found = guesses(
        "item-sets",
        [
            ["7", "*", "{a;d}", "*", "*"],
            ["7", "*", "b", "*", "*"],
            ["8", "*", "c", "*", "*"],
            ["8", "*", "*", "*", "*"],
        ],
    )
    # 7 could be 1 or 3, of which 1 has two rows; 8 could be 2 or 3.
    assert found == {7: (1, 1.0), 8: (2, 1.0)}


@pytest.mark.parametrize(
    ("method", "row", "customer"),
    [
        ("date-quantity-join", ["2011/1/3", "*", "*", "2"], 2),
        ("item-price-join", ["*", "d", "4", "*"], 3),
        ("item-quantity-join", ["*", "a", "*", "5"], 2),
        ("item-date-join", ["2011/1/2", "b", "*", "*"], 1),
        ("item-price-quantity-join", ["*", "c", "3", "7"], 3),
        ("item-date-quantity-join", ["2011/1/1", "a", "*", "1"], 1),
    ],
)
def test_a_join_finds_the_customer_with_the_exact_values(method: str, row: list[str], customer: int) -> None:
    assert guesses(method, [["7", *row]]) == {7: (customer, pytest.approx(1.0))}


@pytest.mark.parametrize("method", JOINS)
def test_a_join_is_silent_where_a_cell_is_not_exact(method: str) -> None:
    row = ["[2011/1/1;2011/1/2]", "{a;b}", "[1;2]", "[1;9]"]
    assert guesses(method, [["7", *row]]) == {}


def test_a_join_with_a_value_of_two_customers_is_half_sure() -> None:
    assert guesses("item-price-join", [["7", "*", "a", "1", "*"]])[7][1] == pytest.approx(1 / 2)


def test_the_scoreboard_weighs_rare_values_more() -> None:
    # The item d is rare and 3's, the item a is 1's and 2's: nobody has both.
    found = guesses("scoreboard", [["7", "*", "d", "*", "*"], ["7", "*", "a", "*", "*"]])
    # Rows with d are 1 of 7, those with a 2 of 7.
    assert found == {7: (3, pytest.approx(7 / (7 + 3.5 + 3.5)))}


def test_the_scoreboard_is_unsure_where_best_and_second_are_equal() -> None:
    assert guesses("scoreboard", [["7", "2011/1/1", "a", "1", "*"]])[7][1] == pytest.approx(1 / 2)


def test_feasible_is_who_has_a_different_row_for_each_published_one() -> None:
    # 1, 2 and 3 have a row of b or c, but only 3 has two, on different days.
    found = guesses("feasibility", [["7", "*", "{b;c}", "*", "*"], ["7", "[2011/1/2;2011/1/9]", "{b;c}", "*", "*"]])
    assert found == {7: (3, 1.0)}


def test_the_likelier_customer_has_values_at_the_ends_where_others_do() -> None:
    original = cells(
        [["1", "2011/1/1", "a", "1", "1"], ["2", "2011/1/5", "a", "1", "1"]]
        + [[str(c), f"2011/2/{c}", f"x{c}", "1", "1"] for c in range(3, 20)]
    )
    rows = [[str(c), f"[2011/2/{c};2011/2/{c + 5}]", f"x{c}", "1", "1"] for c in range(3, 20)]
    published = cells([["2", "[2011/1/1;2011/1/9]", "a", "1", "1"], *rows], names=original.column("item").names)
    linkage = Linkage(know_history(original), published)
    for method in ("likelihood", "assignment", "best"):
        links = Attacks(linkage).run(method)
        assert linkage.customers[links.customers[0]] == 1
        assert links.confidence[0] > 0.6


def test_assignment_gives_no_customer_twice() -> None:
    # 7 could be 1 or 2, 8 only 1, who has it better: together they must be 2 and 1.
    rows = [["7", "2011/1/1", "a", "1", "*"], ["8", "2011/1/1", "a", "1", "1"]]
    found = guesses("assignment", rows)
    assert (found[7][0], found[8][0]) == (2, 1)
    assert found[7][1] > 0.95


@pytest.mark.parametrize("method", METHODS)
def test_equal_pseudonyms_share_the_probability(method: str) -> None:
    rows = [[pid, "2011/1/1", "a", "1", "[1;5]"] for pid in ("7", "8")]
    found = guesses(method, rows)
    assert all(confidence <= 1 / 2 for _, confidence in found.values())
    if method in ("feasibility", "likelihood", "assignment", "best"):
        assert sorted(customer for customer, _ in found.values()) == [1, 2]
        assert [confidence for _, confidence in found.values()] == pytest.approx([1 / 2, 1 / 2])


def small_histories() -> st.SearchStrategy[tuple[CellHistory, CellHistory]]:
    """Histories of few rows and values, so that rows and persons are often alike."""
    days, items = st.integers(1, 3), st.sampled_from("abc")
    rows = st.lists(st.tuples(st.integers(1, 3), days, items), min_size=1, max_size=8)
    sets = st.sets(items, min_size=1).map(lambda found: "{" + ";".join(sorted(found)) + "}")
    ranges = st.tuples(days, days).map(lambda ends: f"[2011/1/{min(ends)};2011/1/{max(ends)}]")
    cell_of = st.tuples(st.integers(1, 3), st.one_of(ranges, st.just("*")), st.one_of(sets, items, st.just("*")))
    published = st.lists(cell_of, max_size=7)
    return st.tuples(rows, published).map(
        lambda both: (
            cells([[str(c), f"2011/1/{day}", item, "1", "1"] for c, day, item in both[0]], names="abc"),
            cells([[str(p), day, item, "*", "1"] for p, day, item in both[1]], names="abc"),
        )
    )


@settings(max_examples=300)
@given(small_histories())
def test_feasibility_equals_brute_force_over_all_injections(both: tuple[CellHistory, CellHistory]) -> None:
    original, published = both
    linkage = Linkage(know_history(original), published)
    fits = Attacks(linkage).fits
    found = {
        (int(linkage.pids[place]), int(linkage.customers[fits.candidates.customers[at]]))
        for place, group in enumerate(linkage.groups.tolist())
        for at in range(fits.candidates.starts[group], fits.candidates.starts[group + 1])
    }
    assert found == feasible_pairs(published, original)


@settings(max_examples=150)
@given(small_histories(), st.sampled_from([["date"], ["item"], ["date", "item"]]), st.integers(0, 1))
def test_the_index_counts_the_rows_and_customers_that_each_row_meets(
    both: tuple[CellHistory, CellHistory], names: list[str], noise: int
) -> None:
    original, published = both
    known = know_history(original, columns=names, noisy_dates=noise)
    linkage = Linkage(known, published)
    packed, found = linkage.all_columns, find_candidates(linkage, linkage.all_columns, complete=True)
    firsts = linkage.pids[np.unique(linkage.groups, return_index=True)[1]]
    for group, pid in enumerate(firsts.tolist()):
        left = set(original.persons.tolist())
        for place, row in enumerate(np.flatnonzero(published.persons == pid).tolist(), linkage.starts[group]):
            all_meet, sizes, share = np.ones(len(original), np.bool_), [len(original)], 1.0
            for name in names:
                meet = met_rows(known.history.column(name), published.column(name), row)
                all_meet &= meet
                sizes.append(int(all_meet.sum()))
                share *= max(int(meet.sum()), 1) / len(original)
            assert packed.sizes[place] == min(sizes)
            assert packed.shares[place] == pytest.approx(share)
            left &= set(original.persons[all_meet].tolist())
        assert found.met[group] == len(left)


def met_rows(known: Column, published: Column, row: int) -> NDArray[np.bool_]:
    """Which known cells a published one can stand for, by looking at all."""
    if published.kinds[row] == Kind.DELETED:
        return np.ones(len(known.kinds), np.bool_)
    if isinstance(known, ItemColumn):
        number = published.sets[row]
        return np.isin(known.sets, published.members[published.starts[number] : published.starts[number + 1]])
    return (known.low <= published.high[row]) & (known.high >= published.low[row])


@pytest.mark.parametrize("how", ["identity", "dates", "items", "cells", "random"])
def test_the_strong_methods_find_nearly_everyone(how: str) -> None:
    rows = made_rows(3)
    linkage = Linkage(know_history(history(rows)), anonymize(rows, how, seed=4))
    customer_of = {pid: customer for customer, pid in pseudonyms(rows, 4).items()}
    attacks = Attacks(linkage)
    for method in ("feasibility", "likelihood", "assignment", "best"):
        links = attacks.run(method)
        hits = [
            customer >= 0 and linkage.customers[customer] == customer_of[pid]
            for pid, customer in zip(linkage.pids.tolist(), links.customers.tolist(), strict=True)
        ]
        assert np.mean(hits) >= 0.85
        assert links.confidence.sum() == pytest.approx(sum(hits), abs=4)


def test_confidence_in_classes_is_one_to_the_number_of_their_members() -> None:
    rows = made_rows(5, customers=30, most_rows=20)
    linkage = Linkage(know_history(history(rows)), anonymize_classes(rows, 3))
    links = Attacks(linkage).run("best")
    assert linkage.multiplicity.tolist() == [3] * 10
    assert links.confidence.max() == pytest.approx(1 / 3, abs=1e-6)


@pytest.mark.parametrize("method", ["scoreboard", "feasibility", "likelihood", "assignment", "best"])
def test_the_seed_alone_decides_between_equal_pseudonyms(method: str) -> None:
    rows = made_rows(5, customers=30, most_rows=20)
    known, published = know_history(history(rows)), anonymize_classes(rows, 3)
    answers = []
    for seed in range(40):
        linkage = Linkage(known, published, seed=seed)
        answers.append(linkage.customers[Attacks(linkage).run(method).customers])
    # Of three customers each pseudonym gets one: 40 times the same has the probability 3^-39.
    assert all(len(set(of_one)) > 1 for of_one in np.array(answers).T.tolist())


def test_the_order_of_published_rows_does_not_matter_and_the_seed_repeats() -> None:
    rows = made_rows(3)
    known, published = know_history(history(rows), share=0.6, seed=2), anonymize(rows, "random", seed=4)
    backwards = CellHistory(published.persons[::-1], tuple(_backwards(column) for column in published.columns))
    first, again, other = (
        Attacks(Linkage(known, rows, seed=7)).run("best") for rows in (published, published, backwards)
    )
    assert first.customers.tolist() == again.customers.tolist() == other.customers.tolist()
    assert first.confidence.tolist() == again.confidence.tolist() == pytest.approx(other.confidence.tolist())


def _backwards(column: Column) -> Column:
    if isinstance(column, ItemColumn):
        return replace(column, kinds=column.kinds[::-1], sets=column.sets[::-1])
    return replace(column, kinds=column.kinds[::-1], low=column.low[::-1], high=column.high[::-1])


def test_part_of_the_rows_and_noisy_dates_are_enough_for_most() -> None:
    rows = made_rows(3, most_rows=25)
    known = know_history(history(rows), share=0.5, noisy_dates=2, seed=2)
    linkage = Linkage(known, anonymize(rows, "random", seed=4))
    customer_of = {pid: customer for customer, pid in pseudonyms(rows, 4).items()}
    links = Attacks(linkage).run("best")
    hits = sum(
        customer >= 0 and linkage.customers[customer] == customer_of[pid]
        for pid, customer in zip(linkage.pids.tolist(), links.customers.tolist(), strict=True)
    )
    assert hits >= 24
    assert links.confidence.sum() == pytest.approx(hits, abs=4)


def test_a_method_that_needs_what_is_not_known_is_refused() -> None:
    known = know_history(ORIGINAL, columns=["date", "price"])
    row = [["7", "2011/1/3", "c", "3", "2"]]
    with pytest.raises(OptionNotUsable, match="'item'"):
        guesses("item-date-join", row, known)
    with pytest.raises(OptionNotUsable, match="needs the items"):
        guesses("item-sets", row, known)
    assert guesses("best", row, known) == {7: (2, pytest.approx(1.0))}
    with pytest.raises(OptionNotUsable, match="'magic'"):
        guesses("magic", row)


def test_only_items_are_known() -> None:
    known = know_history(ORIGINAL, columns=["item"])
    assert guesses("best", [["7", "*", "d", "*", "*"]], known) == {7: (3, pytest.approx(1.0))}


def test_histories_with_other_items_or_columns_are_refused() -> None:
    with pytest.raises(OptionNotUsable, match="Column 'item' does not have the same items"):
        Linkage(know_history(ORIGINAL), cells([["7", "*", "z", "*", "*"]]))
    with pytest.raises(OptionNotUsable, match="no column 'date'"):
        Linkage(know_history(ORIGINAL), CellHistory(ORIGINAL.persons, ORIGINAL.columns[1:]))


def test_nothing_published_is_nothing_found() -> None:
    for method in METHODS:
        assert guesses(method, [["*"] * 5]) == {}
