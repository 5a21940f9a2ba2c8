"""Columns of official numbers and of cards: known by check digits and by names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, strategies as st

from sudare.tables.codes import code_columns, code_kind, is_card, is_my_number
from sudare.tables.read import read_table
from sudare.tables.synthetic import generate_table

# Numbers that makers of cards publish for tests.
CARDS = ("4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "3530111333300000")
# 2 x 6, 3 x 5, 4 x 4, 5 x 3, 6 x 2 and so on: by hand below.
MY_NUMBERS = ("123456789018", "000000000000", "999999999996", "111111111118", "100000000005")


@pytest.mark.parametrize("text", CARDS)
def test_numbers_of_cards(text: str) -> None:
    assert is_card(text)
    # One digit more, or any other last digit, is wrong.
    assert not any(is_card(text[:-1] + str(digit)) for digit in range(10) if digit != int(text[-1]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4111",
        "411111111111",
        "41111111111111111112",
        "0000000000000000",
        "9111111111111111",
        "4111 1111",
        "four",
        "٤" * 16,
    ],
)
def test_texts_that_are_no_numbers_of_cards(text: str) -> None:
    assert not is_card(text)


@given(st.text("0123456789", min_size=11, max_size=17), st.sampled_from("3456"))
def test_every_beginning_has_one_last_digit_by_luhn(rest: str, first: str) -> None:
    last = [digit for digit in "0123456789" if is_card(first + rest + digit)]
    assert len(last) == 1
    digits = [int(digit) for digit in first + rest + last[0]]
    doubled = [2 * digit if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    assert sum(digit - 9 if digit > 9 else digit for digit in doubled) % 10 == 0


@pytest.mark.parametrize("text", MY_NUMBERS)
def test_individual_numbers(text: str) -> None:
    assert is_my_number(text)
    assert not any(is_my_number(text[:-1] + str(digit)) for digit in range(10) if digit != int(text[-1]))


@pytest.mark.parametrize("text", ["", "12345678901", "1234567890188", "12345678901x", "１２３４５６７８９０１８"])
def test_texts_that_are_no_individual_numbers(text: str) -> None:
    assert not is_my_number(text)


@given(st.text("0123456789", min_size=11, max_size=11))
def test_the_check_digit_of_an_individual_number_is_that_of_the_ordinance(first: str) -> None:
    # The digits from the left, times 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2.
    rest = sum(int(digit) * weight for digit, weight in zip(first, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2), strict=True)) % 11
    assert [digit for digit in range(10) if is_my_number(f"{first}{digit}")] == [0 if rest <= 1 else 11 - rest]


@pytest.mark.parametrize(
    ("attribute", "values", "kind"),
    [
        ("paid by", CARDS, "card"), ("paid by", [f"{c[:4]}-{c[4:8]} {c[8:]}" for c in CARDS], "card"),
        ("paid by", CARDS[:4], None), ("paid by", (*CARDS[:4], "4111111111111112"), None),
        ("paid by", (*CARDS, *(f"{card}0" for card in CARDS)), None),
        ("number", MY_NUMBERS, "my_number"), ("number", [f"{n[:4]} {n[4:8]} {n[8:]}" for n in MY_NUMBERS], "my_number"),
        ("number", ["１２３４５６７８９０１８", *MY_NUMBERS[1:]], "my_number"), ("number", MY_NUMBERS[:4], None),
        # A name is enough, however few the values are.
        ("マイナンバー", ["1"], "named"), ("個人番号", ["1"], "named"), ("パスポートの番号", ["1"], "named"),
        ("旅券番号", ["1"], "named"), ("運転免許証番号", ["1"], "named"), ("被保険者証の記号番号", ["1"], "named"),
        ("SSN", ["1"], "named"), ("PassportNumber", ["1"], "named"), ("passport_no", ["1"], "named"),
        ("driver's license", ["1"], "named"), ("Driver’s Licence Number", ["1"], "named"),
        ("drivers_license", ["1"], "named"), ("DriverLicenseNo", ["1"], "named"),
        ("National ID", ["1"], "named"), ("tax number", ["1"], "named"),
        ("SSN", [], None),
        ("lesson", ["1"], None), ("ship number", ["1"], None), ("national income", ["1"], None), ("番号", ["1"], None),
        ("age", [str(age) for age in range(20, 90)], None),
    ],
)  # fmt: skip
def test_what_a_column_looks_like(attribute: str, values: tuple[str, ...], kind: str | None) -> None:
    assert code_kind(attribute, values) == kind


def test_columns_of_a_table_in_their_order() -> None:
    rows = {"passport": [None] * 6, "card": [*CARDS, None], "sex": ["f", "m"] * 3, "ssn": ["1", "2"] * 3}
    with read_table(pl.DataFrame(rows)) as table:
        assert [(found.attribute, found.kind) for found in code_columns(table)] == [("card", "card"), ("ssn", "named")]


def test_a_generated_list_of_members_gives_no_false_alarm(tmp_path: Path) -> None:
    generate_table(tmp_path / "members.csv", records=300)
    with read_table(tmp_path / "members.csv") as table:
        assert code_columns(table) == ()


def test_the_census_gives_no_false_alarm(real_data: Callable[[str], Path]) -> None:
    with read_table(real_data("adult/adult.csv")) as table:
        assert code_columns(table) == ()
