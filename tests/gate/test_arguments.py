"""What the entries of a policy may be, and what they become."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NoReturn, get_args

import pytest
from hypothesis import given, strategies as st

from sudare.gate.arguments import Argument, ArgumentKind, exact_share, limit_of, values_of


def refuse(name: str, argument: Argument) -> NoReturn:
    raise ValueError(f"{name} is no {argument.kind}")


def read(kind: ArgumentKind, value: Any, **how: Any) -> Any:
    """Return what a value becomes, "refused" if it is none of its kind."""
    try:
        return values_of({"x": value}, {"x": Argument(kind, **how)}, refuse)["x"]
    except ValueError as error:
        assert str(error) == f"x is no {kind}"
        return "refused"


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        ("text", "age", "age"), ("text", "", "refused"), ("text", 3, "refused"), ("text", ["age"], "refused"),
        ("file", "a.csv", "a.csv"), ("file", "", "refused"), ("source", "item:med*", "item:med*"),
        ("names", ["sex", "age"], ("sex", "age")), ("names", "sex, age", ("sex", "age")), ("names", "sex", ("sex",)),
        ("names", "", "refused"), ("names", [], "refused"), ("names", ["sex", 3], "refused"),
        ("names", ["sex", ""], "refused"), ("names", {"sex": 1}, "refused"),
        # A name within a list may have a comma.
        ("names", ["town, street"], ("town, street",)),
        ("sets", [["sex", "age"], ["town"]], (("sex", "age"), ("town",))),
        ("sets", ["sex, age", "town"], (("sex", "age"), ("town",))), ("sets", [], "refused"), ("sets", [[]], "refused"),
        ("sets", "sex", "refused"), ("sets", [["sex", 3]], "refused"),
        ("count", 0, 0), ("count", 12, 12), ("count", -1, "refused"), ("count", 1.0, "refused"),
        ("count", "3", "refused"), ("count", True, "refused"),
        ("number", 1.5, 1.5), ("number", -2, -2), ("number", "1/3", 1 / 3), ("number", "many", "refused"),
        ("share", "20%", 0.2), ("share", 0.2, 0.2), ("share", True, "refused"),
        ("flag", True, True), ("flag", False, False), ("flag", 1, "refused"), ("flag", "true", "refused"),
    ],
)  # fmt: skip
def test_a_value_is_read_or_refused_by_its_kind(kind: ArgumentKind, value: Any, found: Any) -> None:
    assert read(kind, value) == found
    assert type(read(kind, value)) is type(found) or kind in ("number", "share")


def test_every_kind_is_read() -> None:
    assert [read(kind, None) for kind in get_args(ArgumentKind)] == ["refused"] * len(get_args(ArgumentKind))


def test_only_words_that_are_allowed_are_taken() -> None:
    assert read("text", "open", choices=("closed", "open")) == "open"
    assert read("text", "shut", choices=("closed", "open")) == "refused"


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        (0, 0), (3, 3), (0.2, 0.2), (-1, -1), ("0.2", 0.2), ("20%", 0.2), ("20 %", 0.2), ("1/3", 1 / 3), ("5", 5),
        ("0.5%", 0.005), ("100%", 1), ("1/8%", 1 / 800),
        ("", None), ("%", None), ("twenty", None), ("1/0", None), ("20%%", None), (True, None), (None, None),
        ([], None),
        (float("nan"), None), (float("inf"), None), ("nan", None), ("inf", None), ("Infinity", None),
        # None of these may fill the memory, or end in an error of arithmetic.
        (10**400, None), ("9" * 400, None), ("1e999999999", None), ("1E-999999999", None), ("1e3", None),
    ],
)  # fmt: skip
def test_a_limit_is_a_number_or_a_share_as_people_write_it(value: object, limit: float | None) -> None:
    assert limit_of(value) == limit
    assert limit is None or isinstance(limit_of(value), float)


@given(st.integers(0, 99), st.integers(1, 99))
def test_a_share_that_was_written_as_a_quotient_is_exactly_that_again(numerator: int, denominator: int) -> None:
    read = limit_of(f"{numerator}/{denominator}")
    assert read is not None
    assert exact_share(read) == Fraction(numerator, denominator)


@given(st.integers(0, 10**9), st.integers(0, 9))
def test_a_share_that_was_written_as_a_decimal_is_exactly_that_again(digits: int, places: int) -> None:
    written = Fraction(digits, 10**places)
    read = limit_of(f"{digits // 10**places}.{digits % 10**places:0{places}}" if places else str(digits))
    assert read == float(written)
    if len(str(digits)) <= 4:
        assert exact_share(read) == written


def test_a_decimal_that_is_near_a_quotient_is_not_that_quotient() -> None:
    assert exact_share(0.3333) == Fraction(3333, 10000)
    assert exact_share(0.333333) == Fraction(333333, 1000000)
    assert exact_share(1 / 3) == Fraction(1, 3)
