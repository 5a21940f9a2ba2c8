"""Numbers, days and times in readable form, in each language."""

from __future__ import annotations

import datetime as dt
from math import ceil, floor, log10

from sudare.messages import Texts

# From here on digits are no longer read one by one: powers of ten say more.
MOST_PLAIN = 10**12
# Rounding noise of sums of fractions: 1 - 1e-12 is certainty.
NOISE = 1e-12
# And that of a bound in hundredths of a percent, which does not push it to the next.
_ROUNDED = 1e-6
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Numbers:
    """Writes the numbers of one language."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def count(self, number: int) -> str:
        """Return a whole number with its thousands divided."""
        return f"{number:,}" if number < MOST_PLAIN else self._scientific(number)

    def decimal(self, number: float, digits: int = 2) -> str:
        """Return a number with the given number of decimals."""
        return f"{number:,.{digits}f}" if abs(number) < MOST_PLAIN else self._scientific(number)

    def percent(self, share: float) -> str:
        """Return a share as percentage; only 0 is written as 0 % and only 1 as 100 %."""
        if share <= 0 or share >= 1 - NOISE:
            return self._texts("report.number.percent", value="0" if share <= 0 else "100")
        if share < 0.00005:
            return self._texts("report.number.below", value=self._texts("report.number.percent", value="0.01"))
        if share >= 0.99995:
            return self._texts("report.number.above", value=self._texts("report.number.percent", value="99.99"))
        return self._texts("report.number.percent", value=f"{share * 100:.2f}")

    def at_most(self, share: float) -> str:
        """Return a bound above as percentage, rounded up: what is said to be at most a number is so."""
        return self._hundredths(ceil(min(share, 1) * 10_000 - _ROUNDED))

    def at_least(self, share: float) -> str:
        """Return a bound below as percentage, rounded down: what is said to be at least a number is so."""
        return self._hundredths(floor(max(share, 0) * 10_000 + _ROUNDED))

    def decimal_at_least(self, number: float, digits: int = 2) -> str:
        """Return a lower bound with the given number of decimals, rounded down."""
        # A bound that is off by the last bits of a floating point number is not pushed to the digit below.
        return self.decimal(floor(number * (1 + 1e-12) * 10**digits) / 10**digits, digits)

    def exact_percent(self, share: float) -> str:
        """Return a share as percentage with all its digits: a limit that was asked for is not rounded."""
        return self._texts.exact_percent(share)

    def _hundredths(self, number: int) -> str:
        value = f"{number // 100}" if number in (0, 10_000) else f"{number / 100:.2f}"
        return self._texts("report.number.percent", value=value)

    def short_percent(self, share: float) -> str:
        """Return a round share as percentage without needless digits: 5 %, 12.5 %."""
        return self._texts("report.number.percent", value=f"{share * 100:.4g}")

    def theory(self, value: float) -> str:
        """Return a theoretical probability: as percentage, or as plain number where it exceeds 1."""
        return self.percent(value) if value <= 1 else self.decimal(value)

    def correlation(self, value: float | None) -> str:
        """Return a correlation with three digits; a dash where it is not defined."""
        return self._texts("report.number.none") if value is None else f"{value:.3f}"

    def day(self, day: dt.date) -> str:
        """Return a day as it is written in the language."""
        return self._texts("report.number.day", year=day.year, month=day.month, day=day.day)

    def moment(self, moment: dt.datetime) -> str:
        """Return a day and time to the minute, with the time zone if it is known."""
        zone = f"{moment:%z}"
        zone = f" UTC{zone[:3]}:{zone[3:5]}" if zone else ""
        return f"{self.day(moment.date())} {moment:%H:%M}{zone}"

    def _scientific(self, number: float) -> str:
        # A whole number may exceed what a float holds; log10 takes it all the same.
        exponent = floor(log10(number))
        mantissa = 10 ** (log10(number) - exponent)
        return f"{mantissa:.2f} × 10{str(exponent).translate(_SUPERSCRIPTS)}"
