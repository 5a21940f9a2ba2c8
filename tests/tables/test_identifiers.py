from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, strategies as st

from sudare.tables.hierarchies.suggest import suggest_hierarchy
from sudare.tables.identifiers import direct_identifiers, identifier_kind, is_phone, nearly_all
from sudare.tables.read import read_table
from sudare.tables.synthetic import generate_table


@pytest.mark.parametrize(
    "text", ["03-1234-5678", "090-1234-5678", "0312345678", "+81 3 1234 5678", "(212) 555-0100", "+4930123456"]
)
def test_telephone_numbers(text: str) -> None:
    assert is_phone(text)


@pytest.mark.parametrize(
    "text", ["2024-02-29", "123-4567", "12345-6789", "1234567.89", "0.123456789", "123456789", "1", "20240229", "a"]
)
def test_numbers_that_are_no_telephone_numbers(text: str) -> None:
    assert not is_phone(text)


@pytest.mark.parametrize(
    ("attribute", "values", "kind"),
    [
        ("contact", {"a@example.org": 3, "b.c@example.co.jp": 2}, "email"),
        ("call", {"03-1234-5678": 1, "03-1234-5679": 4}, "phone"),
        ("name", {"Sato Ai": 2, "Sato Ken": 1, "Mori Jun": 1}, "name"),
        ("氏名", {"佐藤 愛": 1, "森 純": 1}, "name"),
        ("last_name", {"Sato": 2, "Mori": 1}, "name"),
        ("member", {f"k{n:03}": 1 for n in range(20)}, "unique"),
        ("member", {f"k{n:03}": 1 for n in range(19)}, None),
        ("name", {"Sato Ai": 2000, "Mori Jun": 1000}, "name"),
        ("氏名", {"佐藤 愛": 900, "森 純": 900}, "name"),
        ("full name", {"Sato Ai": 90, "Mori Jun": 90}, "name"),
        ("Surname", {"Sato": 90, "Mori": 90}, "name"),
        ("CustomerName", {"Sato": 90, "Mori": 90}, "name"),
        ("lastName", {"Sato": 90, "Mori": 90}, "name"),
        ("顧客名", {"佐藤": 90, "森": 90}, "name"),
        ("会員名", {"佐藤": 90, "森": 90}, "name"),
        ("商品名", {"牛乳": 90, "パン": 90}, None),
        ("shop_name", {"North": 90, "South": 90}, None),
        ("customer ID", {f"{n}": 2 for n in range(1000, 1100)}, "number"),
        ("CustomerId", {f"c{n}": 40 for n in range(100)}, "number"),
        ("会員番号", {f"{n}": 9 for n in range(1000, 1100)}, "number"),
        ("id", {f"{n}": 2 for n in range(1000, 1100)}, "number"),
        ("area id", {f"{n}": 40 for n in range(1000, 1100)}, None),
        ("serial", {f"{n}": 1 + (n == 7) for n in range(1001)}, "unique"),
        ("address", {f"street {n}": 1 + (n % 20 == 0) for n in range(100)}, "unique"),
        ("weight", {f"{n / 7:.3f}": 1 + (n == 7) for n in range(100)}, None),
        ("income", {f"{n * n}": 1 + (n == 7) for n in range(1000)}, None),
        ("birth", {f"19{n:02}-01-15": 1 + (n == 77) for n in range(50, 99)}, None),
        ("contact", {"090‐1234‐5678": 1, "０３−１２３４−５６７９": 2}, "phone"),
        ("Phone", {"5551234567": 1, "5551234568": 2}, "phone"),
        ("amount", {"5551234567": 1, "5551234568": 2}, None),
        ("country name", {"Japan": 400, "France": 300}, None),
        ("sex", {"f": 10, "m": 12}, None),
        ("age", {str(age): 5 for age in range(20, 70)}, None),
        ("nothing", {}, None),
    ],
)
def test_what_values_look_like(attribute: str, values: dict[str, int], kind: str | None) -> None:
    assert identifier_kind(attribute, values) == kind


def test_columns_of_a_table_in_their_order() -> None:
    rows = {"mail": ["a@b.jp", "c@d.jp", None], "sex": ["f", "m", "f"], "tel": ["03-1234-5678"] * 3}
    with read_table(pl.DataFrame(rows)) as table:
        assert [(entry.attribute, entry.kind) for entry in direct_identifiers(table)] == [
            ("mail", "email"),
            ("tel", "phone"),
        ]


def test_a_generated_list_of_members_gives_no_false_alarm(tmp_path: Path) -> None:
    generate_table(tmp_path / "members.csv", records=300)
    with read_table(tmp_path / "members.csv") as table:
        assert direct_identifiers(table) == ()


def test_the_census_gives_no_false_alarm(real_data: Callable[[str], Path]) -> None:
    for name in ("adult/adult.csv", "adult/adult-full.csv"):
        with read_table(real_data(name)) as table:
            assert direct_identifiers(table) == ()


def test_a_suggested_hierarchy_keeps_nothing_of_an_identifier_that_repeats() -> None:
    found = suggest_hierarchy("mail", ["a@b.jp", "c@d.jp"], counts=[3, 4])
    assert (found.kind, found.example, found.remarks) == ("identifier", ("c@d.jp", "*"), ("identifier",))


@given(st.lists(st.booleans(), max_size=40))
def test_nearly_all_are_nine_of_ten_whatever_their_order(fitting: list[bool]) -> None:
    values = [f"{'y' if fits else 'n'}{number}" for number, fits in enumerate(fitting)]
    found = nearly_all(values, lambda value: value.startswith("y"))
    assert found == (bool(values) and sum(fitting) >= 0.9 * len(values))


def test_what_cannot_be_nearly_all_any_more_is_not_looked_at() -> None:
    seen: list[str] = []
    assert not nearly_all([str(number) for number in range(100)], lambda value: bool(seen.append(value)))
    assert len(seen) == 11
