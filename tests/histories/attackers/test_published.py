from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.histories.attackers.knowledge import TEN_ATTACKERS, parse_knowledge
from sudare.histories.attackers.published import PublishedAttackers
from sudare.histories.generalized.model import CellHistory
from tests.histories import brute_force_cells
from tests.histories.brute_force import Row
from tests.histories.brute_force_cells import Cells
from tests.histories.generalized.small_cells import cells

DAYS = ("2011-01-01", "2011-01-02", "2011-01-03", "2011-01-08")
ITEMS = ("a", "b", "c")
PRICES = (1.0, 2.0)
FURTHER = (
    "weekday + item", "month + count", "price", "day + item + price", "item*2", "day + item*2", "count + item*2",
    "item*2 + price*2", "count + price", "items", "items + item", "items + item + price", "days", "days + day + item",
    "day*2", "(day + item)*2", "(day + count)*2", "(day + items)*2", "(item)*2", "(count + item)*2", "(items)*2",
    "(count)*2", "(day + count + item)*3", "days + (day)*2",
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Row], list[Cells]]:
    """Draw a few customers with up to three rows, and cells that cover them or are deleted."""
    rows, published = [], []
    customers = ("1", "2", "3")[: draw(st.integers(1, 3))]
    pids = dict(zip(customers, draw(st.permutations(customers)), strict=True))
    for customer in customers:
        for _ in range(draw(st.integers(1, 3))):
            row = Row(
                customer, draw(st.sampled_from(DAYS)), draw(st.sampled_from(ITEMS)), draw(st.sampled_from(PRICES))
            )
            rows.append(row)
    for row in rows:
        pid = None if draw(st.integers(0, 5)) == 0 else pids[row.customer]
        published.append(
            Cells(pid, range_of(draw, DAYS, row.day), set_of(draw, row.item), range_of(draw, PRICES, row.price))
        )
    there = {row.day for row in rows}
    return rows, [row._replace(days=tuple(day for day in row.days if day in there)) for row in published]


def range_of(draw: st.DrawFn, values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    place = values.index(value)
    return values[draw(st.integers(0, place)) : draw(st.integers(place, len(values) - 1)) + 1]


def set_of(draw: st.DrawFn, item: str) -> tuple[str, ...]:
    return tuple(sorted({item, *draw(st.lists(st.sampled_from(ITEMS), max_size=2))}))


def as_cells(rows: list[Row], published: list[Cells]) -> tuple[CellHistory, CellHistory]:
    """Return both histories; cells that stand for everything are deleted ones."""
    original = cells([[row.customer, slashed(row.day), row.item, str(row.price), "1"] for row in rows], ITEMS)
    every_day = tuple(sorted({row.day for row in rows}))
    lines = []
    for row in published:
        if row.pid is None:
            lines.append(["*"] * 5)
            continue
        day = "*" if row.days == every_day else f"[{slashed(row.days[0])};{slashed(row.days[-1])}]"
        item = "*" if row.items == ITEMS else "{" + ";".join(row.items) + "}"
        lines.append([row.pid, day, item, f"[{row.prices[0]};{row.prices[-1]}]", "1"])
    return original, cells(lines, ITEMS)


def slashed(day: str) -> str:
    return "/".join(str(int(part)) for part in day.split("-"))


def check(
    rows: list[Row], published: list[Cells], texts: list[str], weighting: Literal["occurrence", "record"]
) -> None:
    original, anonymized = as_cells(rows, published)
    with PublishedAttackers(original, weighting=weighting) as attackers:
        packed = attackers.pack(anonymized)
        for text in texts:
            found = attackers.measure(packed, text)
            expected = brute_force_cells.measured(rows, published, parse_knowledge(text), weighting)
            got = found.after, found.unique_after, found.misled, found.nobody, found.unique_customers, found.highest
            assert got == pytest.approx(tuple(expected), abs=1e-12), text


def test_a_row_of_another_item_on_the_day_speaks_against_a_visit_of_one_item() -> None:
    original = cells([[customer, "2011/1/1", item, "1", "1"] for customer, item in ("1a", "1a", "2b")])
    rows = [["7", "2011/1/1", item, "1", "1"] for item in ("a", "{a;b}")]
    found = sudare.histories.measure_published(original, cells([*rows, ["*"] * 5], ("a", "b"))).attackers[9]
    assert (found.after, found.misled, found.nobody) == (1 / 2, 0, 1 / 2)


@given(histories(), st.sampled_from(["occurrence", "record"]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_the_ten_attackers_equal_the_enumeration_of_possible_worlds(
    history: tuple[list[Row], list[Cells]], weighting: Literal["occurrence", "record"]
) -> None:
    check(*history, [str(number) for number in range(10)], weighting)


@given(
    histories(), st.lists(st.sampled_from(FURTHER), min_size=1, max_size=3), st.sampled_from(["occurrence", "record"])
)
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_further_knowledge_equals_the_enumeration_of_possible_worlds(
    history: tuple[list[Row], list[Cells]], texts: list[str], weighting: Literal["occurrence", "record"]
) -> None:
    check(*history, texts, weighting)


# Pseudonyms 7, 8, 9 are customers 1, 2, 3; what 9 bought is deleted.
ORIGINAL = cells(
    [
        ["1", "2011/1/1", "a", "1", "1"],
        ["1", "2011/1/1", "b", "1", "1"],
        ["2", "2011/1/1", "a", "1", "1"],
        ["3", "2011/1/2", "b", "1", "1"],
    ]
)
ANONYMIZED = cells(
    [
        ["7", "[2011/1/1;2011/1/2]", "{a;b}", "1", "*"],
        ["7", "2011/1/1", "b", "1", "1"],
        ["8", "2011/1/1", "a", "1", "1"],
        ["*", "*", "*", "*", "*"],
    ],
    ("a", "b"),
)
# After, unique, misled, nobody.
BY_HAND = {
    "nothing": (1 / 3, 0, 1 / 3, 0),  # two pseudonyms are left
    "item": (1 / 2, 1 / 4, 1 / 4, 0),  # a: 7 and 8, b: 7 only, also for the b of customer 3
    "day": (1 / 3, 0, 1 / 3, 0),  # the first day: 7 and 8, the second: 7
    "count": (1 / 2, 1 / 3, 1 / 3, 0),  # two rows: 7 only; one row: 7, if its first row is of the second day, and 8
    "count + items": (1 / 2, 1 / 3, 1 / 3, 0),  # {a}: 8, and 7 on the second day
    "day + count + items": (2 / 3, 2 / 3, 1 / 3, 0),  # {a} on the first day: not 7, which has b there
    "item + quantity": (1 / 2, 1 / 4, 1 / 4, 0),  # a deleted quantity covers all
    "day + item*2": (1, 1, 0, 0),
    "days": (1 / 3, 0, 1 / 3, 0),  # 7 can be of one day or of two
}


@pytest.mark.parametrize("text", BY_HAND)
def test_what_was_worked_out_by_hand(text: str) -> None:
    found = sudare.histories.measure_published(ORIGINAL, ANONYMIZED, knowledge=[text]).knowledge[0]
    assert (found.after, found.unique_after, found.misled, found.nobody) == pytest.approx(BY_HAND[text])


def test_the_ten_attackers_come_with_their_numbers_and_counts() -> None:
    found = sudare.histories.measure_published(ORIGINAL, ANONYMIZED)
    assert (found.records, found.customers, found.pseudonyms, found.deleted_rows) == (4, 3, 2, 1)
    assert [risk.attacker for risk in found.attackers] == list(range(10))
    assert [risk["knowledge"] for risk in found.to_rows()] == [str(known) for known in TEN_ATTACKERS]
    assert found.to_dict()["attackers"][1]["before"] == 1 / 2
    assert found.attackers[1].after == found.attackers[1].before


def test_nobody_fits_what_was_deleted_everywhere() -> None:
    deleted = cells([["*"] * 5] * 4, ("a", "b"))
    found = sudare.histories.measure_published(ORIGINAL, deleted)
    assert found.pseudonyms == 0
    assert {(risk.after, risk.misled, risk.nobody) for risk in found.attackers} == {(0.0, 0.0, 1.0)}


def small_history(seed: int, customers: int = 12, rows: int = 90) -> CellHistory:
    random = np.random.default_rng(seed)
    return cells(
        [
            [str(random.integers(1, customers + 1)), f"2011/1/{random.integers(1, 8)}", f"i{random.integers(0, 9)}",
             f"{random.integers(1, 4)}.5", str(random.integers(1, 4))]
            for _ in range(rows)
        ]
    )  # fmt: skip


@pytest.mark.parametrize("weighting", ["occurrence", "record"])
def test_on_the_original_itself_nothing_changes(weighting: Literal["occurrence", "record"]) -> None:
    original = small_history(1)
    known = [*FURTHER, "weekday + quantity", "item*3", "(weekday + item)*2"]
    found = sudare.histories.measure_published(original, original, knowledge=known, weighting=weighting)
    for risk in (*found.attackers, *found.knowledge):
        assert (risk.after, risk.unique_after) == (risk.before, risk.unique_before), risk.knowledge
        assert (risk.misled, risk.nobody) == (0, 0)


@pytest.mark.slow
def test_on_a_real_original_itself_nothing_changes(real_data: Callable[[str], Path]) -> None:
    original = sudare.histories.read_original(real_data("pwscup2018-T.csv"))
    found = sudare.histories.measure_published(original, original)
    with sudare.read_history(real_data("pwscup2018-T.csv")) as history:
        expected = sudare.histories.assess_attackers(history)
    assert [risk.before for risk in found.attackers] == [risk.measured for risk in expected.attackers]
    assert [risk.after for risk in found.attackers] == [risk.measured for risk in expected.attackers]
    assert [risk.unique_after for risk in found.attackers] == [risk.unique_share for risk in expected.attackers]


def recoded(original: CellHistory, *, days: bool) -> tuple[CellHistory, CellHistory]:
    """Return items in three bins and, if wanted, days in two: as published cells, and as codes."""
    day, item = original.column("date"), original.column("item")
    assert isinstance(day, sudare.histories.OrderedColumn)
    assert isinstance(item, sudare.histories.ItemColumn)
    groups = item.sets % 3
    members = [[number for number in range(len(item.names)) if number % 3 == group] for group in range(3)]
    starts = np.concatenate([np.arange(len(item.names) + 1), len(item.names) + np.cumsum([len(m) for m in members])])
    sets = replace(
        item,
        kinds=np.full_like(item.kinds, sudare.histories.Kind.SET), sets=(groups + len(item.names)).astype(np.int32),
        starts=starts, members=np.concatenate([item.members, *members]).astype(np.int32),
    )  # fmt: skip
    first = int(day.low.min())
    bin_start = first + (day.low - first) // 4 * 4 if days else day.low
    ranges = replace(day, low=bin_start, high=bin_start + (3 if days else 0))
    others = original.columns[2:]
    published = CellHistory(original.persons, (ranges, sets, *others))
    codes = CellHistory(
        original.persons, (replace(day, low=bin_start, high=bin_start), replace(item, sets=groups), *others)
    )
    return published, codes


@pytest.mark.parametrize(("days", "same"), [(False, (0, 1, 2, 3, 5, 6, 7, 8)), (True, (0, 1, 6))])
def test_of_recoded_columns_attackers_with_one_row_are_those_on_the_codes(days: bool, same: tuple[int, ...]) -> None:
    original = small_history(2)
    published, codes = recoded(original, days=days)
    found = sudare.histories.measure_published(original, published)
    expected = sudare.histories.measure_published(codes, codes)
    assert [found.attackers[n].after for n in same] == [expected.attackers[n].before for n in same]


def test_many_combinations_are_estimated_from_the_same_draws_before_and_after() -> None:
    original = small_history(3, rows=200)
    known = ["day + item*2", "days + (day + item)*2"]
    exact = sudare.histories.measure_published(original, original, knowledge=known)
    found = sudare.histories.measure_published(
        original, original, knowledge=known, most_combinations=10, samples=400, seed=5
    )
    for truth, risk in zip(exact.knowledge, found.knowledge, strict=True):
        assert risk.sample == 400
        assert risk.before == pytest.approx(risk.after)
        assert risk.interval_after is not None
        assert risk.interval_after[0] <= truth.after <= risk.interval_after[1]
    again = sudare.histories.measure_published(
        original, original, knowledge=known, most_combinations=10, samples=400, seed=5
    )
    assert again == found


def test_one_attacker_can_look_into_several_histories() -> None:
    with PublishedAttackers(ORIGINAL) as attackers:
        first = attackers.measure(attackers.pack(ANONYMIZED), "item")
        second = attackers.measure(attackers.pack(ORIGINAL), TEN_ATTACKERS[1])
    assert (first.after, second.after) == (1 / 2, 1 / 2)
    assert (first.misled, second.misled) == (1 / 4, 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hour + item", "they have no time of day"),
        ("kinds", "counting the different items behind sets of items"),
        ("items + price", "which of the items each row has"),
        ("(item)*3", "3 visits could be on too many different days"),
    ],
)
def test_knowledge_that_cells_cannot_be_compared_with_is_refused_by_name(text: str, why: str) -> None:
    with pytest.raises(sudare.KnowledgeNotUnderstood, match=why):
        sudare.histories.measure_published(ORIGINAL, ANONYMIZED, knowledge=[text])


def test_histories_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(sudare.OptionNotUsable, match="rows and columns of the original"):
        sudare.histories.measure_published(ORIGINAL, cells([["1", "2011/1/1", "a", "1", "1"]]))
    with pytest.raises(sudare.OptionNotUsable, match="a single value in every cell"):
        sudare.histories.measure_published(ANONYMIZED, ANONYMIZED)
    mixed = CellHistory(np.array([7, 7, 7, 9]), ORIGINAL.columns)
    with pytest.raises(sudare.OptionNotUsable, match="A pseudonym stands for several customers"):
        sudare.histories.measure_published(ORIGINAL, mixed)
    with pytest.raises(sudare.OptionNotUsable, match="no column of items"):
        sudare.histories.measure_published(CellHistory(ORIGINAL.persons, ORIGINAL.columns[:1]), ANONYMIZED)
