import re
from collections.abc import Callable
from dataclasses import replace
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import sudare
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import Kind, OrderedColumn
from sudare.histories.utility.drawn_rows import CellSampler, plain_rows
from sudare.histories.utility.rfm import RfmTable, rfm_values
from sudare.histories.utility.row_statistics import row_statistics
from sudare.histories.utility.similarity import Similarities, item_similarities, top_items
from sudare.histories.utility.use_cases import MEASURES, UseCaseMeasures, visit_baskets
from sudare.messages import Message, message
from tests.histories.generalized.small_cells import cells
from tests.histories.utility import brute_force_uses as brute
from tests.histories.utility.small_histories import Row, pair, rows_and_generalized

# 2011/1/1 in days since 1970.
NEW_YEAR = 14975

# Customer 1 buys a by the dozen and b twice, customer 2 a and b singly, customer 3 nothing but c.
ORIGINAL = [
    ["1", "2011/1/1", "a", "1.00", "20"],
    ["1", "2011/1/2", "a", "1.00", "5"],
    ["1", "2011/1/2", "b", "2.00", "12"],
    ["2", "2011/1/2", "a", "1.00", "4"],
    ["2", "2011/1/2", "b", "2.00", "3"],
    ["3", "2011/1/3", "c", "5.00", "100"],
]
T = cells(ORIGINAL)
ROWS = plain_rows(T)


def errors(original: list[Row], anonymized: list[Row], **options: float) -> dict[str, float | None]:
    found = sudare.histories.measure_use_cases(*pair(original, anonymized), draws=1, **options)  # type: ignore[arg-type]
    return {error.measure: error.mean for error in found.errors}


def test_baskets_are_the_different_items_of_a_customer_and_day() -> None:
    found = visit_baskets(plain_rows(cells([*ORIGINAL, ORIGINAL[0]])))
    assert [found.record(n).tolist() for n in range(len(found))] == [[0], [0, 1], [0, 1], [2]]


def test_similarities_by_hand() -> None:
    # Wholesale: a is (2, 0), b (1, 0). Retail: a is (-, 4), b (-, 3). Top: a and b are (1, 1).
    for kind, entries in (("wholesale", {(0, 1): 1.0}), ("retail", {(0, 1): 1.0}), ("top", {(0, 1): 1.0})):
        found = item_similarities(ROWS, kind).tocoo()
        pairs = zip(found.row.tolist(), found.col.tolist(), found.data.tolist(), strict=True)
        assert {(row, column): weight for row, column, weight in pairs} == pytest.approx(entries)
    without = plain_rows(cells(ORIGINAL[:-2] + ORIGINAL[-1:]))
    # b is no longer bought by customer 2: a is (1, 1) and b is (1, 0), a cosine of 1 / sqrt(2).
    assert Similarities(ROWS).errors(without)["top"] == pytest.approx(1 - 1 / sqrt(2))
    assert Similarities(ROWS).errors(without)["retail"] == 1
    assert Similarities(ROWS).errors(without)["wholesale"] == 0


def test_wholesale_counts_all_dozens_or_at_most_so_many() -> None:
    bought = [("1", "a", "72"), ("1", "b", "999"), ("2", "a", "72"), ("2", "b", "72")]
    rows = plain_rows(cells([[customer, "2011/1/1", item, "1.00", q] for customer, item, q in bought]))
    assert item_similarities(rows, "wholesale", most_dozens=6).data.tolist() == pytest.approx([1.0])
    # a is (6, 6) and b is (83, 6).
    cosine = (6 * 83 + 6 * 6) / sqrt((6**2 + 6**2) * (83**2 + 6**2))
    assert item_similarities(rows, "wholesale").data.tolist() == pytest.approx([cosine])


def test_top_items_have_most_buyers_and_of_equal_ones_the_greater_name() -> None:
    assert [ROWS.names[item] for item in top_items(ROWS)] == ["b", "a", "c"]
    assert [ROWS.names[item] for item in top_items(ROWS, most=1)] == ["b"]


def test_recency_frequency_and_money_by_hand() -> None:
    last, visits, money = rfm_values(ROWS).tolist()
    assert [day - NEW_YEAR for day in last] == [1, 1, 2]
    assert visits == [2, 1, 1]
    assert money == [20 * 100 + 5 * 100 + 12 * 200, 4 * 100 + 3 * 200, 500 * 100]


def test_customers_are_ranked_among_those_of_their_own_table() -> None:
    # Everybody comes twice as often, later, and pays twice as much: nobody is before another who was not.
    more = [[c, f"2011/{month}/{day[-1]}", *rest] for c, day, *rest in ORIGINAL for month in (2, 3)]
    assert RfmTable(ROWS).error(plain_rows(cells(more))) == 0
    # Without customer 3, 1 and 2 are two in two other cells: five cells of a thousand are wrong by 1.
    assert RfmTable(ROWS).error(plain_rows(cells(ORIGINAL[:5]))) == pytest.approx(sqrt(5 / 1000))


def test_ranks_are_the_cuts_that_are_reached() -> None:
    # Ten customers with 1 to 10 visits: the cuts are 2 to 10 and each has a rank of its own.
    rows = [[str(c), f"2011/1/{day}", "a", "1.00", "1"] for c in range(1, 11) for day in range(1, c + 1)]
    assert RfmTable(plain_rows(cells(rows))).counts.tolist().count(1) == 10


def test_statistics_by_hand() -> None:
    days, prices, quantities = row_statistics(ROWS, first_day=NEW_YEAR).reshape(3, 7).tolist()
    assert days == pytest.approx([0 + 1 + 1 + 1 + 1 + 2, 1, 1 / 3, sqrt(1 / 3), 2, 0, 1])
    assert (prices[0], prices[4:], quantities[0], quantities[4:]) == (1200, [500, 100, 150], 144, [100, 3, 8.5])


def test_nothing_is_lost_by_a_history_that_is_as_it_was() -> None:
    assert set(errors(ORIGINAL, ORIGINAL).values()) == {0.0}


def test_all_is_lost_and_some_is_not_defined_if_all_rows_are_deleted() -> None:
    found = errors(ORIGINAL, [["*"] * 5] * 6, first_day=NEW_YEAR)
    assert [found[name] for name in MEASURES[:7]] == [1, pytest.approx(sqrt(3 / 1000)), 1, 1, 1, 6, 3 / 100]
    assert (found["date_sum"], found["price_sum"], found["quantity_sum"]) == (6, 1200, 144)
    assert found["date_mean"] is None
    assert found["quantity_median"] is None


@given(rows_and_generalized(), st.sampled_from([None, 1, 6]))
def test_all_measures_agree_with_plain_counting(rows: tuple[list[Row], list[Row]], dozens: int | None) -> None:
    assume(any(row[0] != "*" for row in rows[1]))
    original, anonymized = pair(*rows)
    drawn = CellSampler(original, anonymized).draw(1, 2)
    measures = UseCaseMeasures(original, support=0.3, length=2, most_dozens=dozens, first_day=NEW_YEAR)
    found, before, after = measures.errors(drawn), brute.bought(plain_rows(original)), brute.bought(drawn)
    expected = brute.errors(before, after, "0.3", 2, NEW_YEAR, dozens or inf)
    assert dict(zip(MEASURES, found.tolist(), strict=True)) == pytest.approx(
        dict(zip(MEASURES, expected, strict=True)), rel=1e-9, abs=1e-9
    )


def test_results_are_means_over_draws_and_repeat() -> None:
    original, anonymized = pair(ORIGINAL, [["7", "*", "*", "[1.00;5.00]", "[1;200]"]] * 6)
    one = sudare.histories.measure_use_cases(original, anonymized, draws=9, seed=4)
    assert one == sudare.histories.measure_use_cases(original, anonymized, draws=9, seed=4)
    assert one != sudare.histories.measure_use_cases(original, anonymized, draws=9, seed=5)
    by_hand = [UseCaseMeasures(original).errors(CellSampler(original, anonymized).draw(4, n)) for n in range(9)]
    assert one.errors[1].mean == pytest.approx(sum(found[1] for found in by_hand) / 9)


def test_progress_counts_the_draws() -> None:
    told: list[tuple[Message, int, int]] = []
    sudare.histories.measure_use_cases(T, T, draws=3, progress=lambda *now: told.append(now))
    assert told == [(message("progress.draws"), done, 3) for done in range(3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 0}, "draws must be 1 or more, not 0"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"length": 0}, "length must be 1 or more, not 0"),
        ({"most_dozens": 0}, "most_dozens must be 1 or more, not 0"),
        ({"support": 1.5}, "support must be a share"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(OptionNotUsable, match=re.escape(message)):
        sudare.histories.measure_use_cases(T, T, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_drawn_days_do_not_saturate_the_errors(real_data: Callable[[str], Path]) -> None:
    original = sudare.histories.read_original(real_data("pwscup2018-T.csv"))
    day = original.column("date")
    assert isinstance(day, OrderedColumn)
    kinds = np.full_like(day.kinds, Kind.RANGE)
    wide = OrderedColumn("date", "date", kinds, np.maximum(day.low - 45, day.low.min()), day.low + 45)
    anonymized = replace(original, columns=(wide, *original.columns[1:]))
    found = sudare.histories.measure_use_cases(original, anonymized, draws=2)
    assert (found.least, len(visit_baskets(CellSampler(original, anonymized).draw(0, 0))) > 30_000) == (100, True)
    means = {error.measure: error.mean or 0.0 for error in found.errors}
    # By a share of each table's own visits 0.99 of the itemsets are lost.
    assert 0.1 < means["itemsets"] < 0.3
    assert 0.05 < means["rfm"] < 0.12
    assert means["similarity_top"] == 0
