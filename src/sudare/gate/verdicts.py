"""From a measured value and its limits to a verdict."""

from __future__ import annotations

import datetime as dt
from typing import Literal, get_args

from sudare.gate.measures.model import Better, Measure, Measured
from sudare.gate.policy import PolicyCheck, Waiver

# The worst first. `drift`: worse than in the baseline by more than is allowed; `unproven`: no answer, which never
# passes; `waived`: would not pass, but an exception that has not expired says why it does not count.
Verdict = Literal["fail", "unproven", "drift", "warn", "waived", "pass"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# With these the answer is no.
FAILING: tuple[Verdict, ...] = ("fail", "unproven", "drift")


def verdict_of(check: PolicyCheck, measure: Measure, found: Measured, before: float | None, today: dt.date) -> Verdict:
    """Return the verdict on a check; `before` is its value in the baseline, if there is one."""
    verdict = _unwaived(check, measure, found, before)
    return "waived" if verdict != "pass" and is_valid(check.waiver, today) else verdict


def is_valid(waiver: Waiver | None, today: dt.date) -> bool:
    """Return whether there is an exception that has not expired; its last day counts."""
    return waiver is not None and today <= waiver.until


def _unwaived(check: PolicyCheck, measure: Measure, found: Measured, before: float | None) -> Verdict:
    if check.fail is not None and measure.is_worse(found.value, check.fail):
        return "fail"
    if found.unproven is not None:
        return "unproven"
    if before is not None and measure.is_worse(found.value, _allowed(before, check.drift, measure.better)):
        return "drift"
    return "warn" if check.warn is not None and measure.is_worse(found.value, check.warn) else "pass"


def _allowed(before: float, drift: float, better: Better) -> float:
    return before + drift if better == "low" else before - drift
