"""Small original and anonymized histories, as the texts of their cells."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from hypothesis import strategies as st

from sudare.histories.generalized.model import CellHistory
from tests.histories.generalized.small_cells import cells

Row = list[str]
FIRST_DAY = date(2011, 1, 1)
ITEMS = "abcd"


def day_text(number: int) -> str:
    day = FIRST_DAY + timedelta(number)
    return f"{day.year}/{day.month}/{day.day}"


def price_text(hundredths: int) -> str:
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def pair(original: list[Row], anonymized: list[Row]) -> tuple[CellHistory, CellHistory]:
    """Return both as histories of cells; the original's items are those of ITEMS and its own."""
    names = sorted({*ITEMS, *(row[2] for row in original)})
    return cells(original, names), cells(anonymized, names)


@st.composite
def ordered_cell(draw: st.DrawFn, value: int, most: int, text: Callable[[int], str]) -> str:
    kind = draw(st.sampled_from(["exact", "range", "deleted"]))
    if kind == "range":
        return f"[{text(draw(st.integers(1, value)))};{text(draw(st.integers(value, most)))}]"
    return "*" if kind == "deleted" else text(value)


@st.composite
def item_cell(draw: st.DrawFn, item: str) -> str:
    kind = draw(st.sampled_from(["exact", "set", "deleted"]))
    if kind == "set":
        return "{" + ";".join(draw(st.permutations(sorted({item, *draw(st.sets(st.sampled_from(ITEMS)))})))) + "}"
    return "*" if kind == "deleted" else item


@st.composite
def rows_and_generalized(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Rows of an original history, and rows of an anonymized one that cover them."""
    original, anonymized = [], []
    for _ in range(draw(st.integers(1, 8))):
        customer, item = draw(st.integers(1, 3)), draw(st.sampled_from(ITEMS))
        day, price, quantity = draw(st.integers(1, 5)), draw(st.integers(1, 300)), draw(st.integers(1, 30))
        original.append([str(customer), day_text(day), item, price_text(price), str(quantity)])
        if draw(st.integers(0, 5)) == 0:
            anonymized.append(["*"] * 5)
            continue
        anonymized.append(
            [
                str(10 + customer),
                draw(ordered_cell(day, 9, day_text)),
                draw(item_cell(item)),
                draw(ordered_cell(price, 400, price_text)),
                draw(ordered_cell(quantity, 40, str)),
            ]
        )
    return original, anonymized
