from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import sudare
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn
from sudare.histories.utility.cost import CellCost, cell_errors, cell_utility, population_deviation
from tests.histories.generalized.small_cells import COLUMNS, cells, value
from tests.histories.utility.small_histories import Row, pair, rows_and_generalized

# Two customers; days 1, 1, 2, 3; prices 1, 2, 3, 4 (in cents 100 to 400); quantities 1, 1, 3, 3.
ORIGINAL = [
    ["1", "2011/1/1", "a", "1.00", "1"],
    ["1", "2011/1/1", "b", "2.00", "1"],
    ["2", "2011/1/2", "c", "3.00", "3"],
    ["2", "2011/1/3", "d", "4.00", "3"],
]


def changed(**cell_texts: str) -> CellHistory:
    """Return the original with some cells of row 1 written otherwise."""
    places = {name: place for place, name in enumerate(COLUMNS, start=1)}
    rows = [["1" if row[0] == "1" else "2", *row[1:]] for row in ORIGINAL]
    for name, text in cell_texts.items():
        rows[0][places[name]] = text
    return pair(ORIGINAL, rows)[1]


T = pair(ORIGINAL, ORIGINAL)[0]


def test_a_history_that_is_as_it_was_costs_nothing() -> None:
    assert cell_utility(T, T).utility == 0
    single = changed(date="[2011/1/1;2011/1/1]", item="{a}", price="[1.00;1.00]", quantity="[1;1]")
    assert cell_utility(T, single).utility == 0


def test_a_history_whose_rows_are_all_deleted_costs_one() -> None:
    found = cell_utility(T, pair(ORIGINAL, [["*"] * 5] * 4)[1])
    assert found.utility == 1
    assert [kind.cells for kind in found.kinds] == [0, 0, 0, 0, 16]
    assert [(customer.customer, customer.deleted_rows, customer.utility) for customer in found.customers] == [
        (1, 2, 0.5),
        (2, 2, 0.5),
    ]
    assert found.cells == ()


def test_errors_by_hand() -> None:
    # Quantities 1, 1, 3, 3 have the standard deviation 1; 1 is 0, 1 and 2 away from 1, 2 and 3.
    assert cell_errors(T, changed(quantity="[1;3]"), "quantity").tolist() == [1, 0, 0, 0]
    assert cell_errors(T, changed(quantity="[1;2]"), "quantity").tolist() == [0.5, 0, 0, 0]
    assert cell_errors(T, changed(quantity="*"), "quantity").tolist() == [1, 0, 0, 0]
    assert cell_errors(T, changed(item="{a;b;c}"), "item").tolist() == pytest.approx([2 / 3, 0, 0, 0])
    # Prices have the variance 12,500 in cents; 100 is 0 to 100 away from 100 to 200, 50 on average.
    assert cell_errors(T, changed(price="[1.00;2.00]"), "price")[0] == pytest.approx(50 / 12_500**0.5)


def test_a_wide_range_may_cost_more_than_a_deleted_cell_and_the_saving_is_told() -> None:
    found = cell_utility(T, changed(quantity="[1;5]", item="*"))
    assert found.utility == (2 + 1) / 16
    quantity = found.columns[3]
    assert (quantity.name, quantity.utility, quantity.share) == ("quantity", 0.5, pytest.approx(2 / 3))
    assert (quantity.dear_ranges, quantity.saving, found.saving) == (1, 1 / 16, 1 / 16)
    assert found.cells == (CellCost(1, "quantity", "1", "[1;5]", 2.0), CellCost(1, "item", "a", "*", 1.0))


def test_costly_cells_are_shown_as_they_are_written() -> None:
    found = cell_utility(T, changed(date="[2010/12/1;2011/1/31]", item="{c;a}", price="[0.5;3.25]"))
    texts = {(cell.column, cell.original, cell.cell) for cell in found.cells}
    assert texts == {
        ("date", "2011/1/1", "[2010/12/1;2011/1/31]"),
        ("item", "a", "{c;a}"),
        ("price", "1", "[0.5;3.25]"),
    }


def test_a_column_with_one_value_has_no_scale_and_a_wider_cell_costs_as_a_deleted_one() -> None:
    rows = [["1", "2011/1/1", "a", "1.00", "7"], ["1", "2011/1/2", "a", "2.00", "7"]]
    original, anonymized = pair(rows, [[*rows[0][:4], "[7;8]"], [*rows[1][:4], "[7;7]"]])
    assert cell_errors(original, anonymized, "quantity").tolist() == [1, 0]


def test_a_cell_without_the_original_value_is_measured_by_its_expected_distance() -> None:
    # 1 is 1, 2 and 3 away from 2, 3 and 4.
    assert cell_errors(T, changed(quantity="[2;4]"), "quantity")[0] == 2
    assert cell_errors(T, changed(quantity="3"), "quantity")[0] == 2
    assert cell_errors(T, changed(item="b"), "item")[0] == 1
    assert cell_errors(T, changed(item="{b;c}"), "item")[0] == 1


def test_histories_of_different_lengths_are_refused() -> None:
    with pytest.raises(OptionNotUsable, match="4 in the original, 1 in the anonymized history"):
        sudare.histories.cell_utility(T, cells(ORIGINAL[:1], names=["a", "b", "c", "d"]))


def test_a_history_without_rows_costs_nothing() -> None:
    assert cell_utility(cells([]), cells([])).utility == 0


def exact_errors(original: list[Row], anonymized: list[Row]) -> dict[str, list[Fraction]]:
    """Return the expected distance of a value of each cell from the original, not yet divided by a deviation."""
    found: dict[str, list[Fraction]] = {name: [] for name in COLUMNS}
    for before, after in zip(original, anonymized, strict=True):
        for place, (name, form) in enumerate(COLUMNS.items(), start=1):
            text = after[place]
            if form is None:
                members = text.strip("{}").split(";")
                found[name].append(Fraction(sum(member != before[place] for member in members), len(members)))
            elif text != "*":
                low, high = (value(end, form) for end in (text.strip("[]").split(";") * 2)[:2])
                distances = [abs(y - value(before[place], form)) for y in range(low, high + 1)]
                found[name].append(Fraction(sum(distances), len(distances)))
    return found


def exact_utility(original: list[Row], anonymized: list[Row]) -> Decimal:
    total = Decimal(0)
    errors = exact_errors(original, anonymized)
    for place, (name, form) in enumerate(COLUMNS.items(), start=1):
        error = sum(errors[name], Fraction(0))
        if form is None:
            total += Decimal(error.numerator) / error.denominator
            continue
        values = [value(row[place], form) for row in original]
        mean = Fraction(sum(values), len(values))
        variance = sum((v - mean) ** 2 for v in values) / len(values)
        if variance:
            total += (
                Decimal(error.numerator)
                / error.denominator
                / (Decimal(variance.numerator) / variance.denominator).sqrt()
            )
        else:
            total += sum(found > 0 for found in errors[name])
        total += sum(row[place] == "*" for row in anonymized)
    return total / (4 * len(original))


@given(rows_and_generalized())
def test_utility_agrees_with_exact_arithmetic(rows: tuple[list[Row], list[Row]]) -> None:
    with localcontext(prec=50):
        exact = exact_utility(*rows)
    found = cell_utility(*pair(*rows))
    assert found.utility == pytest.approx(float(exact), rel=1e-12, abs=0)
    assert sum(kind.utility for kind in found.kinds) == pytest.approx(found.utility)
    assert sum(column.utility for column in found.columns) / 4 == pytest.approx(found.utility)
    assert sum(customer.utility for customer in found.customers) == pytest.approx(found.utility)
    assert sum(kind.cells for kind in found.kinds) == 4 * len(rows[0])


@given(rows_and_generalized())
def test_the_dearest_cells_come_first(rows: tuple[list[Row], list[Row]]) -> None:
    original, anonymized = pair(*rows)
    places = {name: place for place, name in enumerate(COLUMNS)}
    every = [
        (-error, row + 1, places[name])
        for name in COLUMNS
        for row, error in enumerate(cell_errors(original, anonymized, name).tolist())
        if error > 0 and rows[1][row][0] != "*"
    ]
    found = [(-cell.error, cell.row, places[cell.column]) for cell in cell_utility(original, anonymized, most=3).cells]
    assert found == sorted(every)[:3]


@pytest.fixture(scope="module")
def contest_rows(real_data: Callable[[str], Path]) -> list[Row]:
    return [line.split(",") for line in real_data("pwscup2018-T.csv").read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_the_contest_data_have_the_known_deviations_and_utility(contest_rows: list[Row]) -> None:
    original = cells(contest_rows)
    deviations = [column.deviation for column in cell_utility(original, original).columns]
    assert deviations == [
        pytest.approx(111.28184639553241, rel=1e-15),
        None,
        pytest.approx(1046.7072884608049, rel=1e-15),
        pytest.approx(38.41266857166677, rel=1e-15),
    ]
    wide = [[row[0], "[2010/12/1;2011/11/30]", row[2], "[0.04;2500]", "[1;2880]"] for row in contest_rows]
    found = cell_utility(original, cells(wide, names=original.column("item").names))
    assert found.utility == pytest.approx(39.373853431632504, rel=1e-12)


@pytest.mark.slow
def test_utility_of_generalized_contest_data_agrees_with_exact_arithmetic(contest_rows: list[Row]) -> None:
    """Ranges and sets of many sizes in every row; errors are added up exactly, width by width."""
    original = cells(contest_rows)
    items = original.column("item")
    names, places = items.names, np.arange(len(contest_rows))
    columns = []
    total = Decimal(0)
    with localcontext(prec=50):
        for name, below, above in (("date", 7, 31), ("price", 101, 997), ("quantity", 3, 13)):
            column = original.column(name)
            low, high = column.low - places % below, column.low + places % above
            columns.append(OrderedColumn(name, column.form, np.full(len(places), Kind.RANGE, np.uint8), low, high))
            total += exact_column(column.low.tolist(), low.tolist(), high.tolist())
        sizes = np.arange(len(names)) % 5 + 2
        starts = np.append(np.arange(len(names)), len(names) + np.append(0, np.cumsum(sizes)))
        members = [(item + more) % len(names) for item, size in enumerate(sizes.tolist()) for more in range(size)]
        sets = ItemColumn(
            "item",
            np.full(len(places), Kind.SET, np.uint8),
            (items.sets + len(names)).astype(np.int32),
            starts,
            np.asarray([*range(len(names)), *members], np.int32),
            names,
        )
        total += sum(1 - Decimal(1) / int(sizes[item]) for item in items.sets.tolist())
        exact = total / (4 * len(places))
    found = cell_utility(original, CellHistory(original.persons, (columns[0], sets, *columns[1:])))
    assert found.utility == pytest.approx(float(exact), rel=1e-12)


def exact_column(values: list[int], low: list[int], high: list[int]) -> Decimal:
    numerators: Counter[int] = Counter()
    for x, a, b in zip(values, low, high, strict=True):
        numerators[b - a + 1] += (x - a) ** 2 + (b - x) ** 2 + (b - a)
    error = sum((Fraction(number, 2 * width) for width, number in numerators.items()), Fraction(0))
    squares, whole = sum(x * x for x in values), sum(values)
    variance = Fraction(len(values) * squares - whole**2, len(values) ** 2)
    deviation = (Decimal(variance.numerator) / variance.denominator).sqrt()
    return Decimal(error.numerator) / error.denominator / deviation


def test_large_values_lose_no_digits() -> None:
    values = np.asarray([10**12, 10**12 + 1, 10**12 + 2], np.int64)
    assert population_deviation(values) == pytest.approx((2 / 3) ** 0.5, rel=1e-15)
