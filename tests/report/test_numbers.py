"""Numbers as people read them."""

from __future__ import annotations

import datetime as dt

import pytest

from sudare.messages import Texts
from sudare.report.numbers import Numbers

ENGLISH, JAPANESE = Numbers(Texts("en")), Numbers(Texts("ja"))


@pytest.mark.parametrize(
    ("share", "english", "japanese"),
    [
        (0.8944531868652961, "89.45\u00a0%", "89.45%"),
        (0, "0\u00a0%", "0%"),
        (1, "100\u00a0%", "100%"),
        (1 - 1e-15, "100\u00a0%", "100%"),
        (0.00001, "<\u00a00.01\u00a0%", "0.01%未満"),
        (0.99999, ">\u00a099.99\u00a0%", "99.99%超"),
        (0.99994, "99.99\u00a0%", "99.99%"),
    ],
)
def test_only_none_and_all_are_written_without_a_fraction(share: float, english: str, japanese: str) -> None:
    assert ENGLISH.percent(share) == english
    assert JAPANESE.percent(share) == japanese


@pytest.mark.parametrize(("share", "expected"), [(0.2, "20"), (0.125, "12.5"), (1 / 3, "33.33"), (1e-6, "0.0001")])
def test_round_shares_are_written_without_needless_digits(share: float, expected: str) -> None:
    assert ENGLISH.short_percent(share) == f"{expected}\u00a0%"
    assert JAPANESE.short_percent(share) == f"{expected}%"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.073, "7.30\u00a0%"), (2413.94334, "2,413.94"), (1.234e30, "1.23 × 10³⁰"), (1.0, "100\u00a0%")],
)
def test_theory_is_a_percentage_up_to_one_and_a_number_beyond(value: float, expected: str) -> None:
    assert ENGLISH.theory(value) == expected


def test_counts_have_divided_thousands_and_powers_of_ten_where_they_are_huge() -> None:
    assert ENGLISH.count(91939860) == "91,939,860"
    assert ENGLISH.count(10**400) == "1.00 × 10⁴⁰⁰"


def test_correlation_has_three_digits_or_a_dash() -> None:
    assert ENGLISH.correlation(0.9854478) == "0.985"
    assert ENGLISH.correlation(None) == "–"


def test_days_and_moments_are_written_as_in_the_language() -> None:
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    assert ENGLISH.day(dt.date(2010, 12, 1)) == "2010-12-01"
    assert JAPANESE.day(dt.date(2010, 12, 1)) == "2010年12月1日"
    assert ENGLISH.moment(dt.datetime(2010, 12, 1, 8, 5)) == "2010-12-01 08:05"
    assert ENGLISH.moment(dt.datetime(2010, 12, 1, 8, 5, tzinfo=zone)) == "2010-12-01 08:05 UTC+05:30"
