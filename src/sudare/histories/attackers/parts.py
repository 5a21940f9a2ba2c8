"""The pieces of knowledge that attackers have: a new one is a row of `PARTS` and its words in messages/.

A part is known of a visit, of a row of a visit, or of the customer. How it is called stands in the messages `part` and,
unless it is known of rows, `knows`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from sudare.showing import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

Level = Literal["visit", "row", "customer"]
# The tables of the model that have what is known at each level; some parts of a visit are elsewhere.
_TABLES: dict[Level, str] = {"visit": "visit", "row": "purchase", "customer": "calendar"}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of knowledge, in SQL over the tables of the model.

    `elsewhere` is the table of visits that has a part which the usual one lacks; `values` a table with a line for each
    value, where there is one. `needs` is a column that not every history has. Whoever knows the part knows those that
    it `fixes`. `shown` is what people read of a value {key}.

    With published cells it is compared by the days it can stand for (`of_days`, from days since 1970), as a number that
    cells bound (`ordered`), or in a way of its own. If it cannot be, `errors.incomparable` says why under the name
    `incomparable`.
    """

    name: str
    level: Level
    sql: str
    elsewhere: str | None = None
    values: str | None = None
    needs: str | None = None
    fixes: tuple[str, ...] = ()
    shown: str = "{key}"
    of_days: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    ordered: bool = False
    incomparable: str | None = None

    @property
    def table(self) -> str:
        """The table of the model that has the part."""
        return self.elsewhere or _TABLES[self.level]

    @property
    def key(self) -> str:
        """The name of its key column, which must differ from the columns of the model's tables."""
        return f"known_{self.name}"

    @property
    def column(self) -> str:
        """The part as its key column."""
        return f"{self.sql} AS {self.key}"


def _iso_weekday(days: NDArray[Any]) -> NDArray[Any]:
    weekdays: NDArray[Any] = (days + 3) % 7 + 1
    return weekdays


def _year_month(days: NDArray[Any]) -> NDArray[Any]:
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype("int64")
    numbers: NDArray[Any] = (1970 + months // 12) * 100 + months % 12 + 1
    return numbers


# A month is a year's month, 201012; an ISO weekday is 1 for Monday.
PARTS = {
    part.name: part
    for part in (
        Part("day", "visit", "day", shown="CAST({key} AS VARCHAR)", of_days=lambda days: days),
        Part("weekday", "visit", "isodow(day)", of_days=_iso_weekday),
        Part(
            "month", "visit", "year(day) * 100 + month(day)", of_days=_year_month,
            shown="CAST({key} // 100 AS VARCHAR) || '-' || lpad(CAST({key} % 100 AS VARCHAR), 2, '0')",
        ),
        Part("count", "visit", "rows"),
        Part(
            "kinds", "visit", "kinds", elsewhere="variety",
            # The fewest different items that rows with sets of items can have: a minimum hitting set, which is NP-hard.
            incomparable="kinds",
        ),
        Part("items", "visit", "item_set", elsewhere="basket", values="item_set", fixes=("count", "kinds")),
        Part("item", "row", "item", values="item"),
        Part("price", "row", "price", needs="price", ordered=True),
        Part("quantity", "row", "quantity", needs="quantity", ordered=True),
        Part(
            "time", "row", "time", needs="time", incomparable="time",
            shown="lpad(CAST({key} // 60 AS VARCHAR), 2, '0') || ':' || lpad(CAST({key} % 60 AS VARCHAR), 2, '0')",
        ),
        Part("hour", "row", "CAST(floor(time / 60) AS INTEGER)", needs="time", incomparable="time"),
        Part("days", "customer", "days"),
    )
}  # fmt: skip


def _known_of(level: Level) -> tuple[str, ...]:
    return tuple(name for name, part in PARTS.items() if part.level == level)


VISIT_PARTS, ROW_PARTS, CUSTOMER_PARTS = _known_of("visit"), _known_of("row"), _known_of("customer")
