from hypothesis import given

import sudare
from sudare.histories.utility.description import SizeCount
from tests.histories.utility.small_histories import Row, pair, rows_and_generalized

ORIGINAL = [
    ["1", "2011/1/1", "a", "1.00", "1"],
    ["1", "2011/1/2", "b", "1.00", "2"],
    ["2", "2011/1/1", "a", "1.00", "1"],
    ["3", "2011/1/1", "c", "2.00", "5"],
    ["3", "2011/1/1", "d", "2.00", "5"],
]
ANONYMIZED = [
    ["7", "[2011/1/1;2011/1/1]", "{a}", "1.00", "1"],
    ["7", "2011/1/2", "b", "1.00", "[2;2]"],
    ["*", "*", "*", "*", "*"],
    ["8", "[2011/1/1;2011/1/3]", "{a;b;c;d}", "*", "[1;9]"],
    ["8", "2011/1/1", "{c;d}", "2.00", "5"],
]


def test_a_description_by_hand() -> None:
    found = sudare.histories.describe_cells(*pair(ORIGINAL, ANONYMIZED))
    assert (found.rows, found.deleted_rows) == (5, 1)
    # Customer 1 keeps all values, customer 2 is gone.
    assert (found.customers, found.untouched_customers, found.gone_customers) == (3, 1, 1)
    date, item, price, quantity = found.columns
    assert (date.exact, date.ranges, date.deleted, date.median_size) == (2, 2, 0, 2)
    assert date.sizes == (SizeCount(1, 1, 1), SizeCount(2, 2, 0), SizeCount(3, 4, 1))
    assert (item.exact, item.sets, item.median_size) == (1, 3, 2)
    assert item.sizes == (SizeCount(1, 1, 1), SizeCount(2, 2, 1), SizeCount(3, 4, 1))
    assert (price.exact, price.deleted, price.median_size, price.sizes) == (3, 1, None, ())
    assert quantity.sizes[-1] == SizeCount(9, 16, 1)


@given(rows_and_generalized())
def test_a_description_agrees_with_plain_counting(rows: tuple[list[Row], list[Row]]) -> None:
    original, anonymized = rows
    found = sudare.histories.describe_cells(*pair(*rows))
    customers = {row[0] for row in original}
    touched = {before[0] for before, after in zip(*rows, strict=True) if not says_all(after)}
    left = {before[0] for before, after in zip(*rows, strict=True) if after[0] != "*"}
    assert found.untouched_customers == len(customers - touched)
    assert found.gone_customers == len(customers - left)
    for place, column in enumerate(found.columns, start=1):
        texts = [row[place] for row in anonymized if row[0] != "*"]
        starts = [sum(text[0] == start for text in texts) for start in "[{*"]
        assert [column.ranges, column.sets, column.deleted] == starts
        assert column.exact == len(texts) - sum(starts)
        assert sum(size.cells for size in column.sizes) == column.ranges + column.sets


def says_all(row: Row) -> bool:
    return all(text != "*" and len(set(text.strip("[]{}").split(";"))) == 1 for text in row)
