"""rho is the number that was written: nothing becomes safe by rounding."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import polars
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.baskets.check.rho import comparable_rho, exact_rho, plain_rho
from sudare.engine import DuckDBEngine

# One of two records with a has b: a confidence of exactly a half.
HALF = [["a", "b"], ["a"]]
JUST_BELOW = ["0.4999999999", "0.49999999999999999999", 0.4999999999, "4999999999/10000000000"]


def half() -> tuple[sudare.Baskets, sudare.baskets.SensitiveItems]:
    baskets = sudare.baskets.make_baskets(HALF)
    return baskets, sudare.baskets.read_sensitive("item:b", baskets)


@pytest.mark.parametrize("rho", JUST_BELOW)
def test_a_half_is_more_than_a_little_less_than_a_half(rho: float | str, engine: DuckDBEngine) -> None:
    baskets, sensitive = half()
    assert sudare.baskets.check_baskets(baskets, sensitive, rho="0.5").safe
    assert not sudare.baskets.check_baskets(baskets, sensitive, rho=rho).safe
    assert not sudare.baskets.check_baskets(baskets, sensitive, rho=rho, epsilon=0.01, delta=0.01).safe
    assert not sudare.baskets.verify_baskets(baskets, baskets, sensitive, rho=rho).holds
    assert sudare.baskets.confidence_by_user(baskets, sensitive, rho=rho).users_at_risk == 2
    pairs = polars.DataFrame({"user": ["1", "1", "2"], "item": ["a", "b", "a"]})
    with sudare.baskets.hold_baskets(pairs, engine=engine) as held:
        secret = sudare.baskets.hold_sensitive("item:b", held)
        assert sudare.baskets.check_held_baskets(held, secret, rho="0.5", epsilon=0.01, delta=0.01).safe
        assert not sudare.baskets.check_held_baskets(held, secret, rho=rho, epsilon=0.01, delta=0.01).safe


@pytest.mark.parametrize("rho", JUST_BELOW)
@pytest.mark.parametrize("strategy", ["paper", "best"])
def test_what_is_suppressed_and_certified_is_about_the_rho_that_was_written(
    rho: float | str, strategy: str, tmp_path: Path
) -> None:
    baskets, sensitive = half()
    found = sudare.baskets.suppress_baskets(baskets, sensitive, rho=rho, strategy=strategy)  # type: ignore[arg-type]
    assert found.suppressed > 0
    assert found.verdict.rho == Fraction(str(rho))
    certificate = sudare.baskets.write_published(found, tmp_path / "out.txt")
    assert Fraction(certificate.rho) == Fraction(str(rho))
    # A certificate of a half is another one.
    other = sudare.baskets.verify_baskets(baskets, found.published, sensitive, rho="0.5", certificate=certificate)
    assert "rho" in {entry.what for entry in other.differences or ()}


def test_a_third_is_written_as_a_quotient_and_a_float_is_what_python_writes() -> None:
    baskets = sudare.baskets.make_baskets([["a", "b"], ["a"], ["a"]])
    sensitive = sudare.baskets.read_sensitive("item:b", baskets)
    assert sudare.baskets.check_baskets(baskets, sensitive, rho="1/3", max_known=1).safe
    # 0.3333333333333333 is less than a third.
    assert not sudare.baskets.check_baskets(baskets, sensitive, rho=1 / 3, max_known=1).safe
    assert exact_rho(0.1) == Fraction(1, 10)
    assert [plain_rho(exact_rho(rho)) for rho in ("0.50", "1/3", "0.4999999999")] == [0.5, "1/3", 0.4999999999]


def test_an_endless_number_is_refused_at_once() -> None:
    with pytest.raises(sudare.OptionNotUsable, match="rho must be a number"):
        exact_rho("1e-999999999")


@given(st.fractions(0, 1, max_denominator=10**20).filter(bool), st.integers(1, 30))
def test_confidences_compare_with_rho_as_with_the_fraction_that_is_used(rho: Fraction, records: int) -> None:
    used = comparable_rho(rho, records)
    assert used <= rho
    assert used.denominator <= records
    for support in range(1, records + 1):
        for hits in range(support + 1):
            assert (hits * used.denominator > support * used.numerator) == (Fraction(hits, support) > rho)
