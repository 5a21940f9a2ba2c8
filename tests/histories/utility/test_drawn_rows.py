import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, ItemColumn, OrderedColumn
from sudare.histories.utility.drawn_rows import CellSampler, PlainRows, plain_rows
from tests.histories.generalized.small_cells import COLUMNS, cells, value
from tests.histories.utility.small_histories import Row, pair, rows_and_generalized

ROWS = [["1", "2011/1/1", "a", "1.00", "1"], ["2", "2011/1/4", "b", "1.05", "9"]]


def as_lists(rows: PlainRows) -> list[list[int]]:
    columns = (rows.customers, rows.days, rows.items, rows.prices, rows.quantities)
    return np.stack(columns).T.tolist()


def test_exact_rows_are_drawn_as_they_are_and_deleted_ones_stay_out() -> None:
    original, anonymized = pair(ROWS, [ROWS[0], ["*"] * 5])
    assert as_lists(CellSampler(original, anonymized).draw(0, 0)) == as_lists(plain_rows(original))[:1]


@given(rows_and_generalized(), st.integers(0, 2**63), st.integers(0, 100))
def test_every_drawn_value_is_one_of_its_cell(rows: tuple[list[Row], list[Row]], seed: int, number: int) -> None:
    original, anonymized = pair(*rows)
    whole = plain_rows(original)
    found = CellSampler(original, anonymized).draw(seed, number)
    left = [row for row in rows[1] if row[0] != "*"]
    assert found.customers.tolist() == [int(row[0]) for row in left]
    items = [found.names[item] for item in found.items.tolist()]
    assert all(row[2] == "*" or item in row[2].strip("{}").split(";") for row, item in zip(left, items, strict=True))
    ordered = (("date", "days"), ("price", "prices"), ("quantity", "quantities"))
    for place, (column, name) in zip((1, 3, 4), ordered, strict=True):
        everything = getattr(whole, name)
        for row, drawn in zip(left, getattr(found, name).tolist(), strict=True):
            ends = (
                [value(end, COLUMNS[column]) for end in row[place].strip("[]").split(";")] if row[place] != "*" else []
            )
            ends = ends or [int(everything.min()), int(everything.max())]
            assert ends[0] <= drawn <= ends[-1]


def test_all_values_of_a_cell_are_equally_likely() -> None:
    many = 6000
    generalized = ["1", "[2011/1/1;2011/1/3]", "{a;c}", "*", "[1;2]"]
    original, anonymized = pair([ROWS[0]] * (many - 1) + [ROWS[1]], [generalized] * many)
    found = CellSampler(original, anonymized).draw(5, 0)
    # Deleted prices are any of the six from 1.00 to 1.05.
    for drawn, values in ((found.days, 3), (found.items, 2), (found.prices, 6), (found.quantities, 2)):
        counts = np.unique(drawn, return_counts=True)[1]
        assert len(counts) == values
        assert np.all(np.abs(counts - many / values) < 5 * (many / values) ** 0.5)


def test_a_deleted_item_is_any_item_of_the_original() -> None:
    original, anonymized = pair([ROWS[0]] * 500, [[*ROWS[0][:2], "*", *ROWS[0][3:]]] * 500)
    assert set(CellSampler(original, anonymized).draw(0, 0).items.tolist()) == {0, 1, 2, 3}


def test_a_draw_depends_on_the_seed_and_its_number_only() -> None:
    original, anonymized = pair(ROWS, [["7", "*", "*", "*", "*"]] * 2)
    sampler = CellSampler(original, anonymized)
    later = as_lists(sampler.draw(3, 8))
    assert later == as_lists(CellSampler(original, anonymized).draw(3, 8))
    assert later != as_lists(sampler.draw(3, 9))
    assert later != as_lists(sampler.draw(4, 8))


def test_items_of_another_original_are_refused() -> None:
    with pytest.raises(OptionNotUsable, match="does not have the items of the original"):
        CellSampler(cells(ROWS), cells(ROWS, names=["b", "a"]))


def test_a_history_without_a_needed_column_is_refused() -> None:
    history = cells(ROWS)
    kept = tuple(c for c in history.columns if isinstance(c, ItemColumn) or c.form != "decimal")
    assert all(isinstance(c, OrderedColumn | ItemColumn) for c in kept)
    with pytest.raises(OptionNotUsable, match="exactly one column of prices; the history has 0"):
        plain_rows(CellHistory(history.persons, kept))
