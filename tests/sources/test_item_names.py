"""What items are called: the most frequent name beside each code."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine

TEXT = """CustomerID,InvoiceDate,StockCode,Description
1,2024/1/5,x,Lantern
2,2024/1/6,x,LANTERN
3,2024/1/6, ｘ,LANTERN
3,2024/1/6,y,
,2024/1/6,z,Zebra
4,2024/1/6,w,b
4,2024/1/6,w,a
"""


def test_the_most_frequent_name_wins_and_of_equals_the_first(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(TEXT)
    with sudare.read_history(tmp_path / "h.csv", engine=engine, bad_rows="drop") as history:
        assert history.reading.columns["item_name"] == "Description"
        assert history.names == {"w": "a", "x": "LANTERN", "z": "Zebra"}
        assert history.item_name("x") == "LANTERN"
        assert history.item_name("y") is None


def test_a_history_without_a_column_of_names_has_none(engine: DuckDBEngine) -> None:
    rows = polars.DataFrame({"customer": ["a"], "day": ["2024-01-05"], "item": ["x"]})
    with sudare.read_history(rows, engine=engine) as history:
        assert history.names == {}


def test_a_column_of_names_alone_is_the_item(engine: DuckDBEngine) -> None:
    rows = polars.DataFrame({"customer": ["a"], "day": ["2024-01-05"], "商品名": ["パン"]})
    with sudare.read_history(rows, engine=engine) as history:
        assert history.reading.columns["item"] == "商品名"
        assert history.names == {}


def test_the_column_of_names_can_be_chosen(engine: DuckDBEngine) -> None:
    rows = polars.DataFrame({"customer": ["a"], "day": ["2024-01-05"], "item": ["x"], "label": ["Lantern"]})
    with sudare.read_history(rows, engine=engine, columns={"item_name": "label"}) as history:
        assert history.names == {"x": "Lantern"}


def test_names_of_a_file_that_has_changed_are_refused(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(TEXT)
    with sudare.read_history(tmp_path / "h.csv", engine=engine, bad_rows="drop") as history:
        (tmp_path / "h.csv").write_text(TEXT.replace("Zebra", "Horse"))
        with pytest.raises(sudare.SourceNotReadable, match="has changed since it was read"):
            history.item_name("x")
