"""Purchase rows as tables on an engine: who bought what on which day.

They are rows (customer, day, item, and where known time, price, quantity); a visit is one (customer, day) pair
(Ito, Kikuchi, Nakagawa, section 3: the table T(id, day)).
"""

from __future__ import annotations

import unicodedata
from dataclasses import field
from hashlib import sha256
from typing import Self

import numpy as np

from sudare.arguments import checked
from sudare.engine import Engine, closed
from sudare.messages import message
from sudare.showing import dataclass
from sudare.sources.readings import Reading

# Tables made from the purchases when they are first needed. `visit` numbers follow customer and day, so that of
# two visits of a customer the earlier one has the smaller number.
_DERIVED = {
    "visit": "SELECT customer, day, CAST(count(*) AS INTEGER) AS rows FROM {purchase} GROUP BY customer, day",
    "line": (
        "SELECT visit, customer, day, rows, item, times FROM "
        "(SELECT customer, day, item, CAST(count(*) AS INTEGER) AS times FROM {purchase} GROUP BY customer, day, item) "
        "JOIN {visit} USING (customer, day)"
    ),
    "variety": (
        "SELECT visit, customer, day, rows, CAST(count(*) AS INTEGER) AS kinds "
        "FROM {line} GROUP BY visit, customer, day, rows"
    ),
    "basket_items": "SELECT visit, array_sort(array_agg(item)) AS items FROM {line} GROUP BY visit",
    "item_set": "SELECT DISTINCT items FROM {basket_items}",
    "basket": (
        "SELECT visit, customer, day, rows, item_set "
        "FROM {visit} JOIN {basket_items} USING (visit) JOIN {item_set} USING (items)"
    ),
    "calendar": (
        "SELECT customer, CAST(count(*) AS INTEGER) AS days, CAST(sum(rows) AS INTEGER) AS rows "
        "FROM {visit} GROUP BY customer"
    ),
}
# Those whose rows are numbered, in a column with the name of the table, and in which order.
_ORDERS = {"visit": "customer, day", "item_set": "items"}
# Those whose rows lie together by customer where the purchases do.
_GATHERED = ("visit", "line")
# What an engine that shows no people does not show.
_PEOPLE = message("errors.people.purchases")
_NEEDS = {
    "visit": ("purchase",),
    "line": ("purchase", "visit"),
    "variety": ("line",),
    "basket_items": ("line",),
    "item_set": ("basket_items",),
    "basket": ("visit", "basket_items", "item_set"),
    "calendar": ("visit",),
}


@dataclass(eq=False)
class Purchases:
    """Purchase rows on an engine; customers and items are numbered in name order.

    `parts` are the columns of `purchase` beyond customer, day and item: any of time, price, quantity. Use it in a
    `with` block, or close it, to release memory and temporary files.
    """

    engine: Engine
    reading: Reading
    records: int
    customers: int
    parts: tuple[str, ...]
    _prefix: str = field(repr=False)
    _near: str = field(default="", repr=False)
    _made: set[str] = field(default_factory=set, repr=False)
    _own_engine: bool = field(default=False, repr=False)
    _closed: bool = field(default=False, repr=False)

    @checked
    def table(self, name: str) -> str:
        """Return the SQL name of a table of the model; a derived table is made on first use.

        Stored: purchase, customer, item (code, name). Derived: visit, line (the distinct items of visits), variety
        (visits with their number of distinct items), basket (visits with the number of their item set), item_set,
        calendar (visits per customer).
        """
        if self._closed:
            raise closed("history")
        if name in _DERIVED:
            needed = {need: self.table(need) for need in _NEEDS[name]}
            near = self._near if name in _GATHERED else ""
            return self.derive(
                name, _DERIVED[name].format(**needed), number=name, order=_ORDERS.get(name, ""), near=near
            )
        return self._prefix + name

    @checked
    def derive(self, name: str, query: str, *, number: str = "", order: str = "", near: str = "") -> str:
        """Return the SQL name of a table made by a query on first use, and kept.

        With an `order`, the column `number` has the position of each row in it; rows with the same `near` are stored
        together.
        """
        if name not in self._made:
            self.engine.keep(self._prefix + name, query, number=number, order=order, near=near)
            self._made.add(name)
        return self._prefix + name

    def digest(self) -> str:
        """Return a hash of who bought what on which day, regardless of row order and customer names.

        It reads the rows from the engine, which only results about single people do.
        """
        items = self.engine.people_columns(f"SELECT code, name FROM {self.table('item')}", _PEOPLE)
        names = [unicodedata.normalize("NFKC", str(name)).strip() for name in items["name"]]
        places = {name: place for place, name in enumerate(sorted(set(names)))}
        number = np.zeros(int(items["code"].max(initial=0)) + 1, np.int64)
        number[items["code"].astype(np.int64)] = [places[name] for name in names]
        query = f"SELECT customer, day_number(day) AS day, item FROM {self.table('purchase')}"
        rows = self.engine.people_columns(query, _PEOPLE)
        customer, day, item = (rows[name].astype(np.int64) for name in ("customer", "day", "item"))
        order = np.lexsort((number[item], day, customer))
        bought = np.column_stack([day, number[item]])[order]
        cuts = np.flatnonzero(np.diff(customer[order])) + 1
        people = sorted(sha256(part.tobytes()).digest() for part in np.split(bought, cuts))
        return sha256(b"".join(people) + "\n".join(places).encode()).hexdigest()

    def close(self) -> None:
        """Close the engine if the history opened it; otherwise drop its tables."""
        self._closed = True
        if self._own_engine:
            self.engine.close()
            return
        self.engine.drop(*(self._prefix + name for name in ("purchase", "customer", "item", *self._made)))
        self._made.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
