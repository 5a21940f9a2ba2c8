"""Sensitive items: lists for all, lists for each, rules, and names nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import polars
import pytest

import sudare
from sudare.baskets.sensitive import random_lists
from sudare.engine import DuckDBEngine
from sudare.messages import Texts

BASKETS = sudare.baskets.make_baskets([["milk", "medicine"], ["bread"], ["medicine 2"]], ["alice", "bob", "carol"])


@pytest.fixture
def read(engine: DuckDBEngine, tmp_path: Path) -> Any:
    """Read sensitive items from the text of a file, or from any other source."""

    def reader(text: object, name: str | None = "s.txt", **options: Any) -> sudare.baskets.SensitiveItems:
        if name and isinstance(text, str):
            (tmp_path / name).write_text(text, encoding=options.pop("written", "utf-8"))
            text = tmp_path / name
        return sudare.baskets.read_sensitive(text, BASKETS, engine=engine, **options)

    return reader


def lists(found: sudare.baskets.SensitiveItems, baskets: sudare.Baskets = BASKETS) -> list[list[str]]:
    return [[baskets.names[item] for item in found.of(u, len(baskets.names))] for u in range(len(baskets))]


@pytest.mark.parametrize(
    "text", ["milk\nmedicine 2\n", "item\r\nmedicine 2\r\n\r\n milk \r\n", "medicine 2\nmilk\nmilk"]
)
def test_a_text_with_an_item_a_line_is_for_everybody(read: Any, text: str) -> None:
    found = read(text)
    assert lists(found) == [["medicine 2", "milk"]] * 3
    assert len(found.words) == 1
    assert found.reading.sha256 is not None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("user,item\nbob,milk\nalice,bread\nbob,bread\nbob,milk\n", "s.txt"),
        ("bob,milk\nalice,bread\nbob,bread\n", "s.csv"),
        ("商品;会員番号\nmilk;bob\nbread;alice\nbread;bob\n", "s.csv"),
        ("bob\tmilk\nalice\tbread\nbob\tbread\n", "s.tsv"),
    ],
)
def test_a_table_has_the_items_of_each_user_owned_or_not(read: Any, text: str, name: str) -> None:
    assert lists(read(text, name)) == [["bread"], ["bread", "milk"], []]


def test_parquet_and_dataframes(read: Any, tmp_path: Path) -> None:
    frame = polars.DataFrame({"user": ["bob"], "item": ["milk"]})
    frame.write_parquet(tmp_path / "s.parquet")
    for source in (frame, tmp_path / "s.parquet", str(tmp_path / "s.parquet")):
        assert lists(read(source, None)) == [[], ["milk"], []]
    assert lists(read(frame.select("item"), None)) == [["milk"]] * 3


def test_a_list_of_one_column_in_a_csv_file_is_for_everybody(read: Any) -> None:
    assert lists(read("item\nmilk\n", "s.csv")) == [["milk"]] * 3


def test_an_empty_line_is_nothing_and_an_empty_cell_an_error(read: Any) -> None:
    with pytest.raises(sudare.BadRows, match="row 3: the item is missing"):
        read("user,item\nbob,milk\nbob,\n", "s.csv")
    with pytest.raises(sudare.BadRows, match="row 2: the user is missing"):
        read("user,item\n,milk\n", "s.csv")


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("milk\nmedicin\n", "s.txt", r"row 2: unknown item 'medicin'. Did you mean medicine or medicine 2\?"),
        ("user,item\nbob,milk\nbob,beard\n", "s.csv", r"row 3: unknown item 'beard'. Did you mean bread\?"),
        ("user,item\nrob,milk\n", "s.csv", r"row 2: unknown user 'rob'. Did you mean bob\?"),
        ("user,item\n" + "x,y\n" * 9, "s.csv", "and 4 more"),
    ],
)
def test_unknown_names_are_refused_with_their_line_and_near_ones(read: Any, text: str, name: str, message: str) -> None:
    with pytest.raises(sudare.BadRows, match=message):
        read(text, name)


def test_unknown_names_are_told_in_japanese_line_by_line(read: Any) -> None:
    with pytest.raises(sudare.BadRows) as refused:
        read("user,item\nrob,milk\n" + "bob,y\n" * 6, "s.csv")
    first, second, *_, last, hint = refused.value.text(Texts("ja")).splitlines()
    assert first.endswith("s.csv の7行に、バスケットにない利用者またはアイテムがあります。")
    assert second == "  2行目: 利用者 'rob' はいません。bob のことではありませんか。"
    assert last == "  ……ほか2件"
    assert hint == 'ヒント: 名前を直すか、unknown="ignore" でこれらの行を読み飛ばしてください。'


def test_unknown_names_can_be_ignored_and_are_counted(read: Any) -> None:
    found = read("user,item\nrob,milk\nbob,beard\nbob,milk\n", "s.csv", unknown="ignore")
    assert lists(found) == [[], ["milk"], []]
    assert (found.reading.lines, found.reading.unknown) == (3, 2)
    assert lists(read("beard\n", unknown="ignore")) == [[]] * 3
    assert lists(read("user,item\nrob,milk\n", "s.csv", unknown="ignore")) == [[]] * 3


def test_rules_for_everybody(read: Any) -> None:
    assert lists(read("all", None)) == [list(BASKETS.names)] * 3
    assert lists(read("item:medicine*", None)) == [["medicine", "medicine 2"]] * 3
    assert lists(read("item:m?lk", None)) == [["milk"]] * 3
    found = read("random-fixed:0.5", None)
    assert [len(entry) for entry in lists(found)] == [2, 2, 2]
    assert len(found.words) == 1


def test_random_lists_have_the_share_and_differ_by_user_and_seed() -> None:
    baskets = sudare.baskets.make_baskets([[f"i{n:03}" for n in range(150)]] * 50)
    found = lists(sudare.baskets.read_sensitive("random:0.4", baskets), baskets)
    assert {len(entry) for entry in found} == {60}
    assert len({tuple(entry) for entry in found}) == 50
    assert lists(sudare.baskets.read_sensitive("random:0.4:0", baskets), baskets) == found
    assert lists(sudare.baskets.read_sensitive("random:0.4:1", baskets), baskets) != found


def test_every_item_is_as_likely_in_random_lists() -> None:
    bits = np.unpackbits(random_lists(4000, 10, 0.3, seed=1).view(np.uint8), axis=1, bitorder="little")[:, :10]
    assert (bits.sum(axis=1) == 3).all()
    # Ten means of 4,000 draws with a standard deviation of 0.0072.
    assert np.abs(bits.mean(axis=0) - 0.3).max() < 0.036


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("random:1.5", "a share above 0 and up to 1"),
        ("random:", "a share above 0 and up to 1"),
        ("random:0.4:x", "a share above 0 and up to 1"),
        ("random-fixed:nan", "a share above 0 and up to 1"),
        ("all:milk", "'all:milk' is neither a file nor a rule"),
        ("item:medcine", "No item matches 'medcine'.*Did you mean medicine"),
        ("nothing.csv", "'nothing.csv' is neither a file nor a rule"),
    ],
)
def test_rules_that_cannot_be_understood(read: Any, rule: str, message: str) -> None:
    with pytest.raises(sudare.InputError, match=message):
        read(rule, None)


def test_unknown_is_refuse_or_ignore(read: Any) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="'mend'"):
        read("milk\n", unknown="mend")


def test_many_items_and_users_need_bits_only() -> None:
    """The setting of the paper's experiments at the size of BMS-WebView-2 is 33 MB."""
    words = random_lists(1000, 3340, 0.4, seed=0)
    assert words.nbytes == 1000 * 53 * 8
    assert (np.bitwise_count(words).sum(axis=1) == 1336).all()


@pytest.mark.slow
@hypothesis.given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 139))))
def test_the_bits_are_those_of_the_rows(engine: DuckDBEngine, pairs: list[tuple[int, int]]) -> None:
    items = [f"i{n:03}" for n in range(140)]
    baskets = sudare.baskets.make_baskets([items] * 5)
    frame = polars.DataFrame(
        {"user": [str(u + 1) for u, _ in pairs], "item": [items[i] for _, i in pairs]},
        schema={"user": polars.String, "item": polars.String},
    )
    found = sudare.baskets.read_sensitive(frame, baskets, engine=engine)
    assert [(u, i) for u in range(5) for i in range(140) if found.has(u, i)] == sorted(set(pairs))
