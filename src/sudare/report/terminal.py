"""Terminal text: where it goes, and how numbers are written in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from sudare.messages import Texts

# Without a terminal there is no width to ask for; this one fits the widest table.
PLAIN_WIDTH = 140
# Where the current context collects what is printed; None: it goes to stdout.
_collected: ContextVar[StringIO | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[StringIO]:
    """Collect what is printed on the console as plain text, without touching stdout."""
    found = StringIO()
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def console() -> Console:
    """Return the console of the current context, wide enough for tables where there is no terminal.

    Texts are printed as they are: what has brackets or colons in it may be the name of a file, a column or an item.
    """
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to `guarded`: rich itself would end with the code of an internal error."""
            raise BrokenPipeError

    collected = _collected.get()
    # A notebook, or a variable of the environment, would make rich write elsewhere, or colours.
    plain = None if collected is None else False
    found = Output(
        file=collected, force_terminal=plain, force_jupyter=plain, highlight=False, markup=False, emoji=False
    )
    if not found.is_terminal:
        found.width = PLAIN_WIDTH
    return found


def ratio(value: float) -> str:
    """Show a number that may be far from one: four decimals where they say something, else three digits."""
    return f"{value:,.4f}" if 0.00005 <= value < 1e6 else f"{value:.3g}"


def ratio_at_most(value: float) -> str:
    """Show a bound above like `ratio`, rounded up: what is said to be at most a number is so."""
    from decimal import ROUND_CEILING, Context, Decimal

    # A bound that is off by the last bits of a floating point number is not pushed to the next digit.
    exact = Decimal(value * (1 - 1e-9))
    if value >= 0.00005:
        return f"{exact.quantize(Decimal('0.0001'), ROUND_CEILING):,}"
    return ratio(float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(exact)))


def ratio_at_least(value: float) -> str:
    """Show a bound below like `ratio`, rounded down."""
    from decimal import ROUND_FLOOR, Context, Decimal

    exact = Decimal(value * (1 + 1e-9))
    if 0.00005 <= value < 1e6:
        return f"{exact.quantize(Decimal('0.0001'), ROUND_FLOOR):,}"
    return ratio(float(Context(prec=3, rounding=ROUND_FLOOR).create_decimal(exact)))


def decimal_at_least(value: float, digits: int, texts: Texts) -> str:
    """Show a lower bound with the given number of decimals, rounded down."""
    from sudare.report.numbers import Numbers

    return Numbers(texts).decimal_at_least(value, digits)


def percent(share: float, texts: Texts) -> str:
    """Show a share as percentage, without the no-break space that a page needs."""
    return _percent(share, texts, "percent")


def percent_at_most(share: float, texts: Texts) -> str:
    """Show a bound above as percentage, rounded up."""
    return _percent(share, texts, "at_most")


def percent_at_least(share: float, texts: Texts) -> str:
    """Show a bound below as percentage, rounded down."""
    return _percent(share, texts, "at_least")


def exact_percent(share: float, texts: Texts) -> str:
    """Show a limit that was asked for as percentage, with all its digits."""
    return _percent(share, texts, "exact_percent")


def _percent(share: float, texts: Texts, rounded: str) -> str:
    from sudare.report.numbers import Numbers

    written: str = getattr(Numbers(texts), rounded)(share)
    return written.replace("\N{NO-BREAK SPACE}", " ")
