"""How many right guesses make a re-identification effective: the exact thresholds r(n).

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 4, and PWS Cup 2018:
details of the safety evaluation. If for every set S of persons the probability that all are guessed right is at most
p^|S| (condition H0), n guesses have s hits or more with at most the probability

- u(n, s) = sum over k = s..n of C(n,k) p^k: the contest's bound;
- v(n, s) = least over j = 0..s of C(n,j) p^j / C(s,j): the tight bound, which no bound from H0 is below.

r(n) is the least s whose bound is below alpha, n + 1 if there is none. Both bounds rise with n and fall with s, so r
never falls, and one walk finds all of it. `docs/explanation/contest-safety.md` has the proofs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import field
from fractions import Fraction
from math import ceil, comb, perm
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.kernels.histories.thresholds import BELOW, NOT_BELOW, UNSETTLED, walk_products, walk_sums
from sudare.messages import Joined
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass
from sudare.sources.writing import LINES_ENDINGS, check_ending, whole_file
from sudare.statistics.shares import Share

Test = Literal["contest", "tight"]
TESTS: tuple[Test, ...] = get_args(Test)

# The parameters of PWSCUP 2018: a level of 0.01, divided among 20 attacks.
CONTEST_P = Fraction(1, 3)
CONTEST_ALPHA = Fraction(1, 2000)

# Denominators up to these keep the settling of doubtful cases in whole numbers short.
_LARGEST_OF_P = 10**18
_LARGEST_OF_ALPHA = 10**300
_NUMBER = re.compile(r"\d{1,400}(\.\d{0,400})?([eE]-?\d{1,3})?|\.\d{1,400}", re.ASCII)

# A file of thresholds to ten million guesses is smaller.
MOST_FILE_BYTES = 1 << 28
_LINE = re.compile(r"(0|[1-9][0-9]{0,8}),(0|[1-9][0-9]{0,8})")


@checked
def success_threshold(n: int, p: Share = CONTEST_P, alpha: Share = CONTEST_ALPHA, *, test: Test = "contest") -> int:
    """Return r(n): how many of n guesses must be right for an effective re-identification."""
    return int(success_thresholds(n, p, alpha, test=test)[n])


@checked
def success_thresholds(
    most: int, p: Share = CONTEST_P, alpha: Share = CONTEST_ALPHA, *, test: Test = "contest"
) -> NDArray[np.int64]:
    """Return r(0) to r(most); p and alpha are fractions, decimals, or strings such as 1/3 and 0.01/20.

    Up to the first n with p^n < alpha no number of hits is enough, since u(n, n) = v(n, n) = p^n. From there a
    floating-point recurrence with an error bound decides; values within the error are settled in exact integers.
    """
    probability, level = read_p(p), read_alpha(alpha)
    if most < 0:
        raise OptionNotUsable("errors.thresholds.most", most=most)
    if test not in TESTS:
        raise OptionNotUsable("errors.thresholds.test", test=test, tests=Joined(TESTS, "or"))
    found = np.arange(1, most + 2, dtype=np.int64)
    first = _first_success(probability, level, most)
    if first is not None:
        walk = _walk_contest if test == "contest" else _walk_tight
        walk(found, first, probability, level)
    return found


@dataclass(frozen=True, slots=True)
class AttackRule:
    """By what attacks are effective: p and alpha of the formula, or a contest's own thresholds, which win over it."""

    p: Fraction
    alpha: Fraction
    thresholds: tuple[int, ...] | None = field(repr=False)

    @classmethod
    def of(cls, p: Share, alpha: Share, thresholds: NDArray[np.int64] | None) -> AttackRule:
        """Return the rule of these words."""
        own = None if thresholds is None else tuple(thresholds.tolist())
        return cls(read_p(p), read_alpha(alpha), own)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as text, and whether there are thresholds of the contest's own."""
        return {"p": str(self.p), "alpha": str(self.alpha), "own_thresholds": self.thresholds is not None}


def read_p(value: Share) -> Fraction:
    """Return the probability p of condition H0, exactly as it is written: 0.1 is a tenth."""
    return _read_share(value, "p", _LARGEST_OF_P)


def read_alpha(value: Share) -> Fraction:
    """Return the level alpha of the test, exactly as it is written."""
    return _read_share(value, "alpha", _LARGEST_OF_ALPHA)


def check_thresholds(thresholds: NDArray[np.int64], guesses: int) -> NDArray[np.int64]:
    """Return r(0) to r(guesses) of a contest's own thresholds, or refuse those that do not cover that many.

    Thresholds are whole numbers, 1 or more, and never fall: what bounds an attack holds for such only. A number of
    guesses without a threshold could not be judged at all, and would count as one that no attack can make.
    """
    found = np.asarray(thresholds)
    if found.ndim != 1 or not np.issubdtype(found.dtype, np.integer):
        raise OptionNotUsable("errors.thresholds.not_whole")
    if len(found) <= guesses:
        raise OptionNotUsable("errors.thresholds.too_few", guesses=guesses, missing=len(found))
    found = found.astype(np.int64)
    if (found < 1).any():
        raise OptionNotUsable("errors.thresholds.without_hit", guesses=int(np.argmax(found < 1)))
    fall = _first_fall(found)
    if fall:
        raise OptionNotUsable("errors.thresholds.fall", **fall)
    return found[: guesses + 1]


def _first_fall(thresholds: NDArray[np.int64]) -> dict[str, int] | None:
    """Return the first two thresholds that fall, and for how many guesses they are; None if none do."""
    falls = np.flatnonzero(np.diff(thresholds) < 0)
    if not len(falls):
        return None
    n = int(falls[0])
    return {"fewer": n, "before": int(thresholds[n]), "more": n + 1, "after": int(thresholds[n + 1])}


@checked
def read_thresholds(path: str | Path) -> NDArray[np.int64]:
    """Return r(0), r(1), ... from a contest's own file: lines `n,r(n)` in any order, each n from 0 or 1 on once.

    A contest's file overrides the formula (PWS Cup 2018: details of the safety evaluation, section
    1). Without a line for 0, r(0) is 1. A value above n means that no number of hits is enough. Decreasing thresholds
    are refused.
    """
    path = Path(path)
    found: dict[int, int] = {}
    for number, (n, threshold) in enumerate(_pairs(path), start=1):
        if n in found:
            raise BadRows("errors.thresholds.twice", path=path, line=number, guesses=n)
        if threshold == 0:
            raise BadRows("errors.thresholds.line_without_hit", path=path, line=number, guesses=n)
        found[n] = threshold
    found.setdefault(0, 1)
    missing = next((n for n in range(len(found)) if n not in found), None)
    if missing is not None:
        raise BadRows("errors.thresholds.missing", path=path, most=max(found), missing=missing)
    thresholds = np.array([found[n] for n in range(len(found))], np.int64)
    fall = _first_fall(thresholds)
    if fall:
        raise BadRows("errors.thresholds.fall_in_file", path=path, **fall)
    return thresholds


@checked
def write_thresholds(thresholds: NDArray[np.int64], path: str | Path) -> None:
    """Write thresholds as the contest's file R.csv, lines `n,r(n)` from 0 guesses on; `read_thresholds` reads it."""
    path = Path(path)
    check_ending(path, LINES_ENDINGS)
    thresholds = check_thresholds(thresholds, max(len(thresholds) - 1, 0))
    with whole_file(path) as temporary:
        lines = (f"{n},{threshold}\n" for n, threshold in enumerate(thresholds.tolist()))
        temporary.write_text("".join(lines), encoding="ascii", newline="\n")


def _read_share(value: Share, name: str, largest: int) -> Fraction:
    above, stroke, below = str(value).strip().partition("/")
    parts = [above, below] if stroke else [above]
    if not all(_NUMBER.fullmatch(part) for part in parts) or (stroke and not Fraction(below)):
        raise OptionNotUsable("errors.thresholds.not_a_share", name=name, value=str(value)[:40])
    found = Fraction(above) / Fraction(below or 1)
    if not 0 < found <= 1:
        raise OptionNotUsable("errors.thresholds.share", name=name, value=str(value)[:40])
    if found.denominator > largest:
        raise OptionNotUsable(
            "errors.thresholds.digits", name=name, value=str(value)[:40], decimals=len(str(largest)) - 1
        )
    return found


def _pairs(path: Path) -> Iterator[tuple[int, int]]:
    text = _text(path)
    if not text:
        raise SourceNotReadable("errors.thresholds.empty", path=path)
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if not match:
            raise BadRows("errors.thresholds.line", path=path, line=number, text=line[:40])
        yield int(match[1]), int(match[2])


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_FILE_BYTES:
            raise SourceNotReadable("errors.thresholds.large", path=path, bytes=path.stat().st_size)
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceNotReadable("errors.thresholds.not_readable", path=path, reason=reason_of(error)) from None


def contest_bound_below(n: int, s: int, p: Fraction, alpha: Fraction) -> bool:
    """Return whether u(n, s) < alpha, in whole numbers."""
    if s > n:
        return True
    top, bottom, _ = _series(n, s, n, p)
    above: int = comb(n, s) * p.numerator**s * (bottom + top) * alpha.denominator
    below: int = alpha.numerator * bottom * p.denominator**s
    return above < below


def tight_bound_below(n: int, s: int, p: Fraction, alpha: Fraction) -> bool:
    """Return whether v(n, s) < alpha, in whole numbers.

    The quotient of C(n,j) p^j / C(s,j) for j + 1 and j is (n-j) p / (s-j), which is below 1 as long as
    j < (s - n p) / (1 - p).
    """
    if s > n:
        return True
    j = max(0, ceil((s - n * p) / (1 - p))) if p < 1 else 0
    above: int = perm(n, j) * p.numerator**j * alpha.denominator
    below: int = perm(s, j) * p.denominator**j * alpha.numerator
    return above < below


def _first_success(p: Fraction, alpha: Fraction, most: int) -> int | None:
    """Return the least n <= most with p^n < alpha, found by halving."""
    if not _power_below(p, most, alpha):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power_below(p, middle, alpha) else (middle, high)
    return high


def _power_below(p: Fraction, n: int, alpha: Fraction) -> bool:
    above: int = p.numerator**n * alpha.denominator
    below: int = alpha.numerator * p.denominator**n
    return above < below


def _walk_contest(found: NDArray[np.int64], first: int, p: Fraction, alpha: Fraction) -> None:
    state = (first, first, float(p**first / alpha), 1)
    answer = BELOW
    while state[0] < len(found):
        state = walk_sums(found, *state, float(p), answer)
        answer = _settled(contest_bound_below, found, state[0], state[1], p, alpha)


def _walk_tight(found: NDArray[np.int64], first: int, p: Fraction, alpha: Fraction) -> None:
    state = (first, first, first, float(p**first / alpha), 1)
    answer = BELOW
    while state[0] < len(found):
        state = walk_products(found, *state, float(p), answer)
        answer = _settled(tight_bound_below, found, state[0], state[1], p, alpha)


def _settled(
    is_below: Callable[[int, int, Fraction, Fraction], bool],
    found: NDArray[np.int64],
    n: int,
    s: int,
    p: Fraction,
    alpha: Fraction,
) -> int:
    if n == len(found):
        return UNSETTLED
    return BELOW if is_below(n, s, p, alpha) else NOT_BELOW


def _series(n: int, low: int, high: int, p: Fraction) -> tuple[int, int, int]:
    """Return the sum over m = low..high-1 of the products of (n-k) p / (k+1), k = low..m, as top / bottom.

    The third number is the top of the last product. Halving keeps the numbers short until the end.
    """
    if high - low < 1:
        return 0, 1, 1
    if high - low == 1:
        top = (n - low) * p.numerator
        return top, (low + 1) * p.denominator, top
    middle = (low + high) // 2
    top, bottom, product = _series(n, low, middle, p)
    later_top, later_bottom, later_product = _series(n, middle, high, p)
    return top * later_bottom + product * later_top, bottom * later_bottom, product * later_product
