from decimal import Decimal

import pytest

from sudare.tables.value_kinds import (
    code_levels,
    date_levels,
    date_of,
    number_levels,
    number_of,
    postal_levels,
    word_levels,
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("30", "30"),
        ("-2.50", "-2.50"),
        ("+7", "7"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e-05", "0.00001"),
        ("1,234,567.8", "1234567.8"),
    ],
)
def test_numbers_are_understood(text: str, number: str) -> None:
    assert number_of(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", "-", ".", "e5", "1,23", "1e99", "12e", "nan", "inf", "0x10", "１２", "1 000"])
def test_other_texts_are_no_numbers(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-02-29", (2024, 2, 29)),
        ("2010/12/1", (2010, 12, 1)),
        ("2010.12.01", (2010, 12, 1)),
        ("20101201", (2010, 12, 1)),
        ("2010-12", (2010, 12, None)),
        ("2010-12-01 08:45", (2010, 12, 1)),
        ("2010-12-01T08:45:00.123+09:00", (2010, 12, 1)),
    ],
)
def test_dates_are_understood(text: str, date: tuple[int, int, int | None]) -> None:
    assert date_of(text) == date


@pytest.mark.parametrize(
    "text",
    ["2023-02-29", "2010-13-01", "2010.5", "12345678", "1.2.2010", "2010-12-01 noon", "2010-12/01", "0001-01-01"],
)
def test_other_texts_are_no_dates(text: str) -> None:
    assert date_of(text) is None


def levels_of(*numbers: str, counts: dict[str, int] | None = None) -> list[list[str]]:
    found = number_levels({text: Decimal(text) for text in numbers}, counts or dict.fromkeys(numbers, 1))
    return [[level[text] for text in numbers] for level in found]


def test_numbers_fall_into_nested_round_bins() -> None:
    assert levels_of("17", "36", "90") == [
        ["15-19", "35-39", "90-94"],
        ["10-19", "30-39", "90-99"],
        ["0-19", "20-39", "80-99"],
    ]


def test_bins_of_fractions_and_negative_numbers_say_which_end_belongs_to_them() -> None:
    assert levels_of("-3", "0", "9")[0] == ["[-4, -2)", "[0, 2)", "[8, 10)"]
    assert levels_of("0.05", "1.5")[0] == ["[0, 0.1)", "[1.5, 1.6)"]


def test_few_records_far_away_join_an_open_bin() -> None:
    counts = {"-500": 1, "10": 300, "30": 300, "40": 300, "99999": 1}
    assert levels_of(*counts, counts=counts) == [
        ["<0", "10-11", "30-31", "40-41", ">=60"],
        ["<0", "10-19", "30-39", "40-49", ">=60"],
        ["<0", "0-19", "20-39", "40-59", ">=60"],
    ]


def test_dates_become_months_quarters_years_and_decades() -> None:
    levels = date_levels({"2010/5/1": (2010, 5, 1)})
    assert [level["2010/5/1"] for level in levels] == ["2010-05-01", "2010-05", "2010-Q2", "2010", "2010-2019"]


@pytest.mark.parametrize(
    ("codes", "labels"),
    [
        (["123-4567"], ["123-45**", "123-****", "12*-****", "1**-****"]),
        (["1234567"], ["12345**", "123****", "12*****", "1******"]),
        (["01234"], ["012**", "01***", "0****"]),
        (["12345-6789", "12345"], ["123*", "12*", "1*"]),
        (["SW1A 1AA"], ["SW1A 1**", "SW1A ***", "SW*"]),
        (["SW1A1AA"], ["SW1A1**", "SW1A ***", "SW*"]),
        (["K1A 0B1"], ["K1A 0B*", "K1A ***", "K1* ***", "K** ***"]),
    ],
)
def test_postal_codes_lose_characters_from_the_right(codes: list[str], labels: list[str]) -> None:
    assert [level[codes[0]] for level in postal_levels(codes)] == labels


def test_codes_are_grouped_by_beginnings_that_join_at_least_half() -> None:
    codes = ["E11.0", "E11.1", "E12.0", "E12.1", "I10.0", "I10.1", "I20.0", "I20.1"]
    assert [sorted(set(level.values())) for level in code_levels(codes)] == [
        ["E11.*", "E12.*", "I10.*", "I20.*"],
        ["E*", "I*"],
    ]
    assert code_levels(["abc", "xyz"]) == []


def test_rare_words_are_joined() -> None:
    counts = {"a": 900, "b": 40, "c": 30, "d": 5, "e": 5}
    first, second = word_levels(list(counts), counts, "other")
    assert first == {"a": "a", "b": "b", "c": "c", "d": "other", "e": "other"}
    assert second == {"a": "a", "b": "other", "c": "other", "d": "other", "e": "other"}
