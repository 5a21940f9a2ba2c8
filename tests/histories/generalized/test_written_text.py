"""What is written of a plain history is read again: published text, aligned text, and what does not belong to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import BadRows
from sudare.histories.anonymize.publication import anonymize_rows
from sudare.histories.generalized.conversion import HistoryRows, read_history_rows
from sudare.histories.generalized.coverage import is_row_by_row
from sudare.histories.generalized.parquet import write_cells_parquet

HEADER = "who,day,item,price,quantity\n"
ITEMS = ("tea", "milk, cold", 'the "best" rice', "パン")

ROW = st.tuples(st.sampled_from("abcd"), st.integers(1, 28), st.integers(0, 3), st.integers(1, 999), st.integers(1, 50))


def history(folder: Path, rows: list[tuple[str, int, int, int, int]]) -> HistoryRows:
    """Write and read a history; each of its four customers has a row or more."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in ITEMS]
    lines = [f"{who},2024-02-{day:02},{quoted[item]},{price / 100},{n}\n" for who, day, item, price, n in rows]
    path = folder / "h.csv"
    path.write_text(HEADER + "".join(lines), encoding="utf-8")
    return read_history_rows(path, columns={"customer": "who"})


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(rows=st.lists(ROW, max_size=12), model=st.sampled_from(["classes", "levels", "suppression"]))
def test_what_is_written_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, int, int, int]], model: str
) -> None:
    folder = tmp_path_factory.mktemp("written")
    found = history(folder, [*rows, *((who, 1, n, 100 + n, 1) for n, who in enumerate("abcd"))])
    made = anonymize_rows(found, 2, model=model, attacks=False, rounds=2 if model != "levels" else None)
    made.write_aligned(folder / "key.csv")
    made.publish(folder / "published.csv")
    aligned = found.read_aligned(folder / "key.csv")
    assert aligned.digest() == made.history.digest()
    published = found.read_published(folder / "published.csv")
    assert found.published_rows(published) == found.published_rows(made.history)
    assert not published.deleted.any()


@pytest.fixture
def small(tmp_path: Path) -> HistoryRows:
    return history(tmp_path, [("a", 1, 0, 150, 1), ("b", 2, 1, 200, 2)])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1,2024-02-01,coffee,1.5,1\n", "row 2, column item: 'coffee'"),
        ("1,2024-02-31,tea,1.5,1\n", "row 2, column day: '2024-02-31'"),
        ("1,2024-02-01,tea,1.505,1\n", "row 2, column price: '1.505'"),
        ("1,2024-02-01,tea,[3;1],1\n", "row 2, column price: '[3;1]'"),
        ("x,2024-02-01,tea,1.5,1\n", "row 2, column who: 'x'"),
        ("1,2024-02-01,{tea;tea},1.5,1\n", "row 2, column item: '{tea;tea}'"),
        ("1,2024-02-01,tea\n", "row 2: expected 5 cells"),
    ],
)
def test_a_cell_that_cannot_be_read_is_named(small: HistoryRows, tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(HEADER + text, encoding="utf-8")
    with pytest.raises(BadRows) as raised:
        small.read_published(path)
    assert problem in str(raised.value)


def test_a_file_of_other_columns_is_refused(small: HistoryRows, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,day\n1,2024-02-01\n")
    with pytest.raises(BadRows, match=r"not who, day, item, price, quantity"):
        small.read_published(tmp_path / "p.csv")


def test_rows_in_another_order_are_not_aligned(small: HistoryRows, tmp_path: Path) -> None:
    rows = ["1,2024-02-01,tea,1.5,1\n", '2,[2024-02-01;2024-02-02],"{tea;milk, cold}",*,2\n']
    (tmp_path / "right.csv").write_text(HEADER + "".join(rows))
    (tmp_path / "wrong.csv").write_text(HEADER + "".join(reversed(rows)))
    assert is_row_by_row(small.history, small.read_aligned(tmp_path / "right.csv"))
    for name in ("wrong.csv", "one.csv"):
        (tmp_path / "one.csv").write_text(HEADER + rows[0])
        with pytest.raises(BadRows, match="one by one"):
            small.read_aligned(tmp_path / name)


def test_rows_of_other_columns_are_not_aligned(small: HistoryRows, tmp_path: Path) -> None:
    narrow = replace(small.history, columns=small.history.columns[:-1])
    write_cells_parquet(narrow, tmp_path / "narrow.parquet")
    with pytest.raises(BadRows, match="one by one"):
        small.read_aligned(tmp_path / "narrow.parquet")
