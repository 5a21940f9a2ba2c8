"""From a value and its limits to a verdict: everything that can come together."""

from __future__ import annotations

import datetime as dt
from itertools import product
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from sudare.gate.measures.model import Better, Measure, Measured
from sudare.gate.policy import PolicyCheck, Waiver
from sudare.gate.verdicts import FAILING, VERDICTS, Verdict, is_valid, verdict_of
from sudare.messages import message

TODAY = dt.date(2026, 5, 31)
DAY = dt.timedelta(days=1)


def judged(
    value: float,
    better: Better = "low",
    *,
    warn: float | None = None,
    fail: float | None = None,
    before: float | None = None,
    drift: float = 0.0,
    until: dt.date | None = None,
    unproven: bool = False,
) -> Verdict:
    measure = Measure("risk", better, "share", lambda *_: Measured(value))
    waiver = Waiver("a pilot", until) if until else None
    check = PolicyCheck("c", "s", "risk", {}, warn, fail, drift, waiver, 1)
    reason = message("gate.unproven.sampled") if unproven else None
    return verdict_of(check, measure, Measured(value, unproven=reason), before, TODAY)


@pytest.mark.parametrize(
    ("better", "value", "verdict"),
    [
        ("low", 0.05, "pass"), ("low", 0.1, "pass"), ("low", 0.11, "warn"), ("low", 0.2, "warn"), ("low", 0.21, "fail"),
        ("high", 6, "pass"), ("high", 5, "pass"), ("high", 4.9, "warn"), ("high", 3, "warn"), ("high", 2.9, "fail"),
    ],
)  # fmt: skip
def test_a_value_is_compared_with_both_limits_and_may_be_equal(better: Better, value: float, verdict: Verdict) -> None:
    warn, fail = (0.1, 0.2) if better == "low" else (5, 3)
    assert judged(value, better, warn=warn, fail=fail) == verdict
    # Each limit alone.
    assert judged(value, better, fail=fail) == ("fail" if verdict == "fail" else "pass")
    assert judged(value, better, warn=warn) == ("pass" if verdict == "pass" else "warn")


def test_values_that_differ_in_their_last_bits_are_equal() -> None:
    assert judged(0.1 + 0.2, fail=0.3) == "pass"
    assert judged(0.3, "high", fail=0.1 + 0.2) == "pass"
    assert judged(0.3 + 1e-9, fail=0.3) == "fail"


@pytest.mark.parametrize("better", get_args(Better))
def test_what_is_not_a_number_never_passes(better: Better) -> None:
    assert judged(float("nan"), better, fail=1e9) == "fail"
    assert judged(float("nan"), better, warn=-1e9) == "warn"
    assert judged(float("nan"), better, warn=0, before=0) == "drift"


@pytest.mark.parametrize(
    ("until", "verdict"), [(TODAY - DAY, "fail"), (TODAY, "waived"), (TODAY + DAY, "waived"), (None, "fail")]
)
def test_an_exception_counts_until_the_end_of_its_last_day(until: dt.date | None, verdict: Verdict) -> None:
    assert judged(1, fail=0, until=until) == verdict
    assert is_valid(Waiver("a", until) if until else None, TODAY) == (verdict == "waived")


def test_what_passes_needs_no_exception() -> None:
    assert judged(0, fail=0, until=TODAY) == "pass"


@pytest.mark.parametrize(
    ("better", "value", "before", "drift", "verdict"),
    [
        ("low", 0.10, 0.10, 0, "pass"), ("low", 0.11, 0.10, 0, "drift"), ("low", 0.11, 0.10, 0.01, "pass"),
        ("low", 0.12, 0.10, 0.01, "drift"), ("low", 0.01, 0.10, 0, "pass"),
        ("high", 10, 10, 0, "pass"), ("high", 9, 10, 0, "drift"), ("high", 9, 10, 1, "pass"),
        ("high", 8, 10, 1, "drift"), ("high", 99, 10, 0, "pass"),
    ],
)  # fmt: skip
def test_what_became_worse_than_is_allowed_drifts(
    better: Better, value: float, before: float, drift: float, verdict: Verdict
) -> None:
    fail = 1 if better == "low" else 0
    assert judged(value, better, fail=fail, before=before, drift=drift) == verdict


def test_the_worst_is_said_and_a_limit_that_fails_comes_before_all_else() -> None:
    assert judged(1, fail=0, unproven=True, before=0) == "fail"
    assert judged(1, warn=0, unproven=True, before=0) == "unproven"
    assert judged(1, warn=0, before=0) == "drift"
    assert judged(1, warn=0, before=1) == "warn"
    assert VERDICTS == ("fail", "unproven", "drift", "warn", "waived", "pass")
    assert set(FAILING) == {"fail", "unproven", "drift"}


def expected(better: Better, value: float, warn: float | None, fail: float | None, *, unproven: bool,
             before: float | None, drift: float, valid: bool) -> Verdict:  # fmt: skip
    """Return the verdict by the words of the policy: lower is better, or the same of the negative numbers."""
    sign = 1 if better == "low" else -1
    over = {limit: limit is not None and sign * value > sign * limit for limit in (warn, fail)}
    worse = before is not None and sign * (value - before) > drift
    found: Verdict = (
        "fail" if over[fail] else "unproven" if unproven else "drift" if worse else "warn" if over[warn] else "pass"
    )
    return "waived" if valid and found != "pass" else found


NUMBERS: tuple[float | None, ...] = (None, 1, 2, 3)


@pytest.mark.parametrize("better", get_args(Better))
def test_all_combinations(better: Better) -> None:
    tried = 0
    for value, warn, fail, before, drift, unproven, until in product(
        (0, 1, 2, 3, 4), NUMBERS, NUMBERS, NUMBERS, (0, 1), (False, True), (None, TODAY - DAY, TODAY)
    ):
        said = expected(
            better, value, warn, fail, unproven=unproven, before=before, drift=drift, valid=until == TODAY
        )  # fmt: skip
        found = judged(
            value, better, warn=warn, fail=fail, before=before, drift=drift, unproven=unproven, until=until
        )  # fmt: skip
        assert found == said, (value, warn, fail, before, drift, unproven, until)
        assert not (unproven and found == "pass")
        tried += 1
    assert tried == 5 * 4**3 * 2 * 2 * 3


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_better_value_never_has_a_worse_verdict(one: float, two: float, limit: float) -> None:
    low, high = sorted([one, two])
    places = [VERDICTS.index(judged(value, warn=limit / 2, fail=limit, before=limit / 3)) for value in (low, high)]
    assert places[0] >= places[1]
